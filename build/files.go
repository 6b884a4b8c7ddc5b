package build

import (
	"bytes"
	"io/fs"
	"path"
	"time"
)

// Open makes the published tree a file system (fs.FS) of its files, so that the sidecar can read it as
// it would read the folder. Folders cannot be opened.
func (h *Published) Open(name string) (fs.File, error) {
	f, ok := h.files["/"+name]
	if !fs.ValidPath(name) || !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &openFile{Reader: bytes.NewReader(f.entity.Body()), name: path.Base(name)}, nil
}

// openFile is a file of the tree, and what Stat says of it.
type openFile struct {
	*bytes.Reader
	name string
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *openFile) Close() error               { return nil }
func (f *openFile) Name() string               { return f.name }
func (f *openFile) Mode() fs.FileMode          { return 0o444 }
func (f *openFile) ModTime() time.Time         { return time.Time{} }
func (f *openFile) IsDir() bool                { return false }
func (f *openFile) Sys() any                   { return nil }
