package build

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/forks"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/agent"
	"github.com/mipwatch/mipwatch/render/board"
	"github.com/mipwatch/mipwatch/render/calendar"
	"github.com/mipwatch/mipwatch/render/card"
	"github.com/mipwatch/mipwatch/render/plain"
)

// assets adds style sheet, scripts, logo, pictures and files, whose names contain a hash of their
// content, and the share cards: one for each proposal that has not moved, and one for all other
// pages. The name of a card contains a hash of its words, so that an existing card is not redrawn.
func (p *planner) assets() {
	for _, a := range p.pages.Assets() {
		p.add(Artifact{Route: a.Route, Pattern: assetRoute, Cache: immutable, Body: fixed(a.Body)})
	}
	for _, f := range p.files.Files {
		p.add(Artifact{Route: assetFolder + f.Path, Pattern: assetFolder + f.Pattern(),
			Cache: immutable, Body: f.Bytes})
	}
	for _, m := range p.Metadata {
		if m.Moved() {
			continue
		}
		c := render.ProposalCard(p.info.Site, p.brand, m)
		p.add(Artifact{
			Route: render.ProposalCardRoute(m.ID, c), Pattern: cardRoute,
			Body: func() ([]byte, error) { return card.PNG(c) },
		})
	}
	c := render.SiteCard(p.info.Site, p.brand)
	p.add(Artifact{
		Route: render.SiteCardRoute(c), Pattern: siteCardRoute,
		Body: func() ([]byte, error) { return card.PNG(c) },
	})
}

// documents adds the JSON of the whole corpus, and the instructions for AI agents.
func (p *planner) documents() {
	p.addIndex("/api/v1/mips", func() ([]byte, error) {
		return api.JSON(mip.List{
			Count: len(p.Metadata), MIPs: p.Metadata,
			UpdatedAt: mip.NewestChange(p.Metadata, p.CommittedAt),
		})
	})
	p.addIndex("/api/v1/index", func() ([]byte, error) { return api.JSON(p.index()) })
	p.addIndex("/api/v1/site", func() ([]byte, error) { return api.JSON(p.info) })
	p.addIndex("/api/v1/diagnostics", func() ([]byte, error) {
		return api.JSON(mip.Diagnostics{Problems: p.publicProblems(p.plan.LinkProblems())})
	})
	p.addIndex("/llms.txt", func() ([]byte, error) {
		return agent.LLMs(p.info.Site, p.Forks, p.Metadata)
	})
	if p.info.FullText {
		p.addIndex("/llms-full.txt", func() ([]byte, error) {
			texts := make([]string, len(p.Proposals))
			for i, c := range p.Proposals {
				texts[i] = c.Raw
			}
			return agent.LLMsFull(p.info.Site, p.Metadata, texts), nil
		})
	}
	// The text is published under two addresses, and its hash in the index.
	skill := sync.OnceValues(func() ([]byte, error) {
		return agent.Skill(p.info.Site, p.Metadata)
	})
	p.addIndex("/skill.md", skill)
	route := strings.Replace(skillRoute, "{skill}", agent.SkillName(p.info.Site), 1)
	p.add(Artifact{Route: route, Pattern: skillRoute, Body: skill})
	p.addIndex("/.well-known/agent-skills/index.json", func() ([]byte, error) {
		text, err := skill()
		if err != nil {
			return nil, err
		}
		return agent.SkillIndex(p.info.Site, text)
	})
}

// index is the slim list, in the order of the first page, with the lists that the plan has.
func (p *planner) index() mip.Index {
	lists := map[mip.ID][]string{}
	for i, m := range p.Metadata {
		lists[m.ID] = p.listed[i]
	}
	x := mip.Index{
		Count: len(p.Metadata), MIPs: []mip.Entry{},
		UpdatedAt: mip.NewestChange(p.Metadata, p.CommittedAt),
	}
	for _, m := range mip.ActiveFirst(p.Metadata) {
		x.MIPs = append(x.MIPs, mip.NewEntry(m, plain.Ended(m), lists[m.ID]))
	}
	return x
}

// sitePages adds the pages and descriptions of the site, and the answers for unknown addresses.
func (p *planner) sitePages() {
	p.addIndex("/", p.home)
	p.add(Artifact{Route: "/search/", Body: func() ([]byte, error) { return p.pages.Search() }})
	p.addIndex("/dashboard/", p.dashboard)
	p.addIndex("/graph/", func() ([]byte, error) { return p.pages.Graph(p.relations) })

	// The document and the page show the same description, which is made once.
	describe := sync.OnceValue(p.describe)
	p.addIndex("/openapi.json", func() ([]byte, error) { return describe().JSON() })
	p.addIndex("/.well-known/api-catalog", func() ([]byte, error) {
		return agent.APICatalog(p.info.Site)
	})
	p.addIndex("/api/", func() ([]byte, error) { return p.pages.API(describe()) })
	p.addIndex("/follow/", func() ([]byte, error) {
		return p.pages.Follow(p.Metadata, p.rolesWithClaims())
	})

	for _, route := range []string{"/about/", "/about/ai/", "/accessibility/"} {
		p.addIndex(route, func() ([]byte, error) {
			return p.pages.About(route, p.info.Statuses.Named(p.Metadata))
		})
	}

	p.addIndex("/404.html", p.pages.NotFound)
	if !p.info.Host.FilesAlone() {
		problem := func() ([]byte, error) { return agent.NotFoundProblem(p.info.Site) }
		p.add(Artifact{File: "api-404.json", index: true, Body: problem})
	}
}

