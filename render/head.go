package render

import (
	"cmp"
	"html/template"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/card"
)

// head is the content of a page's frame: the head element, and where the page stands in the site.
type head struct {
	Title       string // of the document, exact; empty: the site's
	Description string
	Route       string // of the canonical address; empty: none, and not to be indexed
	Section     string // path of an entry of the main menu, empty: none
	Article     bool
	Card        *mip.Summary // the proposal whose picture the page has; nil: the site's
	Alternates  []alternate
	Script      string      // name of the page's script; empty: siteScript
	Meta        []meta      // further meta elements
	LD          template.JS // JSON-LD that may stand in a script element, empty: none

	// Pages.head fills in the rest.
	Full, Heading         string // the title with the site's; the title or the site's
	Address, Site         string
	Image                 image
	Links, Header, Footer template.HTML
}

// alternate is the same content in another format or, when Lang is set, another language.
type alternate struct{ Type, Title, Href, Lang string }

// meta is a meta element of the document.
type meta struct{ Name, Content string }

// image is the picture that other sites show beside a link to a page.
type image struct{ Address, Alt string }

// head completes the frame of a page.
func (p *Pages) head(h head) head {
	h.Site, h.Address = p.info.Title, p.info.BaseURL+h.Route
	h.Full, h.Heading = h.Title+" | "+h.Site, h.Title
	if h.Title == "" {
		h.Full, h.Heading = h.Site, h.Site
	}
	h.Image = p.siteImage
	if h.Card != nil {
		c := ProposalCard(p.info, *h.Card)
		h.Image = p.image(ProposalCardRoute(h.Card.ID, c), c)
	}
	h.Links, h.Header, h.Footer = p.links[cmp.Or(h.Script, siteScript)], p.headers[h.Section], p.footer
	return h
}

// image is the picture at a route, described by the words of its card.
func (p *Pages) image(route string, c card.Card) image {
	return image{p.info.BaseURL + route, cardText(c)}
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
	// A card without an id is that of the site.
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
