package render

import (
	"net/url"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// lifeStep is a status and its meaning.
type lifeStep struct {
	Status  mip.Status
	Meaning string
}

// aboutView is a page about the site itself.
type aboutView struct {
	Head  head
	Life  []lifeStep // of /about/
	Forum string     // of /accessibility/: address, empty: none
}

// About renders /about/: the parts of the site, the statuses and the formula of heat.
func (p *Pages) About() ([]byte, error) {
	v := aboutView{Head: p.head(head{
		Title: "About", Route: "/about/",
		Description: "What " + p.info.Title + " offers, how heat is reckoned, how fresh its figures are and what the statuses mean.",
	})}
	for _, s := range mip.Statuses() {
		v.Life = append(v.Life, lifeStep{s, plain.Meaning("status", s.Slug())})
	}
	return p.execute("about", v)
}

// AboutAI renders /about/ai/: how summaries and translations are made.
func (p *Pages) AboutAI() ([]byte, error) {
	return p.execute("about-ai", aboutView{Head: p.head(head{
		Title: "How AI is used", Route: "/about/ai/",
		Description: "How summaries and translations of " + p.info.Title + " are made and checked, and why the English text decides.",
	})})
}

// Accessibility renders /accessibility/: the aims, the checks and the known faults.
func (p *Pages) Accessibility() ([]byte, error) {
	return p.execute("accessibility", aboutView{Forum: webAddress(p.info.Forum), Head: p.head(head{
		Title: "Accessibility", Route: "/accessibility/",
		Description: "How accessible " + p.info.Title + " is meant to be, what was checked and what is known to be lacking.",
	})})
}

// NotFound renders the answer to an address that leads nowhere. It has no canonical address.
func (p *Pages) NotFound() ([]byte, error) {
	return p.execute("notfound", aboutView{Head: p.head(head{
		Title: "Page not found", Description: "There is no page at this address.",
	})})
}

// feedsView is the page of the feeds.
type feedsView struct {
	Head  head
	Lists []feedGroup
}

// feedGroup is the feeds of the lists by one field.
type feedGroup struct {
	Name, Kind string
	Lists      []choice
}

// Feeds renders the page of everything that can be subscribed to and read by programs. all must be in the order of ids.
func (p *Pages) Feeds(all []mip.Summary) ([]byte, error) {
	v := feedsView{
		Head: p.head(head{
			Section: "/feeds/", Title: "Feeds", Route: "/feeds/",
			Description: "Feeds of " + p.info.Title + ", and everything else that programs and agents can read.",
		}),
	}
	for _, g := range []feedGroup{
		{"Status", "status", statusChoices(all)},
		{"Category", "category", choicesOf(all, category)},
		{"Type", "type", choicesOf(all, func(s mip.Summary) *string { return s.Type })},
		{"Network upgrade", "upgrade", p.forkChoices()},
	} {
		if len(g.Lists) > 0 {
			v.Lists = append(v.Lists, g)
		}
	}
	return p.execute("feeds", v)
}

// host is the name that people know an address by.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.TrimPrefix(u.Host, "www.")
}
