package corpus

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// date sets the times of the corpus and of its proposals, and takes the problems of the log.
func (c *Corpus) date() {
	var newest *history.Version
	dated, synced := 0, 0
	moved := map[*Proposal]bool{}
	for _, p := range c.Proposals {
		s := c.Log.Of(p.source, p.ContentHash)
		p.RepoPath, p.Upstream, p.History = s.RepoPath, s.Upstream, s.File
		if p.Upstream {
			synced++
		}
		// The newest commit dates the text. Without one the header does.
		switch v := s.Newest; {
		case c.options.Epoch != nil:
			p.Updated = new(mip.NewTime(*c.options.Epoch))
		case v != nil:
			dated++
			// A commit that touches other files too may have moved or imported this one.
			moved[p] = s.Moved
			p.Updated, p.Commit = new(v.Time()), v.Hash
			// The hash breaks ties within a second, so that the order does not matter.
			if newest == nil ||
				cmp.Or(cmp.Compare(v.When, newest.When), strings.Compare(v.Hash, newest.Hash)) > 0 {
				newest, c.Commit, c.CommittedAt = v, v.Hash, p.Updated
			}
			if at, ok := history.ImportedOn(p.Created, v.Time()); ok && s.Imported {
				p.Updated = &at // an import changes nothing
			}
			if p.Created.IsZero() && s.Created != nil {
				p.Created = s.Created.Date()
				p.Inferred = append(p.Inferred, "created")
			}
		case !p.Created.IsZero():
			p.Updated = new(mip.NewTime(p.Created.Time()))
		}
	}
	if c.options.Epoch == nil {
		for _, p := range c.Proposals {
			p.dateByHeader(moved[p], c.CommittedAt)
		}
	}
	// If some files were synced, a link to the upstream does not fit the others.
	for _, p := range c.Proposals {
		p.Local = synced > 0 && !p.Upstream
	}
	c.Problems, c.History = slices.Clone(c.Log.Problems), c.Log.Completeness(dated)
	if c.History != "fixed" && dated > 0 && synced == len(c.Proposals) {
		// The upstream's history is complete, whatever the local one lacks.
		c.History = "full"
		c.Problems = slices.DeleteFunc(c.Problems, func(p mip.Problem) bool {
			return strings.HasPrefix(p.Code, "history-")
		})
	}
}

// Past returns the history from git and the records of mipwatch sync. It reads no text.
func (c *Corpus) Past() *history.Past {
	var synced []folder.File
	for _, p := range c.Proposals {
		if p.Upstream {
			synced = append(synced, p.source)
		}
	}
	return c.Log.Past(synced, c.History == "full")
}

// TextPast returns the history of a proposal's file: see [history.Log.TextPast].
func (c *Corpus) TextPast(p *Proposal) history.FilePast {
	return c.Log.TextPast(p.source, p.ContentHash)
}

// dateByHeader uses the header's date of the last change if it is newer than all else, or if git
// has only a commit that moved the file. A day after the newest commit of all is a mistake.
func (p *Proposal) dateByHeader(moved bool, newest *mip.Time) {
	const day = 24 * time.Hour // maximum difference of time zones
	at := mip.NewTime(p.LastUpdate.Time())
	switch {
	case p.LastUpdate.IsZero():
	case newest != nil && at.UTC().After(newest.UTC().Add(day)):
	case p.Updated == nil, moved, at.UTC().After(p.Updated.UTC()):
		p.Updated = &at
	}
}
