package companion

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxDigits is as in a proposal's number.
const maxDigits = 9

// item is a file that belongs to a proposal by its name.
type item struct {
	file   folder.File
	number int
	locale string // of a translation; empty: a summary
}

// kind is the word for an item in codes and messages.
func (it item) kind() string {
	if it.locale == "" {
		return "summary"
	}
	return "translation"
}

// lister gathers the items of all folders.
type lister struct {
	prefix   string
	locales  []string
	items    []item
	clashes  []item // whose names differ only by case from others'
	problems []mip.Problem
}

func (l *lister) add(level mip.Level, file, code, format string, args ...any) {
	l.problems = append(l.problems, mip.Problem{Level: level, Code: code, File: file, Message: fmt.Sprintf(format, args...)})
}

// folder lists what is beside the proposals of a folder. Without companions that is two looks at names
// that are not there.
func (l *lister) folder(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open proposals folder: %w", err)
	}
	defer root.Close()
	if files, ok := l.list(root, dir, SummariesDir); ok {
		l.sift(files, ".json", "")
	}
	locales, _ := l.list(root, dir, TranslationsDir)
	for _, f := range l.apart(locales, nil) {
		l.locale(root, f)
	}
	return nil
}

// list is the entries of a sub-folder; ok is false when it is not there or cannot be listed.
func (l *lister) list(root *os.Root, dir, name string) (files []folder.File, ok bool) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err == nil {
		files, err = folder.List(root, dir, name)
	}
	if err == nil {
		return files, true
	}
	at := path.Join(filepath.ToSlash(dir), name)
	switch {
	case info != nil && info.Mode()&fs.ModeSymlink != 0:
		l.add(mip.Warning, at, "bad-symlink", "the symbolic link leads to no folder within the proposals folder; put the folder itself here")
	case info != nil && !info.IsDir():
		l.add(mip.Warning, at, "not-a-folder", "this name is kept for a folder with %s; rename the file", name)
	default:
		l.add(mip.Warning, at, "unreadable", "the folder cannot be read: %v", folder.Cause(err))
	}
	return nil, false
}

// locale lists the translations into one language.
func (l *lister) locale(root *os.Root, f folder.File) {
	tag := f.Base()
	if info, err := root.Stat(f.Name); err == nil && !info.IsDir() {
		l.add(mip.Notice, f.Path, "not-read", "skipped: a translation stands in the folder of its language, such as %s/ja/%s-7.md", TranslationsDir, l.prefix)
		return
	}
	if !slices.Contains(l.locales, tag) {
		i := slices.IndexFunc(l.locales, func(known string) bool { return strings.EqualFold(known, tag) })
		if i >= 0 {
			l.add(mip.Warning, f.Path, "unknown-locale", "site.yaml writes this language %s; rename the folder. Nothing in it is published", l.locales[i])
			return
		}
		l.add(mip.Warning, f.Path, "unknown-locale", "%s is none of the site's languages (%s); add it to locales in site.yaml. Nothing in it is published",
			folder.Visible(tag), strings.Join(l.locales, ", "))
		return
	}
	if files, ok := l.list(root, f.Folder, f.Name); ok {
		l.sift(files, ".md", tag)
	}
}

// sift takes the files that belong to a proposal by their names, and says of the others why not.
func (l *lister) sift(files []folder.File, ext, locale string) {
	var named []folder.File
	for _, f := range files {
		if strings.EqualFold(path.Ext(f.Name), ext) || f.Irregular {
			named = append(named, f)
			continue
		}
		l.add(mip.Notice, f.Path, "not-read", "skipped: files here are named %s-7%s", l.prefix, ext)
	}
	clash := func(f folder.File) {
		if n, ok := l.number(f.Base(), ext); ok {
			l.clashes = append(l.clashes, item{f, n, locale})
		}
	}
	for _, f := range l.apart(named, clash) {
		n, ok := l.number(f.Base(), ext)
		if !ok {
			l.add(mip.Warning, f.Path, "companion-name", "the file name does not say a proposal's number as %s-7%s does; rename it", l.prefix, ext)
			continue
		}
		l.items = append(l.items, item{f, n, locale})
	}
}

// apart returns the files whose names can be told from others' on every machine. clash, when given, is
// called for the others.
func (l *lister) apart(files []folder.File, clash func(folder.File)) []folder.File {
	var sound []folder.File
	for _, f := range files {
		if folder.Visible(f.Name) != f.Name {
			l.add(mip.Warning, f.Path, "bad-file-name", "the file name holds a control character or is not UTF-8; rename it")
			continue
		}
		sound = append(sound, f)
	}
	alone, twins := folder.Twins(sound)
	for _, f := range sound {
		others := twins[f.Name]
		if others == nil {
			continue
		}
		l.add(mip.Warning, f.Path, "name-case", "the file name differs only by case from %s; rename one. None of them is read", strings.Join(others, ", "))
		if clash != nil {
			clash(f)
		}
	}
	return alone
}

// number reads MIP-7.json: exactly as ids are written, so that one proposal has one name.
func (l *lister) number(name, ext string) (int, bool) {
	digits, ok := strings.CutPrefix(name, l.prefix+"-")
	digits, ok2 := strings.CutSuffix(digits, ext)
	if !ok || !ok2 || len(digits) > maxDigits {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && strconv.Itoa(n) == digits
}

// unique takes out items of which two folders have one for the same proposal.
func (l *lister) unique() (alone []item, doubled []item) {
	type key struct {
		number int
		locale string
	}
	files := map[key][]string{}
	for _, it := range l.items {
		k := key{it.number, it.locale}
		files[k] = append(files[k], it.file.Path)
	}
	for _, it := range l.items {
		same := files[key{it.number, it.locale}]
		if len(same) == 1 {
			alone = append(alone, it)
			continue
		}
		doubled = append(doubled, it)
		others := slices.DeleteFunc(slices.Clone(same), func(file string) bool { return file == it.file.Path })
		l.add(mip.Error, it.file.Path, "duplicate-"+it.kind(), "%s-%d has another %s in %s; keep one", l.prefix, it.number, it.kind(), strings.Join(others, ", "))
	}
	return alone, doubled
}
