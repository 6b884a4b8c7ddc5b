package corpus

import (
	"os"
	"path"
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
