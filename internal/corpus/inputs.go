package corpus

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/folder"
)

// Inputs returns the files of sources that may be published, relative to the working directory:
// texts, pattern matches, summaries and translations. It never blocks on a file.
func Inputs(sources []filename.Source) (paths []string) {
	rules := filename.Rules{Sources: sources}
	for _, dir := range rules.Folders() {
		add := func(files []folder.File) {
			for _, f := range files {
				paths = append(paths, filepath.Join(dir, f.Name))
			}
		}
		for _, f := range below(dir, ".") {
			if strings.EqualFold(path.Ext(f.Name), ".md") {
				add([]folder.File{f})
			}
		}
		if root, err := os.OpenRoot(dir); err == nil {
			for _, pattern := range rules.Patterns(dir) {
				for _, pattern := range []string{pattern, filename.LanguagesOf(pattern)} {
					found, _ := folder.Glob(root, dir, pattern)
					add(found)
				}
			}
			root.Close()
		}
		for _, sub := range append(languages(dir), SummariesDir) {
			add(below(dir, sub))
		}
	}
	return paths
}

// matching returns the texts of a folder that match a pattern, with their translations, except for
// ignored files. still has the patterns of unused that match no file. A pattern without a match is
// a problem.
func matching(
	root *os.Root, dir, pattern string, locales, ignore, unused []string,
) (out []*entry, still []string) {
	if pattern == "" {
		return nil, unused
	}
	files, _ := folder.Glob(root, dir, pattern) // the folder was listed
	files = slices.DeleteFunc(files, func(f folder.File) bool {
		return f.Irregular || !strings.EqualFold(path.Ext(f.Name), ".md")
	})
	found := len(files) > 0
	has := map[string]bool{}
	for _, f := range files {
		has[f.Name] = true
	}
	translations, _ := folder.Glob(root, dir, filename.LanguagesOf(pattern))
	for _, f := range translations {
		of, _, _, ok := filename.LanguageOf(f.Name, locales)
		if ok && has[of] && !has[f.Name] && !f.Irregular {
			files = append(files, f)
		}
	}
	files, unused = filename.Without(files, ignore, unused)
	for _, f := range files {
		out = append(out, newEntry(root, f))
	}
	checkNames(out, "")
	if !found {
		e := newEntry(root, folder.File{Path: path.Join(filepath.ToSlash(dir), pattern)})
		e.report.Add(0, "pattern-unused")
		out = append(out, e)
	}
	return out, unused
}

// maxLanguages bounds the folders of translations whose files have times.
const maxLanguages = 200

// languages are the folders of translations in a folder of proposals, by their paths in it.
func languages(dir string) (paths []string) {
	for _, f := range below(dir, TranslationsDir) {
		if (f.Irregular || f.Link) && len(paths) < maxLanguages {
			paths = append(paths, f.Name)
		}
	}
	return paths
}

// below lists a sub-folder. An error is reported when its files are read.
func below(dir, sub string) []folder.File {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	listed, _ := folder.List(root, dir, sub)
	return listed
}

// ownFolder reports whether the entry is a folder with a number in its name that contains a text.
// It adds one notice for all such folders, with the pattern that matches them.
func (e *entry) ownFolder() bool {
	files, _ := folder.List(e.root, e.Folder, e.Name)
	i := slices.IndexFunc(files, func(f folder.File) bool {
		return strings.EqualFold(path.Ext(f.Name), ".md") && !f.Irregular
	})
	if i < 0 {
		return false
	}
	digits := strings.IndexAny(e.Name, "0123456789")
	e.report.Add(0, "not-read/folder", e.Name[:digits]+"*/"+files[i].Base())
	return true
}

// nested reports whether the entry is a folder with files named like proposals, and adds a notice.
func (e *entry) nested() bool {
	const most = 10_000 // entries that are examined
	seen, count, first := 0, 0, ""
	_ = fs.WalkDir(e.root.FS(), e.Name, func(name string, d fs.DirEntry, err error) error {
		seen++
		switch _, numbered := filename.Number(path.Base(name)); {
		case seen > most:
			return fs.SkipAll
		case err != nil || seen == 1 && !d.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), "."),
			d.IsDir() && (name == SummariesDir || name == TranslationsDir):
			if d.IsDir() {
				return fs.SkipDir
			}
		case numbered && d.Type().IsRegular() && strings.EqualFold(path.Ext(name), ".md"):
			if count++; first == "" {
				first = strings.TrimPrefix(name, e.Name+"/")
			}
		}
		return nil
	})
	if count > 0 {
		e.report.Add(0, "not-read/sub-folder", count, folder.Visible(first))
	}
	return count > 0
}

// isRepository reports whether the folder looks like a bare git repository.
func isRepository(root *os.Root) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := root.Lstat(name); err != nil {
			return false
		}
	}
	return true
}
