package testenv

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the results into the archives in testdata")

// Archives reads the txtar archives that match a pattern, such as testdata/*.txtar, by path. The
// test fails if there are none.
func Archives(t testing.TB, pattern string) map[string]*txtar.Archive {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, error %v", pattern, len(paths), err)
	}
	out := map[string]*txtar.Archive{}
	for _, path := range paths {
		if out[path], err = txtar.ParseFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Golden compares got with a file of the archive at path. With -update it writes got there, and
// appends the file if the archive lacks it.
func Golden(t testing.TB, path, name string, got []byte) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if *update {
		if i < 0 {
			archive.Files, i = append(archive.Files, txtar.File{Name: name}), len(archive.Files)
		}
		archive.Files[i].Data = got
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if i < 0 {
		t.Fatalf("%s holds no %s; -update writes it", path, name)
	}
	if diff := cmp.Diff(string(archive.Files[i].Data), string(got)); diff != "" {
		t.Errorf("%s in %s (-want +got):\n%s", name, path, diff)
	}
}
