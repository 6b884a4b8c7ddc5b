package corpus

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// date sets the times of the corpus and of its proposals, and takes the problems of the log.
func (h *history) date(c *Corpus) {
	var newest git.Commit
	known, copied := 0, 0
	moved := map[*Proposal]bool{}
	for _, p := range c.Proposals {
		// Without git the path is the best guess of the one in a repository.
		place := h.places[p.source.Folder]
		p.RepoPath = path.Join(filepath.Base(p.source.Folder), p.source.Name)
		if place.Top != "" {
			p.RepoPath = place.Prefix + p.source.Name
		}
		all := h.files[fileKey{place.Top, p.RepoPath}]
		created := h.created(all)
		// A file that was edited since it was synced has the local repository's times.
		from, ok := h.records[p.source.Folder].File(p.source.Name)
		if ok && from.SHA256 == p.ContentHash {
			p.RepoPath, p.Upstream, created = from.Path, true, from.Added
			all = nil
			for _, c := range slices.Backward(synced(from)) {
				all = append(all, Version{Commit: &c, Step: c.Files[0]})
			}
			copied++
		}
		// The newest commit dates the text; without one the header does.
		switch v := last(all); {
		case h.epoch != nil:
			p.Updated = new(mip.NewTime(*h.epoch))
		case v != nil:
			known++
			// A commit that brought this file together with others may have moved or imported them.
			moved[p] = len(all) == 1 && h.touched[v.Hash] > 1
			p.Updated, p.Commit, p.History = new(v.Time()), v.Hash, newHistory(all)
			if p.History != nil && p.Upstream && p.History.Before == "nothing" && !from.Whole() {
				p.History.Before = "more"
			}
			// A clone that lacks texts must not be asked for any, and without one there is none.
			if r := h.repositories[place.Top]; p.History != nil && r != nil && !r.lacks {
				p.History.top = r.top
			}
			// The hash decides between commits of one second, so that their order does not matter.
			if cmp.Or(cmp.Compare(v.When, newest.When), strings.Compare(v.Hash, newest.Hash)) > 0 {
				newest, c.CommittedAt = *v.Commit, p.Updated
			}
			if p.Created.IsZero() && created != nil {
				p.Created = created.Date()
				p.Inferred = append(p.Inferred, "created")
			}
		case !p.Created.IsZero():
			p.Updated = new(mip.NewTime(p.Created.Time()))
		}
	}
	c.Commit = newest.Hash
	if h.epoch == nil {
		for _, p := range c.Proposals {
			p.dateByHeader(moved[p], c.CommittedAt)
		}
	}
	// Where some files were synced, a link to the upstream does not fit the others.
	for _, p := range c.Proposals {
		p.Local = copied > 0 && !p.Upstream
	}
	c.Problems = append([]mip.Problem{}, h.problems...)
	cut := func(p git.Place) bool { return p.Shallow != nil }
	switch {
	case h.epoch != nil:
		c.History = "fixed"
	case known > 0 && copied == len(c.Proposals):
		// The upstream's history is whole, however much of the local one is there.
		c.History = "full"
		c.Problems = slices.DeleteFunc(c.Problems, func(p mip.Problem) bool { return strings.HasPrefix(p.Code, "history-") })
	case known == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(h.places)), cut):
		c.History = "none" // the repository, if there is one, holds other files
	case known > 0 && h.whole && len(h.files) > 0:
		c.History = "full"
	default:
		c.History = "shallow"
	}
}

// dateByHeader believes the last change that the header states where it is newer than what else is known, and where git knows
// no more than a commit that moved the file. A day after the newest commit of all is a mistake.
func (p *Proposal) dateByHeader(moved bool, newest *mip.Time) {
	const day = 24 * time.Hour // what time zones may differ
	at := mip.NewTime(p.LastUpdate.Time())
	switch {
	case p.LastUpdate.IsZero():
	case newest != nil && at.UTC().After(newest.UTC().Add(day)):
	case p.Updated == nil, moved, at.UTC().After(p.Updated.UTC()):
		p.Updated = &at
	}
}
