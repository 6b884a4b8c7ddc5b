package build

import (
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/agent"
	"github.com/mipwatch/mipwatch/render/card"
	"github.com/mipwatch/mipwatch/render/feed"
)

// assets adds style sheet and scripts, named by their content.
func (p *planner) assets() {
	for _, a := range p.pages.Assets() {
		p.add(Artifact{Route: a.Route, Pattern: assetRoute, Cache: immutable, Body: fixed(a.Body)})
	}
}

// cards adds the pictures that other sites show beside a link: one for each proposal, and one for every
// other page. A file's name holds a hash of the picture's words: new words in a text leave it alone, and an
// existing one needs no drawing. The file of the card before is removed, as all that is no longer planned.
func (p *planner) cards() {
	add := func(route, pattern string, c card.Card, source string) {
		draw := func() ([]byte, error) { return card.PNG(c) }
		p.add(Artifact{Route: route, Pattern: pattern, source: source, hashed: true, Body: bodyOf(draw)})
	}
	for i, m := range p.Summaries {
		c := render.ProposalCard(p.stableInfo, m)
		add(render.ProposalCardRoute(m.ID, c), cardRoute, c, p.Proposals[i].File)
	}
	c := render.SiteCard(p.stableInfo)
	add(render.SiteCardRoute(c), siteCardRoute, c, "")
}

// home adds the index, the dashboard and the drawing of all relations.
func (p *planner) home() {
	p.addIndex("/", func() ([]byte, error) { return p.pages.Home(p.Summaries) })
	p.addIndex("/dashboard/", func() ([]byte, error) {
		revised, err := p.recentChanges()
		if err != nil {
			return nil, err
		}
		return p.pages.Dashboard(render.DashboardPage{Summaries: p.Summaries, Outdated: p.outdated(), Revised: revised})
	})
	p.addIndex("/graph/", func() ([]byte, error) { return p.pages.Graph(p.Summaries) })
}

// feeds adds the newest changes in the three formats that readers know.
func (p *planner) feeds() {
	p.addIndex("/"+feedFile, func() ([]byte, error) { return feed.RSS(p.info, p.Summaries) })
	p.addIndex("/feed.atom", func() ([]byte, error) { return feed.Atom(p.info, p.Summaries) })
	p.addIndex("/feed.json", func() ([]byte, error) { return feed.JSONFeed(p.info, p.Summaries) })
}

// about adds pages about the site itself.
func (p *planner) about() {
	for _, route := range []string{"/about/", "/about/ai/", "/accessibility/"} {
		p.addIndex(route, func() ([]byte, error) { return p.stable.About(route) })
	}
}

// notFound adds the two answers for addresses that do not exist: for people and, below /api, for programs.
func (p *planner) notFound() {
	p.addIndex("/404.html", p.pages.NotFound)
	problem := func() ([]byte, error) { return agent.NotFoundProblem(p.info) }
	p.add(Artifact{File: "api-404.json", index: true, Body: bodyOf(problem)})
}
