package gitsync

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// upstream is a repository with a folder MIPs.
type upstream struct {
	t   *testing.T
	dir string
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	u := &upstream{t, t.TempDir()}
	u.git("", "init", "-q", "-b", "main", ".")
	return u
}

// git runs git with an input and returns its output.
func (u *upstream) git(input string, args ...string) string {
	u.t.Helper()
	return testenv.GitInput(u.t, u.dir, input, args...)
}

// commit replaces the folder's content by these texts, by name.
func (u *upstream) commit(texts map[string]string) {
	u.t.Helper()
	dir := filepath.Join(u.dir, "MIPs")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		u.t.Fatal(err)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			u.t.Fatal(err)
		}
	}
	u.git("", "add", "-A", ".")
	u.git("", "commit", "-q", "--allow-empty", "-m", "next")
}

func (u *upstream) options(folder string) Options {
	return Options{
		Git: u.dir, Targets: []Target{{Folder: folder, From: []string{"MIPs"}}},
		Timeout: time.Minute, Doing: func(string) {}, Waiting: func() {},
	}
}

// held returns the content of a folder, without the record.
func held(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == ".mipwatch-upstream.json" {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		out[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestKilled ends a run after each of its steps, changes the upstream, and checks that the next run
// completes everything without asking.
func TestKilled(t *testing.T) {
	u := newUpstream(t)
	first := map[string]string{"MIP-1.md": "one", "MIP-2.md": "two", "MIP-3.md": "three",
		"mip-4.md": "four"}
	second := map[string]string{"MIP-1.md": "one, changed", "MIP-4.md": "four, renamed",
		"MIP-5.md": "five", "MIP-6.md": "six"}
	third := map[string]string{"MIP-1.md": "one, again", "MIP-2.md": "two", "MIP-6.md": "six"}
	u.commit(first)
	before := u.git("", "rev-parse", "HEAD")
	u.commit(second)
	between := u.git("", "rev-parse", "HEAD")
	u.commit(third)

	steps := 1
	for done := 0; done < steps; done++ {
		dir := filepath.Join(t.TempDir(), "proposals")
		o := u.options(dir)
		o.Ref = before
		if _, err := Sync(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		o.Ref = between
		steps = killAfter(t, o, done)
		for name, text := range held(t, dir) {
			if strings.HasPrefix(name, ".mipwatch-tmp-") {
				continue // hidden
			}
			if text != first[name] && text != second[name] {
				t.Errorf("killed after %d steps, %s holds %q", done, name, text)
			}
		}
		o.Ref = ""
		r, err := Sync(t.Context(), o)
		if err != nil || len(r.Problems) > 0 {
			t.Fatalf("after a run that was killed after %d steps: %v, problems %v",
				done, err, r.Problems)
		}
		if diff := cmp.Diff(third, held(t, dir)); diff != "" {
			t.Errorf("after a run that was killed after %d steps (-want +got):\n%s", done, diff)
		}
		if r, err := Sync(t.Context(), o); err != nil ||
			len(r.Added)+len(r.Changed)+len(r.Removed) > 0 {
			t.Errorf("and again: %v, %+v", err, r)
		}
	}
	if steps < 8 {
		t.Errorf("only %d steps were tried", steps)
	}
}

// killAfter runs the given number of a run's final steps, stops there, and returns the total
// number.
func killAfter(t *testing.T, o Options, steps int) int {
	t.Helper()
	s := &syncer{Options: o, clone: t.TempDir(), Report: &Report{Git: o.Git}}
	if err := s.open(t.Context(), o.Targets[0]); err != nil {
		t.Fatal(err)
	}
	f := s.folders[0]
	defer func() { f.root.Close(); f.lock.Close() }()
	if err := s.fetch(t.Context()); err != nil || len(s.Problems) > 0 {
		t.Fatalf("fetch: %v, problems %v", err, s.Problems)
	}
	all := f.steps()
	for _, step := range all[:steps] {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return len(all)
}

// TestTwoAtOnce starts while another run has the folder.
func TestTwoAtOnce(t *testing.T) {
	u := newUpstream(t)
	u.commit(map[string]string{"MIP-1.md": "one"})
	dir := t.TempDir()
	other := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	o := u.options(dir)
	waited := 0
	o.Waiting = func() { waited++; other.Close() }
	r, err := Sync(t.Context(), o)
	if err != nil || waited != 1 || len(r.Added) != 1 {
		t.Errorf("waited %d times, then %v, %+v", waited, err, r)
	}
	// A run that gives up waiting has changed nothing.
	u.commit(map[string]string{"MIP-1.md": "two"})
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx, cancel := context.WithCancel(t.Context())
	o.Waiting = cancel
	if _, err := Sync(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while it waits: %v", err)
	}
	if got := held(t, dir)["MIP-1.md"]; got != "one" {
		t.Errorf("interrupted while it waits, the file holds %q", got)
	}
}

// TestUpstreamHangs uses a server that accepts connections and sends nothing, over each protocol
// that has one.
func TestUpstreamHangs(t *testing.T) {
	u := newUpstream(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, scheme := range []string{"http", "git"} {
		dir := filepath.Join(t.TempDir(), "proposals")
		o := u.options(dir)
		o.Git, o.Timeout = scheme+"://"+listener.Addr().String()+"/mips", 300*time.Millisecond
		_, err = Sync(t.Context(), o)
		if !errors.Is(err, ErrUpstream) || !strings.Contains(err.Error(), "takes too long") {
			t.Errorf("%s: %v, want that it takes too long", scheme, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the folder was made: %v", scheme, err)
		}
	}
}

// TestNamesThatLeadElsewhere has entries that git itself would not write.
func TestNamesThatLeadElsewhere(t *testing.T) {
	u := newUpstream(t)
	blob := u.git("evil", "hash-object", "-w", "--stdin")
	sum, err := hex.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	var tree strings.Builder
	for _, name := range []string{"../escaped.md", "/rooted.md", `a\b.md`, "c:d.md",
		"sub/file.md"} {
		tree.WriteString("100644 " + name + "\x00")
		tree.Write(sum)
	}
	hash := u.git(tree.String(), "hash-object", "-t", "tree", "--literally", "-w", "--stdin")
	top := u.git("040000 tree "+hash+"\tMIPs\n", "mktree")
	u.git("", "update-ref", "HEAD", u.git("x", "commit-tree", top))
	parent := t.TempDir()
	o := u.options(filepath.Join(parent, "proposals"))
	o.KeepGoing = true
	r, err := Sync(t.Context(), o)
	var codes []string
	for _, p := range r.Problems {
		codes = append(codes, p.Code)
	}
	if err != nil || !slices.Equal(codes, slices.Repeat([]string{"bad-file-name"}, 5)) {
		t.Errorf("%v, problems %v, want five names refused", err, r.Problems)
	}
	if got := held(t, parent); len(got) != 1 || got["proposals/"+RecordName] == "" {
		t.Errorf("written: %q, want the record alone", got)
	}
}

// TestRepositoryTooLarge fetches a repository beyond the limit.
func TestRepositoryTooLarge(t *testing.T) {
	u := newUpstream(t)
	noise := make([]byte, 200_000)
	for i, x := 0, uint32(1); i < len(noise); i++ { // incompressible
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		noise[i] = byte(x)
	}
	u.commit(map[string]string{"MIP-1.md": "one", "noise.bin": string(noise)})
	err := git.Fetch(t.Context(), t.TempDir(), u.dir, u.git("", "rev-parse", "HEAD"), 50_000)
	if err == nil || !strings.Contains(err.Error(), "larger than what is fetched") {
		t.Errorf("fetch: %v, want that it is too large", err)
	}
}
