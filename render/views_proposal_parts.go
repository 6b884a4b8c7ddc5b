package render

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

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
		return p.proposalPath(v.Summary.Number) + "history/"
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
