package release_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestModuleArchive creates the archive from which the go command gets a version of this module.
// The go command refuses some file names and sizes.
func TestModuleArchive(t *testing.T) {
	publish(t, "v0.1.0")
}

// TestVersionRuns lets the go command run a version of this module without a checkout.
func TestVersionRuns(t *testing.T) {
	testenv.Long(t, "a build of the program from a module's archive")
	m, proxy := publish(t, "v0.1.0")
	modules := strings.TrimSpace(run(t, root, "go", "env", "GOMODCACHE"))
	elsewhere := t.TempDir()
	if err := os.CopyFS(filepath.Join(elsewhere, "proposals"),
		os.DirFS(filepath.Join(root, "internal/samples/proposals"))); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ command, want string }{
		{"version", `(?m)^mipwatch v0\.1\.0 \(commit unknown, go1\.`},
		{"init", `(?m)^wrote site\.yaml: \d+ proposals sound, `},
		{"build", `(?m)^published \d+ proposals \(0 errors, `},
	} {
		cmd := exec.CommandContext(t.Context(), "go", "run", m.Path+"/cmd/mipwatch@"+m.Version,
			tt.command)
		cmd.Dir = elsewhere
		// Other modules come from this machine's module cache, which must stay unchanged.
		cmd.Env = append(os.Environ(),
			"GOPROXY=file://"+proxy+",file://"+filepath.Join(modules, "cache/download"),
			"GONOSUMDB=*",
			"GOMODCACHE="+filepath.Join(proxy, "modules"),
			"GOFLAGS=-modcacherw "+os.Getenv("GOFLAGS"))
		out, err := cmd.CombinedOutput()
		if err != nil && strings.Contains(string(out), modules) {
			testenv.Missing(t, "modcache", "the module cache lacks a module:", string(out))
		}
		if err != nil || !regexp.MustCompile(tt.want).Match(out) {
			t.Fatalf("%v: %v; want %s\n%s", cmd.Args, err, tt.want, out)
		}
	}
}

// publish writes the files of this checkout, as a version of the module, into a folder that serves
// as a module proxy.
func publish(t *testing.T, version string) (m module.Version, proxy string) {
	t.Helper()
	dir, _ := checkout(t)
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(mod.Replace)+len(mod.Exclude) > 0 {
		t.Errorf("go.mod has %d lines that replace and %d that exclude: go run of a version "+
			"refuses it", len(mod.Replace), len(mod.Exclude))
	}
	m, proxy = module.Version{Path: mod.Module.Mod.Path, Version: version}, t.TempDir()
	name := filepath.Join(proxy, m.Path, "@v", version)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(name + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(zip.CreateFromDir(archive, m, dir), archive.Close(),
		os.WriteFile(name+".mod", text, 0o644),
		os.WriteFile(name+".info", []byte(`{"Version": "`+version+`"}`), 0o644),
		os.WriteFile(filepath.Join(filepath.Dir(name), "list"), []byte(version+"\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return m, proxy
}
