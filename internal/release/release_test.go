package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

const root = "../.."

// TestStamped builds both programs in a checkout, with the go command alone and as a container
// does, and checks the build that each reports.
func TestStamped(t *testing.T) {
	testenv.Long(t, "five builds of the programs")
	const variables = "-X github.com/mipwatch/mipwatch/internal/release."
	dir, commit := checkout(t)
	linker := variables + "version=v1.2.3"
	for _, tt := range []struct {
		name, program, ask string
		flags              []string
		want               string
	}{
		{"checkout", "sidecar", "--version", []string{"-buildvcs=true"},
			`v0\.0\.0-\S+ \(commit ` + commit + `, go1\.\S+\)`},
		{"linker", "sidecar", "--version",
			[]string{"-buildvcs=false", "-ldflags", linker + " " + variables + "commit=0123abcd"},
			`v1\.2\.3 \(commit 0123abcd, go1\.\S+\)`},
		{"neither", "sidecar", "--version", []string{"-buildvcs=false"},
			`\(devel\) \(commit unknown, go1\.\S+\)`},
		{"linker in a checkout", "mipwatch", "version",
			[]string{"-buildvcs=true", "-ldflags", linker},
			`v1\.2\.3 \(commit ` + commit + `, go1\.\S+\)`},
		{"changes", "sidecar", "--version", []string{"-buildvcs=true"},
			`v0\.0\.0-\S+ \(commit ` + commit + `\+changes, go1\.\S+\)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "changes" {
				if err := os.WriteFile(filepath.Join(dir, "README.md"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(t.TempDir(), tt.program)
			run(t, dir, "go",
				append(append([]string{"build", "-trimpath"}, tt.flags...), "-o", file,
					"./cmd/"+tt.program)...)
			if got, want := run(t, dir, file, tt.ask),
				regexp.MustCompile("^"+tt.program+" "+tt.want+"\n$"); !want.MatchString(got) {
				t.Errorf("%s %s: %q, want %s", tt.program, tt.ask, got, want)
			}
		})
	}
}

// checkout commits the present files of this checkout to a repository of their own: the go command
// records nothing in a linked worktree.
func checkout(t *testing.T) (dir, commit string) {
	t.Helper()
	if err := exec.CommandContext(t.Context(), "git", "rev-parse", "HEAD").Run(); err != nil {
		testenv.Missing(t, "git", "git is not installed, or this is no git checkout")
	}
	dir = t.TempDir()
	for name := range strings.SplitSeq(run(t, root, "git", "ls-files", "-z", "--cached", "--others",
		"--exclude-standard"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue // deleted and not committed yet, or the empty name at the end
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	testenv.Git(t, dir, "", "init", "-q")
	testenv.Git(t, dir, "", "add", "-A")
	testenv.Git(t, dir, "", "commit", "-q", "-m", "All")
	return dir, testenv.Git(t, dir, "", "rev-parse", "HEAD")
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stderr = dir, t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}
