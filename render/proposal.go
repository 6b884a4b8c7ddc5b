package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/snapshot"
	"github.com/mipwatch/mipwatch/render/plain"
)

// ProposalPage is the content of a proposal's page. Nil values are left out.
type ProposalPage struct {
	All          []mip.Summary // every proposal, in the order of ids: references lead to them
	Index        int           // of the proposal in All
	Sections     []mip.Section
	Body         []byte // HTML that is safe as it stands
	Fork         *mip.HardFork
	Impact       *api.Summary      // the committed summary
	Translations []mip.Translation // the committed ones
	History      bool              // there is a page of its versions
	Heat         *snapshot.Topic   // its discussion at the moment of the build's figures
}

// proposalView is a proposal's page in parts. Empty values are left out.
type proposalView struct {
	Head              head
	Summary           mip.Summary
	ID                string
	Title             template.HTML // empty when the proposal has none of its own
	Description       string
	Chips             []chip
	Steps             []step
	Authors           []person
	Created, Deadline *moment
	Changed           *moment
	TOC, Text         template.HTML
	Page              string // addresses on this site
	Markdown, JSON    string
	Discuss, Source   string // addresses elsewhere
	Past              string // where the history is shown
	History           bool
	Previous, Next    *ref
	Related           []relatedRow
	Relations         *neighbourhood
	Heat              *snapshot.Topic
	Forum             *forumCard
	Summarised        bool
	Panel             *impactView // nil: a button that asks for one
	Translations      []mip.Translation
	Languages         *languagesView
	Upgrade           *upgradeCard
	Cite              citation
}

// upgradeCard says when the networks activate a proposal.
type upgradeCard struct {
	Name, Status, Path string
	Rows               []activationRow
}

// Proposal renders a proposal's page.
func (p *Pages) Proposal(v ProposalPage) ([]byte, error) {
	s := v.All[v.Index]
	id, route := s.ID.String(), s.ID.Page()
	w := proposalView{
		Summary: s, ID: id, Description: plain.Deref(s.Description), Chips: p.chips(s, v.Fork), Steps: steps(s), Authors: p.people(s.Authors),
		Created: dayMoment(s.Created), Deadline: dayMoment(s.LastCallDeadline), Changed: changeMoment(s.Updated),
		Text: template.HTML(bytes.TrimSpace(v.Body)), Page: p.path(route),
		Markdown: p.path(strings.TrimSuffix(route, "/") + ".md"), JSON: p.path("/api/v1/mips/" + strconv.Itoa(s.Number)),
		Discuss: webAddress(s.DiscussionsTo), Source: webAddress(s.SourceURL), Past: p.past(s, v.History), History: v.History,
		Heat: v.Heat, Forum: p.forumCard(s, v.Heat), Summarised: v.Impact != nil, Panel: p.impact(v),
		Translations: v.Translations, Languages: p.languages(s, v.Translations, "en"),
	}
	if s.Title != "" && s.Title != id {
		w.Title = titleHTML(s.Title)
	}
	if v.Index > 0 {
		w.Previous = new(p.refTo(v.All[v.Index-1]))
	}
	if v.Index+1 < len(v.All) {
		w.Next = new(p.refTo(v.All[v.Index+1]))
	}
	if v.Fork != nil {
		w.Upgrade = &upgradeCard{v.Fork.Name, v.Fork.Status, p.slugPath("upgrade", mip.Slug(v.Fork.Name)), p.activation(*v.Fork)}
	}
	// Relations are shown twice: in the details, and the requirements in a drawing.
	requires, requiredBy := p.refs(v.All, s.ID, s.Requires), p.refs(v.All, s.ID, s.RequiredBy)
	w.Relations = relations(s, requires, requiredBy)
	for _, r := range []relatedRow{
		{"Requires", requires}, {"Required by", requiredBy},
		{"Replaces", p.refs(v.All, s.ID, s.Replaces)}, {"Superseded by", p.refs(v.All, s.ID, s.SupersededBy)},
	} {
		if len(r.Refs) > 0 {
			w.Related = append(w.Related, r)
		}
	}
	// The parts below can fail.
	description := describe(s)
	ld, err := p.structuredData(s, w.Authors, route, description)
	if err != nil {
		return nil, err
	}
	if w.Cite, err = p.citation(s, w.Authors, route); err != nil {
		return nil, err
	}
	if w.TOC, err = p.tableOfContents(v.Sections, v.Body); err != nil {
		return nil, err
	}
	w.Head = p.head(head{
		Section: "/", Title: fullTitle(s), Description: description, Route: route, Article: true, Card: &s, LD: template.JS(ld),
		Alternates: p.alternates(w), Script: textScript, Meta: citationMeta(s, w.Authors, p.info.Title),
	})
	return p.execute("proposal", w)
}

