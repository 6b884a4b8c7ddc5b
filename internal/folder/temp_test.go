package folder_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mipwatch/mipwatch/internal/folder"
)

// open opens a new folder, and returns a function that lists it.
func open(t *testing.T) (root *os.Root, names func() []string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, func() []string {
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range found {
			found[i] = filepath.Base(name)
		}
		return found
	}
}

func TestWrite(t *testing.T) {
	root, names := open(t)
	for _, want := range []string{"first", "second"} {
		if err := folder.Write(root, "file", []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := root.ReadFile("file"); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if err := folder.Write(root, "../outside", nil); err == nil {
		t.Error("a file outside of the folder was written")
	}
	if got := names(); len(got) != 1 {
		t.Errorf("the folder holds %v, want the file alone", got)
	}
}

// A temporary file gets its name with its full contents, in a folder that need not exist yet, or
// leaves nothing.
func TestCommit(t *testing.T) {
	root, names := open(t)
	for _, c := range []struct {
		name string
		ok   bool
	}{{"a/b/file", true}, {"plain", true}, {"plain/below", false}, {"a/b", false}} {
		temp, err := folder.CreateTemp(root, ".")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := temp.Write([]byte("text")); err != nil {
			t.Fatal(err)
		}
		if _, err := root.Stat(c.name); err == nil && c.ok {
			t.Errorf("%s is there before it is committed", c.name)
		}
		if err := temp.Commit(c.name); (err == nil) != c.ok {
			t.Errorf("commit %s: %v", c.name, err)
		}
		if got, err := root.ReadFile(c.name); c.ok && (err != nil || string(got) != "text") {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	if got := names(); len(got) != 2 {
		t.Errorf("the folder holds %v, want what was committed", got)
	}
}

func TestRecover(t *testing.T) {
	root, names := open(t)
	if err := root.WriteFile("other", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	temp, err := folder.CreateTemp(root, ".")
	if err != nil {
		t.Fatal(err)
	}
	if err := temp.Close(); err != nil {
		t.Fatal(err)
	}
	if err := folder.Recover(root, "."); err != nil {
		t.Fatal(err)
	}
	if got := names(); len(got) != 1 || got[0] != "other" {
		t.Errorf("the folder holds %v, want what is not temporary", got)
	}
}
