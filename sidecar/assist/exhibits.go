package assist

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// maxExhibits bounds the text that a model is given, in bytes: some 16,000 tokens of English.
const maxExhibits = 48 << 10

// exhibit is a section as the model is given it.
type exhibit struct {
	section string // as evidence names it
	title   string
	text    string
	rank    int // what is left out first when there is too much; lower is kept longer
}

// exhibits returns the sections that a model is to read, in order, within the bound. For the meta
// proposal of a fork every proposal has the same share. What holds nothing about the change (tests,
// code, references, licence) is left out.
func exhibits(s Subject) []exhibit {
	share := maxExhibits / (1 + len(s.Bundled))
	out := exhibitsOf(s.Proposal, "", share)
	for _, p := range s.Bundled {
		out = append(out, exhibitsOf(p, p.ID, share)...)
	}
	return out
}

func exhibitsOf(p *mip.Proposal, from string, share int) []exhibit {
	var all []exhibit
	for i, r := range roles(p.Sections) {
		s := p.Sections[i]
		if text := strings.TrimSpace(s.Markdown); r != skipped && text != "" {
			all = append(all, exhibit{sectionID(from, s.ID), s.Title, text, keep(r)})
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return all[a].rank - all[b].rank })
	for _, i := range order {
		all[i].text = head(all[i].text, share)
		share -= len(all[i].text)
	}
	return slices.DeleteFunc(all, func(x exhibit) bool { return x.text == "" })
}

// keep is the rank of a role.
func keep(r role) int {
	return slices.Index([]role{abstract, compatibility, impact, security, specification, motivation, other, rationale, skipped}, r)
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

// facts of the header, a line each.
func facts(s Subject) string {
	var b strings.Builder
	describe := func(p *mip.Proposal) {
		fmt.Fprintf(&b, "%s: %s\n", p.ID, collapse(p.Title))
		if p.Description != nil {
			fmt.Fprintf(&b, "Description: %s\n", collapse(*p.Description))
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
	return head(b.String(), maxExhibits/4)
}
