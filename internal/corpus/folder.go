package corpus

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

// maxFile is the largest file that is read. The largest real proposal is under 150 KiB.
const maxFile = 1 << 20

// source is where a file is: a name within a folder, never a path that leads out of it.
type source struct {
	folder    string // as given
	name      string
	file      string // both, slash-separated: what problems name
	link      bool   // a symbolic link, which may lead anywhere
	irregular bool   // a folder, a pipe or a device
}

// list returns the proposal files of a folder, sorted by name. Entries that look like proposals and
// cannot be read as files are problems of their own.
func list(folder string) (found []source, problems []*report, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, fmt.Errorf("open proposals folder: %w", err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, nil, fmt.Errorf("read proposals folder: %w", err)
	}
	folded := map[string][]int{}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		s := source{folder: folder, name: name, link: e.Type()&fs.ModeSymlink != 0}
		s.irregular = !s.link && !e.Type().IsRegular()
		s.file = path.Join(filepath.ToSlash(folder), visible(name))
		if visible(name) != name {
			if strings.Contains(strings.ToLower(name), ".md") {
				r := &report{file: s.file}
				r.errorf(0, "bad-file-name", "the file name holds a control character or is not UTF-8; rename it")
				problems = append(problems, r)
			}
			continue
		}
		if !strings.EqualFold(path.Ext(name), ".md") {
			if r := passedOver(s); r != nil {
				problems = append(problems, r)
			}
			continue
		}
		lower := strings.ToLower(name)
		folded[lower] = append(folded[lower], len(found))
		found = append(found, s)
	}
	return distinct(found, folded, problems)
}

// passedOver notes an entry that is named like a proposal but is not read.
func passedOver(s source) *report {
	r := &report{file: s.file}
	ext := strings.ToLower(path.Ext(s.name))
	_, numbered := numberInName(s.name)
	switch {
	case !numbered:
		return nil
	case s.irregular:
		r.noticef(0, "not-read", "skipped: sub-folders are not read; a proposal is a file such as MIP-7.md in the folder itself")
	case ext == ".markdown" || ext == ".mdown" || ext == ".mkd" || ext == ".txt" || ext == ".mediawiki" || ext == ".rst" || ext == ".org":
		r.noticef(0, "not-read", "skipped: a proposal's file name ends in .md")
	default:
		return nil
	}
	return r
}

// distinct takes out names that differ only by case: on half of all machines they are one file.
func distinct(found []source, folded map[string][]int, problems []*report) ([]source, []*report, error) {
	var kept []source
	for _, s := range found {
		same := folded[strings.ToLower(s.name)]
		if len(same) == 1 {
			kept = append(kept, s)
			continue
		}
		var others []string
		for _, i := range same {
			if found[i].name != s.name {
				others = append(others, found[i].name)
			}
		}
		slices.Sort(others)
		r := &report{file: s.file}
		r.errorf(0, "name-case", "the file name differs only by case from %s; rename one", strings.Join(others, ", "))
		problems = append(problems, r)
	}
	slices.SortFunc(kept, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return kept, problems, nil
}

// visible writes what cannot be seen in a file name as an escape.
func visible(name string) string {
	if utf8.ValidString(name) && strings.IndexFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) < 0 {
		return name
	}
	q := fmt.Sprintf("%q", name)
	return q[1 : len(q)-1]
}

var errIrregular = errors.New("not a regular file")

// read reads the whole file into buf's memory. It never waits: a pipe is opened without blocking and
// refused.
func (s *source) read(root *os.Root, buf []byte) ([]byte, error) {
	if s.irregular {
		return nil, errIrregular
	}
	if s.link { // opening a device may have effects, even through a link
		info, err := root.Stat(s.name)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, errIrregular
		}
	}
	f, err := root.OpenFile(s.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	if info.Size() > maxFile {
		return nil, errTooLarge
	}
	// One byte more than the file has, so that the end is found without growing.
	buf = slices.Grow(buf[:0], int(info.Size())+1)
	for len(buf) <= maxFile {
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, maxFile/8)
		}
	}
	return nil, errTooLarge
}

var errTooLarge = errors.New("larger than 1 MiB")

// refuse says why a file could not be read, without the machine's own words where there are better.
func refuse(s source, err error, r *report) {
	switch {
	case errors.Is(err, errTooLarge):
		r.errorf(0, "too-large", "the file is larger than %d bytes; move data out of the proposal", maxFile)
	case errors.Is(err, errIrregular):
		r.errorf(0, "not-a-file", "this is a folder, a pipe or a device, and a proposal is a file")
	case s.link:
		r.errorf(0, "bad-symlink", "the symbolic link leads out of the folder, in a circle or nowhere; put the file itself here")
	default:
		r.errorf(0, "unreadable", "the file cannot be read: %v", cause(err))
	}
}

// cause drops the path from an error of the file system: problems are published, and the file is
// named already.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
