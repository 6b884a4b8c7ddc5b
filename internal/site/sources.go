package site

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Find sets Sources: each folder once, under its first name, with its patterns and its kind. The
// names in instead are relative to the working directory, and replace the file's if there are any.
// The file's are relative to the file's folder.
//
// Find returns a problem for each missing folder. The caller sets the place of the problem: the
// list, or the line [Site.ProposalsLine].
func (s *Site) Find(instead []string) (problems []mip.Problem) {
	located := s.Located(s.Proposals)
	if len(instead) > 0 {
		located = locate("", instead)
	}
	refuse := func(code, format string, args ...any) {
		problems = append(problems,
			mip.Problem{Level: mip.Error, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	var dirs []string
	var infos []fs.FileInfo
	s.Sources = nil
	for _, src := range located {
		info, err := os.Stat(src.Folder)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			refuse("no-folder", "no proposals folder %q", src.Folder)
			continue
		case err != nil:
			refuse("no-folder", "the proposals folder %q: %v", src.Folder, err)
			continue
		case !info.IsDir():
			refuse("not-a-folder", "%q is a file; want a folder of proposals", src.Folder)
			continue
		}
		// A folder that is named twice, or through a link, would publish each proposal twice.
		i := slices.IndexFunc(infos, func(other fs.FileInfo) bool {
			return os.SameFile(info, other)
		})
		if i < 0 {
			i = len(infos)
			dirs, infos = append(dirs, src.Folder), append(infos, info)
		}
		s.Sources = append(s.Sources,
			filename.Source{Folder: dirs[i], Pattern: src.Pattern, Kind: s.kindOf(dirs[i])})
	}
	return problems
}

// kindOf is the prefix of the first kind that names a folder, or "".
func (s *Site) kindOf(dir string) string {
	for _, k := range s.AllKinds() {
		for _, src := range s.Located(k.Proposals) {
			if filepath.Clean(src.Folder) == filepath.Clean(dir) {
				return k.Prefix
			}
		}
	}
	return ""
}

// Located returns the places of folders or patterns that the file names, relative to the working
// directory. They may not exist.
func (s *Site) Located(names []string) []filename.Source {
	return locate(filepath.Dir(s.File), names)
}

// locate returns the places of names that are relative to base.
func locate(base string, names []string) (out []filename.Source) {
	for _, name := range names {
		dir, pattern := folder.Locate(base, filepath.ToSlash(name))
		out = append(out, filename.Source{Folder: dir, Pattern: pattern})
	}
	return out
}