// dashboard makes the dashboard.
func (p *planner) dashboard() ([]byte, error) {
	h, err := p.allEvents()
	if err != nil {
		return nil, err
	}
	page := render.DashboardPage{Metadata: p.Metadata, Changes: p.shown(h.events)}
	for i, m := range p.Metadata {
		if sum := p.Committed[i]; sum != nil && sum.Stale {
			page.Outdated = append(page.Outdated, m)
		}
	}
	return p.pages.Dashboard(page)
}

// describe describes the endpoints, with one proposal as the example.
func (p *planner) describe() *agent.API {
	if len(p.Metadata) == 0 {
		return agent.Describe(p.info.Site, p.Forks, nil)
	}
	return agent.Describe(p.info.Site, p.Forks, new(p.document(p.example())))
}

// example returns the position of the proposal that documents use as an example: the first one with
// the most kinds of answers and lists.
func (p *planner) example() int {
	best, most := 0, -1
	for i, c := range p.Proposals {
		kinds := map[string]bool{}
		for _, list := range p.listed[i] {
			kinds[path.Dir(list)] = true
		}
		answers := len(kinds) + min(1, len(c.Translations))
		if c.History != nil {
			answers++
		}
		if p.Committed[i] != nil {
			answers++
		}
		if answers > most {
			best, most = i, answers
		}
	}
	return best
}

// listField is a field by which proposals are listed, and the route of its lists.
type listField struct{ name, route string }

// listFields returns the fields by which proposals are listed, in the order of the plan.
func listFields() []listField {
	out := []listField{{"kind", kindRoute}}
	for _, f := range mip.Words() {
		out = append(out, listField{f.Key(), "/" + f.Key() + "/{" + f.Key() + "}/"})
	}
	return append(out, listField{"author", authorRoute})
}

// valuesOf are the values of a proposal in a field, by the path segments of their lists. A value
// that is missing, of a status alone, has a list too.
func valuesOf(m mip.Metadata, field string) map[string]string {
	switch field {
	case "kind":
		return map[string]string{strings.ToLower(m.ID.Kind): m.ID.Kind}
	case "status":
		return map[string]string{m.Status.Slug(): string(m.Status)}
	case "author":
		return authors(m)
	}
	value := mip.FieldOf(field).Text(&m)
	if value == "" {
		return nil
	}
	return map[string]string{mip.Slug(value): value}
}

// authors are those with a login: only a login distinguishes two people of one name.
func authors(m mip.Metadata) map[string]string {
	out := map[string]string{}
	for _, a := range m.Authors {
		if slug := a.Slug(); slug != "" && out[slug] == "" {
			out[slug] = cmp.Or(mip.Deref(a.Name), "@"+*a.GitHub)
		}
	}
	return out
}

// alone returns the authors of one proposal, who have no list.
func (p *planner) alone() map[string]bool {
	count, alone := map[string]int{}, map[string]bool{}
	for _, m := range p.Metadata {
		for slug := range authors(m) {
			count[slug]++
			alone[slug] = count[slug] == 1
		}
	}
	return alone
}

// headOf returns the heading for the values of a field with one slug: the most frequent spelling of
// a person's name, the word of the process for a status, else all values, since C and C++ share a
// slug and therefore a page.
func headOf(process mip.Process, field string, values []string) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(values)))
	switch field {
	case "author":
		count := map[string]int{}
		for _, v := range values {
			count[v]++
		}
		return slices.MinFunc(sorted, func(a, b string) int {
			return cmp.Compare(count[b], count[a])
		})
	case "status":
		for _, v := range values {
			if v == "" || process.Parse(v).Stage != "" {
				return v
			}
		}
	}
	return strings.Join(sorted, ", ")
}

