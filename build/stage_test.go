package build

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entries are the names in a folder, the state's aside.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range all {
		if e.Name() != stateDir {
			out = append(out, e.Name())
		}
	}
	return out
}

// A first build comes as a whole: until all of it is made nothing is there but what was before, and when it
// fails nothing stays. A file of somebody else's does not stand in the way.
func TestFirstBuildComesAsAWhole(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".gitkeep"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fail := errors.New("stop here")
	for _, err := range []error{fail, nil} {
		p := planOf("mip/1/index.html=one", "mip/1.md=raw", "api/v1/mips/1.json={}", "index.html=all", "mip/1/og.png=picture")
		p.Artifacts[3].Body = func(to []byte) ([]byte, error) {
			if diff := cmp.Diff([]string{".gitkeep"}, entries(t, dir)); diff != "" {
				t.Errorf("while the index is made (-want +got):\n%s", diff)
			}
			return append(to, "all"...), err
		}
		if _, got := Sync(t.Context(), p, dir, SyncOptions{}); !errors.Is(got, err) {
			t.Fatalf("Sync: %v, want %v", got, err)
		}
		if _, got := os.Stat(filepath.Join(dir, stageDir)); got == nil {
			t.Error("the stage is left behind")
		}
		if err != nil {
			continue
		}
		want := map[string]string{"mip/1/index.html": "one", "mip/1.md": "raw", "api/v1/mips/1.json": "{}", "index.html": "all", "mip/1/og.png": "picture", ".gitkeep": ""}
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
			t.Errorf("tree (-want +got):\n%s", diff)
		}
		if r, got := Sync(t.Context(), p, dir, SyncOptions{}); got != nil || r.Changed != 0 || r.Unchanged != 5 {
			t.Errorf("again: %+v, %v", r, got)
		}
	}
}

// What a killed first build left on its stage is gone after the next.
func TestStageOfAKilledBuild(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, stageDir, "mip", "9")
	if err := os.MkdirAll(left, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, "index.html"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustSync(t, planOf("mip/1/index.html=one", "index.html=all"), dir)
	if diff := cmp.Diff(map[string]string{"mip/1/index.html": "one", "index.html": "all"}, tree(t, dir)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, stageDir)); err == nil {
		t.Error("the stage is still there")
	}
}
