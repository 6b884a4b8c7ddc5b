package build

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The error distinguishes faults of the plan from faults of the folder.
func TestSyncTellsWhatFails(t *testing.T) {
	p := planOf("a.html=one")
	p.Artifacts[0].Body = func() ([]byte, error) { return nil, errors.New("no text") }
	_, err := Sync(t.Context(), p, t.TempDir(), SyncOptions{})
	if !errors.Is(err, ErrMake) {
		t.Errorf("a body that fails: %v, want ErrMake", err)
	}
	dir := t.TempDir()
	mustSync(t, planOf("a/b.html=one"), dir)
	err = errors.Join(os.RemoveAll(filepath.Join(dir, "a")),
		os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Sync(t.Context(), planOf("a/b.html=two"), dir, SyncOptions{})
	if err == nil || errors.Is(err, ErrMake) {
		t.Errorf("a folder in which a file is in the way: %v, want another error than ErrMake", err)
	}
}
