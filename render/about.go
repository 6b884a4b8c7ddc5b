package render

import (
	"net/url"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// floorRow is the least that a summary may say of each group about one kind of proposal.
type floorRow struct {
	Kind, Meaning                             string
	Developers, Users, Validators, Foundation string
}

// floorRows say to people what the sidecar's table of floors says. They are no copy to be kept by hand: a
// test holds them to the table.
func floorRows() []floorRow {
	return []floorRow{
		{"core", "changes of the protocol", "medium", "low", "medium", "low"},
		{"core, decided", "the same in Last Call or Final", "medium", "low", "high", "low"},
		{"networking", "what nodes say to each other", "low", "low", "medium", "low"},
		{"interface", "what clients offer, such as RPC methods", "medium", "low", "low", "low"},
		{"convention", "standards for applications and contracts", "medium", "low", "low", "low"},
		{"process", "how decisions are made", "low", "low", "low", "medium"},
		{"hard fork", "what defines a network upgrade", "medium", "low", "high", "medium"},
		{"bundled", "part of a network upgrade", "low", "low", "high", "medium"},
		{"fork to come", "and some network has yet to switch", "low", "low", "high, has to act", "medium, has to act"},
	}
}

// lifeStep is a status and what it means.
type lifeStep struct {
	Status  mip.Status
	Meaning string
}

// About renders /about/: what is offered, and how its figures come about.
func (p *Pages) About() ([]byte, error) {
	var life []lifeStep
	for _, s := range mip.Statuses() {
		life = append(life, lifeStep{s, plain.StatusMeaning(s)})
	}
	return p.execute("about", struct {
		page
		Life []lifeStep
	}{p.aboutPage("About", "What "+p.info.Title+" offers, how heat is reckoned, how fresh its figures are and what the statuses mean.", "/about/"), life})
}

// AboutAI renders /about/ai/: how summaries and translations are made.
func (p *Pages) AboutAI() ([]byte, error) {
	return p.execute("about-ai", struct {
		page
		Floors []floorRow
	}{p.aboutPage("How AI is used", "How summaries and translations of "+p.info.Title+" are made and checked, and why the English text decides.", "/about/ai/"), floorRows()})
}

// Accessibility renders /accessibility/: what is done, what was checked and what is known to be lacking.
func (p *Pages) Accessibility() ([]byte, error) {
	return p.execute("accessibility", struct {
		page
		Forum string
	}{p.aboutPage("Accessibility", "How accessible "+p.info.Title+" is meant to be, what was checked and what is known to be lacking.", "/accessibility/"), webAddress(p.info.Forum)})
}

func (p *Pages) aboutPage(title, description, route string) page {
	return p.frame("", page{Title: title, Description: description, Route: route})
}

// host is the name that people know an address by.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.TrimPrefix(u.Host, "www.")
}
