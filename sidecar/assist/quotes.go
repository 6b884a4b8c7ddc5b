package assist

import (
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// shelf holds the text of every section that evidence may name, with white space collapsed.
type shelf map[string]string

// shelve reads the sections of the proposal and, under their longer names, of what it bundles.
func shelve(s Subject) shelf {
	out := shelf{}
	out.add(s.Proposal, "")
	for _, p := range s.Bundled {
		out.add(p, p.ID)
	}
	return out
}

func (h shelf) add(p *mip.Proposal, from string) {
	for _, s := range p.Sections {
		h[sectionID(from, s.ID)] = collapse(body(s))
	}
}

// body is a section without its heading, which claims nothing.
func body(s mip.Section) string {
	if s.Level == 0 {
		return s.Markdown
	}
	first, rest, _ := strings.Cut(s.Markdown, "\n")
	if isHeading(strings.TrimSpace(first)) {
		return rest
	}
	read, lines := scanner{}, 0
	for line := range strings.Lines(s.Markdown) {
		lines += len(line)
		read.line(line)
		switch {
		case read.underlined:
			return s.Markdown[lines:]
		case len(read.lines) == 0:
			return s.Markdown // the first paragraph, if there is one, is no heading
		}
	}
	return s.Markdown
}

// stands reports whether a quote is of a fair length and stands in its section, whole words of it,
// when white space is collapsed on both sides. Marks of Markdown count as they are.
func (h shelf) stands(e api.Evidence) bool {
	quote := collapse(e.Quote)
	if n := utf8.RuneCountInString(quote); n < minQuote || n > maxQuote || hidden(quote) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(quote)
	last, _ := utf8.DecodeLastRuneInString(quote)
	text := h[e.Section]
	for at := 0; ; {
		i := strings.Index(text[at:], quote)
		if i < 0 {
			return false
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(quote):])
		if !splits(before, first) && !splits(last, after) {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		at = i + n
	}
}

// splits reports whether a cut between two characters would cut a word. Scripts without blanks have
// no such place.
func splits(a, b rune) bool { return isWord(a) && isWord(b) && a < 0x2E80 && b < 0x2E80 }

// verified returns the evidence that stands, each once, at most as much as an axis may have.
func (h shelf) verified(in []api.Evidence) []api.Evidence {
	out := []api.Evidence{}
	seen := map[api.Evidence]bool{}
	for _, e := range in {
		e.Quote = collapse(e.Quote)
		if len(out) < maxEvidence && !seen[e] && h.stands(e) {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}
