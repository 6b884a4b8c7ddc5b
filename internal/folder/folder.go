// Package folder lists and reads the files of an untrusted folder: no file outside of it, only
// regular files, each of bounded size. It does not know the meaning of the files.
package folder

import (
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
)

// MaxFile is the largest file that is read, in bytes. The largest real proposal is under 150
// KiB.
const MaxFile = 1 << 20

// File is where a file is: a name within a folder, never a path that leads out of it.
type File struct {
	Folder string // as given
	// Slash-separated, within the folder.
	Name string
	// Path is both, slash-separated, with invisible characters as escapes, as in problems.
	Path string
	// A symbolic link, which may lead anywhere.
	Link bool
	// A folder, a pipe or a device.
	Irregular bool
}

// List returns the entries of dir, "." or a folder below the root, sorted by name, without
// hidden ones. folder is the root's own name, for messages and [File.Read]'s caller.
func List(root *os.Root, folder, dir string) ([]File, error) {
	entries, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		return nil, err
	}
	var out []File
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		f := File{Folder: folder, Name: path.Join(dir, e.Name()), Link: e.Type()&fs.ModeSymlink != 0}
		f.Irregular = !f.Link && !e.Type().IsRegular()
		f.Path = path.Join(filepath.ToSlash(folder), Visible(f.Name))
		out = append(out, f)
	}
	return out, nil
}

// Base is the last element of the name.
func (f *File) Base() string { return path.Base(f.Name) }

// Twins finds files whose names differ only by case: on half of all machines they are one file.
// It returns, for each of them by its name, the base names of the others; files that have no
// twin are not in it.
func Twins(files []File) map[string][]string {
	// Names are folded by their letters; files that a machine tells apart stay apart here.
	folded := map[string][]string{}
	for _, f := range files {
		lower := strings.ToLower(f.Name)
		folded[lower] = append(folded[lower], f.Name)
	}
	twins := map[string][]string{}
	for _, same := range folded {
		for _, name := range same {
			for _, other := range same {
				if other != name {
					twins[name] = append(twins[name], path.Base(other))
				}
			}
			slices.Sort(twins[name])
		}
	}
	return twins
}

// Visible writes the invisible characters of a file name as escapes.
func Visible(name string) string {
	if utf8.ValidString(name) && strings.IndexFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) < 0 {
		return name
	}
	q := fmt.Sprintf("%q", name)
	return q[1 : len(q)-1]
}

// Refusal says why a file could not be read, as a code and a sentence, without the machine's
// own words where there are better.
func (f *File) Refusal(err error) (code, message string) {
	switch {
	case errors.Is(err, errTooLarge):
		return "too-large", fmt.Sprintf("the file is larger than %d bytes; move data out of it", MaxFile)
	case errors.Is(err, errIrregular):
		return "not-a-file", "this is a folder, a pipe or a device, and should be a file"
	case f.Link:
		return "bad-symlink", "the symbolic link leads out of the folder, in a circle or nowhere; put the file itself here"
	}
	return "unreadable", fmt.Sprintf("the file cannot be read: %v", Cause(err))
}

// Cause drops the path from an error of the file system: problems are published, and the file
// is named already.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

var (
	errIrregular = errors.New("not a regular file")
	errTooLarge  = errors.New("larger than 1 MiB")
)

// Read reads the whole file; root is its folder. It never waits: a pipe is opened without
// blocking and refused. [File.Refusal] explains its errors.
func (f *File) Read(root *os.Root) ([]byte, error) {
	if f.Irregular {
		return nil, errIrregular
	}
	if f.Link { // opening a device may have effects, even through a link
		info, err := root.Stat(f.Name)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, errIrregular
		}
	}
	// Without O_NONBLOCK, opening a pipe would wait for a writer.
	file, err := root.OpenFile(f.Name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// The file may be another one than was listed.
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	if info.Size() > MaxFile {
		return nil, errTooLarge
	}
	// One byte more than the file has, so that the end is found without growing.
	buf := make([]byte, 0, info.Size()+1)
	for len(buf) <= MaxFile {
		n, err := file.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, MaxFile/8)
		}
	}
	return nil, errTooLarge
}