// alternates are the other formats and languages of a proposal.
func (p *Pages) alternates(v proposalView) []alternate {
	out := []alternate{
		{"text/markdown", v.ID + " as Markdown", v.Markdown, ""},
		{"application/json", v.ID + " as JSON", v.JSON, ""},
	}
	if v.History {
		out = append(out, p.feedOf(v.Summary.ID.Page(), "Changes of "+v.ID))
	}
	out = append(out, p.hreflangs(v.Summary, v.Translations)...)
	for _, t := range v.Translations {
		out = append(out, alternate{"application/json", v.ID + " as JSON (" + t.Locale + ")", p.translationPath(v.Summary, t.Locale), t.Locale})
	}
	return out
}

// describe is the sentence for previews: the proposal's own, else what its header says.
func describe(s mip.Summary) string {
	if s.Description != nil && *s.Description != "" {
		return *s.Description
	}
	out := fullTitle(s) + "."
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
		"TechArticle", fullTitle(s), s.ID.String(), description, p.info.BaseURL + route, "en",
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

// chip is a label over a proposal's title; it leads to the proposals that share it.
type chip struct{ Class, Path, Text string }

// chips are the status, type, category and fork of a proposal, as far as it has them.
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
	Day          *moment
}

// steps places a proposal on the way from Draft to Final. A status beside that way has none, and
// only what the header states gets a date.
func steps(s mip.Summary) []step {
	way := []mip.Status{mip.Draft, mip.Review, mip.LastCall, mip.Final}
	// A proposal that is withdrawn, stagnant or living is on no station.
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
			st.Day = dayMoment(s.Created)
		case w == mip.LastCall && i == at:
			st.Note, st.Day = "until ", dayMoment(s.LastCallDeadline)
		}
		out[i] = st
	}
	return out
}

// person is an author as a page shows one. Page, with the base path, and URL, of the profile, are empty without a login.
// Bare is the name without the @ of a login: the text of the link to the page.
type person struct{ Name, Bare, Login, Page, URL string }

// people names each author by the best thing that the header gives.
func (p *Pages) people(authors []mip.Author) []person {
	out := make([]person, 0, len(authors))
	for _, a := range authors {
		var v person
		// Only a login tells two people of one name apart, so only it has a page.
		if slug := a.Slug(); slug != "" {
			v = person{Name: "@" + *a.GitHub, Login: *a.GitHub, Page: p.slugPath("author", slug), URL: plain.Profile(*a.GitHub)}
		}
		switch {
		case a.Name != nil && *a.Name != "":
			v.Name = *a.Name
		case v.Name == "" && a.Email != nil:
			v.Name = *a.Email
		}
		v.Bare = strings.TrimPrefix(v.Name, "@")
		if v.Name != "" {
			out = append(out, v)
		}
	}
	return out
}

// past is where a proposal's history is shown: on its own page, or else where its file is.
func (p *Pages) past(s mip.Summary, page bool) string {
	if page {
		return p.proposalPath(s.ID) + "history/"
	}
	to, _ := historyOf(webAddress(s.SourceURL))
	return to
}

// historyOf is where a file's history is shown, given where the file is: GitHub and GitLab, and hosts that follow them,
// have both at addresses that differ in one word. Of another host it is not known.
func historyOf(source string) (string, bool) {
	before, after, ok := strings.Cut(source, "/blob/")
	if !ok {
		return "", false
	}
	return before + "/commits/" + after, true
}

// relatedRow is the proposals that a proposal is tied to in one way.
type relatedRow struct {
	Label string
	Refs  []ref
}

// translationPath is a link to a committed translation as JSON.
func (p *Pages) translationPath(s mip.Summary, locale string) string {
	return p.path("/api/v1/mips/" + strconv.Itoa(s.Number) + "/translations/" + locale)
}

// forumCard is a proposal's discussion. Without Topic it is the place for one.
type forumCard struct {
	Number int // of the topic
	Topic  *snapshot.Topic
	Heat   heat
	Last   *mip.Time // of its newest post, or else of its beginning
}

// forumCard is nil for a proposal that has no discussion on the site's forum.
func (p *Pages) forumCard(s mip.Summary, t *snapshot.Topic) *forumCard {
	switch {
	case p.info.Forum == nil:
		return nil
	case t != nil:
		return &forumCard{t.TopicID, t, heat{t.ActivityScore, true}, cmp.Or(t.LastPostedAt, &t.CreatedAt)}
	case s.ForumTopicID != nil && *s.ForumTopicID != 0:
		return &forumCard{Number: *s.ForumTopicID}
	}
	return nil
}
