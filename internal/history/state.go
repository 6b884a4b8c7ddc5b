package history

import (
	"crypto/sha256"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// State is the history of a present text.
type State struct {
	// RepoPath is the path within the repository: the upstream's if Upstream is set. Without git it
	// is the folder's last name and the file's name.
	RepoPath string
	// Upstream is true for an unchanged synced text. The other fields are then about the upstream's
	// repository.
	Upstream bool
	// Newest is the newest commit by its time, or nil if none is known. File has the published
	// versions, or is nil if there are none.
	Newest *Version
	File   *File
	// Created is the time of the first commit. It is nil if that is unknown, or if the commit
	// touches other proposals too and so may have moved or imported the text.
	Created *mip.Time
	// Moved reports that the only commit touches other proposals too.
	Moved bool
	// Imported reports that the only commit is an import: see [ImportedOn].
	Imported bool
}

// Of returns the state of a file with a content hash. A file that was edited since its sync has the
// times of the local repository.
func (h *Log) Of(f folder.File, contentHash string) (s State) {
	// Without git this is the best guess of the path in a repository.
	place := h.places[f.Folder]
	s.RepoPath = path.Join(filepath.Base(f.Folder), f.Name)
	if place.Top != "" {
		s.RepoPath = place.Prefix + f.Name
	}
	all := h.files[fileKey{place.Top, s.RepoPath}]
	s.Created = h.created(all)
	from, ok := h.records[f.Folder].File(f.Name)
	if ok && from.SHA256 == contentHash {
		s.RepoPath, s.Upstream, s.Created = from.Path, true, from.Added
		all = nil
		for _, c := range slices.Backward(synced(from)) {
			all = append(all, Version{Commit: &c, Step: c.Files[0]})
		}
	}
	if s.Newest = last(all); s.Newest == nil || h.options.Epoch != nil {
		return s
	}
	s.Moved = len(all) == 1 && h.touched[s.Newest.Hash] > 1
	imports := h.imported[f.Folder]
	if r := h.repositories[place.Top]; r != nil && !s.Upstream {
		imports = r.imports
	}
	s.Imported = len(all) == 1 && imports[s.Newest.Hash]
	if s.File = newFile(all); s.File == nil {
		return s
	}
	if s.Upstream && s.File.Before == "nothing" && !from.Whole() {
		s.File.Before = "more"
	}
	// Do not read texts in a partial clone: git would fetch them. Without a repository there are
	// none.
	if r := h.repositories[place.Top]; r != nil && !r.lacks {
		s.File.top = r.top
	}
	return s
}

// Changed is the time when a file in one of the folders, or below one, last changed: the time of
// the newest commit that touched it, or [Options.Epoch]. It is nil if unknown.
func (h *Log) Changed(f folder.File) *mip.Time {
	if h.options.Epoch != nil {
		return new(mip.NewTime(*h.options.Epoch))
	}
	p := h.places[f.Folder]
	if v := last(h.files[fileKey{p.Top, p.Prefix + f.Name}]); v != nil {
		return new(v.Time())
	}
	return nil
}

// Completeness is full, shallow, none or fixed: see [mip.Site.History]. dated is the number of
// texts whose newest commit is known.
func (h *Log) Completeness(dated int) string {
	cut := func(p git.Place) bool { return p.Shallow != nil }
	switch {
	case h.options.Epoch != nil:
		return "fixed"
	case dated == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(h.places)), cut):
		return "none" // a repository, if there is one, has other files
	case dated > 0 && h.whole && len(h.files) > 0:
		return "full"
	}
	return "shallow"
}

// Top is the top folder of a folder's repository, or "" if there is none.
func (h *Log) Top(dir string) string { return h.places[dir].Top }

// Tracked reports whether a file is in the newest commit of a folder's repository. known is false
// if git fails.
func (h *Log) Tracked(dir, repoPath string) (tracked, known bool) {
	r := h.repositories[h.places[dir].Top]
	if r == nil {
		return false, true
	}
	return r.tracked[repoPath], r.tracked != nil
}

// Past returns the history of all files that are or were texts. unchanged are the texts that are
// unchanged since their sync. whole is true if nothing is missing so far. It reads no text.
func (h *Log) Past(unchanged []folder.File, whole bool) *Past {
	out := &Past{headers: h.options.Headers, rules: h.options.Rules, whole: whole,
		versions: &versions{byBlob: map[[2]string]version{},
			byHeader: map[[sha256.Size]byte]version{}}}
	if h.options.Epoch != nil {
		return out
	}
	for _, top := range slices.Sorted(maps.Keys(h.repositories)) {
		r := h.repositories[top]
		if len(r.texts) == 0 { // it has the site's file
			continue
		}
		out.whole = out.whole && !r.lacks
		out.histories = append(out.histories, r.pastFiles)
	}
	for _, f := range unchanged {
		from, _ := h.records[f.Folder].File(f.Name)
		past := pastFiles{lacks: true, commits: synced(from), imports: h.imported[f.Folder],
			texts: map[string]folder.File{from.Path: f}}
		if r := h.repositories[h.places[f.Folder].Top]; r != nil {
			past.top, past.lacks = r.top, r.lacks
		}
		if !from.Whole() {
			past.cut = map[string]bool{past.commits[0].Hash: true}
			out.whole = false
		}
		out.histories = append(out.histories, past)
	}
	return out
}
