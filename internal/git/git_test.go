package git

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

// hash is the name of an object, the same digit throughout.
func hash(digit string) string { return strings.Repeat(digit, sha1Digits) }

func TestParseLog(t *testing.T) {
	a, b, c := hash("a"), hash("b"), hash("c")
	for _, tt := range []struct {
		date    string
		when    int64
		undated bool
	}{
		{"0", 0, false},
		{"1700000000", 1_700_000_000, false},
		{"253402300799", 253402300799, false},
		{"253402300800", 0, true},
		{"1000000000000", 0, true},
		{"100000000000000000000", 0, true},
		{"-1", 0, true},
		{"", 0, true},
		{"soon", 0, true},
	} {
		in := a + "\n" + b + "\n" + c + " " + b + "\n" + tt.date + "\none: \x01\n:100644\x00" + c + "\n" + b + "\n\n5\n\x00"
		got, err := parseLog(strings.NewReader(in))
		if err != nil || len(got) != 2 {
			t.Fatalf("parseLog(%q): %d commits, %v, want 2", in, len(got), err)
		}
		want := Commit{a, tt.when, tt.undated, "one: \x01\n:100644"}
		if got[0].Commit != want || got[0].root != b || !slices.Equal(got[0].parents, []string{c, b}) || got[1].Hash != c || len(got[1].parents) != 0 {
			t.Errorf("parseLog(%q) = %+v, %+v, want %+v first", in, got[0], got[1], want)
		}
	}
	for _, bad := range []string{"x\x00", a + "\n" + b + "\n\n5\x00", a + "\nb\n\n5\ns\x00", a + "\n" + b + "\n\n5\ncut off"} {
		if _, err := parseLog(strings.NewReader(bad)); !errors.Is(err, ErrFailed) {
			t.Errorf("parseLog(%q): %v, want ErrFailed", bad, err)
		}
	}
}

// TestEndlessRecords reads messages and names that are larger than what may be kept of them.
func TestEndlessRecords(t *testing.T) {
	long := strings.Repeat("x", 3*maxRecord)
	head := hash("a") + "\n" + hash("b") + "\n\n5\n"
	nodes, err := parseLog(strings.NewReader(head + long + "\x00" + head + "short\x00"))
	if err != nil || len(nodes) != 2 || nodes[0].Subject != long[:maxSubject] || nodes[1].Subject != "short" {
		t.Errorf("parseLog: %d commits, %v", len(nodes), err)
	}
	var names []int
	in := "100644 blob 1111 12\t" + long + "\x00100644 blob 1111 12\tshort\x00"
	err = parseTree(strings.NewReader(in), func(e Entry) error { names = append(names, len(e.Name)); return nil })
	if err != nil || len(names) != 2 || names[0] > maxRecord || names[1] != 5 {
		t.Errorf("parseTree: lengths of names %v, %v", names, err)
	}
}

// TestTooManyEntries ends in the middle of a folder.
func TestTooManyEntries(t *testing.T) {
	listed := 0
	in := strings.NewReader(strings.Repeat("100644 blob 1111 12\tx\x00", maxEntries+1_000_000))
	err := parseTree(in, func(Entry) error { listed++; return nil })
	if err != ErrEntries || listed != maxEntries || in.Len() == 0 {
		t.Errorf("parseTree: %d entries, %d bytes not read, %v", listed, in.Len(), err)
	}
}

