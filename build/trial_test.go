package build

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// A trial names the proposals of which something cannot be made, each once for a reason, and fails for what
// is made of several.
func TestTrial(t *testing.T) {
	broken := errors.New("it cannot be")
	p := planOf("mip/1/index.html=one", "mip/2/index.html=two", "mip/2.md=two", "mip/3.md=three", "index.html=all")
	for _, i := range []int{1, 2} {
		p.Artifacts[i].source = "p/MIP-2.md"
		p.Artifacts[i].Body = func(io.Writer) error { return broken }
	}
	p.Artifacts[3].source = "p/MIP-3.md"
	p.Artifacts[3].Body = func(io.Writer) error { return broken }
	got, err := p.Trial(t.Context())
	want := []mip.Problem{
		{Level: mip.Error, Code: "not-rendered", File: "p/MIP-2.md", Message: "it cannot be"},
		{Level: mip.Error, Code: "not-rendered", File: "p/MIP-3.md", Message: "it cannot be"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("problems (-want +got):\n%s\nerror %v", diff, err)
	}
	p.Artifacts[4].Body = func(io.Writer) error { return broken }
	_, err = p.Trial(t.Context())
	if failed, ok := errors.AsType[*MakeError](err); !ok || failed.File != "index.html" || failed.Source != "" || !errors.Is(err, broken) {
		t.Errorf("a trial of a list that cannot be made: %v", err)
	}
}

// What is at fault is told apart: the plan, or the folder.
func TestSyncTellsWhatFails(t *testing.T) {
	p := planOf("a.html=one")
	p.Artifacts[0].Body = func(io.Writer) error { return errors.New("no text") }
	_, err := Sync(t.Context(), p, t.TempDir(), SyncOptions{})
	if _, ok := errors.AsType[*MakeError](err); !ok {
		t.Errorf("a body that fails: %v, want a MakeError", err)
	}
	dir := t.TempDir()
	mustSync(t, planOf("a/b.html=one"), dir)
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "a")), os.WriteFile(filepath.Join(dir, "a"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err = Sync(t.Context(), planOf("a/b.html=two"), dir, SyncOptions{})
	if _, ok := errors.AsType[*MakeError](err); ok || err == nil {
		t.Errorf("a folder in which a file is in the way: %v, want another error than a MakeError", err)
	}
}

// A proposal that is refused is an error like any other.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"1", "2"} {
		if err := os.WriteFile(filepath.Join(dir, "MIP-"+n+".md"), []byte("---\nmip: "+n+"\nrequires: 2\n---\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.ToSlash(filepath.Join(dir, "MIP-2.md"))
	refusal := mip.Problem{Level: mip.Error, Code: "not-rendered", File: file, Message: "it cannot be"}
	c, err := Load(t.Context(), Options{Site: &site.Site{BaseURL: "https://m.example"}, Folders: []string{dir}, Refused: map[string]mip.Problem{file: refusal}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Proposals) != 1 || c.Proposals[0].Number != 1 || len(c.Proposals[0].RequiredBy) != 0 {
		t.Errorf("%d proposals, want the first alone", len(c.Proposals))
	}
	var errs []mip.Problem
	for _, p := range c.Problems {
		if p.Level == mip.Error {
			errs = append(errs, p)
		}
	}
	if diff := cmp.Diff([]mip.Problem{refusal}, errs); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}
