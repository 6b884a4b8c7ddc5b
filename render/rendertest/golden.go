package rendertest

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the Golden files with what the code gives")

// Golden compares got with a file of a txtar archive, or rewrites it there with -update. The
// archive at path must have the input already. name is appended if it is missing.
func Golden(t *testing.T, path, name string, got []byte) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatalf("read golden: %v", err)
	}
	i := goldenIndex(archive, name)
	if *update {
		if i < 0 {
			archive.Files = append(archive.Files, txtar.File{Name: name})
			i = len(archive.Files) - 1
		}
		archive.Files[i].Data = got
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatalf("write golden: %v", err)
		}
		return
	}
	if i < 0 {
		t.Fatalf("%s holds no %s; run go test with -update", path, name)
	}
	if diff := cmp.Diff(string(archive.Files[i].Data), string(got)); diff != "" {
		t.Errorf("%s: %s differs (-want +got):\n%s", path, name, diff)
	}
}

func goldenIndex(archive *txtar.Archive, name string) int {
	for i, f := range archive.Files {
		if f.Name == name {
			return i
		}
	}
	return -1
}
