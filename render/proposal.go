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
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/snapshot"
	"github.com/mipwatch/mipwatch/render/plain"
)

// Ref is a mention of another proposal. Path holds the base path and is empty when it is not
// published.
type Ref struct {
	ID          mip.ID
	Title, Path string
	Status      mip.Status
	Published   bool
}

// refTitle is how many bytes of a title a reference shows: many pages may refer to one proposal.
const refTitle = 200

// RefTo is a reference to a published proposal, whose page is at path.
func RefTo(s mip.Summary, path string) Ref {
	return Ref{ID: s.ID, Title: mip.Shorten(s.Title, refTitle), Path: path, Status: s.Status, Published: true}
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
	Heat                                         *snapshot.Topic   // its discussion at the moment of the build's figures, nil: not known
}

// proposalView is a proposal's page in parts.
type proposalView struct {
	page
	ProposalPage
	Titled    bool // it has a title of its own
	Chips     []chip
	Steps     []step
	Authors   []person
	TOC       []tocEntry
	Text      template.HTML
	Discuss   string // addresses, empty: none
	Source    string
	Past      string // where its history is shown
	Related   []relatedRow
	Languages *languagesView
	Forum     *forumCard
	Relations *neighbourhood
	Panel     *impactView // nil: a button that asks for one
	Upgrade   *upgradeCard
	Cite      citation
}

// upgradeCard says when the networks switch to what a proposal asks for.
type upgradeCard struct {
	*mip.HardFork
	Path string
	Rows []activationRow
}

// Proposal is a proposal's page.
func (p *Pages) Proposal(v ProposalPage) ([]byte, error) {
	s := v.Summary
	number := strconv.Itoa(s.Number)
	route := s.ID.Page()
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
		{"text/markdown", s.ID.String() + " as Markdown", p.path(strings.TrimSuffix(route, "/") + ".md"), ""},
		{"application/json", s.ID.String() + " as JSON", p.path("/api/v1/mips/" + number), ""},
	}
	if v.History {
		alternates = append(alternates, p.feedOf(route, "Changes of "+s.ID.String()))
	}
	alternates = append(alternates, p.hreflangs(s, v.Translations)...)
	for _, t := range v.Translations {
		alternates = append(alternates, alternate{"application/json", s.ID.String() + " as JSON (" + t.Locale + ")", p.translationPath(s, t), t.Locale})
	}
	w := proposalView{
		page: p.frame("/", page{
			Title: named(s.ID.String(), ": ", s.Title), Description: description, Route: route, Article: true, Card: &s, LD: template.JS(ld),
			Alternates: alternates, Script: textScript, Meta: citationMeta(s, authors, p.info.Title),
		}),
		ProposalPage: v, Titled: named(s.ID.String(), "", s.Title) != s.ID.String(), Authors: authors, Text: template.HTML(bytes.TrimSpace(v.Body)),
		Chips: p.chips(s, v.Fork), Steps: steps(s), TOC: tableOfContents(v.Sections, v.Body),
		Discuss: webAddress(s.DiscussionsTo), Source: webAddress(s.SourceURL), Past: p.past(v),
		Related: related(v), Relations: relations(v), Cite: cite, Forum: p.forumCard(v), Panel: p.impact(v),
		Languages: p.languages(s, v.Translations, "en"),
	}
	if v.Fork != nil {
		w.Upgrade = &upgradeCard{v.Fork, p.slugPath("upgrade", mip.Slug(v.Fork.Name)), p.activation(*v.Fork)}
	}
	return p.execute("proposal", w)
}

