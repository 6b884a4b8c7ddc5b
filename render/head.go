package render

import (
	"cmp"
	"html/template"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/card"
)

// page is what every page tells its head and frame.
type page struct {
	Title       string // of the document, exact; empty: the site's
	Description string
	Route       string // of the canonical address; empty: none, and not to be indexed
	Article     bool
	Card        *mip.Summary // whose picture the page has; nil: the site's
	Alternates  []alternate
	Script      int         // place of its script among the assets; 0: [siteScript]
	Meta        [][2]string // names and contents of further meta elements
	LD          template.JS // JSON-LD that may stand in a script element, empty: none

	section string // path of the entry of the main menu that it belongs to, empty: none
	pages   *Pages
}

// alternate is the same content in another format or, when Lang is set, another language.
type alternate struct{ Type, Title, Href, Lang string }

// frame completes a page. Section is a path of sections, or empty.
func (p *Pages) frame(section string, v page) page {
	v.section, v.pages, v.Script = section, p, cmp.Or(v.Script, siteScript)
	return v
}

// headView is a page with what its head says in other words.
type headView struct {
	page
	Full, Heading, Section, Notice string
	Image                          image
}

// image is what other sites show beside a link to a page.
type image struct {
	Route, Type, Alt string
	Width, Height    int
}

// Begin is the document up to the content of main. Templates call it.
func (v page) Begin() (template.HTML, error) {
	p := v.pages
	h := headView{
		page: v, Full: v.Title + " | " + p.info.Title, Heading: v.Title, Section: v.section, Notice: p.notice,
		Image: image{Type: card.Type, Width: card.Width, Height: card.Height},
	}
	if v.Title == "" {
		h.Full, h.Heading = p.info.Title, p.info.Title
	}
	c := SiteCard(p.info)
	h.Image.Route = p.siteImage
	if v.Card != nil {
		c = ProposalCard(p.info, *v.Card)
		h.Image.Route = ProposalCardRoute(v.Card.ID, c)
	}
	h.Image.Alt = cardText(c)
	return p.fragment("begin", h)
}

// SiteCardRoute is the address of the picture of every page that has none of its own. It changes with the
// picture, so that nobody who has the old one keeps it for the new one.
func SiteCardRoute(c card.Card) string { return "/og." + c.Hash() + ".png" }

// ProposalCardRoute is the address of the picture of a proposal. It changes with the picture.
func ProposalCardRoute(id mip.ID, c card.Card) string {
	return strings.TrimSuffix(id.Page(), "/") + SiteCardRoute(c)
}

// ProposalCard is what a proposal's picture shows.
func ProposalCard(info mip.SiteInfo, s mip.Summary) card.Card {
	var kind []string
	for _, v := range []*string{s.Type, s.Category} {
		if v != nil && *v != "" {
			kind = append(kind, *v)
		}
	}
	c := card.Card{Site: info.Title, ID: s.ID.String(), Status: &s.Status, Kind: strings.Join(kind, ", ")}
	if s.Title != s.ID.String() {
		c.Title = strings.ReplaceAll(s.Title, "`", "")
	}
	return c
}

// SiteCard is what the picture of the other pages shows.
func SiteCard(info mip.SiteInfo) card.Card {
	return card.Card{Title: info.Title, Kind: info.Description}
}

// cardText is a card in words.
func cardText(c card.Card) string {
	out := named(c.ID, ": ", c.Title)
	if c.ID == "" {
		out = c.Title
	}
	if c.Status != nil {
		out += ". " + c.Status.String()
	}
	for _, s := range []string{c.Kind, c.Site} {
		if s != "" {
			out += ". " + strings.TrimSuffix(s, ".")
		}
	}
	return out
}
