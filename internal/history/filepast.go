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

// placeOf returns the place of a file without its versions, or the zero value for a file outside of
// a repository, or for none.
func placeOf(ctx context.Context, file string) (p FilePast) {
	if file == "" {
		return p
	}
	dir, name := filepath.Split(file)
	place, err := git.Locate(ctx, filepath.Clean(dir))
	if err != nil || place.Head == "" {
		return p
	}
	return FilePast{place: place, path: place.Prefix + name}
}

// find finds the versions of the file without reading them. It finds none in another repository, or
// in a partial clone.
func (p *FilePast) find(in *repository) {
	if p.place.Top != in.top || in.lacks {
		return
	}
	for i := range in.commits {
		c := &in.commits[i]
		for _, f := range c.Files {
			if f.Path == p.path {
				first := len(p.Versions) == 0
				p.Versions = append(p.Versions, Version{c, f, first || in.cut[c.Hash]})
			}
		}
	}
}

// Years are the years of the commits, ascending.
func (p FilePast) Years() []int {
	years := map[int]bool{}
	for _, v := range p.Versions {
		years[v.Published().UTC().Year()] = true
	}
	return slices.Sorted(maps.Keys(years))
}
