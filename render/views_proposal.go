package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/snapshot"
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
			Title: named(s.ID, ": ", s.Title), Description: description, Route: route, Article: true, Card: &s, LD: template.JS(ld),
			Alternates: alternates, Script: textScript, Meta: citationMeta(s, authors, p.info.Title),
		}),
		ProposalPage: v, Titled: named(s.ID, "", s.Title) != s.ID, Authors: authors, Text: template.HTML(bytes.TrimSpace(v.Body)),
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
