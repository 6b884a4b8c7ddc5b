package summary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// quoteIndex has the text of each section by its name in evidence, with white space collapsed.
type quoteIndex map[string]string

// quoteIndexOf reads the sections of the proposal and of what it bundles.
func quoteIndexOf(s Subject) quoteIndex {
	out := quoteIndex{}
	for from, p := range s.proposals() {
		for _, section := range p.Sections {
			out[sectionID(from, section.ID)] = mip.Collapse(prose.Body(section))
		}
	}
	return out
}

// holds reports whether a section has a quote of a valid length, in whole words. White space is
// collapsed on both sides. Marks of Markdown count.
func (q quoteIndex) holds(e api.Evidence) bool {
	quote := mip.Collapse(e.Quote)
	if n := utf8.RuneCountInString(quote); n < minQuote || n > maxQuote || hides(quote) {
		return false
	}
	first, width := utf8.DecodeRuneInString(quote)
	last, _ := utf8.DecodeLastRuneInString(quote)
	// If the quote would cut a word here, the search goes on behind.
	text, before := q[e.Section], ' '
	for {
		i := strings.Index(text, quote)
		if i < 0 {
			return false
		}
		if i > 0 {
			before, _ = utf8.DecodeLastRuneInString(text[:i])
		}
		after, _ := utf8.DecodeRuneInString(text[i+len(quote):])
		if !splits(before, first) && !splits(last, after) {
			return true
		}
		before, text = first, text[i+width:]
	}
}

// splits reports whether a cut between two characters would cut a word. Scripts without blanks have
// no such place. They begin with the radicals of Han at U+2E80.
func splits(a, b rune) bool {
	return prose.IsWord(a) && prose.IsWord(b) && a < 0x2E80 && b < 0x2E80
}

// verified returns the evidence that is in its section, without repetitions, at most maxEvidence
// quotes.
func (q quoteIndex) verified(in []api.Evidence) []api.Evidence {
	// Evidence is never null in JSON.
	out := []api.Evidence{}
	for _, e := range in {
		e.Quote = mip.Collapse(e.Quote)
		if len(out) < maxEvidence && !slices.Contains(out, e) && q.holds(e) {
			out = append(out, e)
		}
	}
	return out
}
