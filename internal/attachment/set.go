// Package attachment collects the files of a repository that the texts of a site name, each once
// and within limits: pictures, and plain files to be downloaded. It has their names on the site and
// the reasons for leaving some out. It does not know texts, HTML or the addresses of a site.
package attachment

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/picture"
)

// Named is a file as a text names it.
type Named struct {
	// Dest is the destination in the text.
	Dest string
	// Folder is the folder that the file may not leave, and Name the file in it.
	Folder, Name string
}

// File is a file of the site: one for all texts that name the same bytes, and for a plain file the
// same name.
type File struct {
	// Picture is the zero Picture of a plain file.
	picture.Picture
	// Hash is the start of the hash of the published bytes, in hexadecimal digits. It is empty for
	// a file that is left out.
	Hash string
	// Path is the file's place below the assets of the site, which contains Hash.
	Path string

	Named
	size int
	// drawing is what is published of an SVG. Cleaning it costs more than keeping it.
	drawing string
}

// Entry is what became of a file that a text names.
type Entry struct {
	// File is the zero File if it is left out.
	File File
	// Refused is the reason for leaving it out, or for not showing it as a picture. It names the
	// file.
	Refused string
}

// Set are the files of a site.
type Set struct {
	// Files are the files, each once, in the order in which they were added.
	Files []File
	// Paths are the files that were looked for, missing ones too.
	Paths []string
	// Limits can be changed before the first Add.
	Limits picture.Limits

	cache   *Cache
	entries map[string]map[string]Entry // by text and destination
	known   map[string]bool             // by path
	count   Count
}

// DefaultLimits are those of a site.
func DefaultLimits() picture.Limits {
	return picture.Limits{Text: 200, Site: 5_000, Bytes: 512 << 20}
}

// OfText returns the error of one more file in a text that has before files.
func OfText(l picture.Limits, before int) error {
	if before >= l.Text {
		return fmt.Errorf("want at most %d pictures and files in a text", l.Text)
	}
	return nil
}

// Count counts the files of a site. The zero value has none.
type Count struct{ files, bytes int }

// Add counts a file, unless it exceeds a limit: then it returns which.
func (c *Count) Add(l picture.Limits, size int) error {
	switch {
	case c.files >= l.Site:
		return fmt.Errorf("want at most %d pictures and files in the site", l.Site)
	case c.bytes+size > l.Bytes:
		return fmt.Errorf("want at most %d bytes of pictures and files in the site, and this "+
			"would make it %d", l.Bytes, c.bytes+size)
	}
	c.files, c.bytes = c.files+1, c.bytes+size
	return nil
}

// Cache keeps from one set to the next what was read, as long as a file has the same size and time.
// The zero value is empty and ready. It is safe for concurrent use.
type Cache struct {
	byPath sync.Map // of cached
}

// cached is a file as it was read.
type cached struct {
	size    int64
	changed time.Time
	file    File
	err     error
}

// NewSet returns an empty set.
func NewSet(c *Cache) *Set {
	return &Set{Limits: DefaultLimits(), cache: c,
		entries: map[string]map[string]Entry{}, known: map[string]bool{}}
}

// Of returns what became of the files that a text names, by destination.
func (s *Set) Of(text string) map[string]Entry { return s.entries[text] }

// Add reads the files that a text names, and leaves out what is beyond a limit.
func (s *Set) Add(text string, named []Named) {
	of := map[string]Entry{}
	for _, n := range named {
		if _, twice := of[n.Dest]; twice {
			continue
		}
		f, err := s.file(n, len(of))
		e := Entry{File: f}
		if err == nil && f.Width == 0 {
			err = picture.ErrUnknown
		} else if err != nil {
			e.File = File{}
		}
		if err != nil {
			at := filepath.ToSlash(filepath.Join(filepath.Base(n.Folder), n.Name))
			e.Refused = folder.Visible(at) + ": " + err.Error()
		}
		of[n.Dest] = e
	}
	if len(of) > 0 {
		s.entries[text] = of
	}
}

