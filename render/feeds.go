package render

import (
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Feeds renders the page that says what can be subscribed to and read by programs. All must be
// ascending by number.
func (p *Pages) Feeds(all []mip.Summary) ([]byte, error) {
	type offer struct{ Name, Route, Text string }
	type list struct{ Name, Href string }
	type group struct {
		Name  string
		Lists []list
	}
	var groups []group
	add := func(name, kind string, choices []choice) {
		g := group{Name: name}
		for _, c := range choices {
			g.Lists = append(g.Lists, list{c.Label, p.slugPath(kind, c.Slug) + "feed.xml"})
		}
		if len(choices) > 0 {
			groups = append(groups, g)
		}
	}
	add("Status", "status", statusChoices(all))
	add("Category", "category", choicesOf(all, func(s mip.Summary) *string { return s.Category }))
	add("Type", "type", choicesOf(all, func(s mip.Summary) *string { return s.Type }))
	add("Network upgrade", "upgrade", p.forkChoices())
	return p.execute("feeds", struct {
		page
		Feeds, Machines []offer
		Lists           []group
	}{
		page: p.frame("/feeds/", page{
			Title:       "Feeds",
			Description: "Feeds of " + p.info.Title + ", and everything else that programs and agents can read.",
			Route:       "/feeds/",
		}),
		Feeds: []offer{
			{"RSS 2.0", "/feed.xml", "For any feed reader."},
			{"Atom", "/feed.atom", "The same entries in the stricter format."},
			{"JSON Feed 1.1", "/feed.json", "The same entries for programs."},
		},
		Lists: groups,
		Machines: []offer{
			{"All proposals", "/api/v1/mips", "Every proposal without its text, as JSON."},
			{"Hard forks", "/api/v1/hardforks", "Network upgrades and their activation times, as JSON."},
			{"OpenAPI", "/openapi.json", "Every endpoint, described for tools."},
			{"llms.txt", "/llms.txt", "What is here, for language models; the whole text is in llms-full.txt."},
			{"llms-full.txt", "/llms-full.txt", "All proposals in one file."},
			{"skill.md", "/skill.md", "How an agent works with this site."},
			{"Sitemap", "/sitemap.xml", "Every page with its last change."},
		},
	})
}

// NotFound renders the answer to an address that leads nowhere. It has no canonical address.
func (p *Pages) NotFound() ([]byte, error) {
	return p.execute("notfound", struct{ page }{
		p.frame("", page{Title: "Page not found", Description: "There is no page at this address."}),
	})
}
