package corpus

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// FilePast is what git knows of one file that is no proposal, under its present name. The zero value knows nothing.
type FilePast struct {
	top   string
	steps []git.Commit
	cut   map[string]bool
}

// FileVersion is a version of such a file. A text is nil where there is none, or it cannot be read.
type FileVersion struct {
	Commit, Author string
	When           mip.Time
	Before, After  []byte
	// Merge says that After is another text than in all of several parents, and First that nothing is known of the one before.
	Merge, First bool
}

// PastOf finds the versions of a file. It reads none, and knows nothing of a file in no repository or in a clone that lacks
// texts.
func PastOf(ctx context.Context, file string) (FilePast, error) {
	dir, name := filepath.Split(file)
	place, err := git.Locate(ctx, filepath.Clean(dir))
	if err != nil || git.Partial(ctx, place.Top) {
		return FilePast{}, ctx.Err()
	}
	p := FilePast{top: place.Top, cut: place.Shallow}
	path := place.Prefix + name
	p.steps, err = walk(ctx, place.Top, []string{path}, func(name string) bool { return name == path })
	if errors.Is(err, git.ErrFailed) || errors.Is(err, git.ErrNoRepo) {
		return FilePast{}, ctx.Err()
	}
	return p, err
}

// Years are those of the commits, ascending.
func (p FilePast) Years() []int {
	years := map[int]bool{}
	for _, s := range p.steps {
		years[time.Unix(s.Landed, 0).UTC().Year()] = true
	}
	return slices.Sorted(maps.Keys(years))
}

// Each calls do with every version, parents before their children.
func (p FilePast) Each(r *VersionReader, do func(FileVersion)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, s := range p.steps {
		v := FileVersion{
			Commit: s.Hash, Author: s.Author, When: mip.NewTime(time.Unix(s.Landed, 0)),
			Merge: s.Merge, First: i == 0 || p.cut[s.Hash],
		}
		for _, x := range []struct {
			blob string
			text *[]byte
		}{{s.Files[0].Before, &v.Before}, {s.Files[0].After, &v.After}} {
			if x.blob == "" {
				continue
			}
			var err error
			if *x.text, err = r.read(p.top, x.blob); err != nil {
				return err
			}
		}
		do(v)
	}
	return nil
}
