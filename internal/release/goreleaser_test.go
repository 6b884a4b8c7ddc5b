package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// TestReleaseConfiguration checks that the programs, images and files of .goreleaser.yaml exist. As
// a long test it builds the programs with these flags and runs them.
func TestReleaseConfiguration(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Builds []struct {
			ID, Main, Binary    string
			Goos, Goarch, Flags []string
			Ldflags             []string
		}
		Archives []struct{ Files []struct{ Src string } }
		Images   []struct {
			IDs        []string
			Dockerfile string
			Flags      []string
			SBOM       bool
		} `yaml:"dockers_v2"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	values := strings.NewReplacer("{{ .Version }}", "1.2.3", "{{ .FullCommit }}", "0123abcd")
	var programs []string
	for _, b := range config.Builds {
		programs = append(programs, b.ID)
		if len(b.Goos) != 3 || len(b.Goarch) != 2 {
			t.Errorf("%s is built for %v, %v", b.ID, b.Goos, b.Goarch)
		}
		if !testenv.All() {
			continue
		}
		file := filepath.Join(t.TempDir(), b.Binary)
		run(t, root, "go",
			slices.Concat([]string{"build", "-buildvcs=false", "-ldflags",
				values.Replace(strings.Join(b.Ldflags, " "))}, b.Flags,
				[]string{"-o", file, b.Main})...)
		got, want := run(t, root, file, "--version"), regexp.MustCompile(`^`+b.ID+` v1\.2\.3 \(commit 0123abcd, go1\.\S+\)\n$`)
		if !want.MatchString(got) {
			t.Errorf("%s --version: %q, want %s", b.ID, got, want)
		}
	}
	if !slices.Equal(programs, []string{"mipwatch", "sidecar"}) ||
		len(config.Images) != len(programs) {
		t.Errorf("a release has the programs %v and %d images", programs, len(config.Images))
	}
	for _, image := range config.Images {
		dockerfile, err := os.ReadFile(filepath.Join(root, image.Dockerfile))
		if err != nil || len(image.IDs) != 1 ||
			!slices.Contains(image.Flags, "--target="+image.IDs[0]) ||
			!strings.Contains(string(dockerfile), " AS "+image.IDs[0]+"\n") {
			t.Errorf("%s makes no image of %v by %v: %v",
				image.Dockerfile, image.IDs, image.Flags, err)
		}
		if !image.SBOM || !slices.Contains(image.Flags, "--attest=type=provenance,mode=max") {
			t.Errorf("the image of %v does not say what it is made of, and by whom: %v",
				image.IDs, image.Flags)
		}
	}
	for _, file := range config.Archives[0].Files {
		if strings.HasPrefix(file.Src, "bin/") {
			continue // built before
		}
		if _, err := os.Stat(filepath.Join(root, file.Src)); err != nil {
			t.Error(err)
		}
	}
}

// TestReleaseNotes checks that the notes of a release are the section of its version, and that a
// release requires one.
func TestReleaseNotes(t *testing.T) {
	dir := t.TempDir()
	script, err := os.ReadFile(filepath.Join(root, ".ci/release/notes"))
	if err != nil {
		t.Fatal(err)
	}
	changelog := "# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [1.2.30] - 2026-12-03\n\n" +
		"- Newer.\n\n## [1.2.3] - 2026-12-01\n\n### Added\n\n- This.\n\n" +
		"## [1.2.2] - 2026-11-30\n\n- Older.\n\n## [1.2.1] - 2026-11-29\n\n"
	file := filepath.Join(dir, ".ci", "release", "notes")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{file: string(script),
		filepath.Join(dir, "CHANGELOG.md"): changelog} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for version, want := range map[string]string{"v1.2.3": "\n### Added\n\n- This.\n\n",
		"v1.2.1": "", "v1.2": "", "v2.0.0": ""} {
		out, err := exec.CommandContext(t.Context(), "bash", file, version).Output()
		if (err == nil) != (want != "") || err == nil && string(out) != want {
			t.Errorf("the notes of %s: %v, %q; want %q", version, err, out, want)
		}
	}
}

// TestReleaseGo compares the Go version of the release workflow with the other deployments.
func TestReleaseGo(t *testing.T) {
	netlify, err := os.ReadFile(filepath.Join(root, "netlify.toml"))
	if err != nil {
		t.Fatal(err)
	}
	workflow, err := os.ReadFile(filepath.Join(root, ".github/workflows/release.yml"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`GO_VERSION = ("[\d.]+")`).FindSubmatch(netlify)
	if version == nil || !strings.Contains(string(workflow),
		"go-version: "+string(version[1])+"\n") {
		t.Errorf("release.yml and netlify.toml (%q) build with different versions of Go", version)
	}
}
