package summary

import (
	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// passage is a sentence that can stand by itself: one of the text, or one with the sentence before it
// when it points back at that.
type passage struct {
	text    string // for a reader
	quote   string // for evidence: stands in the section
	section string // as evidence names it
	from    string // id of the bundled proposal that it is from; empty: the subject itself
	kind    kind   // of the proposal that it is from
	role    role   // of its section
	first   bool   // opens its section
	item    bool   // of a list
	before  bool   // says how things are, ahead of what the proposal does
	order   int    // in the subject
	words   string // the text as made by [words]
	speaks  [4]int // how much it speaks of each group
}

// passages returns what the subject's texts say, in order: the proposal's own sections, then for the
// meta proposal of a fork those of what it bundles. Each is weighed for every group.
func passages(s Subject) []passage {
	out := read(s.Proposal, "", kindOf(s))
	for _, p := range s.Bundled {
		out = append(out, read(p, p.ID.String(), kindOf(Subject{Proposal: p}))...)
	}
	v := vocabulariesOf(kindOf(s))
	for i := range out {
		p := &out[i]
		p.order, p.words = i, words(p.text)
		for a := range v {
			p.speaks[a] = axisScore(v[a], axis(a), *p)
		}
	}
	return out
}

// sectionID is how evidence names a section: by its id, and for a bundled proposal's by the proposal's
// id, # and the section's id.
func sectionID(from, id string) string {
	if from == "" {
		return id
	}
	return from + "#" + id
}

// read returns the passages of one proposal.
// The id of the proposal in from is empty for the subject itself. Sections without a role in a
// summary are left out, and the first sentences of an abstract are marked when they only lead to the proposal.
func read(p *mip.Proposal, from string, k kind) []passage {
	var out []passage
	labels := prose.Labels(p.Sections)
	for i, r := range roles(p.Sections) {
		if r == skipped {
			continue
		}
		s := p.Sections[i]
		n := len(out)
		for _, u := range units(prose.Blocks(s.Markdown), labels) {
			u.section, u.from, u.kind, u.role = sectionID(from, s.ID), from, k, r
			out = append(out, u)
		}
		if r == abstract {
			markBackground(out[n:])
		}
	}
	return out
}

// markBackground marks the sentences of an abstract that come before the one in which it begins to
// speak of the proposal: they say how things are.
func markBackground(abstract []passage) {
	announced := false
	for i := len(abstract) - 1; i >= 0; i-- {
		now := announces(abstract[i].text)
		abstract[i].before = announced && !now
		announced = announced || now
	}
}
