package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Ref is a mention of another proposal. Path holds the base path and is empty when it is not
// published.
type Ref struct {
	Number          int
	ID, Title, Path string
	Status          mip.Status
	Published       bool
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
}

// proposalView is ProposalPage with what the template needs beside it.
type proposalView struct {
	page
	ProposalPage
	S        mip.Summary
	HTML     template.HTML
	TOC      template.HTML
	Steps    []step
	Authors  []person
	Links    []refGroup
	ForkPath string
	ForkRows []activationRow
	Cite     string
}

// step is one station of the way to Final.
type step struct {
	Label, Class string
	Now          bool
	Note         string
	Day          mip.Date
}

type person struct{ Name, URL string }

type refGroup struct {
	Label string
	Refs  []Ref
}

// Proposal renders a proposal's page.
func (p *Pages) Proposal(v ProposalPage) ([]byte, error) {
	s := v.Summary
	route := "/mip/" + strconv.Itoa(s.Number) + "/"
	w := proposalView{
		ProposalPage: v, S: s,
		HTML:    template.HTML(v.Body),
		TOC:     tableOfContents(v.Sections, v.Body),
		Steps:   steps(s),
		Authors: people(s.Authors),
	}
	for _, g := range []refGroup{{"Requires", v.Requires}, {"Required by", v.RequiredBy}, {"Replaces", v.Replaces}, {"Superseded by", v.SupersededBy}} {
		if len(g.Refs) > 0 {
			w.Links = append(w.Links, g)
		}
	}
	if v.Fork != nil {
		w.ForkPath = p.slugPath("upgrade", mip.Slug(v.Fork.Name))
		w.ForkRows = p.activation(*v.Fork)
	}
	w.Cite = p.cite(s, w.Authors, route)
	w.page = p.frame("/", page{
		Title:       s.ID + ": " + s.Title,
		Description: describe(s),
		Route:       route,
		Article:     true,
		Alternates: []alternate{
			{"text/markdown", s.ID + " as Markdown", p.path("/mip/" + strconv.Itoa(s.Number) + ".md")},
			{"application/json", s.ID + " as JSON", p.path("/api/v1/mips/" + strconv.Itoa(s.Number))},
		},
	})
	ld, err := p.structuredData(s, w.Authors, route, w.Description)
	if err != nil {
		return nil, err
	}
	w.LD = ld
	b, err := p.execute("proposal", len(v.Body), w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.ID, err)
	}
	return b, nil
}

// steps places a proposal on the way from Draft to Final. A status beside that way has none, and
// only what the header states gets a date.
func steps(s mip.Summary) []step {
	way := []mip.Status{mip.Draft, mip.Review, mip.LastCall, mip.Final}
	at := -1
	for i, w := range way {
		if w == s.Status {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	out := make([]step, len(way))
	for i, w := range way {
		st := step{Label: string(w), Class: "s-draft"}
		switch {
		case i < at || w == mip.Final && i == at:
			st.Class = "s-final done"
		case i == at:
			st.Class = statusClass(w) + " now"
		}
		st.Now = i == at
		if w == mip.Draft {
			st.Day = s.Created
		}
		if w == mip.LastCall && i == at && !s.LastCallDeadline.IsZero() {
			st.Note, st.Day = "until ", s.LastCallDeadline
		}
		out[i] = st
	}
	return out
}

// people names each author by the best thing that the header gives.
func people(authors []mip.Author) []person {
	out := make([]person, 0, len(authors))
	for _, a := range authors {
		var v person
		if a.GitHub != nil {
			v.Name, v.URL = "@"+*a.GitHub, "https://github.com/"+url.PathEscape(*a.GitHub)
		}
		switch {
		case a.Name != nil && *a.Name != "":
			v.Name = *a.Name
		case v.Name == "" && a.Email != nil:
			v.Name = *a.Email
		}
		if v.Name != "" {
			out = append(out, v)
		}
	}
	return out
}

func names(authors []person) string {
	var out []string
	for _, a := range authors {
		out = append(out, a.Name)
	}
	return strings.Join(out, ", ")
}

// cite is one line for a list of references. What the header lacks is left out.
func (p *Pages) cite(s mip.Summary, authors []person, route string) string {
	var b strings.Builder
	if len(authors) > 0 {
		b.WriteString(names(authors) + ", ")
	}
	fmt.Fprintf(&b, "\"%s: %s,\" %s, no. %d", s.ID, s.Title, p.info.Title, s.Number)
	if !s.Created.IsZero() {
		b.WriteString(", " + s.Created.Time().Format("January 2006"))
	}
	b.WriteString(". " + p.info.BaseURL + route)
	return b.String()
}

// describe is the sentence for previews: the proposal's own, else what its header says.
func describe(s mip.Summary) string {
	if s.Description != nil && *s.Description != "" {
		return *s.Description
	}
	out := s.ID + ": " + s.Title + "."
	if s.Status != "" {
		out += " Status: " + string(s.Status) + "."
	}
	return out
}

// structuredData is the page as schema.org JSON-LD. json.Marshal escapes <, > and &, so that no title
// can close the script element.
func (p *Pages) structuredData(s mip.Summary, authors []person, route, description string) (template.JS, error) {
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
		"TechArticle", s.ID + ": " + s.Title, s.ID, description, p.info.BaseURL + route, "en",
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
		return "", fmt.Errorf("%s: structured data: %w", s.ID, err)
	}
	return template.JS(b), nil
}

// tableOfContents lists the headings h2 and h3 of the text. It looks each section up in the body: one
// whose heading was left out, because it repeats the title, has no place to lead to, and a heading's
// level on the page is not always that in the source. Fewer than two entries are no table.
func tableOfContents(sections []mip.Section, body []byte) template.HTML {
	var b strings.Builder
	count, depth := 0, 0
	for _, s := range sections {
		if s.Level == 0 || s.Title == "" {
			continue
		}
		id := template.HTMLEscapeString(s.ID)
		i := bytes.Index(body, []byte(` id="`+id+`">`))
		if i < len("<h2") || body[i-3] != '<' || body[i-2] != 'h' {
			continue
		}
		level := body[i-1]
		body = body[i:] // headings come in order: what lies before is done with
		if level > '3' {
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
		b.WriteString(`<a href="#` + id + `">` + template.HTMLEscapeString(s.Title) + `</a>`)
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
