package build

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render"
	"github.com/mipwatch/mipwatch/render/agent"
	"github.com/mipwatch/mipwatch/render/card"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"
)

// assets adds style sheet and scripts, named by their content, and the pictures that other sites show beside a link:
// one for each proposal, and one for every other page. A picture's name holds a hash of its words: new words in a text
// leave it alone, and an existing one needs no drawing.
func (p *planner) assets() {
	for _, a := range p.pages.Assets() {
		p.add(Artifact{Route: a.Route, Pattern: assetRoute, Cache: immutable, Body: fixed(a.Body)})
	}
	add := func(route, pattern string, c card.Card, source string) {
		draw := func() ([]byte, error) { return card.PNG(c) }
		p.add(Artifact{Route: route, Pattern: pattern, source: source, hashed: true, Body: draw})
	}
	for i, m := range p.Summaries {
		c := render.ProposalCard(p.stableInfo, m)
		add(render.ProposalCardRoute(m.ID, c), cardRoute, c, p.Proposals[i].File)
	}
	c := render.SiteCard(p.stableInfo)
	add(render.SiteCardRoute(c), siteCardRoute, c, "")
}

// documents adds the JSON that speaks of the whole corpus, and texts that tell an AI agent how to use the site.
func (p *planner) documents() {
	add := func(route string, document any) {
		p.addIndex(route, func() ([]byte, error) { return api.JSON(document) })
	}
	add("/api/v1/mips", mip.List{Count: len(p.Summaries), MIPs: p.Summaries, UpdatedAt: mip.NewestChange(p.Summaries)})
	p.addIndex("/api/v1/index", func() ([]byte, error) { return api.JSON(p.index()) })
	add("/api/v1/hardforks", mip.HardForks{HardForks: p.Forks})
	add("/api/v1/site", p.info)
	p.addIndex("/api/v1/diagnostics", func() ([]byte, error) {
		return api.JSON(mip.Diagnostics{Problems: p.publicProblems(p.plan.TextProblems())})
	})
	p.addIndex("/llms.txt", func() ([]byte, error) { return agent.LLMs(p.info, p.Forks, p.Summaries) })
	full := func(w io.Writer) error {
		return agent.LLMsFull(w, p.info, p.Summaries, func(i int) string { return p.Proposals[i].Raw })
	}
	p.add(Artifact{Route: "/llms-full.txt", index: true, stream: full, Body: func() ([]byte, error) {
		var b bytes.Buffer
		err := full(&b)
		return b.Bytes(), err
	}})
	// The text is published under two addresses, and its hash in the index.
	skill := sync.OnceValues(func() ([]byte, error) { return agent.Skill(p.info, p.Summaries) })
	p.addIndex("/skill.md", skill)
	p.add(Artifact{Route: strings.Replace(skillRoute, "{skill}", agent.SkillName(p.info), 1), Pattern: skillRoute, Body: skill})
	p.addIndex("/.well-known/agent-skills/index.json", func() ([]byte, error) {
		text, err := skill()
		if err != nil {
			return nil, err
		}
		return agent.SkillIndex(p.info, text)
	})
}

// index is the slim list, in the order of the first page, with the lists that the plan has.
func (p *planner) index() mip.Index {
	lists := map[mip.ID][]string{}
	for i, m := range p.Summaries {
		lists[m.ID] = p.listed[i]
	}
	x := mip.Index{Count: len(p.Summaries), UpdatedAt: mip.NewestChange(p.Summaries), MIPs: []mip.Entry{}}
	for _, m := range mip.ActiveFirst(p.Summaries) {
		x.MIPs = append(x.MIPs, mip.NewEntry(m, plain.Ended(p.info, m), lists[m.ID]))
	}
	return x
}

