package history

import (
	"context"
	"errors"
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

	// top is the folder of the repository.
	top string
}

// PastOf finds the versions of a file. It reads none, and knows nothing of a file in no repository
// or in a clone that lacks texts.
func PastOf(ctx context.Context, file string) (p FilePast, err error) {
	dir, name := filepath.Split(file)
	place, err := git.Locate(ctx, filepath.Clean(dir))
	if err != nil || git.Partial(ctx, place.Top) {
		return p, ctx.Err()
	}
	path := place.Prefix + name
	commits, err := walk(ctx, place.Top, []string{path}, func(name string) bool { return name == path })
	if errors.Is(err, git.ErrFailed) || errors.Is(err, git.ErrNoRepo) {
		return p, ctx.Err()
	}
	p.top = place.Top
	for i := range commits {
		c := &commits[i]
		p.Versions = append(p.Versions, Version{c, c.Files[0], i == 0 || place.Shallow[c.Hash]})
	}
	return p, err
}

// Years are those of the commits, ascending.
func (p FilePast) Years() []int {
	years := map[int]bool{}
	for _, v := range p.Versions {
		years[v.Published().UTC().Year()] = true
	}
	return slices.Sorted(maps.Keys(years))
}
