package build

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A check makes every artifact, and names the one that cannot be made.
func TestCheck(t *testing.T) {
	p := planOf("mip/1/index.html=one", "index.html=all")
	if err := p.Check(t.Context()); err != nil {
		t.Errorf("a sound plan: %v", err)
	}
	broken := errors.New("it cannot be")
	p.Artifacts[1].Body = func() ([]byte, error) { return nil, broken }
	err := p.Check(t.Context())
	if !errors.Is(err, ErrMake) || !errors.Is(err, broken) || err.Error() != "make index.html: it cannot be" {
		t.Errorf("a plan with a list that cannot be made: %v", err)
	}
}

// What is at fault is told apart: the plan, or the folder.
func TestSyncTellsWhatFails(t *testing.T) {
	p := planOf("a.html=one")
	p.Artifacts[0].Body = func() ([]byte, error) { return nil, errors.New("no text") }
	_, err := Sync(t.Context(), p, t.TempDir(), SyncOptions{})
	if !errors.Is(err, ErrMake) {
		t.Errorf("a body that fails: %v, want ErrMake", err)
	}
	dir := t.TempDir()
	mustSync(t, planOf("a/b.html=one"), dir)
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "a")), os.WriteFile(filepath.Join(dir, "a"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err = Sync(t.Context(), planOf("a/b.html=two"), dir, SyncOptions{})
	if err == nil || errors.Is(err, ErrMake) {
		t.Errorf("a folder in which a file is in the way: %v, want another error than ErrMake", err)
	}
}