// sitePages adds the pages, feeds and descriptions that are one each, and the answers for addresses that do not exist.
func (p *planner) sitePages() {
	p.addIndex("/", func() ([]byte, error) { return p.pages.Home(p.Summaries) })
	p.addIndex("/dashboard/", p.dashboard)
	p.addIndex("/graph/", func() ([]byte, error) { return p.pages.Graph(p.Summaries) })

	p.addIndex("/"+feedFile, func() ([]byte, error) { return feed.RSS(p.info, p.Summaries) })
	p.addIndex("/feed.atom", func() ([]byte, error) { return feed.Atom(p.info, p.Summaries) })
	p.addIndex("/feed.json", func() ([]byte, error) { return feed.JSONFeed(p.info, p.Summaries) })

	// The document and the page show the same description, which is made once.
	describe := sync.OnceValue(p.describe)
	p.addIndex("/openapi.json", func() ([]byte, error) { return describe().JSON() })
	p.addIndex("/.well-known/api-catalog", func() ([]byte, error) { return agent.APICatalog(p.info) })
	p.addIndex("/api/", func() ([]byte, error) { return p.pages.API(describe()) })
	p.addIndex("/feeds/", func() ([]byte, error) { return p.pages.Feeds(p.Summaries) })

	for _, route := range []string{"/about/", "/about/ai/", "/accessibility/"} {
		p.addIndex(route, func() ([]byte, error) { return p.stable.About(route) })
	}

	p.addIndex("/404.html", p.pages.NotFound)
	problem := func() ([]byte, error) { return agent.NotFoundProblem(p.info) }
	p.add(Artifact{File: "api-404.json", index: true, Body: problem})
}

// dashboard makes the page of what goes on.
func (p *planner) dashboard() ([]byte, error) {
	page := render.DashboardPage{Summaries: p.Summaries}
	for _, m := range p.Summaries {
		if sum := p.CommittedTexts.Summary(m.ID); sum != nil && sum.Stale {
			page.Outdated = append(page.Outdated, m)
		}
	}
	var err error
	if page.Revised, err = p.recentChanges(); err != nil {
		return nil, err
	}
	return p.pages.Dashboard(page)
}

// describe describes the endpoints, with one proposal as the example.
func (p *planner) describe() *agent.API {
	if len(p.Summaries) == 0 {
		return agent.Describe(p.stableInfo, p.Forks, nil)
	}
	at := p.example()
	m, subject := p.Summaries[at], p.Subject(at)
	// An example without a committed summary shows the extractive one, at a time that follows from the input.
	e := agent.Subject{Proposal: subject.Proposal, Summary: p.CommittedTexts.Summary(m.ID)}
	if e.Summary == nil {
		if m.Updated != nil {
			subject.Now = m.Updated.UTC()
		}
		e.Summary = new(summary.Extract(subject))
	}
	if all := p.CommittedTexts.Translations(m.ID); len(all) > 0 {
		e.Translation = all[0].PublishedTranslation
	}
	document := p.document(at)
	e.Proposal.SummaryURL, e.Proposal.Translations = document.SummaryURL, document.Translations
	return agent.Describe(p.stableInfo, p.Forks, &e)
}

// example is the position of the proposal that documentation speaks of: the first with an answer at most of the
// addresses of a proposal, and of the lists that it can be on.
func (p *planner) example() int {
	best, most := 0, -1
	for i, m := range p.Summaries {
		kinds := map[string]bool{}
		for _, list := range p.listed[i] {
			kinds[path.Dir(list)] = true
		}
		answers := len(kinds) + min(1, len(p.CommittedTexts.Translations(m.ID)))
		if p.Proposals[i].Past != nil {
			answers++
		}
		if p.CommittedTexts.Summary(m.ID) != nil {
			answers++
		}
		if answers > most {
			best, most = i, answers
		}
	}
	return best
}

// listKind is a field by which proposals are listed.
type listKind struct {
	name, route string
	// least is how many proposals a list has at least.
	least int
	// values are those of a proposal, by the path segments of their lists.
	values func(mip.Summary) map[string]string
	// head makes one word of those that share a slug, of which there is at least one.
	head func(values []string) string
}

// listKinds are the fields, in the order of the plan. A value that is missing, of a status alone, has a list too.
func listKinds() []listKind {
	word := func(field func(mip.Summary) *string) func(mip.Summary) map[string]string {
		return func(m mip.Summary) map[string]string {
			if v := field(m); v != nil {
				return map[string]string{mip.Slug(*v): *v}
			}
			return nil
		}
	}
	status := func(m mip.Summary) map[string]string { return map[string]string{m.Status.Slug(): string(m.Status)} }
	return []listKind{
		{"status", statusRoute, 1, status, headOfStatus},
		{"category", categoryRoute, 1, word(func(m mip.Summary) *string { return m.Category }), headOfAll},
		{"type", typeRoute, 1, word(func(m mip.Summary) *string { return m.Type }), headOfAll},
		// A header has room for a hundred authors. A page and a feed for each of them would be out of proportion.
		{"author", authorRoute, 2, authors, headOfMost},
	}
}

