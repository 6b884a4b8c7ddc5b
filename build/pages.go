package build

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/agent"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"
)

// assets adds style sheet and scripts, named by their content.
func (p *planner) assets() error {
	for _, a := range p.pages.Assets() {
		p.add(Artifact{Route: a.Route, Pattern: "/assets/{name}", Type: a.Type, Cache: immutable, Body: fixed(a.Body)})
	}
	return nil
}

// upgrades adds a page for each hard fork, and their overview.
func (p *planner) upgrades() error {
	seen := map[string]bool{}
	shown, err := p.figured()
	if err != nil {
		return err
	}
	for _, f := range p.forks {
		slug := mip.Slug(f.Name)
		if seen[slug] {
			continue
		}
		seen[slug] = true
		p.add(Artifact{
			Route: "/upgrade/" + slug + "/", Pattern: "/upgrade/{name}/", Type: typeHTML, phase: index, key: shown,
			Body: made(func() ([]byte, error) { return p.pages.Upgrade(f, p.all) }),
		})
		at := p.bundled(f)
		key, err := p.listKey(at)
		if err != nil {
			return err
		}
		p.add(Artifact{
			Route: "/upgrade/" + slug + "/" + feedFile, Pattern: "/upgrade/{name}/" + feedFile, Type: typeRSS, phase: index, key: key,
			Body: made(func() ([]byte, error) {
				return feed.List(p.stableInfo, plain.Listing{Kind: "upgrade", Value: f.Name, Slug: slug, Summaries: p.pick(at)})
			}),
		})
	}
	p.whole("/upgrade/", typeHTML, func() ([]byte, error) { return p.pages.Upgrades(p.all) })
	return nil
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
func (p *planner) home() error {
	shown, err := p.figured()
	if err != nil {
		return err
	}
	p.add(Artifact{Route: "/", Type: typeHTML, phase: index, key: shown, Body: made(func() ([]byte, error) { return p.pages.Home(p.all) })})
	outdated := p.outdated()
	key, err := keyOf(p.Producer, shown, outdated, p.recentPast())
	if err != nil {
		return err
	}
	p.add(Artifact{Route: "/dashboard/", Type: typeHTML, phase: index, key: key, Body: made(func() ([]byte, error) {
		revised, err := p.recentChanges()
		if err != nil {
			return nil, err
		}
		return p.pages.Dashboard(render.DashboardPage{Summaries: p.all, Outdated: outdated, Revised: revised})
	})})
	// A layout costs more than other pages, so it is made again only when something in it changes.
	type drawn struct {
		Title    string
		Status   mip.Status
		Requires []int
	}
	nodes := make(map[string]drawn, len(p.all))
	for _, m := range p.all {
		nodes[m.ID] = drawn{m.Title, m.Status, m.Requires}
	}
	key, err = keyOf(p.Producer, p.stableInfo, p.Notice, nodes)
	if err != nil {
		return err
	}
	p.add(Artifact{
		Route: "/graph/", Type: typeHTML, phase: index, key: key,
		Body: made(func() ([]byte, error) { return p.pages.Graph(p.all) }),
	})
	return nil
}

// about adds what is said about the site itself. It follows from the settings alone.
func (p *planner) about() error {
	key, err := keyOf(p.Producer, p.stableInfo, p.Notice)
	if err != nil {
		return err
	}
	for _, a := range []struct {
		route string
		page  func() ([]byte, error)
	}{{"/about/", p.stable.About}, {"/about/ai/", p.stable.AboutAI}, {"/accessibility/", p.stable.Accessibility}} {
		p.add(Artifact{Route: a.route, Type: typeHTML, phase: index, key: key, Body: made(a.page)})
	}
	return nil
}

// notFound adds the two answers for what does not exist: for people and, below /api, for programs.
func (p *planner) notFound() error {
	p.add(Artifact{Route: "/404.html", Type: typeHTML, phase: index, Body: made(p.pages.NotFound)})
	p.add(Artifact{File: "api-404.json", Type: typeProblem, phase: index, Body: made(func() ([]byte, error) { return agent.NotFoundProblem(p.info) })})
	return nil
}
