package build

import (
	"fmt"
	"slices"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/feed"
)

// historyGroup is how many pages one git process reads for: enough that its start does not count, few
// enough that every processor has work.
const historyGroup = 64

func historyRoute(n int) string { return pageRoute(n) + "history/" }

// feedFile is a feed's name below its page.
const feedFile = "feed.xml"

// histories adds, of each proposal that git knows, a page with its versions and a feed of its changes.
// Texts are read when a page is made, so that a build which changes nothing reads none.
func (p *planner) histories() error {
	texts, members := &corpus.Texts{}, 0
	groups := len(p.all) // those of the proposals come first
	for i, c := range p.corpus.Proposals {
		if c.Past == nil {
			continue
		}
		if members%historyGroup == 0 {
			texts = &corpus.Texts{}
			groups++
		}
		members++
		key, err := keyOf(p.Producer, p.keys[i], c.Past, c.RepoPath, p.Site.SourceURL, p.stableInfo)
		if err != nil {
			return err
		}
		texts := texts
		p.add(Artifact{
			Route: historyRoute(c.Number), Pattern: "/mip/{n}/history/", Type: typeHTML, group: groups, key: key, release: texts.Close,
			Body: made(func() ([]byte, error) { return p.history(i, texts) }),
		})
		p.add(Artifact{
			Route: pageRoute(c.Number) + feedFile, Pattern: "/mip/{n}/" + feedFile, Type: typeRSS, key: key, source: c.File,
			Body: made(func() ([]byte, error) { return p.changes(i) }),
		})
	}
	return nil
}

// history makes the page of a proposal's versions.
func (p *planner) history(i int, texts *corpus.Texts) ([]byte, error) {
	c := p.corpus.Proposals[i]
	bodies, err := texts.Read(c)
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
