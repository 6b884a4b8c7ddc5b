package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/site"
)

// planOf returns a plan of file=content words. Names that start with "index" are indexes.
func planOf(words ...string) *Plan {
	p := &Plan{made: &planner{
		Content:     &Content{options: Options{Site: &site.Site{Prefix: "MIP"}}},
		searchIndex: func() (*searchIndex, error) { return &searchIndex{}, nil },
	}}
	for _, w := range words {
		file, content, _ := strings.Cut(w, "=")
		p.Artifacts = append(p.Artifacts, Artifact{
			File: file, Body: fixed([]byte(content)), index: strings.HasPrefix(file, "index")})
	}
	return p
}

// tree reads every file of a folder but the build's own state.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if rel == stateDir {
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		b, err := os.ReadFile(p)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// stamps returns the modification time of every file, including the state.
func stamps(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	out := map[string]time.Time{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		if err == nil {
			out[p] = st.ModTime()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// age sets every modification time back, so that a rewrite is visible with any clock.
func age(t *testing.T, dir string) {
	t.Helper()
	old := time.Unix(1_000_000_000, 0)
	for p := range stamps(t, dir) {
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
}

func mustSync(t *testing.T, p *Plan, dir string) Report {
	t.Helper()
	r, err := Sync(t.Context(), p, dir, SyncOptions{})
	if err != nil {
		t.Fatalf("Sync: %v", err)
	}
	return r
}

func TestSyncReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	steps := []struct {
		name string
		plan *Plan
		want Report
		tree map[string]string
	}{
		{"first", planOf("a/1=one", "a/b/c/2=two", "index=1 2"), Report{Changed: 3},
			map[string]string{"a/1": "one", "a/b/c/2": "two", "index": "1 2"}},
		{"again", planOf("a/1=one", "a/b/c/2=two", "index=1 2"), Report{Unchanged: 3},
			map[string]string{"a/1": "one", "a/b/c/2": "two", "index": "1 2"}},
		{"one changed", planOf("a/1=ONE", "a/b/c/2=two", "index=1 2"),
			Report{Changed: 1, Unchanged: 2},
			map[string]string{"a/1": "ONE", "a/b/c/2": "two", "index": "1 2"}},
		{"one gone, its folders too", planOf("a/1=ONE", "index=1"),
			Report{Changed: 1, Unchanged: 1, Removed: 1},
			map[string]string{"a/1": "ONE", "index": "1"}},
		{"a file becomes a folder", planOf("a/1/x=X", "index=1"), Report{}, nil},
	}
	for _, s := range steps {
		got, err := Sync(t.Context(), s.plan, dir, SyncOptions{})
		if s.tree == nil {
			if err == nil || !strings.Contains(err.Error(), "a/1") {
				t.Errorf("%s: err = %v, want one that names a/1", s.name, err)
			}
			continue
		}
		if err != nil || got != s.want {
			t.Errorf("%s: Sync = %+v, %v, want %+v", s.name, got, err, s.want)
		}
		if diff := cmp.Diff(s.tree, tree(t, dir)); diff != "" {
			t.Errorf("%s: tree (-want +got):\n%s", s.name, diff)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a/b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the emptied folder a/b is still there: %v", err)
	}
}

func TestSyncTouchesNothingWhenNothingChanged(t *testing.T) {
	dir := t.TempDir()
	p := planOf("a=one", "b=two", "index=i")
	mustSync(t, p, dir)
	age(t, dir)
	before := stamps(t, dir)
	if r := mustSync(t, p, dir); r != (Report{Unchanged: 3}) {
		t.Errorf("second Sync = %+v, want 3 unchanged", r)
	}
	if diff := cmp.Diff(before, stamps(t, dir)); diff != "" {
		t.Errorf("modification times moved (-before +after):\n%s", diff)
	}
}

// A file is rewritten wherever its bytes differ, and is not touched if they are equal.
func TestSyncComparesBytes(t *testing.T) {
	long := strings.Repeat("a long line of a page, ", 10_000)
	texts := []string{"", "one", "one more", "once", long, long + "end", long + "END", "x" + long}
	for _, old := range texts {
		for _, text := range texts {
			dir := t.TempDir()
			mustSync(t, planOf("a="+old), dir)
			age(t, dir)
			want := Report{Changed: 1}
			if old == text {
				want = Report{Unchanged: 1}
			}
			if r := mustSync(t, planOf("a="+text), dir); r != want {
				t.Errorf("%.40q after %.40q: %+v, want %+v", text, old, r, want)
			}
			if got := tree(t, dir)["a"]; got != text {
				t.Errorf("%.40q after %.40q: the file holds %.40q, %d bytes", text, old,
					got, len(got))
			}
		}
	}
}

// A file that somebody changed is restored, except a file whose name has a hash of its bytes: it is
// not made again while a file of a build has the name.
func TestSyncMends(t *testing.T) {
	dir := t.TempDir()
	drawn := 0
	p := planOf("a=one", "og.0123abcd.png=picture", "index=i")
	p.Artifacts[1].Pattern = siteCardRoute
	p.Artifacts[1].Body = func() ([]byte, error) { drawn++; return []byte("picture"), nil }
	mustSync(t, p, dir)
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("tampered"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := mustSync(t, p, dir); r != (Report{Changed: 1, Unchanged: 2}) || drawn != 1 {
		t.Errorf("after tampering: %+v, drawn %d times; want one file put right and the "+
			"picture drawn once", r, drawn)
	}
	card := filepath.Join(dir, "og.0123abcd.png")
	for what, damage := range map[string]func() error{
		"removed":            func() error { return os.Remove(card) },
		"after a power loss": func() error { return os.Truncate(card, 0) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		mustSync(t, p, dir)
		diff := cmp.Diff(map[string]string{"a": "one", "og.0123abcd.png": "picture", "index": "i"},
			tree(t, dir))
		if diff != "" {
			t.Errorf("%s: tree (-want +got):\n%s", what, diff)
		}
	}
}

func TestSyncWithoutARecord(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"gone": func(dir string) error { return os.Remove(filepath.Join(dir, recordFile)) },
		"garbage": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, recordFile), []byte("garbage"), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mustSync(t, planOf("a=one", "b=two", "mip/5.md=five", "mip/5/index.html=page",
				"api/v1/mips/5.json=json"), dir)
			foreign := func(name string) error {
				return os.WriteFile(filepath.Join(dir, name), nil, 0o644)
			}
			err := errors.Join(damage(dir), foreign("CNAME"), foreign("mip/own.md"),
				foreign("api/v1/mips/own.json"))
			if err != nil {
				t.Fatal(err)
			}
			age(t, dir)
			before := stamps(t, dir)
			r := mustSync(t, planOf("a=one", "b=TWO"), dir)
			if r != (Report{Changed: 1, Unchanged: 1, Removed: 3}) {
				t.Errorf("Sync = %+v, want one changed, one unchanged, three removed", r)
			}
			if a := filepath.Join(dir, "a"); !stamps(t, dir)[a].Equal(before[a]) {
				t.Error("a was rewritten with the same bytes")
			}
			diff := cmp.Diff(map[string]string{"a": "one", "b": "TWO", "CNAME": "",
				"mip/own.md": "", "api/v1/mips/own.json": ""}, tree(t, dir))
			if diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSyncRefusesToOverwriteAForeignFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := Sync(t.Context(), planOf("a=one", "index=ours"), dir, SyncOptions{})
		if !errors.Is(err, ErrNotOurs) || !strings.Contains(err.Error(), "index") {
			t.Errorf("err = %v, want ErrNotOurs naming index", err)
		}
	}
	if diff := cmp.Diff(map[string]string{"index": "mine"}, tree(t, dir)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	// Do not read the file: it may be a pipe.
	pipe := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(pipe, "index"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Sync(t.Context(), planOf("index=ours"), pipe, SyncOptions{})
	if !errors.Is(err, ErrNotOurs) {
		t.Errorf("a pipe in place of a file: err = %v, want ErrNotOurs", err)
	}
	// A state folder alone does not make the folder a build's.
	if err := os.Mkdir(filepath.Join(dir, stateDir), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = Sync(t.Context(), planOf("index=ours"), dir, SyncOptions{})
	if !errors.Is(err, ErrNotOurs) {
		t.Errorf("with an empty state folder: err = %v, want ErrNotOurs", err)
	}
	// A file with the same bytes is accepted: a tree that was copied without the record can be
	// updated.
	mustSync(t, planOf("a=one", "index=mine"), t.TempDir())
	if _, err := Sync(t.Context(), planOf("a=one", "index=mine"), dir, SyncOptions{}); err != nil {
		t.Errorf("a file with the very bytes of the plan: %v", err)
	}
}

func TestSyncLeavesForeignFilesAlone(t *testing.T) {
	dir := t.TempDir()
	err := os.WriteFile(filepath.Join(dir, "CNAME"), []byte("mips.example.org"), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	mustSync(t, planOf("a=one"), dir)
	mustSync(t, planOf("b=two"), dir)
	diff := cmp.Diff(map[string]string{"CNAME": "mips.example.org", "b": "two"}, tree(t, dir))
	if diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestSyncRefusesAProject(t *testing.T) {
	for _, sign := range []string{"go.mod", ".git", "site.yaml"} {
		t.Run(sign, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, sign), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Sync(t.Context(), planOf("a=one"), dir, SyncOptions{})
			if !errors.Is(err, ErrNotOurs) || !strings.Contains(err.Error(), sign) {
				t.Errorf("err = %v, want ErrNotOurs naming %s", err, sign)
			}
			if got := tree(t, dir); len(got) != 1 {
				t.Errorf("the refused folder holds %v, want only %s", got, sign)
			}
		})
	}
	_, err := Sync(t.Context(), planOf("a=one"), "/", SyncOptions{})
	if !errors.Is(err, ErrNotOurs) {
		t.Errorf("root of the file system: err = %v, want ErrNotOurs", err)
	}
}

func TestSyncStaysInside(t *testing.T) {
	outside := t.TempDir()
	dir := filepath.Join(outside, "public")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"../escaped", "link/escaped"} {
		if _, err := Sync(t.Context(), planOf(file+"=x"), dir, SyncOptions{}); err == nil {
			t.Errorf("Sync wrote %s", file)
		}
	}
	if _, err := os.Stat(filepath.Join(outside, "escaped")); err == nil {
		t.Error("a file was written outside the output folder")
	}
}

func TestSyncOrder(t *testing.T) {
	dir := t.TempDir()
	mustSync(t, planOf("leaf1=a", "gone=g", "index=leaf1 gone"), dir)
	p := planOf("index=leaf2", "leaf2=b") // the index first in the plan, all the same written last
	fail := errors.New("stop here")
	p.Artifacts[0].Body = func() ([]byte, error) {
		got := tree(t, dir)
		if got["leaf2"] != "b" || got["gone"] != "g" || got["index"] != "leaf1 gone" {
			t.Errorf("when the index is made the tree is %v; want the new leaf there, "+
				"the old index and what it names untouched", got)
		}
		return nil, fail
	}
	if _, err := Sync(t.Context(), p, dir, SyncOptions{}); !errors.Is(err, fail) {
		t.Fatalf("err = %v, want the index's", err)
	}
	// The failed build wrote leaf2. A later build without it removes it.
	mustSync(t, planOf("leaf1=a", "index=leaf1"), dir)
	diff := cmp.Diff(map[string]string{"leaf1": "a", "index": "leaf1"}, tree(t, dir))
	if diff != "" {
		t.Errorf("tree after the next build (-want +got):\n%s", diff)
	}
}

func TestSyncWaitsForAnother(t *testing.T) {
	dir := t.TempDir()
	inside, release := make(chan bool), make(chan bool)
	p := planOf("a=one")
	p.Artifacts[0].Body = func() ([]byte, error) {
		close(inside)
		<-release
		return []byte("one"), nil
	}
	first := make(chan error, 1)
	go func() {
		_, err := Sync(context.Background(), p, dir, SyncOptions{})
		first <- err
	}()
	<-inside
	waiting := make(chan bool)
	second := make(chan error, 1)
	go func() {
		_, err := Sync(context.Background(), planOf("b=two"), dir,
			SyncOptions{Waiting: func() { close(waiting) }})
		second <- err
	}()
	<-waiting
	if got := tree(t, dir); len(got) != 0 {
		t.Errorf("the second build wrote %v while the first held the folder", got)
	}
	close(release)
	if err := errors.Join(<-first, <-second); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"b": "two"}, tree(t, dir)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	// A caller that is canceled while waiting gets its context's error.
	held, _ := openOutput(t.Context(), &Plan{}, dir, nil)
	defer held.close()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Sync(ctx, planOf("c=three"), dir, SyncOptions{Waiting: cancel})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while waiting: err = %v, want context.Canceled", err)
	}
}

func BenchmarkSync(b *testing.B) {
	body := strings.Repeat("A line of a proposal's page, as long as such lines are.\n", 200)
	words := make([]string, 1000)
	for i := range words {
		words[i] = fmt.Sprintf("mip/%d/index.html=%s%d", i, body, i)
	}
	p := planOf(words...)
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			dir := b.TempDir()
			b.StartTimer()
			if _, err := Sync(b.Context(), p, dir, SyncOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		dir := b.TempDir()
		for b.Loop() {
			if _, err := Sync(b.Context(), p, dir, SyncOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