// describe is the sentence for previews: the proposal's own, else what its header says.
func describe(s mip.Summary) string {
	if s.Description != nil && *s.Description != "" {
		return *s.Description
	}
	out := named(s.ID.String(), ": ", s.Title) + "."
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
		"TechArticle", named(s.ID.String(), ": ", s.Title), s.ID.String(), description, p.info.BaseURL + route, "en",
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
		{"ListItem", 2, s.ID.String(), p.info.BaseURL + route},
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

// tocEntry is a heading of level 2, or 3 at the start, with those of level 3 below it.
type tocEntry struct {
	Href, Title string
	Below       []tocEntry
}

// tableOfContents lists the headings h2 and h3 of the text. It looks for them in the body: a section
// whose heading was left out, because it repeats the title, has no place to lead to, and a heading's
// level on the page is not always that in the source. Fewer than two entries are no table.
func tableOfContents(sections []mip.Section, body []byte) []tocEntry {
	var out []tocEntry
	count := 0
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
		k := slices.IndexFunc(sections, func(s mip.Section) bool { return s.Level > 0 && template.HTMLEscapeString(s.ID) == id })
		if k < 0 {
			continue
		}
		s := sections[k]
		sections = sections[k+1:]
		if s.Title == "" {
			continue
		}
		count++
		entry := tocEntry{Href: "#" + s.ID, Title: s.Title}
		if level == '3' && len(out) > 0 {
			last := &out[len(out)-1]
			last.Below = append(last.Below, entry)
			continue
		}
		out = append(out, entry)
	}
	if count < 2 {
		return nil
	}
	return out
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

// chip is a label over a proposal's title; it leads to the proposals that share it.
type chip struct{ Class, Path, Text string }

func (p *Pages) chips(s mip.Summary, fork *mip.HardFork) []chip {
	out := []chip{{"b " + statusClass(s.Status), p.slugPath("status", s.Status.Slug()), s.Status.String()}}
	if s.Type != nil {
		out = append(out, chip{"tag", p.slugPath("type", mip.Slug(*s.Type)), *s.Type})
	}
	if s.Category != nil {
		out = append(out, chip{"tag", p.slugPath("category", mip.Slug(*s.Category)), *s.Category})
	}
	if fork != nil {
		out = append(out, chip{"tag", p.slugPath("upgrade", mip.Slug(fork.Name)), fork.Name})
	}
	return out
}

// step is one station of the way to Final.
type step struct {
	Label, Class string
	Now          bool
	Note         string
	Day          mip.Date
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
		st := step{Label: string(w), Class: "s-draft", Now: i == at}
		switch {
		case i < at || w == mip.Final && i == at:
			st.Class = "s-final done"
		case i == at:
			st.Class = statusClass(w) + " now"
		}
		switch {
		case w == mip.Draft:
			st.Day = s.Created
		case w == mip.LastCall && i == at:
			st.Note, st.Day = "until ", s.LastCallDeadline
		}
		out[i] = st
	}
	return out
}

// person is an author as a page shows one. Page, with the base path, and URL, of the profile, are empty
// without a login. A name that is only the login has no @ where it leads to the page.
type person struct{ Name, Login, Page, URL string }

// Bare is the name without the @ of a login.
func (a person) Bare() string { return strings.TrimPrefix(a.Name, "@") }

// people names each author by the best thing that the header gives.
func (p *Pages) people(authors []mip.Author) []person {
	out := make([]person, 0, len(authors))
	for _, a := range authors {
		var v person
		if slug := a.Slug(); slug != "" {
			v = person{"@" + *a.GitHub, *a.GitHub, p.slugPath("author", slug), plain.Profile(*a.GitHub)}
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

// past is where a proposal's history is shown: on its own page, or else where its file is.
func (p *Pages) past(v ProposalPage) string {
	if v.History {
		return p.proposalPath(v.Summary.ID) + "history/"
	}
	if to, ok := historyOf(webAddress(v.Summary.SourceURL)); ok {
		return to
	}
	return ""
}

// historyOf is where a file's history is shown, given where the file is: GitHub and GitLab, and hosts that
// follow them, have both at addresses that differ in one word. Of another host it is not known.
func historyOf(source string) (string, bool) {
	before, after, ok := strings.Cut(source, "/blob/")
	return before + "/commits/" + after, ok
}

// relatedRow is the proposals that a proposal is tied to in one way.
type relatedRow struct {
	Label string
	Refs  []Ref
}

// related are the ways in which the proposal is tied to others.
func related(v ProposalPage) []relatedRow {
	all := []relatedRow{{"Requires", v.Requires}, {"Required by", v.RequiredBy}, {"Replaces", v.Replaces}, {"Superseded by", v.SupersededBy}}
	return slices.DeleteFunc(all, func(r relatedRow) bool { return len(r.Refs) == 0 })
}

func (p *Pages) translationPath(s mip.Summary, t mip.Translation) string {
	return p.path("/api/v1/mips/" + strconv.Itoa(s.Number) + "/translations/" + t.Locale)
}