// file reads a file and adds it to the files. before counts the others of its text.
func (s *Set) file(n Named, before int) (File, error) {
	if err := OfText(s.Limits, before); err != nil {
		return File{}, err
	}
	s.Paths = append(s.Paths, filepath.Join(n.Folder, filepath.FromSlash(n.Name)))
	f, err := s.cache.read(n)
	if err != nil || s.known[f.Path] {
		return f, err
	}
	if err := s.count.Add(s.Limits, f.size); err != nil {
		return f, err
	}
	s.known[f.Path] = true
	s.Files = append(s.Files, f)
	return f, nil
}

// read reads a file unless it is cached. The error does not contain the file's name.
func (c *Cache) read(n Named) (File, error) {
	root, err := os.OpenRoot(n.Folder)
	if err != nil {
		return File{}, folder.Cause(err)
	}
	defer root.Close()
	info, err := root.Stat(n.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return File{}, errors.New("there is no such file in this folder; check it out, or " +
			"correct the name")
	case err != nil:
		return File{}, fmt.Errorf("the file cannot be read: %w", folder.Cause(err))
	case !info.Mode().IsRegular():
		return File{}, errors.New("want a file, got a folder, a pipe or a device")
	case info.Size() > picture.MaxBytes:
		return File{}, fmt.Errorf("want at most %d bytes, got %d", picture.MaxBytes, info.Size())
	}
	at := filepath.Join(n.Folder, n.Name)
	if found, ok := c.byPath.Load(at); ok {
		before := found.(cached)
		if before.size == info.Size() && before.changed.Equal(info.ModTime()) {
			return before.file, before.err
		}
	}
	data, err := folder.Read(root, n.Name, picture.MaxBytes)
	if err != nil {
		return File{}, fmt.Errorf("the file cannot be read: %w", folder.Cause(err))
	}
	f, err := newFile(n, data)
	c.byPath.Store(at, cached{info.Size(), info.ModTime(), f, err})
	return f, err
}

// newFile recognizes a file: a picture by its bytes, and a plain one by its name.
func newFile(n Named, data []byte) (f File, err error) {
	f.Named = n
	p, publish, err := picture.Parse(data)
	kind := KindOf(n.Name)
	switch {
	case errors.Is(err, picture.ErrUnknown) && kind != None:
		err = nil
		if path.Ext(saved(n.Name)) == ".pdf" && !bytes.HasPrefix(data, []byte("%PDF-")) {
			err = errors.New("want a PDF, and its bytes are of none")
		}
		f.Hash = hash(data)
		f.Path = "files/" + f.Hash + "/" + saved(n.Name)
	case err == nil:
		f.Picture, data, f.Hash = p, publish, hash(publish)
		f.Path = "pictures/" + f.Hash + f.Ext
	}
	f.size = len(data)
	if f.Ext == ".svg" {
		f.drawing = string(data)
	}
	return f, err
}

// hash is the start of the hash of a file. Nobody finds two files of one.
func hash(data []byte) string {
	const length = 16 // bytes
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%x", sum[:length])
}

// Pattern is Path with {hash} for the hash.
func (f File) Pattern() string { return strings.Replace(f.Path, f.Hash, "{hash}", 1) }

// Bytes returns what is published of the file. It reads all but drawings again; the error is of a
// file that has changed since.
func (f File) Bytes() ([]byte, error) {
	if f.drawing != "" {
		return []byte(f.drawing), nil
	}
	root, err := os.OpenRoot(f.Folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, err := folder.Read(root, f.Name, picture.MaxBytes)
	if err != nil {
		return nil, err
	}
	if hash(data) != f.Hash {
		return nil, fmt.Errorf("%s has changed since it was read", f.Name)
	}
	return data, nil
}
