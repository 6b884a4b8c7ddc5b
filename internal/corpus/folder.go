package corpus

import (
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
)

// list returns the proposal files of a folder, sorted by name. Entries that look like proposals and
// cannot be read as files are problems of their own.
func list(dir string) (found []folder.File, problems []*report, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open proposals folder: %w", err)
	}
	defer root.Close()
	entries, err := folder.List(root, dir, ".")
	if err != nil {
		return nil, nil, fmt.Errorf("read proposals folder: %w", err)
	}
	for _, f := range entries {
		r := &report{file: f.Path}
		switch {
		case folder.Visible(f.Name) != f.Name:
			if strings.Contains(strings.ToLower(f.Name), ".md") {
				r.errorf(0, "bad-file-name", "the file name holds a control character or is not UTF-8; rename it")
				problems = append(problems, r)
			}
		case !strings.EqualFold(path.Ext(f.Name), ".md"):
			if passedOver(f, r) {
				problems = append(problems, r)
			}
		default:
			found = append(found, f)
		}
	}
	kept, twins := folder.Twins(found)
	for _, f := range found {
		if others := twins[f.Name]; others != nil {
			r := &report{file: f.Path}
			r.errorf(0, "name-case", "the file name differs only by case from %s; rename one", strings.Join(others, ", "))
			problems = append(problems, r)
		}
	}
	return kept, problems, nil
}

// passedOver notes an entry that is named like a proposal but is not read, if it is one.
func passedOver(f folder.File, r *report) bool {
	ext := strings.ToLower(path.Ext(f.Name))
	_, numbered := numberInName(f.Name)
	switch {
	case !numbered:
		return false
	case f.Irregular:
		r.noticef(0, "not-read", "skipped: sub-folders are not read; a proposal is a file such as MIP-7.md in the folder itself")
	case ext == ".markdown" || ext == ".mdown" || ext == ".mkd" || ext == ".txt" || ext == ".mediawiki" || ext == ".rst" || ext == ".org":
		r.noticef(0, "not-read", "skipped: a proposal's file name ends in .md")
	default:
		return false
	}
	return true
}
