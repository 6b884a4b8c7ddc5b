package gitsync

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	local "github.com/mipwatch/mipwatch/internal/folder"
)

// TestClonesLeftBehind removes the leftovers of killed runs while another run is active.
func TestClonesLeftBehind(t *testing.T) {
	u := newUpstream(t)
	u.commit(map[string]string{"MIP-1.md": "one"})
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	left, other, file := filepath.Join(temp, clonePrefix+"1"),
		filepath.Join(temp, "mipwatch-other"), filepath.Join(temp, clonePrefix+"2")
	outside := t.TempDir()
	err := errors.Join(os.MkdirAll(filepath.Join(left, "objects", "pack"), 0o755),
		os.WriteFile(filepath.Join(left, "objects", "pack", "tmp"), []byte("x"), 0o444),
		os.Mkdir(other, 0o755), os.WriteFile(file, nil, 0o644),
		os.WriteFile(filepath.Join(outside, "kept"), nil, 0o644),
		os.Symlink(outside, filepath.Join(temp, clonePrefix+"3")),
		os.WriteFile(filepath.Join(left, cloneMark), []byte(markText), 0o600),
		os.Mkdir(filepath.Join(temp, clonePrefix+"4"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	busy, remove, err := makeClone()
	if err != nil {
		t.Fatal(err)
	}
	o := u.options(filepath.Join(t.TempDir(), "proposals"))
	o.Doing = func(string) { // others clean up during a run
		removeClones()
	}
	if r, err := Sync(t.Context(), o); err != nil || len(r.Added) != 1 {
		t.Errorf("%v, %+v", err, r)
	}
	want := []string{"mipwatch-other", filepath.Base(busy), clonePrefix + "2", clonePrefix + "3",
		clonePrefix + "4"}
	slices.Sort(want)
	if got := names(t, temp); !slices.Equal(got, want) {
		t.Errorf("the temporary folder holds %q, want %q", got, want)
	}
	if got := names(t, outside); len(got) != 1 {
		t.Errorf("behind a link are %q", got)
	}
	remove()
	if got := names(t, temp); slices.Contains(got, filepath.Base(busy)) {
		t.Errorf("the temporary folder holds %q", got)
	}
}

// names returns the names of a folder's entries, sorted.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// TestManyRunsAtOnce makes clones and removes leftovers in many goroutines: no run loses its clone.
func TestManyRunsAtOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	done := make(chan error)
	const runs, each = 8, 20
	for range runs {
		go func() {
			var err error
			for range each {
				dir, remove, bad := makeClone()
				if bad == nil {
					_, bad = os.Stat(dir)
					removeClones()
					bad = errors.Join(bad, os.WriteFile(filepath.Join(dir, "x"), nil, 0o644))
					remove()
				}
				err = errors.Join(err, bad)
			}
			done <- err
		}()
	}
	for range runs {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := names(t, os.TempDir()); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}

// TestGitFails makes each command of git fail, and hang, in turn.
func TestGitFails(t *testing.T) {
	u := newUpstream(t)
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	u.commit(map[string]string{"MIP-1.md": "one"})
	dir := filepath.Join(t.TempDir(), "proposals")
	o := u.options(dir)
	if _, err := Sync(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	u.commit(map[string]string{"MIP-1.md": "two"})
	path := os.Getenv("PATH")
	for _, command := range []string{"ls-remote ", "init ", "fetch ", "cat-file --batch ",
		"cat-file --batch-check ", "log -z ", "merge-base "} {
		bin := t.TempDir()
		reached := filepath.Join(bin, "reached")
		instead := func(what string) {
			script := fmt.Sprintf("#!/bin/sh\ncase \"$* \" in *' %s'*) : >'%s'; %s;; esac\n"+
				"exec '%s' \"$@\"\n", command, reached, what, program)
			if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", bin+string(filepath.ListSeparator)+path)
		// its failure means that one commit is no ancestor of the other
		if command != "merge-base " {
			instead("echo 'fatal: it is broken' >&2; exit 128")
			o.Timeout = time.Minute
			if _, err := Sync(t.Context(), o); !errors.Is(err, ErrUpstream) ||
				!strings.Contains(err.Error(), "it is broken") {
				t.Errorf("git %sfails: %v, want that the upstream cannot be fetched", command, err)
			}
		}
		if err := os.RemoveAll(reached); err != nil {
			t.Fatal(err)
		}
		instead("exec sleep 600")
		// On a busy machine the timeout may end before the command starts.
		for o.Timeout = 300 * time.Millisecond; o.Timeout < time.Minute; o.Timeout *= 4 {
			_, err := Sync(t.Context(), o)
			if !errors.Is(err, ErrUpstream) || !strings.Contains(err.Error(), "takes too long") {
				t.Errorf("git %shangs: %v, want that the upstream takes too long", command, err)
			}
			if _, err = os.Stat(reached); err == nil {
				break
			}
		}
		if _, err := os.Stat(reached); err != nil {
			t.Errorf("git %sis never run", command)
		}
		if got := held(t, dir)["MIP-1.md"]; got != "one" {
			t.Errorf("git %shangs: the file holds %q", command, got)
		}
	}
}

// TestNamesThatAreOneFile has names that are one file on some systems: in the upstream, locally,
// and one after the other.
func TestNamesThatAreOneFile(t *testing.T) {
	for _, two := range [][2]string{
		{"MIP-1-\u00e9.md", "MIP-1-e\u0301.md"},            // composed and decomposed
		{"MIP-1-\u00c9.md", "MIP-1-e\u0301.md"},            // and in another case
		{"MIP-1-\u1e69.md", "MIP-1-s\u0307\u0323.md"},      // two accents in another order
		{"MIP-1-\ud55c.md", "MIP-1-\u1112\u1161\u11ab.md"}, // a Korean syllable
		{"MIP-1-\u212b.md", "mip-1-\u00e5.md"},             // a unit sign
		{"MIP-1-\u03c3.md", "MIP-1-\u03c2.md"},             // two lower-case letters of one capital
		{"MIP-1-s.md", "MIP-1-\u017f.md"},
	} {
		u := newUpstream(t)
		u.commit(map[string]string{two[0]: "one", two[1]: "two"})
		dir := filepath.Join(t.TempDir(), "proposals")
		r, err := Sync(t.Context(), u.options(dir))
		if err != nil || len(r.Problems) != 1 || r.Problems[0].Code != "name-case" {
			t.Errorf("%+q in the upstream: %v, problems %v, want name-case", two, err, r.Problems)
		}
		u.commit(map[string]string{two[0]: "one"})
		other := t.TempDir()
		if err := os.WriteFile(filepath.Join(other, two[1]), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err = Sync(t.Context(), u.options(other))
		if err != nil || len(r.Problems) != 1 || r.Problems[0].Code != "name-case" {
			t.Errorf("%+q here: %v, problems %v, want name-case", two, err, r.Problems)
		}
		// A file whose name changes its form is removed before it is written: on some systems both
		// are one file.
		texts := map[string]*upstreamText{two[1]: {File: File{Name: two[1]}, temp: &local.Temp{}}}
		f := &folder{Target: Target{Folder: other}, report: &Report{}, gone: []string{two[0]},
			texts: texts, old: &Record{}, next: &Record{}}
		if f.root, err = os.OpenRoot(other); err != nil {
			t.Fatal(err)
		}
		if err := f.root.WriteFile(two[0], nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := f.steps()[0](); err != nil {
			t.Fatal(err)
		}
		if len(f.report.Removed) != 1 {
			t.Errorf("%+q: the second is written before the first is removed", two)
		}
		f.root.Close()
	}
}

// TestTooManyFiles has a folder with one text more than a record may have.
func TestTooManyFiles(t *testing.T) {
	u := newUpstream(t)
	blob := u.git("one", "hash-object", "-w", "--stdin")
	var tree strings.Builder
	for i := range maxFiles + 1 {
		fmt.Fprintf(&tree, "100644 blob %s\tMIP-%05d.md\n", blob, i)
	}
	top := u.git("040000 tree "+u.git(tree.String(), "mktree")+"\tMIPs\n", "mktree")
	u.git("", "update-ref", "HEAD", u.git("x", "commit-tree", top))
	parent := t.TempDir()
	_, err := Sync(t.Context(), u.options(filepath.Join(parent, "proposals")))
	if !errors.Is(err, ErrFolder) ||
		!strings.Contains(err.Error(), "MIPs has more than 10000 Markdown files") {
		t.Errorf("%v, want that the folder has too many files", err)
	}
	if got := names(t, parent); len(got) != 0 {
		t.Errorf("written: %q", got)
	}
}
