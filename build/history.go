package build

import (
	"fmt"
	"slices"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/feed"
)

func historyRoute(id mip.ID) string { return id.Page() + "history/" }

// feedFile is a feed's name below its page.
const feedFile = "feed.xml"

// histories adds, of each proposal that git knows, a page with its versions and a feed of its changes.
func (p *planner) histories() {
	for i, c := range p.corpus.Proposals {
		if c.Past == nil {
			continue
		}
		p.add(Artifact{
			Route: historyRoute(c.ID), Pattern: p.pagePattern() + "/history/", Type: typeHTML,
			Body: bodyOf(func() ([]byte, error) { return p.history(i) }),
		})
		p.add(Artifact{
			Route: c.ID.Page() + feedFile, Pattern: p.pagePattern() + "/" + feedFile, Type: typeRSS, source: c.File,
			Body: bodyOf(func() ([]byte, error) { return p.changes(i) }),
		})
	}
}

// history makes the page of a proposal's versions.
func (p *planner) history(i int) ([]byte, error) {
	c := p.corpus.Proposals[i]
	bodies, err := p.plan.versions.Read(c)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	v := render.HistoryPage{Summary: p.all[i], Before: c.Past.Before}
	for k, version := range c.Past.Versions {
		w := render.Version{Commit: version.Commit, When: version.When, Subject: version.Subject, Text: bodies[k]}
		w.SourceURL, _ = sourceLinkAt(p.Site, c, version.Commit, c.RepoPath)
		v.Versions = append(v.Versions, w)
	}
	if len(bodies) > len(v.Versions) {
		v.Base = bodies[len(v.Versions)]
	}
	return p.stable.History(v)
}

// changes makes the feed of a proposal's changes.
func (p *planner) changes(i int) ([]byte, error) {
	c := p.corpus.Proposals[i]
	out := make([]feed.Change, 0, len(c.Past.Versions))
	for _, v := range c.Past.Versions {
		link, _ := sourceLinkAt(p.Site, c, v.Commit, c.RepoPath)
		out = append(out, feed.Change{Commit: v.Commit, When: v.When, Subject: v.Subject, URL: link})
	}
	// Commits lie in the order of their parents, and a clock may have been wrong.
	slices.SortStableFunc(out, func(a, b feed.Change) int { return b.When.UTC().Compare(a.When.UTC()) })
	return feed.History(p.stableInfo, p.all[i], out)
}

// newest is a past with its newest change alone.
func newest(past *corpus.Past) corpus.Past {
	short := *past
	short.Versions, short.Texts = past.Versions[:1], past.Texts[:min(len(past.Texts), 2)]
	return short
}

// recentChanges reads what the newest commits of the proposals that changed last did to them.
func (p *planner) recentChanges() (map[mip.ID]render.Revision, error) {
	out := map[mip.ID]render.Revision{}
	for _, m := range render.Recent(p.all) {
		c := *p.corpus.Proposals[p.index[m.ID]]
		if c.Past == nil || m.Updated == nil || !m.Updated.UTC().Equal(c.Past.Versions[0].When.UTC()) {
			continue
		}
		c.Past = new(newest(c.Past))
		bodies, err := p.plan.versions.Read(&c)
		if err != nil {
			return nil, fmt.Errorf("recent changes: %w", err)
		}
		r := render.Revision{After: bodies[0], Is: corpus.StatusOf(bodies[0]), First: len(bodies) == 1 && c.Past.Before == "nothing"}
		if len(bodies) > 1 {
			r.Before, r.Was = bodies[1], corpus.StatusOf(bodies[1])
		}
		out[m.ID] = r
	}
	return out, nil
}
