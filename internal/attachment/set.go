// Package attachment collects the files of a repository that the texts of a site name, each once
// and within limits: pictures, and plain files to be downloaded. It gives each file a path on the
// site, or the reason for leaving it out. It does not know texts, HTML or the addresses of a site.
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
	// Folder is the folder that the file may not leave. Name is its path in Folder.
	Folder, Name string
}

// File is a file of the site. Texts that name the same bytes share it. Plain files also need the
// same name.
type File struct {
	// Picture is the zero Picture of a plain file.
	picture.Picture
	// Hash is the start of the SHA-256 of the published bytes, in hexadecimal digits. It is empty
	// for a file that is left out.
	Hash string
	// Path is the file's path below the assets of the site. It contains Hash.
	Path string

	Named
	size int
	// drawing is the published part of an SVG. Cleaning an SVG costs more than keeping it.
	drawing string
}

// Entry is the result for a file that a text names.
type Entry struct {
	// File is the zero File if it is left out.
	File File
	// Refused is the reason for leaving it out, or for not showing it as a picture, else empty. It
	// names the file.
	Refused string
}

// Set collects the files of a site.
type Set struct {
	// Files are the files, each once, in the order in which they were added.
	Files []File
	// Paths are the paths that were looked up, including missing files.
	Paths []string
	// Limits can be changed before the first Add.
	Limits picture.Limits

	cache   *Cache
	entries map[string]map[string]Entry // by text and destination
	known   map[string]bool             // by path
	count   Count
}

// DefaultLimits returns the limits of a site.
func DefaultLimits() picture.Limits {
	return picture.Limits{Text: 200, Site: 5_000, Bytes: 512 << 20}
}

// CheckText returns an error if a text that has before files may not have one more.
func CheckText(l picture.Limits, before int) error {
	if before >= l.Text {
		return fmt.Errorf("want at most %d pictures and files in a text", l.Text)
	}
	return nil
}

// Count counts the files of a site and their bytes. The zero value has none.
type Count struct{ files, bytes int }

// Add counts a file of size bytes. If the file exceeds a limit, Add does not count it, and returns
// an error that states the limit.
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

// Cache keeps files from one set to the next, as long as their sizes and times are unchanged. The
// zero value is empty and ready. It is safe for concurrent use.
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

// Entries returns the results for the files that a text names, by destination.
func (s *Set) Entries(text string) map[string]Entry { return s.entries[text] }

// Add reads the files that a text names, and leaves out those beyond a limit.
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

// file reads a file and adds it to the files. before is the number of the text's earlier files.
func (s *Set) file(n Named, before int) (File, error) {
	if err := CheckText(s.Limits, before); err != nil {
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
		if path.Ext(downloadName(n.Name)) == ".pdf" && !bytes.HasPrefix(data, []byte("%PDF-")) {
			err = errors.New("want a PDF, got other bytes")
		}
		f.Hash = hash(data)
		f.Path = "files/" + f.Hash + "/" + downloadName(n.Name)
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

// hash returns the start of a file's SHA-256, in hexadecimal digits. Nobody can find two files with
// the same start of this length.
func hash(data []byte) string {
	const length = 16 // bytes
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%x", sum[:length])
}

// Pattern returns Path with {hash} in place of the hash.
func (f File) Pattern() string { return strings.Replace(f.Path, f.Hash, "{hash}", 1) }

// Bytes returns the published bytes. It reads a file again unless it is a drawing, and returns an
// error if the file has changed since.
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
