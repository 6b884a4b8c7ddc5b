package git

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

func TestParseLog(t *testing.T) {
	const old, one, two = "1111", "2222", "3333"
	in := "\x01aa 5 nothing below\x00\x00" +
		"\x01bb 7 two: files \x01\n:100644 100644 " + old + " " + one + " M\x00MIPs/a b.md\x00:000000 100755 0000 " + two + " A\x00\x01MIPs/ü.md\x00\x00" +
		"\x01cc 8\n::100644 100644 100644 " + old + " " + one + " " + two + " MM\x00merged\x00\x00" +
		"\x01dd 9 gone\n:100644 000000 " + old + " 0000 D\x00x\x00:100644 120000 " + old + " " + one + " T\x00link\x00"
	var got []string
	if err := parseLog(strings.NewReader(in), func(c Commit, f Touch) {
		got = append(got, fmt.Sprintf("%s %d %q: %q %s", c.Hash, c.When, c.Subject, f.Path, f.Blob))
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{`bb 7 "two: files \x01": "MIPs/a b.md" 2222`, `bb 7 "two: files \x01": "\x01MIPs/ü.md" 3333`, `cc 8 "": "merged" 3333`, `dd 9 "gone": "x" `, `dd 9 "gone": "link" `}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parseLog(%q) (-want +got):\n%s", in, diff)
	}
	for _, bad := range []string{"\x01aa\nx\x00", "\x01aa 5 s\nMIPs/1.md\x00a\x00", "\x01aa 5 s\n:1 2 3\x00a\x00"} {
		if err := parseLog(strings.NewReader(bad), func(Commit, Touch) {}); err == nil {
			t.Errorf("parseLog(%q): no error", bad)
		}
	}
}

func TestParseTree(t *testing.T) {
	in := "100644 blob 1111     12\tMIP-1.md\x00120000 blob 2222      3\ta\tb\nc\x00160000 commit 3333       -\tsub\x00040000 tree 4444       -\tdir\x00"
	var got []Entry
	if err := parseTree(strings.NewReader(in), func(e Entry) error { got = append(got, e); return nil }); err != nil {
		t.Fatal(err)
	}
	want := []Entry{{"100644", "1111", 12, "MIP-1.md"}, {"120000", "2222", 3, "a\tb\nc"}, {"160000", "3333", -1, "sub"}, {"040000", "4444", -1, "dir"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parseTree(%q) (-want +got):\n%s", in, diff)
	}
	for _, bad := range []string{"100644 blob 1111 12 name\x00", "100644 blob 1111 x\tname\x00", "100644 blob 1111 12\tcut off"} {
		if err := parseTree(strings.NewReader(bad), func(Entry) error { return nil }); err == nil {
			t.Errorf("parseTree(%q): no error", bad)
		}
	}
}

func TestComplaint(t *testing.T) {
	const address = "https://ada:secret@git.example.org/mips"
	tests := []struct{ name, in, want string }{
		{"the first reason", "warning: x\nfatal: '/x' does not appear to be a git repository\nfatal: Could not read\n", "'/x' does not appear to be a git repository"},
		{"no password", "fatal: unable to access '" + address + "/': refused\n", "unable to access 'https://git.example.org/mips/': refused"},
		{"what the server says comes second", "remote: do this\rremote: and that\nfatal: no\n", "no"},
		{"nothing but words", "ssh: no route\n", "ssh: no route"},
		{"too large", "fatal: write error: File too large\nfatal: fetch-pack: invalid index-pack output\n", "it is larger than what is fetched"},
		{"nothing", "\n", "git ends without a word"},
		{"endless", "fatal: " + strings.Repeat("ö", 500), strings.Repeat("ö", 150) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := complaint(tt.in, address); got != tt.want {
				t.Errorf("complaint(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestPublic(t *testing.T) {
	for address, want := range map[string]string{
		"https://git.example.org/mips":               "https://git.example.org/mips",
		"https://token@git.example.org/mips":         "https://git.example.org/mips",
		"https://ada:p@ss@git.example.org/mips@main": "https://git.example.org/mips@main",
		"ssh://git@git.example.org":                  "ssh://git.example.org",
		"git@git.example.org:mips":                   "git@git.example.org:mips",
		"/srv/git/mips@2":                            "/srv/git/mips@2",
	} {
		if got := Public(address); got != want {
			t.Errorf("Public(%q) = %q, want %q", address, got, want)
		}
	}
}

// TestHeld asks a whole clone and one without contents for blobs that are there, here only, and nowhere.
func TestHeld(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		testenv.Missing(t, "git", "no git program")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	run := func(dir, input string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "maintenance.auto=false", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	whole, partial := t.TempDir(), t.TempDir()
	run(whole, "", "init", "-q", "-b", "main", ".")
	run(whole, "", "config", "uploadpack.allowFilter", "true")
	there := run(whole, "there", "hash-object", "-w", "--stdin")
	tree := run(whole, "100644 blob "+there+"\tfile\n", "mktree")
	run(whole, "", "update-ref", "HEAD", run(whole, "x", "commit-tree", tree))
	nowhere := strings.Repeat("0123", 10)
	run(whole, "", "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+whole, partial)
	here := run(partial, "here", "hash-object", "-w", "--stdin")
	for dir, want := range map[string][]bool{whole: {true, false, false, false}, partial: {false, true, false, false}} {
		got, err := Held(t.Context(), dir, []string{there, here, nowhere, tree})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Held in %s: %v, %v, want %v", dir, got, err, want)
		}
	}
}
