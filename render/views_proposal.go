package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/figures"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// Ref is a mention of another proposal. Path holds the base path and is empty when it is not
// published.
type Ref struct {
	Number          int
	ID, Title, Path string
	Status          mip.Status
	Published       bool
}

// refTitle is how many bytes of a title a reference shows: many pages may refer to one proposal.
const refTitle = 200

// RefTo is a reference to a published proposal, whose page is at path.
func RefTo(s mip.Summary, path string) Ref {
	return Ref{Number: s.Number, ID: s.ID, Title: mip.Shorten(s.Title, refTitle), Path: path, Status: s.Status, Published: true}
}

// ProposalPage is what /mip/{n}/ shows. Body is HTML that is safe as it stands; nil neighbours and a
// nil fork are left out.
type ProposalPage struct {
	Summary                                      mip.Summary
	Sections                                     []mip.Section
	Body                                         []byte
	Requires, RequiredBy, Replaces, SupersededBy []Ref
	Previous, Next                               *Ref
	Fork                                         *mip.HardFork
	Impact                                       *api.Summary      // that is committed, nil: none
	Translations                                 []mip.Translation // that are committed
	History                                      bool              // there is a page of its versions
	Heat                                         *figures.Topic    // its discussion at the moment of the build's figures, nil: not known
}

// proposalView is a proposal's page in parts.
type proposalView struct {
	page
	ID, Title, About template.HTML
	Chips, Steps     template.HTML
	Facts, Actions   template.HTML
	TOC              template.HTML
	Neighbours       template.HTML
	Details          template.HTML
	Relations        template.HTML
	Impact           template.HTML
	Languages        template.HTML
	Heat             template.HTML
	Upgrade          template.HTML
	Cite             template.HTML
}

// AppendProposal appends a proposal's page to a slice, which may be nil, and returns the longer one.
func (p *Pages) AppendProposal(to []byte, v ProposalPage) ([]byte, error) {
	s := v.Summary
	number := strconv.Itoa(s.Number)
	route := plain.PageRoute(s.Number)
	authors, description := p.people(s.Authors), describe(s)
	ld, err := p.structuredData(s, authors, route, description)
	if err != nil {
		return nil, err
	}
	cite, err := p.citation(s, authors, route)
	if err != nil {
		return nil, err
	}
	alternates := []alternate{
		{"text/markdown", s.ID + " as Markdown", p.path("/mip/" + number + ".md"), ""},
		{"application/json", s.ID + " as JSON", p.path("/api/v1/mips/" + number), ""},
	}
	if v.History {
		alternates = append(alternates, p.feedOf(route, "Changes of "+s.ID))
	}
	alternates = append(alternates, p.hreflangs(s, v.Translations)...)
	for _, t := range v.Translations {
		alternates = append(alternates, alternate{"application/json", s.ID + " as JSON (" + t.Locale + ")", p.translationPath(s, t), t.Locale})
	}
	w := proposalView{
		page: p.frame("/", page{
			Title: named(s.ID, ": ", s.Title), Description: description, Route: route, Article: true, Card: &s, LD: ld,
			Alternates: alternates, Script: textScript, Meta: citationMeta(s, authors, p.info.Title),
		}),
		ID: template.HTML(escaped(s.ID)), Title: titleHTML(s.Title),
		Chips: p.chips(s, v.Fork), Steps: stepsHTML(steps(s)), Facts: factLine(s, authors, v.Heat), Actions: p.actions(v),
		TOC:        tableOfContents(v.Sections, v.Body),
		Neighbours: neighbours(v.Previous, v.Next), Details: p.details(v, authors), Relations: relations(v),
		Cite: cite.html(), Heat: p.forumHeat(v),
	}
	if named(s.ID, "", s.Title) == s.ID {
		w.Title = ""
	}
	if s.Description != nil {
		w.About = template.HTML(escaped(*s.Description))
	}
	if w.Impact, err = p.impact(v); err != nil {
		return nil, err
	}
	if w.Languages, err = p.languages(s, v.Translations, "en"); err != nil {
		return nil, err
	}
	if v.Fork != nil {
		fork := struct {
			*mip.HardFork
			Path string
			Rows []activationRow
		}{v.Fork, p.slugPath("upgrade", mip.Slug(v.Fork.Name)), p.activation(*v.Fork)}
		if w.Upgrade, err = p.fragment("proposal-upgrade", fork); err != nil {
			return nil, err
		}
	}
	body := v.Body
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte(`<p class="muted">This proposal has no text.</p>`)
	}
	const rest = 12 << 10 // bytes of the frame beside its parts
	m := markup(slices.Grow(to, len(body)+len(w.Begin)+len(w.End)+2*len(w.TOC)+len(w.Details)+len(w.Relations)+len(w.Impact)+len(w.Languages)+len(w.Heat)+rest))
	w.top(&m, p.path("/"))
	m = append(m, body...)
	w.bottom(&m, p.path("/graph/"))
	return m, nil
}

