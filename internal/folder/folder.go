// Package folder lists, reads and writes the files of an untrusted folder: it never leaves the
// folder, reads only regular files of bounded size, and replaces files atomically. It does not know
// the meaning of the files.
package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// MaxFile bounds a file that is read, in bytes. The largest real proposal is under 150 KiB.
const MaxFile = 1 << 20

// File is the location of a file: a name within a folder, never a path that leads out of it.
type File struct {
	// Folder is the folder as the caller named it.
	Folder string
	// Name is the slash-separated path within the folder.
	Name string
	// Path is Folder and Name, slash-separated, with invisible characters escaped, as in problems.
	Path string
	// Link reports a symbolic link, which may lead anywhere.
	Link bool
	// Irregular reports a folder, a pipe or a device.
	Irregular bool
}

// List returns the entries of dir (a slash-separated folder below root, or a dot for root itself),
// sorted by name, without hidden ones. folder is the root's own name, for messages and for the
// caller of [File.Read]. It never blocks: a pipe in place of the folder is an error.
func List(root *os.Root, folder, dir string) ([]File, error) {
	entries, err := entries(root, dir)
	if err != nil {
		return nil, err
	}
	var out []File
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		f := File{Folder: folder, Name: path.Join(dir, e.Name()),
			Link: e.Type()&fs.ModeSymlink != 0}
		f.Irregular = !f.Link && !e.Type().IsRegular()
		f.Path = path.Join(filepath.ToSlash(folder), Visible(f.Name))
		out = append(out, f)
	}
	return out, nil
}

// Glob returns the entries whose paths match a pattern, each part in the syntax of [path.Match],
// like List: CIP-*/README.md matches files in folders. An entry that is no folder where the pattern
// needs one matches nothing.
func Glob(root *os.Root, folder, pattern string) ([]File, error) {
	found, err := List(root, folder, ".")
	for i, part := range strings.Split(pattern, "/") {
		if i > 0 {
			dirs := found
			found = nil
			for _, dir := range dirs {
				below, _ := List(root, folder, dir.Name)
				found = append(found, below...)
			}
		}
		found = slices.DeleteFunc(found, func(f File) bool {
			ok, _ := path.Match(part, f.Base()) // the reader of the pattern has checked it
			return !ok
		})
	}
	return found, err
}

// Split splits a path, whose parts may be patterns in the syntax of [path.Match], into the folder
// before the first pattern and the pattern below it, which may be empty.
func Split(name string) (dir, pattern string) {
	parts := strings.Split(name, "/")
	i := slices.IndexFunc(parts, func(part string) bool {
		return strings.ContainsAny(part, `*?[\`)
	})
	if i < 0 {
		return name, ""
	}
	dir = path.Clean(strings.Join(parts[:i], "/"))
	if i > 0 && parts[0] == "" {
		dir = path.Join("/", dir)
	}
	return dir, strings.Join(parts[i:], "/")
}

// Locate returns the folder to which a slash-separated name leads, and the pattern below it, as in
// [Split]. The name is relative to base, unless it is absolute or base is empty. If a folder has
// exactly that name, the name is no pattern.
func Locate(base, name string) (dir, pattern string) {
	at := func(name string) string {
		if name = filepath.FromSlash(name); base == "" || filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(base, name)
	}
	dir, pattern = Split(name)
	if _, err := os.Stat(at(name)); err == nil || pattern == "" {
		return at(name), ""
	}
	return at(dir), pattern
}

// entries reads a folder of root.
func entries(root *os.Root, dir string) ([]fs.DirEntry, error) {
	if info, err := root.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	return fs.ReadDir(root.FS(), dir)
}

// Base returns the last element of the name.
func (f *File) Base() string { return path.Base(f.Name) }

// Twins finds files whose names differ only in letter case: on half of all machines they are one
// file. It maps the name of each such file to the base names of the others; other files are not in
// the map.
func Twins(files []File) map[string][]string {
	folded := map[string][]string{}
	for _, f := range files {
		lower := strings.ToLower(f.Name)
		folded[lower] = append(folded[lower], f.Name)
	}
	twins := map[string][]string{}
	for _, same := range folded {
		slices.Sort(same)
		for i, name := range same {
			for _, other := range slices.Concat(same[:i], same[i+1:]) {
				twins[name] = append(twins[name], path.Base(other))
			}
		}
	}
	return twins
}

// Visible returns a file name with its invisible characters escaped.
func Visible(name string) string {
	_, class := mip.Hidden(name)
	unprintable := func(c rune) bool { return !unicode.IsPrint(c) }
	if class == mip.Visible && utf8.ValidString(name) && !strings.ContainsFunc(name, unprintable) {
		return name
	}
	q := mip.Escape(fmt.Sprintf("%q", name))
	return q[1 : len(q)-1]
}

// Refusal returns the reason why a file could not be read, as a code and a sentence, with the
// system's own text only where there is no better one.
func (f *File) Refusal(err error) (code, message string) {
	switch {
	case errors.Is(err, errTooLarge):
		return "too-large", fmt.Sprintf("the file is larger than %d bytes; move data out of it",
			MaxFile)
	case errors.Is(err, errIrregular):
		return "not-a-file", "this is a folder, a pipe or a device, and should be a file"
	case f.Link:
		return "bad-symlink",
			"the symbolic link leads out of the folder, in a circle or nowhere; put the file " +
				"itself here"
	}
	return "unreadable", fmt.Sprintf("the file cannot be read: %v", Cause(err))
}

// Cause removes the path from a file system error: problems are published, and name the file
// already.
func Cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

var (
	errIrregular = errors.New("not a regular file")
	errTooLarge  = errors.New("larger than may be read")
)

// Read reads the whole file, of at most [MaxFile] bytes; root is its folder. [File.Refusal]
// explains its errors.
func (f *File) Read(root *os.Root) ([]byte, error) {
	if f.Irregular {
		return nil, errIrregular
	}
	return Read(root, f.Name, MaxFile)
}

// Read reads a regular file of root, of at most most bytes. It never blocks: a pipe is refused.
func Read(root *os.Root, name string, most int64) ([]byte, error) {
	// Opening a device may have effects, and without O_NONBLOCK opening a pipe waits for a writer.
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// The file may have been replaced since.
	if info, err = file.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	// Allocate room for the whole file, so that the buffer does not grow.
	text := bytes.NewBuffer(make([]byte, 0, min(info.Size(), most)+bytes.MinRead))
	if _, err := text.ReadFrom(io.LimitReader(file, most+1)); err != nil {
		return nil, err
	}
	if int64(text.Len()) > most {
		return nil, errTooLarge
	}
	return text.Bytes(), nil
}
