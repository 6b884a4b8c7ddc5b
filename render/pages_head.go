package render

import (
	"cmp"
	"html/template"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// page is what every page tells its head and frame. The fields before Begin are for frame, Begin and
// End for the template.
type page struct {
	Title       string // of the document, exact; empty: the site's
	Description string
	Route       string // of the canonical address; empty: none, and not to be indexed
	Article     bool
	Card        *mip.Summary // whose picture the page has; nil: the site's
	Alternates  []alternate
	Script      int         // place of its script among the assets; 0: [siteScript]
	Meta        [][2]string // names and contents of further meta elements
	LD          []byte      // JSON-LD that may stand in a script element, nil: none

	Begin template.HTML // up to and with the start of main's content
	End   template.HTML // from the end of main's content
}

// alternate is the same content in another format or, when Lang is set, another language.
type alternate struct{ Type, Title, Href, Lang string }

// frame completes a page with its head, header and footer. Section is a path of sections, or empty.
func (p *Pages) frame(section string, v page) page {
	heading, title := v.Title, v.Title+" | "+p.info.Title
	if v.Title == "" {
		heading, title = p.info.Title, p.info.Title
	}
	m := begin()
	m.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>")
	m.text(title)
	m.raw("</title>\n")
	m.meta("name", "description", v.Description)
	if v.Route == "" {
		m.meta("name", "robots", "noindex")
	} else {
		address := p.info.BaseURL + v.Route
		m.raw(`<link rel="canonical" href="`)
		m.text(address)
		m.raw("\">\n")
		m.meta("property", "og:url", address)
	}
	m.meta("property", "og:title", heading)
	m.meta("property", "og:description", v.Description)
	kind := "website"
	if v.Article {
		kind = "article"
	}
	m.meta("property", "og:type", kind)
	m.meta("property", "og:site_name", p.info.Title)
	if v.Card == nil {
		m.raw(p.siteImage)
	} else {
		c := ProposalCard(p.info, *v.Card)
		p.image(m, ProposalCardRoute(v.Card.Number, c), c)
	}
	for _, e := range v.Meta {
		m.meta("name", e[0], e[1])
	}
	for _, a := range v.Alternates {
		m.raw(`<link rel="alternate" type="`, a.Type, `" title="`)
		m.text(a.Title)
		if a.Lang != "" {
			m.raw(`" hreflang="`)
			m.text(a.Lang)
		}
		m.raw(`" href="`)
		m.text(a.Href)
		m.raw("\">\n")
	}
	m.raw(string(p.head), "\n")
	m.raw(`<script src="`, p.path(p.assets[cmp.Or(v.Script, siteScript)].Route), "\" type=\"module\"></script>\n")
	if v.LD != nil {
		m.raw(`<script type="application/ld+json">`, string(v.LD), "</script>\n")
	}
	m.raw("</head>\n<body>\n", string(p.notice), string(p.top[section]), "\n<main id=\"main\" tabindex=\"-1\"><div class=\"wrap\">\n")
	v.Begin, v.End = m.end(), p.bottom
	return v
}