// top writes the page up to the proposal's text. All that a view holds is HTML already, and a site has this
// page for each proposal: a template would be a tenth of making it.
func (w *proposalView) top(m *markup, home string) {
	m.raw(string(w.Begin), `<nav class="crumb" aria-label="Breadcrumb"><a href="`)
	m.text(home)
	m.raw(`">Proposals</a> <span aria-hidden="true">/</span> <span aria-current="page">`, string(w.ID), "</span></nav>\n")
	m.raw(`<header class="phead"><div class="row">`, string(w.Chips), "</div>\n<h1>")
	if w.Title == "" {
		m.raw(string(w.ID))
	} else {
		m.raw(`<span class="num">`, string(w.ID), "</span> ", string(w.Title))
	}
	m.raw("</h1>\n")
	m.around(`<p class="desc">`, w.About, "</p>\n")
	m.around(`<h2 class="vh">Progress</h2>`+"\n"+`<ol class="steps">`, w.Steps, "</ol>\n")
	m.around(`<p class="facts">`, w.Facts, "</p>\n")
	m.raw(`<div class="acts">`, string(w.Actions), "</div></header>\n")
	if w.TOC == "" {
		m.raw(`<div class="cols notoc">` + "\n")
	} else {
		m.raw(`<div class="cols">` + "\n")
	}
	m.around(`<nav class="toc" aria-label="On this page"><h2>On this page</h2><ol>`, w.TOC, "</ol></nav>\n")
	m.raw(`<div class="text">` + "\n")
	m.around(`<details class="card mob"><summary>On this page</summary><ol class="mtoc">`, w.TOC, "</ol></details>\n")
	m.raw(string(w.Impact), `<article class="prose" id="text">`+"\n")
}

// bottom writes the page from the end of the proposal's text on.
func (w *proposalView) bottom(m *markup, graph string) {
	m.raw("</article>\n")
	m.around(`<nav class="pn" aria-label="Neighbouring proposals">`, w.Neighbours, "</nav>\n")
	m.raw("</div>\n" + `<aside class="side" aria-label="About this proposal">` + "\n" + `<section class="card"><h2>Details</h2><dl>`)
	m.raw(string(w.Details), "</dl></section>\n", string(w.Heat))
	if w.Relations != "" {
		m.raw(`<section class="card"><h2>Relations</h2>`, string(w.Relations), `<p class="small"><a href="`)
		m.text(graph)
		m.raw(`">All relations</a></p></section>` + "\n")
	}
	m.raw(string(w.Upgrade), string(w.Languages), `<section class="citing"><h2>Cite</h2>`, string(w.Cite), "</section>\n</aside>\n</div>\n", string(w.End))
}

// describe is the sentence for previews: the proposal's own, else what its header says.
func describe(s mip.Summary) string {
	if s.Description != nil && *s.Description != "" {
		return *s.Description
	}
	out := named(s.ID, ": ", s.Title) + "."
	if s.Status != "" {
		out += " Status: " + string(s.Status) + "."
	}
	return out
}

