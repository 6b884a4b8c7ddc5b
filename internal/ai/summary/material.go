package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxMaterial bounds the text that a model is given, in bytes: some 16,000 tokens of English.
const maxMaterial = 48 << 10

// Section is a section as a model is given it.
type Section struct {
	Name string // as evidence names it
	Text string
	role role
}

// keptFirst are the roles of sections, the last one first to be shortened when there is too much text.
var keptFirst = []role{abstract, compatibility, impact, security, specification, motivation, other, rationale}

// Sections returns the sections that a model is to read, in order and within a bound of 48 KiB. For the meta proposal
// of a fork every proposal has the same share. Sections that hold nothing about the change (tests, code, references,
// licence) are left out.
func Sections(s Subject) []Section {
	share := maxMaterial / (1 + len(s.Bundled))
	out := sectionsOf(s.Proposal, "", share)
	for _, p := range s.Bundled {
		out = append(out, sectionsOf(p, p.ID.String(), share)...)
	}
	return out
}

// sectionsOf returns the sections of one proposal in at most share bytes. Sections of the first roles in keptFirst take
// their share first, and the one that does not fit is cut.
func sectionsOf(p *mip.Proposal, from string, share int) []Section {
	var all []Section
	for i, r := range roles(p.Sections) {
		s := p.Sections[i]
		if text := strings.TrimSpace(s.Markdown); r != skipped && text != "" {
			all = append(all, Section{sectionID(from, s.ID), text, r})
		}
	}
	byRole := make([]*Section, len(all))
	for i := range all {
		byRole[i] = &all[i]
	}
	slices.SortStableFunc(byRole, func(a, b *Section) int {
		return cmp.Compare(slices.Index(keptFirst, a.role), slices.Index(keptFirst, b.role))
	})
	for _, s := range byRole {
		s.Text = head(s.Text, share)
		share -= len(s.Text)
	}
	return slices.DeleteFunc(all, func(s Section) bool { return s.Text == "" })
}

// head is the beginning of a text in at most n bytes, cut at a line's end or else within a line.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	cut := text[:n]
	if i := strings.LastIndexByte(cut, '\n'); i > n/2 {
		cut = cut[:i]
	}
	return cut
}

// Facts are the facts of the header and of the fork, a line each, in at most 12 KiB.
func Facts(s Subject) string {
	var b strings.Builder
	describe := func(p *mip.Proposal) {
		fmt.Fprintf(&b, "%s: %s\n", p.ID, prose.Collapse(p.Title))
		if p.Description != nil {
			fmt.Fprintf(&b, "Description: %s\n", prose.Collapse(*p.Description))
		}
		b.WriteString(header(p) + "\n")
	}
	describe(s.Proposal)
	for _, line := range append(outcome(s), relations(s.Proposal)...) {
		b.WriteString(line + "\n")
	}
	if line := schedule(s); line != "" {
		b.WriteString(line + "\n")
	}
	for _, p := range s.Bundled {
		b.WriteString("It bundles ")
		describe(p)
	}
	return head(b.String(), maxMaterial/4)
}
