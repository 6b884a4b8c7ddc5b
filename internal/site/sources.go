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

// Find sets Sources: each folder once, under the first of its names, with its patterns and its
// kind. A list that is not empty takes the place of the file's; its names begin at the working
// directory, those of the file at the file's folder. The problems of folders that are none have no
// place, which is the list's or the line [Site.ProposalsLine].
func (s *Site) Find(instead []string) (problems []mip.Problem) {
	located := s.Located(s.Proposals)
	if len(instead) > 0 {
		located = locate("", instead)
	}
	refuse := func(code, format string, args ...any) {
		problems = append(problems, mip.Problem{Level: mip.Error, Code: code, Message: fmt.Sprintf(format, args...)})
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
		// A folder that is named twice, or by a link, would publish each proposal twice.
		i := slices.IndexFunc(infos, func(other fs.FileInfo) bool { return os.SameFile(info, other) })
		if i < 0 {
			i = len(infos)
			dirs, infos = append(dirs, src.Folder), append(infos, info)
		}
		s.Sources = append(s.Sources, filename.Source{Folder: dirs[i], Pattern: src.Pattern, Kind: s.kindOf(dirs[i])})
	}
	return problems
}

// kindOf is the first kind that names a folder; empty for none.
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

// Located are folders, or patterns of files, that the file names, as the process sees them, whether
// they are there or not.
func (s *Site) Located(names []string) []filename.Source { return locate(filepath.Dir(s.File), names) }

// locate is where names lead that begin at base.
func locate(base string, names []string) (out []filename.Source) {
	for _, name := range names {
		dir, pattern := folder.Locate(base, filepath.ToSlash(name))
		out = append(out, filename.Source{Folder: dir, Pattern: pattern})
	}
	return out
}
