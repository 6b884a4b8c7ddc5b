package git

import (
	"bufio"
	"errors"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// hash returns an object name that repeats one digit.
func hash(digit string) string { return strings.Repeat(digit, sha1Digits) }

// raw returns git's raw line of a file: modes and hashes, one per parent and then one for the
// commit.
func raw(modes, digits, letters string) string {
	var hashes strings.Builder
	for _, digit := range digits {
		hashes.WriteString(hash(string(digit)) + " ")
	}
	return strings.Repeat(":", len(digits)-1) + modes + " " + hashes.String() + letters + "\x00"
}

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
		in := "^" + b + "\n" + a + "\n" + tt.date + "\nAda\none: \x01\n:100644\x00" +
			"\n" + raw("100644 100644", "12", "M") + "M/a\n:b\x00" +
			raw("100644 000000", "10", "D") + "M/gone\x00" + raw("100644 120000", "12", "T") +
			"M/link\x00" + raw("100644 100755", "11", "M") + "M/mode\x00" +
			raw("000000 100644", "01", "A") + "M/deep/x\x00" + "^" + c + "\n" + b +
			"\n5\n\n\x00\x00" + raw("100644 100755", "13", "M") + "M/z\x00"
		got, err := parsed(in)
		want := []Commit{
			{Hash: b, When: 5, Landed: 5, listed: min(5, tt.when),
				Files: []Step{{"M/z", hash("1"), hash("3")}}},
			{
				Hash: a, When: tt.when, Undated: tt.undated, Author: "Ada",
				Subject: "one: \x01\n:100644",
				Landed:  tt.when, listed: tt.when, Files: []Step{
					{"M/a\n:b", hash("1"), hash("2")}, {"M/gone", hash("1"), ""},
					{"M/link", hash("1"), ""},
					{"M/mode", hash("1"), hash("1")},
				},
			},
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Commit{})); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", in, err, diff)
		}
	}
	head, file := "^\n"+a+"\n5\nAda\ns\x00", raw("100644 100644", "12", "M")
	for _, bad := range []string{
		"x\x00", a + "\n5\nAda\ns\x00", "^\nb\n5\nAda\ns\x00", "^\n" + a + "\n5\ns\x00",
		"^\n" + a + "\n5\nAda\ncut off", file + "M/a\x00", head + file, head + file + "cut off",
		head + ":" + file + "M/a\x00",
		head + ":100644 100644 x y M\x00M/a\x00", head + ":\x00M/a\x00",
	} {
		if _, err := parsed(bad); !errors.Is(err, ErrFailed) {
			t.Errorf("%q: %v, want ErrFailed", bad, err)
		}
	}
}

// TestEndlessRecords parses messages and names that exceed the limits.
func TestEndlessRecords(t *testing.T) {
	long := strings.Repeat("x", 3*maxRecord)
	file := "\n" + raw("000000 100644", "01", "A") + "M/a\x00"
	commits, err := parsed("^" + hash("b") + "\n" + hash("a") + "\n5\nAda\n" + long + "\x00" +
		file +
		"^\n" + hash("b") + "\n5\nAda\nshort\x00" + file)
	if err != nil || len(commits) != 2 || commits[1].Subject != long[:maxSubject] ||
		commits[0].Subject != "short" {
		t.Errorf("%d commits, %v", len(commits), err)
	}
}

// parsed parses git's output for a walk through the folder M.
func parsed(text string) ([]Commit, error) {
	w := newWalk(func(name string) bool { return path.Dir(name) == "M" })
	if err := w.read(reader(text)); err != nil {
		return nil, err
	}
	return w.steps()
}

func reader(text string) *bufio.Reader { return bufio.NewReader(strings.NewReader(text)) }

// entry is a tree entry as git stores it.
func entry(mode, name, digit string) string {
	return mode + " " + name + "\x00" + strings.Repeat(digit, 20)
}

