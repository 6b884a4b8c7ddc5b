package summary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// quoteIndex holds the text of every section that evidence may name, with white space collapsed.
type quoteIndex map[string]string

// quoteIndexOf reads the sections of the proposal and, under their longer names, of what it
// bundles.
func quoteIndexOf(s Subject) quoteIndex {
	out := quoteIndex{}
	for from, p := range s.proposals() {
		for _, section := range p.Sections {
			out[sectionID(from, section.ID)] = mip.Collapse(prose.Body(section))
		}
	}
	return out
}

// holds reports whether a quote is of a fair length and is in its section, whole words of it,
// when white space is collapsed on both sides. Marks of Markdown count as they are.
func (q quoteIndex) holds(e api.Evidence) bool {
	quote := mip.Collapse(e.Quote)
	if n := utf8.RuneCountInString(quote); n < minQuote || n > maxQuote || hides(quote) {
		return false
	}
	first, width := utf8.DecodeRuneInString(quote)
	last, _ := utf8.DecodeLastRuneInString(quote)
	// The text is searched on behind a place where the quote would cut a word.
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
// no such place: they begin with the radicals of Han at U+2E80.
func splits(a, b rune) bool { return prose.IsWord(a) && prose.IsWord(b) && a < 0x2E80 && b < 0x2E80 }

// verified returns the evidence that is in its section, each once, at most as much as an axis may
// have.
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
