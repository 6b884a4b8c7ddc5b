package build

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/feed"
)

// histories adds, of each proposal that git knows, a page with its versions and a feed of its changes.
func (p *planner) histories() {
	for i, c := range p.Proposals {
		if c.Past == nil {
			continue
		}
		// It is no fault of the proposal when git cannot read a version, so the page has no source.
		page := func() ([]byte, error) { return p.historyPage(c, p.Summaries[i]) }
		p.add(Artifact{Route: routeOf(historyRoute, c.ID), Pattern: historyRoute, Body: bodyOf(page)})
		p.addOf(c, changesRoute, bodyOf(func() ([]byte, error) { return p.changes(c, p.Summaries[i]) }))
	}
}

// historyPage makes the page of a proposal's versions.
func (p *planner) historyPage(c *corpus.Proposal, m mip.Summary) ([]byte, error) {
	texts, err := p.plan.versions.Read(c)
	if err != nil {
		return nil, err
	}
	// The text before the oldest version, if git has it, is the base of that version's difference.
	page := render.HistoryPage{Summary: m, Before: c.Past.Before}
	for i, v := range c.Past.Versions {
		link, _ := sourceLinkAt(p.Site, c, v.Commit, c.RepoPath)
		page.Versions = append(page.Versions, render.Version{Commit: v.Commit, When: v.When, Subject: v.Subject, Text: texts[i], SourceURL: link})
	}
	if len(texts) > len(page.Versions) {
		page.Base = texts[len(page.Versions)]
	}
	return p.stable.History(page)
}

// changes makes the feed of a proposal's changes.
func (p *planner) changes(c *corpus.Proposal, m mip.Summary) ([]byte, error) {
	out := make([]feed.Change, 0, len(c.Past.Versions))
	for _, v := range c.Past.Versions {
		link, _ := sourceLinkAt(p.Site, c, v.Commit, c.RepoPath)
		out = append(out, feed.Change{Commit: v.Commit, When: v.When, Subject: v.Subject, URL: link})
	}
	// Commits lie in the order of their parents, and a clock may have been wrong.
	slices.SortStableFunc(out, func(a, b feed.Change) int { return b.When.UTC().Compare(a.When.UTC()) })
	return feed.History(p.stableInfo, m, out)
}

// recentChanges reads the newest versions of the proposals that changed last, and the versions before them.
func (p *planner) recentChanges() (map[mip.ID]render.Revision, error) {
	out := map[mip.ID]render.Revision{}
	for _, m := range render.Recent(p.Summaries) {
		i, _ := mip.Search(p.Summaries, m.ID)
		c := *p.Proposals[i]
		// A proposal whose date is not that of its newest commit was dated by its header.
		if c.Past == nil || m.Updated == nil || !m.Updated.UTC().Equal(c.Past.Versions[0].When.UTC()) {
			continue
		}
		// One version and its predecessor are enough for the newest difference.
		past := *c.Past
		past.Versions, past.Texts = past.Versions[:1], past.Texts[:min(len(past.Texts), 2)]
		c.Past = &past
		bodies, err := p.plan.versions.Read(&c)
		if err != nil {
			return nil, err
		}
		r := render.Revision{After: bodies[0], Is: corpus.StatusOf(bodies[0]), First: len(bodies) == 1 && past.Before == "nothing"}
		if len(bodies) > 1 {
			r.Before, r.Was = bodies[1], corpus.StatusOf(bodies[1])
		}
		out[m.ID] = r
	}
	return out, nil
}