// lists adds a table and a feed for each value of a field. Values with one slug share a page, so
// that letter case does not divide a list.
func (p *planner) lists() {
	for _, list := range listFields() {
		field, pattern := list.name, list.route
		if field == "kind" && !p.info.Several() {
			continue
		}
		// Both are by slug: the positions of the proposals, and the values of their headers.
		at, words := map[string][]int{}, map[string][]string{}
		for i, m := range p.Metadata {
			for slug, value := range valuesOf(m, field) {
				at[slug], words[slug] = append(at[slug], i), append(words[slug], value)
			}
		}
		// A value that site.yaml states has a list even while it is empty, so that people can
		// subscribe.
		for slug, value := range p.stated(field) {
			if at[slug] == nil {
				at[slug], words[slug] = []int{}, []string{value}
			}
		}
		for _, slug := range slices.Sorted(maps.Keys(at)) {
			// A header has room for a hundred authors. A page and feeds for each of them would be
			// out of proportion.
			if field == "author" && p.pages.Alone[slug] {
				continue
			}
			value := headOf(p.info.Statuses, field, words[slug])
			l := plain.Listing{Kind: field, Value: value, Slug: slug}
			switch field {
			case "kind":
				i := slices.IndexFunc(p.info.Kinds, func(k mip.Kind) bool {
					return strings.EqualFold(k.Prefix, slug)
				})
				l.Value = p.info.Kinds[i].Name
			case "status":
				l.Stage = p.info.Statuses.Parse(l.Value).Stage
			}
			route := pattern[:strings.Index(pattern, "{")] + slug + "/"
			p.add(Artifact{Route: route, Pattern: pattern, index: true,
				Body: func() ([]byte, error) { return p.pages.Listing(p.fill(l, at[slug])) }})
			p.addListFeed(pattern, l, at[slug])
		}
	}
}

// stated are the values of a field that the site states, by the path segments of their lists.
func (p *planner) stated(field string) map[string]string {
	out := map[string]string{}
	switch field {
	case "kind":
		for _, k := range p.info.Kinds {
			out[strings.ToLower(k.Prefix)] = k.Prefix
		}
	case "status":
		for _, s := range p.info.Statuses {
			out[s.Name.Slug()] = string(s.Name)
		}
	}
	return out
}

// fill adds the proposals at these positions to a list. The plan keeps positions, since there are
// thousands of lists.
func (p *planner) fill(l plain.Listing, at []int) plain.Listing {
	for _, i := range at {
		l.Metadata = append(l.Metadata, p.Metadata[i])
	}
	return l
}

// upgrades adds a page and a text for each hard fork, and their overviews. The first fork of a slug
// has the page. Its feed and its calendar are about its meta proposal and the ones it awaits.
func (p *planner) upgrades() {
	for k, f := range p.Forks {
		slug := mip.Slug(f.Name)
		same := func(other mip.HardFork) bool { return mip.Slug(other.Name) == slug }
		if slices.ContainsFunc(p.Forks[:k], same) {
			continue
		}
		var at []int
		for i, m := range p.Metadata {
			meta := f.MetaMIP != nil && m.ID == p.info.Main(*f.MetaMIP)
			if meta || board.Awaits(f, m.ID) {
				at = append(at, i)
			}
		}
		route := "/upgrade/" + slug
		p.addForks(route+"/", upgradeRoute, func(past forks.Past) ([]byte, error) {
			return p.pages.Upgrade(p.upgradePage(past, k))
		})
		p.addForks(route+".md", upgradeTextRoute, func(past forks.Past) ([]byte, error) {
			page := p.upgradePage(past, k)
			return agent.Upgrade(p.info, board.New(page.Fork, page.Texts))
		})
		p.addCalendar(upgradeRoute, route+"/", func() calendar.Calendar {
			return p.upgradeCalendar(f, at)
		})
		p.addListFeed(upgradeRoute, plain.Listing{Kind: "upgrade", Value: f.Name, Slug: slug}, at)
	}
	p.addForks("/upgrade/", "", func(past forks.Past) ([]byte, error) {
		return p.pages.Upgrades(past.Forks, p.Metadata)
	})
	p.addForks("/api/v1/hardforks", "", func(past forks.Past) ([]byte, error) {
		return api.JSON(mip.HardForks{HardForks: past.Forks})
	})
}

// upgradePage returns the content of the page of the k-th hard fork.
func (p *planner) upgradePage(past forks.Past, k int) render.UpgradePage {
	f := past.Forks[k]
	page := render.UpgradePage{Fork: f, Texts: board.Texts{Kind: p.info.Prefix, All: p.Metadata,
		References: p.options.Site.References, Moves: past.Moves(f.Name)}}
	for i, m := range p.Metadata {
		meta := f.MetaMIP != nil && m.ID == p.info.Main(*f.MetaMIP)
		if meta {
			page.Tasks = markdown.Parse(p.Proposals[i].Body).Tasks()
			for _, v := range p.versionsKnown(i) {
				page.Versions = append(page.Versions, v.Hash)
			}
		}
		if meta || f.Lists(m.ID) {
			page.Claims = append(page.Claims, p.claims(i)...)
		}
	}
	page.Titles = p.titlesOf(page.Claims)
	return page
}