func TestParseTree(t *testing.T) {
	in := entry("100644", "b.md", "1") + entry("120000", "a\tb\nc d", "2") +
		entry("160000", "sub", "3") + entry("40000", "dir", "4")
	got, err := parseTree(in, 20)
	// the hexadecimal codes of entry's digits
	digits := func(s string) string { return strings.Repeat("3"+s, 20) }
	want := []Entry{{"b.md", "100644", 0, digits("1")}, {"a\tb\nc d", "120000", 0, digits("2")},
		{"sub", "160000", 0, digits("3")}, {"dir", "40000", 0, digits("4")}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("parseTree(%q) = %v, %v, want %v", in, got, err, want)
	}
	for _, bad := range []string{"100644", "100644 name", "100644 name\x0012",
		entry("100644", "a", "1") + " "} {
		if _, err := parseTree(bad, 20); !errors.Is(err, ErrFailed) {
			t.Errorf("parseTree(%q): %v, want ErrFailed", bad, err)
		}
	}
	_, err = parseTree(strings.Repeat(entry("100644", "a", "1"), maxEntries+1), 20)
	if err != errEntries {
		t.Errorf("more than %d entries: %v, want errEntries", maxEntries, err)
	}
}

// FuzzLog parses git's output for hostile commits and folders: nothing panics, and sizes stay
// bounded.
func FuzzLog(f *testing.F) {
	f.Add([]byte("^" + hash("b") + "\n" + hash("a") + "\n-1\nAda\nsubject\x00\n" +
		raw("100644 100644", "12", "M") + "M/MIP-1.md\x00" +
		"^\n" + hash("b") + "\n1\n\n\x00\x00" + raw("000000 100644", "01", "A") + "M/MIP-1.md\x00"))
	f.Add([]byte(entry("100644", "MIP-1.md", "1") + entry("40000", "x", "2")))
	f.Fuzz(func(t *testing.T, in []byte) {
		commits, err := parsed(string(in))
		if err != nil && !errors.Is(err, ErrFailed) {
			t.Fatalf("walk: %v", err)
		}
		for _, c := range commits {
			sound := 0 <= c.When && c.When <= lastSecond && !(c.Undated && c.When != 0) &&
				len(c.Subject) <= maxSubject
			if !sound || !WholeHash(c.Hash) || err != nil {
				t.Fatalf("commit %+v, %v", c, err)
			}
			for _, f := range c.Files {
				if f.Before != "" && !WholeHash(f.Before) || f.After != "" && !WholeHash(f.After) ||
					path.Dir(f.Path) != "M" {
					t.Fatalf("file %+v", f)
				}
			}
		}
		entries, err := parseTree(string(in), 20)
		if err != nil && !errors.Is(err, ErrFailed) || len(entries) > len(in)/20 {
			t.Fatalf("parseTree: %d entries, %v", len(entries), err)
		}
	})
}

func TestReason(t *testing.T) {
	const address = "https://ada:secret@git.example.org/mips"
	tests := []struct{ name, in, want string }{
		{"the first reason",
			"warning: x\nfatal: '/x' does not appear to be a git repository\n" +
				"fatal: Could not read\n",
			"'/x' does not appear to be a git repository"},
		{"no password", "fatal: unable to access '" + address + "/': refused\n",
			"unable to access 'https://git.example.org/mips/': refused"},
		{"what the server says comes second", "remote: do this\rremote: and that\nfatal: no\n",
			"no"},
		{"nothing but words", "ssh: no route\n", "ssh: no route"},
		{"too large",
			"fatal: write error: File too large\nfatal: fetch-pack: invalid index-pack output\n",
			"it is larger than what is fetched"},
		{"too much memory", "fatal: Out of memory, malloc failed\n", string(errTooMuch)},
		{"nothing", "\n", "git ends without a word"},
		{"endless", "fatal: " + strings.Repeat("ö", 500), strings.Repeat("ö", 150) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := reason(tt.in, address); got != tt.want {
				t.Errorf("reason(%q) = %q, want %q", tt.in, got, tt.want)
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

// TestMemoryIsBounded reads the memory limit of the shell that runs git.
func TestMemoryIsBounded(t *testing.T) {
	if runtime.GOOS != "linux" {
		testenv.Missing(t, "linux", "the limit is there on Linux")
	}
	out, err := newCommand(t.Context(), t.TempDir(), "-c", "alias.limit=!ulimit -v",
		"limit").output()
	limit, bad := strconv.Atoi(strings.TrimSpace(out))
	if err != nil || bad != nil || limit > 4<<20 {
		t.Errorf("git has %s KiB of memory, %v", out, err)
	}
}

// TestOutputIsBounded makes git print more than is kept.
func TestOutputIsBounded(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		testenv.Missing(t, "git", "no git program")
	}
	out, err := newCommand(t.Context(), t.TempDir(), "-c", "alias.much=!head -c 3000000 /dev/zero",
		"much").output()
	if err != nil || len(out) != maxAnswer {
		t.Errorf("%d bytes, %v, want %d", len(out), err, maxAnswer)
	}
}
