package render

import (
	"html/template"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/figures"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// chips are the labels over a proposal's title; each leads to the proposals that share it.
func (p *Pages) chips(s mip.Summary, fork *mip.HardFork) template.HTML {
	m := begin()
	m.link("b "+statusClass(s.Status), p.slugPath("status", s.Status.Slug()), "", escaped(s.Status.String()))
	if s.Type != nil {
		m.link("tag", p.slugPath("type", mip.Slug(*s.Type)), "", escaped(*s.Type))
	}
	if s.Category != nil {
		m.link("tag", p.slugPath("category", mip.Slug(*s.Category)), "", escaped(*s.Category))
	}
	if fork != nil {
		m.link("tag", p.slugPath("upgrade", mip.Slug(fork.Name)), "", escaped(fork.Name))
	}
	return m.end()
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

func stepsHTML(steps []step) template.HTML {
	m := begin()
	for _, s := range steps {
		m.raw(`<li class="`, s.Class, `"`)
		if s.Now {
			m.raw(` aria-current="step"`)
		}
		m.raw(">", s.Label)
		if !s.Day.IsZero() {
			m.raw("<small>", s.Note)
			m.time(s.Day.String(), dayShort(s.Day))
			m.raw("</small>")
		}
		m.raw("</li>")
	}
	return m.end()
}

// person is an author as a page shows one. Page, with the base path, and URL, of the profile, are empty
// without a login.
type person struct{ Name, Login, Page, URL string }

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

// person appends a link to the author's page here and, of the login, one to the profile.
func (m *markup) person(a person) {
	if a.URL == "" {
		m.text(a.Name)
		return
	}
	m.link("", a.Page, "author", escaped(strings.TrimPrefix(a.Name, "@")))
	m.raw(" ")
	m.link("gh", a.URL, "noopener", "@"+escaped(a.Login))
}

func (m *markup) ref(r Ref) {
	if !r.Published {
		m.text(r.ID)
		m.raw(` <span class="muted">(not published)</span>`)
		return
	}
	m.link("", r.Path, "", string(namedHTML(r.ID, r.Title)))
}

// factLine is the one line that narrow screens get before the text.
func factLine(s mip.Summary, authors []person, heat *figures.Topic) template.HTML {
	m := begin()
	for i, a := range authors {
		if i == 0 {
			m.raw("<span>By ")
		} else {
			m.raw(", ")
		}
		m.person(a)
	}
	if len(authors) > 0 {
		m.raw("</span>")
	}
	if s.Updated != nil {
		m.raw("<span>Changed ", dayOf(s.Updated), "</span>")
	}
	if heat != nil {
		m.raw(`<span>Forum heat <b data-f="score">`)
		m.number(heat.ActivityScore)
		m.raw("</b></span>")
	}
	return m.end()
}

// actions are what a reader can do with a proposal.
func (p *Pages) actions(v ProposalPage) template.HTML {
	s := v.Summary
	n := strconv.Itoa(s.Number)
	m := begin()
	if to := webAddress(s.DiscussionsTo); to != "" {
		m.link("btn s ic ic-talk", to, "noopener", "Discuss")
	}
	m.raw(`<button class="btn s ic ic-link js" type="button" data-copy="url">Copy link</button>`)
	m.link("btn s ic ic-text", p.path("/mip/"+n+".md"), "", "View as Markdown")
	m.link("btn s", p.path("/api/v1/mips/"+n), "", "JSON")
	if to := webAddress(s.SourceURL); to != "" {
		m.link("btn s ic ic-fork", to, "noopener", "Source")
		if history, ok := historyOf(to); ok && !v.History {
			m.link("btn s ic ic-past", history, "noopener", "History")
		}
	}
	if v.History {
		m.link("btn s ic ic-past", p.path("/mip/"+n+"/history/"), "", "History")
	}
	return m.end()
}

// historyOf is where a file's history is shown, given where the file is: GitHub and GitLab, and hosts that
// follow them, have both at addresses that differ in one word. Of another host it is not known.
func historyOf(source string) (string, bool) {
	before, after, ok := strings.Cut(source, "/blob/")
	return before + "/commits/" + after, ok
}

// details is what the header states, and how the proposal is tied to others.
func (p *Pages) details(v ProposalPage, authors []person) template.HTML {
	s := v.Summary
	m := begin()
	row := func(label string, values ...func()) {
		if len(values) == 0 {
			return
		}
		m.raw("<div><dt>", label, "</dt>")
		for _, value := range values {
			m.raw("<dd>")
			value()
			m.raw("</dd>")
		}
		m.raw("</div>\n")
	}
	refs := func(label string, refs []Ref) {
		var values []func()
		for _, r := range refs {
			values = append(values, func() { m.ref(r) })
		}
		row(label, values...)
	}
	var names []func()
	for _, a := range authors {
		names = append(names, func() { m.person(a) })
	}
	label := "Authors"
	if len(authors) == 1 {
		label = "Author"
	}
	row(label, names...)
	row("Status", func() { m.text(s.Status.String()) })
	if !s.LastCallDeadline.IsZero() {
		row("Last call deadline", func() { m.time(s.LastCallDeadline.String(), dayShort(s.LastCallDeadline)) })
	}
	if s.Type != nil {
		row("Type", func() { m.text(*s.Type) })
	}
	if s.Category != nil {
		row("Category", func() { m.text(*s.Category) })
	}
	if !s.Created.IsZero() {
		row("Created", func() { m.time(s.Created.String(), dayShort(s.Created)) })
	}
	if s.Updated != nil {
		values := []func(){func() { m.time(s.Updated.String(), dayOf(s.Updated)) }}
		if v.History {
			values = append(values, func() { m.link("ic ic-feed", p.proposalPath(s.Number)+"feed.xml", "", "Feed of its changes") })
		}
		row("Last changed", values...)
	}
	refs("Requires", v.Requires)
	refs("Required by", v.RequiredBy)
	refs("Replaces", v.Replaces)
	refs("Superseded by", v.SupersededBy)
	if v.Impact != nil {
		row("Summary", func() { m.link("", p.path("/api/v1/mips/"+strconv.Itoa(s.Number)+"/summary"), "", "JSON") })
	}
	var translations []func()
	for _, t := range v.Translations {
		translations = append(translations, func() {
			m.link("", p.translationPath(s, t), "", escaped(t.Locale)+" (JSON)")
			if t.Stale {
				m.raw(` <span class="muted">of an older text</span>`)
			}
		})
	}
	row("Translations", translations...)
	return m.end()
}

func (p *Pages) translationPath(s mip.Summary, t mip.Translation) string {
	return p.path("/api/v1/mips/" + strconv.Itoa(s.Number) + "/translations/" + t.Locale)
}

// neighbours leads to the proposals before and after.
func neighbours(previous, next *Ref) template.HTML {
	m := begin()
	label := func(word string, r *Ref) string {
		return "<small>" + word + "</small>" + string(namedHTML(r.ID, r.Title))
	}
	if previous != nil {
		m.link("", previous.Path, "prev", label("Previous", previous))
	}
	if next != nil {
		m.link("next", next.Path, "next", label("Next", next))
	}
	return m.end()
}
