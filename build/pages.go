package build

import (
	"fmt"
	"slices"

	"github.com/mipwatch/mipwatch/render/agent"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/card"
)

// assets adds style sheet and scripts, named by their content.
func (p *planner) assets() {
	for _, a := range p.pages.Assets() {
		p.add(Artifact{Route: a.Route, Pattern: "/assets/{name}", Type: a.Type, Cache: immutable, Body: fixed(a.Body)})
	}
}

// cards adds the pictures that other sites show beside a link: one for each proposal, and one for every
// other page. A file's name holds a hash of what it shows: new words in a text leave it alone, and one that is
// there needs no drawing. The file of the card before is removed, as all that is no longer planned.
func (p *planner) cards() {
	add := func(route, pattern, source string, c card.Card) {
		p.add(Artifact{Route: route, Pattern: pattern, Type: card.Type, source: source, hashed: true, Body: bodyOf(func() ([]byte, error) {
			b, err := card.PNG(c)
			if err != nil {
				return nil, fmt.Errorf("draw %s: %w", route, err)
			}
			return b, nil
		})})
	}
	for i, m := range p.all {
		c := render.ProposalCard(p.stableInfo, m)
		add(render.ProposalCardRoute(m.ID, c), p.pagePattern()+"/og.{hash}.png", p.corpus.Proposals[i].File, c)
	}
	c := render.SiteCard(p.stableInfo)
	add(render.SiteCardRoute(c), "/og.{hash}.png", "", c)
}

// upgrades adds a page for each hard fork, and their overview.
func (p *planner) upgrades() {
	seen := map[string]bool{}
	for _, f := range p.forks {
		slug := mip.Slug(f.Name)
		if seen[slug] {
			continue
		}
		seen[slug] = true
		p.add(Artifact{
			Route: "/upgrade/" + slug + "/", Pattern: "/upgrade/{name}/", Type: typeHTML, index: true,
			Body: bodyOf(func() ([]byte, error) { return p.pages.Upgrade(f, p.all) }),
		})
		p.add(Artifact{
			Route: "/upgrade/" + slug + "/" + feedFile, Pattern: "/upgrade/{name}/" + feedFile, Type: typeRSS, index: true,
			Body: bodyOf(func() ([]byte, error) {
				return feed.List(p.stableInfo, plain.Listing{Kind: "upgrade", Value: f.Name, Slug: slug, Summaries: p.pick(p.bundled(f))})
			}),
		})
	}
	p.whole("/upgrade/", typeHTML, func() ([]byte, error) { return p.pages.Upgrades(p.all) })
}

// bundled are the positions of a fork's published proposals, that which defines it included.
func (p *planner) bundled(f mip.HardFork) []int {
	var out []int
	for i, m := range p.all {
		if slices.Contains(f.BundledMIPs, m.Number) || f.MetaMIP != nil && *f.MetaMIP == m.Number {
			out = append(out, i)
		}
	}
	return out
}

// home adds the index, the dashboard and the drawing of all relations.
func (p *planner) home() {
	p.whole("/", typeHTML, func() ([]byte, error) { return p.pages.Home(p.all) })
	p.whole("/dashboard/", typeHTML, func() ([]byte, error) {
		revised, err := p.recentChanges()
		if err != nil {
			return nil, err
		}
		return p.pages.Dashboard(render.DashboardPage{Summaries: p.all, Outdated: p.outdated(), Revised: revised})
	})
	p.whole("/graph/", typeHTML, func() ([]byte, error) { return p.pages.Graph(p.all) })
}

// about adds what is said about the site itself.
func (p *planner) about() {
	p.whole("/about/", typeHTML, p.stable.About)
	p.whole("/about/ai/", typeHTML, p.stable.AboutAI)
	p.whole("/accessibility/", typeHTML, p.stable.Accessibility)
}

// notFound adds the two answers for what does not exist: for people and, below /api, for programs.
func (p *planner) notFound() {
	p.whole("/404.html", typeHTML, p.pages.NotFound)
	p.add(Artifact{File: "api-404.json", Type: typeProblem, index: true, Body: bodyOf(func() ([]byte, error) { return agent.NotFoundProblem(p.info) })})
}
