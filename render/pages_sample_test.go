package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/agent"
	"github.com/mipwatch/mipwatch/render/board"
	"github.com/mipwatch/mipwatch/render/plain"
)

// pageHostile is the worst content of a text field. The tag distinguishes fields.
func pageHostile(tag string) string {
	return tag + ` </script></title><script>alert(1)</script><img src=x onerror=alert(2)> &lt;b&gt; &amp; ]]> "quoted" 'single' {{.}} \u003c`
}

func pageInfo(base string) mip.SiteInfo {
	commit := "0123456789abcdef"
	return mip.SiteInfo{Commit: &commit, Site: mip.Site{
		Title: "Example proposals", Description: "What changes.", Prefix: "MIP", BaseURL: base,
		Networks: []mip.Network{{ID: "mainnet", Name: "Mainnet", ChainID: 1},
			{ID: "testnet", Name: "Testnet", ChainID: 2}},
	}}
}

func pageForks() []mip.HardFork {
	genesis, later := int64(0), int64(1773153000)
	at := func(ts *int64) mip.Activation {
		t := mip.NewTime(time.Unix(*ts, 0))
		return mip.Activation{Timestamp: ts, Time: &t}
	}
	meta, source := 6, "https://example.net/forks?a=1&b=2"
	forks := []mip.HardFork{
		{Name: "ONE", Status: "active", BundledMIPs: []int{},
			Activation: map[string]mip.Activation{"mainnet": at(&genesis),
				"testnet": at(&genesis)}},
		{Name: "Été NINE", Status: "active on testnet", MetaMIP: &meta,
			BundledMIPs: []int{3, 4, 99}, Source: &source,
			Activation: map[string]mip.Activation{"testnet": at(&later), "mainnet": {},
				"devnet": at(&later)}},
	}
	mip.Judge(forks, mip.ID{Kind: "MIP"}, nil, nil)
	return forks
}

// upgradePage is the page of a hard fork of a site.
func upgradePage(f mip.HardFork, all []mip.Metadata) UpgradePage {
	return UpgradePage{Fork: f, Texts: board.Texts{Kind: "MIP", All: all}}
}

// pageList has a proposal of every status, including unknown and missing ones.
func pageList() []mip.Metadata {
	text := func(s string) *string { return &s }
	statuses := append(mip.Process(nil).Known(), mip.Standing{Status: "Peer Review"},
		mip.Standing{})
	out := make([]mip.Metadata, 0, len(statuses))
	for i, st := range statuses {
		n := i + 1
		updated := mip.NewTime(time.Date(2026, 3, n, 12, 30, 0, 0, time.UTC))
		m := mip.Metadata{
			Number: n, ID: mip.ID{Kind: "MIP", Number: n}, Title: fmt.Sprintf("Title `code %d`", n),
			Standing: st, Updated: &updated, Created: mip.Date{Year: 2026, Month: 1, Day: n},
			Authors: []mip.Author{{Name: text("Ada"), GitHub: text("ada")},
				{Email: text("b@example.org")}, {}},
		}
		if st.Status != "" {
			m.Description, m.Type, m.Category = text("One sentence."), text("Standards Track"),
				text("Core")
		}
		out = append(out, m)
	}
	out[2].LastCallDeadline = mip.Date{Year: 2026, Month: 12, Day: 3}
	out[3].Requires = []int{1, 77}
	out[2].Hardfork, out[3].Hardfork = text("Été NINE"), text("UNKNOWN")
	out[0].DiscussionsTo, out[0].SourceURL = text("https://forum.example.net/t/x/1"),
		text("https://git.example.net/MIP-1.md")
	out[8].Updated, out[8].Created, out[8].Authors = nil, mip.Date{}, nil
	return out
}

const pageBody = "<h2 id=\"s-abstract\"><a class=\"h\" " +
	"href=\"#s-abstract\">Abstract</a></h2>\n<p>Text.</p>\n" +
	"<h3 id=\"s-part\"><a class=\"h\" href=\"#s-part\">Part</a></h3>\n" +
	"<h2 id=\"s-end\"><a class=\"h\" href=\"#s-end\">End</a></h2>\n"

func pageSections() []mip.Section {
	return []mip.Section{{ID: "s-title", Level: 1, Title: "Title"},
		{ID: "s-abstract", Level: 2, Title: "Abstract"}, {ID: "s-part", Level: 3, Title: "Part"},
		{ID: "s-end", Level: 2, Title: "End"}}
}

func newTestPages(t testing.TB, info mip.SiteInfo, forks []mip.HardFork) *Pages {
	t.Helper()
	p, err := NewPages(info, forks, Brand{}, "")
	if err != nil {
		t.Fatalf("NewPages(%q): %v", info.BaseURL, err)
	}
	return p
}

// proposalPage is the page of all[i], with every relation.
func proposalPage(p *Pages, all []mip.Metadata, i int) ProposalPage {
	all = slices.Clone(all)
	m := &all[i]
	m.RequiredBy, m.Replaces, m.SupersededBy = []int{1}, []int{88}, []int{2}
	v := ProposalPage{All: all, Index: i,
		Sections: append(pageSections(),
			mip.Section{ID: "s-more", Level: 2, Markdown: strings.Repeat("More words. ", 40)}),
		Body: []byte(pageBody), Summary: &api.Summary{Source: api.Extractive}}
	if m.Hardfork != nil {
		if f, ok := p.fork(*m.Hardfork); ok {
			v.Fork = &f
		}
	}
	return v
}

