package summary

import (
	"maps"
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

// Titles returns the titles of the sections that a summary quotes, by their names in evidence. A
// section without a title is left out.
func Titles(s Subject, sum api.Summary) map[string]string {
	out := map[string]string{}
	for _, x := range axes(&sum) {
		for _, e := range x.Evidence {
			out[e.Section] = ""
		}
	}
	for from, p := range s.proposals() {
		for _, section := range p.Sections {
			name := sectionID(from, section.ID)
			if _, quoted := out[name]; quoted {
				out[name] = section.Title
			}
		}
	}
	maps.DeleteFunc(out, func(_, title string) bool { return title == "" })
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
