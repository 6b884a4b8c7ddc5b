package corpus

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
)

// Inputs are the files of a proposals folder that may be published, by their paths in it: texts,
// summaries and translations. Listing them never waits.
func Inputs(dir string) (paths []string) {
	for _, f := range below(dir, ".") {
		if strings.EqualFold(path.Ext(f.Name), ".md") {
			paths = append(paths, f.Name)
		}
	}
	for _, sub := range append(languages(dir), SummariesDir) {
		for _, f := range below(dir, sub) {
			paths = append(paths, f.Name)
		}
	}
	return paths
}

// without are the files whose names match no pattern, and the patterns of unused that none matches.
func without(files []folder.File, patterns, unused []string) (kept []folder.File, still []string) {
	matches := func(pattern, name string) bool {
		ok, _ := path.Match(strings.ToLower(pattern), strings.ToLower(name)) // the site has checked the pattern
		return ok
	}
	for _, f := range files {
		if !slices.ContainsFunc(patterns, func(p string) bool { return matches(p, f.Name) }) {
			kept = append(kept, f)
		}
	}
	still = slices.DeleteFunc(unused, func(p string) bool {
		return slices.ContainsFunc(files, func(f folder.File) bool { return matches(p, f.Name) })
	})
	return kept, still
}

// maxLanguages bounds the folders of translations whose files have times too.
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

// below lists a sub-folder. One that cannot be listed is reported where its files are read.
func below(dir, sub string) []folder.File {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	listed, _ := folder.List(root, dir, sub)
	return listed
}

// nested reports whether the entry is a folder in which files are named like proposals, and adds a notice of it.
func (e *entry) nested() bool {
	const most = 10_000 // entries that are looked at
	seen, count, first := 0, 0, ""
	_ = fs.WalkDir(e.root.FS(), e.Name, func(name string, d fs.DirEntry, err error) error {
		seen++
		switch _, numbered := numberInName(path.Base(name)); {
		case seen > most:
			return fs.SkipAll
		case err != nil || seen == 1 && !d.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), "."), d.IsDir() && (name == SummariesDir || name == TranslationsDir):
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
		e.report.add(0, "not-read/sub-folder", count, folder.Visible(first))
	}
	return count > 0
}

// isRepository reports whether git takes the folder for a repository without a checkout.
func isRepository(root *os.Root) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := root.Lstat(name); err != nil {
			return false
		}
	}
	return true
}