// renderAll renders every page of a small site by route.
func renderAll(t testing.TB, p *Pages, all []mip.Metadata) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	add := func(route string, b []byte, err error) {
		if err != nil {
			t.Fatalf("%s: %v", route, err)
		}
		out[route] = b
	}
	do := func(route string, f func() ([]byte, error)) { b, err := f(); add(route, b, err) }
	do("/", func() ([]byte, error) { return p.Home(all, nil, nil) })
	do("/dashboard/", func() ([]byte, error) { return p.Dashboard(DashboardPage{Metadata: all}) })
	do("/changes/", func() ([]byte, error) {
		gone := Change{Event: mip.Event{Kind: mip.EventRemoved, Title: pageHostile("gone")}}
		return p.Changes(ChangesPage{Changes: []Change{gone}})
	})
	do("/upgrade/", func() ([]byte, error) { return p.Upgrades(p.forks, all) })
	do("/follow/", func() ([]byte, error) { return p.Follow(all, nil) })
	do("/graph/", func() ([]byte, error) { return p.Graph(NewRelations(all)) })
	for _, route := range []string{"/about/", "/about/ai/", "/accessibility/"} {
		do(route, func() ([]byte, error) { return p.About(route, mip.Process(nil).Known()) })
	}
	do("/404.html", p.NotFound)
	do("/search/", p.Search)
	do("/api/", func() ([]byte, error) { return p.API(pageAPI()) })
	for i := range p.forks {
		do("/upgrade/"+mip.Slug(p.forks[i].Name)+"/", func() ([]byte, error) {
			return p.Upgrade(upgradePage(p.forks[i], all))
		})
	}
	byAuthor := map[string]plain.Listing{}
	for _, m := range all {
		for _, a := range m.Authors {
			if slug := a.Slug(); slug != "" {
				byAuthor[slug] = plain.Listing{Kind: "author",
					Value: cmp.Or(mip.Deref(a.Name), *a.GitHub), Slug: slug,
					Metadata: append(byAuthor[slug].Metadata, m)}
			}
		}
	}
	for slug, l := range byAuthor {
		do("/author/"+slug+"/", func() ([]byte, error) { return p.Listing(l) })
	}
	kinds := map[string]func(mip.Metadata) *string{
		"status":   func(m mip.Metadata) *string { return (*string)(&m.Status) },
		"category": func(m mip.Metadata) *string { return m.Category },
		"type":     func(m mip.Metadata) *string { return m.Type },
	}
	for kind, value := range kinds {
		lists := map[string]plain.Listing{}
		for _, m := range all {
			v := value(m)
			if v == nil {
				continue
			}
			slug := mip.Slug(*v)
			if kind == "status" {
				slug = m.Status.Slug()
			}
			l := lists[slug]
			lists[slug] = plain.Listing{Kind: kind, Value: *v, Slug: slug,
				Metadata: append(l.Metadata, m)}
		}
		for slug, l := range lists {
			do("/"+kind+"/"+slug+"/", func() ([]byte, error) { return p.Listing(l) })
		}
	}
	for i := range all {
		do("/mip/"+strconv.Itoa(all[i].Number)+"/", func() ([]byte, error) {
			return p.Proposal(proposalPage(p, all, i))
		})
	}
	return out
}

// pageAPI has every part of the API's page, and texts that would be markup elsewhere.
func pageAPI() *agent.API {
	text := func(types ...string) *agent.Schema { return &agent.Schema{Types: types} }
	base := &agent.Schema{Ref: "#/components/schemas/Base"}
	json := func(example any) agent.Content {
		return agent.Content{"application/json": {Schema: base,
			Examples: map[string]agent.Example{"example": {Value: example}}}}
	}
	return &agent.API{
		Description: "About.", Base: "https://example.org/p",
		Tags: []agent.Tag{{Name: "Of files", Text: "Static <b>."}},
		Operations: []agent.Operation{{
			ID: "getOne", Method: "GET", Path: "/api/v1/mips/{n}", Tags: []string{"Of files"},
			Summary: "One proposal.",
			Parameters: []agent.Parameter{
				{Name: "n", In: "path", Text: "The number.", Required: true,
					Schema: text("integer"), Example: 7},
				{Name: "q", In: "query", Required: true,
					Schema:  &agent.Schema{Types: agent.Types{"array"}, Items: text("string")},
					Example: []string{"a b", "c"}},
			},
			Responses: map[string]agent.Response{"200": {Text: "Found <b>.",
				Content: json([]int{1})}, "304": {Text: "Nothing there."}},
		}, {
			ID: "post", Method: "POST", Path: "/api/x", Tags: []string{"Of files"},
			Summary: "Answered by a program.",
			Body:    &agent.Body{Content: json(map[string]string{"name": "it's"})},
		}},
		Schemas: map[string]*agent.Schema{"Base": {Types: agent.Types{"object"},
			Required: []string{"a"}, Properties: agent.Ordered[*agent.Schema]{
				{Key: "a", Value: text("string", "null")},
				{Key: "b", Value: &agent.Schema{Types: agent.Types{"array"}, Items: base}},
				{Key: "c", Value: &agent.Schema{
					Types: agent.Types{"object"}, Values: text("integer"),
				}},
				{Key: "d", Value: &agent.Schema{AnyOf: []*agent.Schema{base, text("null")}}},
				{Key: "e", Value: &agent.Schema{Types: agent.Types{"string"}, Format: "uri"}},
				{Key: "f", Value: &agent.Schema{Types: agent.Types{"string"},
					Enum: []string{"low", "high"}, Description: "A <level>."}},
			}}},
	}
}