// authors are those with a login: only a login distinguishes two people of one name.
func authors(m mip.Summary) map[string]string {
	out := map[string]string{}
	for _, a := range m.Authors {
		if slug := a.Slug(); slug != "" && out[slug] == "" {
			out[slug] = cmp.Or(mip.Deref(a.Name), "@"+*a.GitHub)
		}
	}
	return out
}

// alone are the authors of one proposal, who have no list.
func (p *planner) alone() map[string]bool {
	count, alone := map[string]int{}, map[string]bool{}
	for _, m := range p.Summaries {
		for slug := range authors(m) {
			count[slug]++
			alone[slug] = count[slug] == 1
		}
	}
	return alone
}

// headOfAll names every value: C and C++ have one slug, and so one page.
func headOfAll(values []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(values))), ", ")
}

// headOfStatus prefers the word of the process, which is the one that the page explains.
func headOfStatus(values []string) string {
	for _, v := range values {
		if s := mip.Status(v); s == "" || s.Known() {
			return v
		}
	}
	return headOfAll(values)
}

// headOfMost is the most frequent value, as one person's name is spelt in several ways.
func headOfMost(values []string) string {
	count := map[string]int{}
	for _, v := range values {
		count[v]++
	}
	return slices.MinFunc(slices.Sorted(maps.Keys(count)), func(a, b string) int { return cmp.Compare(count[b], count[a]) })
}

// lists adds the tables of the proposals that share a value of a field, each with its feed. Values with one slug share
// a page, so that letter case does not divide a list.
func (p *planner) lists() {
	for _, k := range listKinds() {
		// Both are by slug: the positions of the proposals, and the values of their headers.
		at, words := map[string][]int{}, map[string][]string{}
		for i, m := range p.Summaries {
			for slug, value := range k.values(m) {
				at[slug], words[slug] = append(at[slug], i), append(words[slug], value)
			}
		}
		for _, slug := range slices.Sorted(maps.Keys(at)) {
			if len(at[slug]) < k.least {
				continue
			}
			p.addList(k.route, plain.Listing{Kind: k.name, Value: k.head(words[slug]), Slug: slug}, at[slug], p.pages.Listing)
		}
	}
}

// addList adds the page and the feed of the proposals at these positions. The positions are kept, not the summaries:
// there are thousands of lists, and few are made at a time.
func (p *planner) addList(pattern string, l plain.Listing, at []int, page func(plain.Listing) ([]byte, error)) {
	for _, i := range at {
		p.listed[i] = append(p.listed[i], l.Kind+"/"+l.Slug)
	}
	add := func(file string, body func(plain.Listing) ([]byte, error)) {
		route := pattern[:strings.Index(pattern, "{")] + l.Slug + "/" + file
		p.add(Artifact{Route: route, Pattern: pattern + file, index: true, Body: func() ([]byte, error) {
			l := l
			for _, i := range at {
				l.Summaries = append(l.Summaries, p.Summaries[i])
			}
			return body(l)
		}})
	}
	add("", page)
	add(feedFile, func(l plain.Listing) ([]byte, error) { return feed.List(p.stableInfo, l) })
}

// upgrades adds a page for each hard fork, and their overview. Forks whose names have one slug share a page, that of
// the first. Its feed has the fork's published proposals, and the one that defines it.
func (p *planner) upgrades() {
	seen := map[string]bool{}
	for _, f := range p.Forks {
		slug := mip.Slug(f.Name)
		if seen[slug] {
			continue
		}
		seen[slug] = true
		var at []int
		for i, m := range p.Summaries {
			if slices.Contains(f.BundledMIPs, m.Number) || f.MetaMIP != nil && *f.MetaMIP == m.Number {
				at = append(at, i)
			}
		}
		page := func(plain.Listing) ([]byte, error) { return p.pages.Upgrade(f, p.Summaries) }
		p.addList(upgradeRoute, plain.Listing{Kind: "upgrade", Value: f.Name, Slug: slug}, at, page)
	}
	p.addIndex("/upgrade/", func() ([]byte, error) { return p.pages.Upgrades(p.Summaries) })
}
