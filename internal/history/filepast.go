package history

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
)

// FilePast is the history of one file under its present name. The zero value has none.
type FilePast struct {
	// Versions have parents before their children. The state before an Edge is unknown.
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

// mostVersions bounds the versions of [Log.TextPast]: older ones are left out.
const mostVersions = 1000

// TextPast returns the readable versions of a present text with a content hash. They are the
// upstream's if the text is unchanged since its sync, else those in the repository of its folder.
// The first version is no Edge if the text is known to begin with it.
func (h *Log) TextPast(f folder.File, contentHash string) (p FilePast) {
	place := h.places[f.Folder]
	r := h.repositories[place.Top]
	if h.options.Epoch != nil || r == nil || r.lacks {
		return FilePast{}
	}
	p = FilePast{place: place, path: place.Prefix + f.Name}
	imports := r.imports
	if from, ok := h.records[f.Folder].File(f.Name); ok && from.SHA256 == contentHash {
		imports = h.imported[f.Folder]
		for i, c := range synced(from) {
			edge := i == 0 && !from.Whole()
			p.Versions = append(p.Versions, Version{&c, c.Files[0], edge || imports[c.Hash]})
		}
	} else if p.find(r); len(p.Versions) > 0 {
		v := &p.Versions[0]
		v.Edge = r.cut[v.Hash] || imports[v.Hash]
	}
	if older := len(p.Versions) - mostVersions; older > 0 {
		p.Versions = p.Versions[older:]
		p.Versions[0].Edge = true
	}
	return p
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
