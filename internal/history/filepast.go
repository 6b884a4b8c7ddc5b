package history

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/mipwatch/mipwatch/internal/git"
)

// FilePast is what git knows of one file that is no proposal, under its present name. The zero
// value knows nothing.
type FilePast struct {
	// Versions are parents before their children. Nothing is known of what was before the first.
	Versions []Version

	// place is that of the file's folder, and path the file's below its top.
	place git.Place
	path  string
}

// pastOf finds the versions of a file. It reads none, and knows nothing of a file in no repository
// or in a clone that lacks texts. It returns earlier if that is of the same file and newest commit.
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

// Years are those of the commits, ascending.
func (p FilePast) Years() []int {
	years := map[int]bool{}
	for _, v := range p.Versions {
		years[v.Published().UTC().Year()] = true
	}
	return slices.Sorted(maps.Keys(years))
}
