package history

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/mipwatch/mipwatch/internal/git"
)

// FilePast is the history of one file that is no proposal, under its present name. The zero value
// has none.
type FilePast struct {
	// Versions have parents before their children. The state before the first is unknown.
	Versions []Version

	// place is the place of the file's folder. path is the file's path in the repository.
	place git.Place
	path  string
}

// pastOf finds the versions of a file without reading them. It finds none for a file outside of a
// repository, or in a partial clone. It returns earlier if that has the same file and newest
// commit.
func pastOf(ctx context.Context, file string, earlier FilePast) (p FilePast) {
	dir, name := filepath.Split(file)
	place, err := git.Locate(ctx, filepath.Clean(dir))
	path := place.Prefix + name
	switch {
	case err != nil || place.Head == "":
		return p
	case earlier.path == path && earlier.place.SameCommits(place):
		return earlier
	case git.Partial(ctx, place.Top):
		return p
	}
	commits, err := walk(ctx, place, []string{path}, func(name string) bool { return name == path })
	if err != nil {
		return p
	}
	p.place, p.path = place, path
	for i := range commits {
		c := &commits[i]
		p.Versions = append(p.Versions, Version{c, c.Files[0], i == 0 || place.Shallow[c.Hash]})
	}
	return p
}

// Years are the years of the commits, ascending.
func (p FilePast) Years() []int {
	years := map[int]bool{}
	for _, v := range p.Versions {
		years[v.Published().UTC().Year()] = true
	}
	return slices.Sorted(maps.Keys(years))
}