func TestParseChanges(t *testing.T) {
	zero, one, two := hash("0"), hash("1"), hash("2")
	pair := one + " " + two + "\n"
	record := func(before, after, name string) string {
		return ":" + before + " " + after + " " + one + " " + two + " M\x00" + name + "\x00"
	}
	c, merge := &node{Commit: Commit{Hash: "cc"}}, &node{Commit: Commit{Hash: "mm"}}
	asked := []comparison{
		{c, "MIPs/", true, true}, {c, "", true, true}, {merge, "MIPs/", true, false}, {merge, "MIPs/", false, false}, {merge, "MIPs/", false, true}, {merge, "x/", true, true},
	}
	in := pair + record("100644", "100644", "a b.md") + ":000000 100755 " + zero + " " + two + " A\x00\x01\n:ü.md\x00" +
		record("040000", "040000", "folder") + record("000000", "040000", "new") + record("040000", "000000", "old") +
		record("100644", "120000", "link") + ":100644 000000 " + one + " " + zero + " D\x00gone\x00" +
		pair + pair + record("100644", "100644", "both") + record("100644", "100644", "one") + pair + record("100644", "100644", "both") + record("100644", "100644", "other") +
		pair + record("100644", "100644", "both") + record("100644", "100644", "one") + pair
	var got []string
	err := parseChanges(strings.NewReader(in), asked, new(int), func(c Commit, f Touch) { got = append(got, fmt.Sprintf("%s %q %.1s", c.Hash, f.Path, f.Blob)) })
	want := []string{`cc "MIPs/a b.md" 2`, `cc "MIPs/\x01\n:ü.md" 2`, `cc "MIPs/link" `, `cc "MIPs/gone" `, `mm "MIPs/both" 2`}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("parseChanges(%q): %v (-want +got):\n%s", in, err, diff)
	}
	entries := maxTouched
	if err := parseChanges(strings.NewReader(pair+record("100644", "100644", "a")), asked[:1], &entries, func(Commit, Touch) {}); !errors.Is(err, ErrFailed) {
		t.Errorf("after %d entries: %v, want ErrFailed", maxTouched, err)
	}
	for _, bad := range []string{"", pair + pair, "x\n", record("100644", "100644", "a"), pair + ":100644 100644 " + one + " M\x00a\x00", pair + ":100644 100644 " + one + " " + two + " M\x00", pair + ":100644"} {
		if err := parseChanges(strings.NewReader(bad), asked[:1], new(int), func(Commit, Touch) {}); !errors.Is(err, ErrFailed) {
			t.Errorf("parseChanges(%q): %v, want ErrFailed", bad, err)
		}
	}
}

// FuzzLog reads what git may print of hostile commits and folders: nothing panics, and what is kept is bounded.
func FuzzLog(f *testing.F) {
	a, b := hash("a"), hash("b")
	f.Add([]byte(a + "\n" + b + "\n" + a + "\n-1\nsubject\x00"))
	f.Add([]byte(a + " " + b + "\n:100644 100644 " + a + " " + b + " M\x00MIP-1.md\x00" + a + " " + b + "\n"))
	f.Add([]byte("100644 blob " + a + "     12\tMIP-1.md\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		nodes, err := parseLog(bytes.NewReader(in))
		for _, n := range nodes {
			if n.When < 0 || n.When > lastSecond || n.Undated && n.When != 0 || len(n.Subject) > maxSubject || !WholeHash(n.Hash) || err != nil {
				t.Fatalf("commit %+v, %v", n.Commit, err)
			}
		}
		c := &node{}
		asked := []comparison{{c, "MIPs/", true, false}, {c, "MIPs/", false, true}, {c, "", true, true}}
		err = parseChanges(bytes.NewReader(in), asked, new(int), func(_ Commit, f Touch) {
			if f.Blob != "" && !WholeHash(f.Blob) || strings.ContainsRune(f.Path, 0) {
				t.Fatalf("touched %+v", f)
			}
		})
		if err != nil && !errors.Is(err, ErrFailed) {
			t.Fatalf("parseChanges: %v", err)
		}
		err = parseTree(bytes.NewReader(in), func(e Entry) error {
			if e.Size < -1 || strings.ContainsRune(e.Name, 0) {
				t.Fatalf("entry %+v", e)
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrFailed) {
			t.Fatalf("parseTree: %v", err)
		}
	})
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
