package folder

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

// prefix begins the names of temporary files. They are hidden from readers of proposals and
// from web servers.
const prefix = ".mipwatch-tmp-"

// Temp is a file under a temporary name, until Commit or Remove. Writing may be ended earlier by
// Close. No reader sees a partial file, whenever the program is killed. Nothing is synced to the
// disk: after a power failure the next run writes lost files again.
type Temp struct {
	*os.File
	root *os.Root
	name string
}

// CreateTemp creates an empty temporary file in dir, an existing folder of root.
func CreateTemp(root *os.Root, dir string) (*Temp, error) {
	const readable = 0o644 // like other files
	name := path.Join(dir, prefix+rand.Text())
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, readable)
	if err != nil {
		return nil, err
	}
	return &Temp{file, root, name}, nil
}

// Commit closes the file and renames it to name, creating its folder if necessary. After an error
// the file is gone.
func (t *Temp) Commit(name string) error {
	err := t.Close()
	if err == nil || errors.Is(err, fs.ErrClosed) {
		err = t.root.Rename(t.name, name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err = t.root.MkdirAll(path.Dir(name), 0o755); err == nil {
			err = t.root.Rename(t.name, name)
		}
	}
	if err != nil {
		t.Remove()
	}
	return err
}

// Remove removes the file if possible: [Recover] removes the rest.
func (t *Temp) Remove() {
	t.Close()
	t.root.Remove(t.name)
}

// Write replaces or creates a file of root atomically, through a temporary file in the same folder.
func Write(root *os.Root, name string, b []byte) error {
	t, err := CreateTemp(root, path.Dir(name))
	if err != nil {
		return err
	}
	if _, err := t.Write(b); err != nil {
		t.Remove()
		return err
	}
	return t.Commit(name)
}

// Recover removes the temporary files that killed programs left in dir, a folder of root. The
// caller must hold a lock: Recover also removes files of programs that are still writing there. It
// never blocks: a pipe in place of the folder is an error.
func Recover(root *os.Root, dir string) error {
	entries, err := entries(root, dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			err = errors.Join(err, root.Remove(path.Join(dir, e.Name())))
		}
	}
	return err
}