// structuredData is the page as schema.org JSON-LD. json.Marshal escapes <, > and &, so that no title
// can close the script element.
func (p *Pages) structuredData(s mip.Summary, authors []person, route, description string) ([]byte, error) {
	type thing struct {
		Type string `json:"@type"`
		Name string `json:"name,omitempty"`
		URL  string `json:"url,omitempty"`
	}
	type item struct {
		Type     string `json:"@type"`
		Position int    `json:"position"`
		Name     string `json:"name"`
		Item     string `json:"item"`
	}
	article := struct {
		Type        string  `json:"@type"`
		Headline    string  `json:"headline"`
		Identifier  string  `json:"identifier"`
		Description string  `json:"description"`
		URL         string  `json:"url"`
		Language    string  `json:"inLanguage"`
		Published   string  `json:"datePublished,omitempty"`
		Modified    string  `json:"dateModified,omitempty"`
		Authors     []thing `json:"author,omitempty"`
		PartOf      thing   `json:"isPartOf"`
	}{
		"TechArticle", named(s.ID, ": ", s.Title), s.ID, description, p.info.BaseURL + route, "en",
		s.Created.String(), "", nil, thing{"WebSite", p.info.Title, p.info.BaseURL + "/"},
	}
	if s.Updated != nil {
		article.Modified = s.Updated.String()
	}
	for _, a := range authors {
		article.Authors = append(article.Authors, thing{"Person", a.Name, a.URL})
	}
	crumbs := struct {
		Type  string `json:"@type"`
		Items []item `json:"itemListElement"`
	}{"BreadcrumbList", []item{
		{"ListItem", 1, "Proposals", p.info.BaseURL + "/"},
		{"ListItem", 2, s.ID, p.info.BaseURL + route},
	}}
	b, err := json.Marshal(struct {
		Context string `json:"@context"`
		Graph   []any  `json:"@graph"`
	}{"https://schema.org", []any{article, crumbs}})
	if err != nil {
		return nil, fmt.Errorf("%s: structured data: %w", s.ID, err)
	}
	return b, nil
}

// tableOfContents lists the headings h2 and h3 of the text. It looks for them in the body: a section
// whose heading was left out, because it repeats the title, has no place to lead to, and a heading's
// level on the page is not always that in the source. Fewer than two entries are no table.
func tableOfContents(sections []mip.Section, body []byte) template.HTML {
	var b strings.Builder
	count, depth := 0, 0
	for at := 0; len(sections) > 0; {
		i := bytes.Index(body[at:], []byte("<h"))
		if i < 0 {
			break
		}
		at += i + len("<h")
		level, id, ok := headingAt(body[at:])
		if !ok {
			continue
		}
		// Headings come in the order of the sections; what raw HTML adds is not one of them.
		k := slices.IndexFunc(sections, func(s mip.Section) bool { return s.Level > 0 && escaped(s.ID) == id })
		if k < 0 {
			continue
		}
		title := sections[k].Title
		sections = sections[k+1:]
		if title == "" {
			continue
		}
		count++
		sub := level == '3' && depth > 0
		switch {
		case depth == 0:
			b.WriteString("<li>")
			depth = 1
		case sub && depth == 1:
			b.WriteString("<ol><li>")
			depth = 2
		case !sub && depth == 2:
			b.WriteString("</li></ol></li><li>")
			depth = 1
		default:
			b.WriteString("</li><li>")
		}
		b.WriteString(`<a href="#` + id + `">` + escaped(title) + `</a>`)
	}
	if count < 2 {
		return ""
	}
	b.WriteString("</li>")
	if depth == 2 {
		b.WriteString("</ol></li>")
	}
	return template.HTML(b.String())
}

// headingAt reads `2 id="x">`, what follows "<h" in a heading of level 2 or 3; the id stays escaped.
func headingAt(b []byte) (level byte, id string, ok bool) {
	if len(b) == 0 || b[0] != '2' && b[0] != '3' {
		return 0, "", false
	}
	rest, ok := bytes.CutPrefix(b[1:], []byte(` id="`))
	if !ok {
		return 0, "", false
	}
	before, _, ok := bytes.Cut(rest, []byte{'"'})
	return b[0], string(before), ok
}
