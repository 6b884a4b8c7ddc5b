package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Texts holds some consecutive sections of one proposal, as readers see them.
type Texts struct {
	Version  int           `json:"version" doc:"5."`
	Sections []SectionText `json:"sections" doc:"Of each the id, the title and the plain text, in order; a long section is in pieces in several parts."`
}

// SectionText is the id, the title and the text of a section.
type SectionText [3]string

// ID returns the id of the heading on the page.
func (s SectionText) ID() string { return s[0] }

// Title returns the heading, empty for the text before the first heading.
func (s SectionText) Title() string { return s[1] }

// Text returns the plain text without the heading.
func (s SectionText) Text() string { return s[2] }

const (
	// textsOf is the intended size of a part of the texts, in bytes. No part is twice as large.
	textsOf = 4 << 10
	// longestWhole is the size beyond which a section's text is divided, in bytes.
	longestWhole = 7 << 10
	// longestText bounds the text of a section that excerpts and phrases search, in bytes. Words
	// are found in all of it.
	longestText = 24 << 10
	// mostTexts bounds the parts of a proposal's texts. Words of sections beyond it are still
	// found.
	mostTexts = 128
	// longestTitle bounds the shown title of a section, in bytes. Words of a longer title are found
	// in all of it.
	longestTitle = 200
)

// piece is a section of a text, or one of several pieces of a long section.
type piece struct {
	SectionText

	// section is the index of the section in the text; -1 is the proposal as a whole.
	section int
	// part is the index of the part that contains the piece.
	part int
	// words are the terms of the piece: of its text and, for the last piece, of all that no part
	// contains.
	words string
	// beyond reports a piece beyond mostTexts parts. Its part is the last one.
	beyond bool
}

// pieces returns the contents of the parts of a proposal's texts, in order. The first piece is
// shown for the proposal as a whole: its description or, without one, the beginning of its text.
func (p *Proposal) pieces() (out []piece) {
	about := begin(p.Description, textsOf/2)
	for _, s := range p.Sections {
		if about == "" {
			about = begin(s.Text, 4*excerptSize)
		}
	}
	out = []piece{{SectionText: SectionText{"", "", about}, section: -1}}
	part, size := 0, written(about)
	for i, s := range p.Sections {
		title, shown := begin(s.Title, longestTitle), begin(s.Text, longestText)
		for _, text := range divide(shown) {
			own := written(s.ID) + written(title) + written(text)
			if size+own > textsOf {
				part, size = part+1, 0
			}
			size += own
			out = append(out, piece{SectionText{s.ID, title, text}, i, min(part, mostTexts-1), text,
				part >= mostTexts})
		}
		out[len(out)-1].words += s.Text[len(shown):]
	}
	return out
}

// partsOf makes parts of bounded size of the pieces of a proposal's texts.
func partsOf(pieces []piece) (parts []Texts) {
	for _, s := range pieces {
		if s.beyond {
			break
		}
		if s.part == len(parts) {
			parts = append(parts, Texts{Version: Version})
		}
		parts[s.part].Sections = append(parts[s.part].Sections, s.SectionText)
	}
	return parts
}

// divide cuts a long text into pieces, after a sentence or a word if one ends in the second half of
// a piece.
func divide(text string) (pieces []string) {
	for {
		if _, rest := fit(text, longestWhole); rest == "" {
			return append(pieces, text)
		}
		piece, _ := fit(text, textsOf)
		for _, end := range []string{". ", " "} {
			if i := strings.LastIndex(piece, end); i > len(piece)/2 {
				piece = piece[:i+len(end)]
				break
			}
		}
		text = text[len(piece):]
		pieces = append(pieces, strings.TrimSuffix(piece, " "))
	}
}

// fit cuts a text so that its beginning takes at most most bytes in JSON.
func fit(text string, most int) (begins, rest string) {
	size := 0
	for i, c := range text {
		if size += writtenRune(c); size > most {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// written returns the size of a text in a JSON array, with its quotation marks and comma.
func written(s string) int {
	size := len(`"",`)
	for _, c := range s {
		size += writtenRune(c)
	}
	return size
}

func writtenRune(c rune) int {
	switch {
	case c == '"' || c == '\\':
		return 2
	case c < ' ' || c == '\u2028' || c == '\u2029' || c == utf8.RuneError:
		return 6
	}
	return utf8.RuneLen(c)
}

// has reports whether the title or the text contains each phrase.
func (s SectionText) has(phrases []string) bool {
	return !slices.ContainsFunc(phrases, func(p string) bool {
		wanted := []string{p}
		return len(places(s.Title(), wanted)) == 0 && len(places(s.Text(), wanted)) == 0
	})
}

// Best returns the section with the phrases of an [Answer] and most of its other terms; ties are
// broken by more terms in the title, more places, and having an address. Without any match it is
// the first section.
func (t *Texts) Best(wanted []string) (best SectionText) {
	most := -1
	for _, s := range t.Sections {
		titled, all := places(s.Title(), wanted), places(s.Text(), wanted)
		terms := map[string]bool{}
		for _, p := range slices.Concat(titled, all) {
			terms[strings.TrimSuffix(p.term, "*")] = true
		}
		score := 0
		for term := range terms {
			score += 1_000_000
			if strings.Contains(term, " ") {
				score += 99_000_000
			}
		}
		if score > 0 {
			score += 100_000*len(titled) + 2*len(all)
			if s.ID() != "" {
				score++
			}
		}
		if score > most {
			best, most = s, score
		}
	}
	return best
}

// begin returns the beginning of a text, in whole words unless the first is too long.
func begin(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = cut(text, most)
	if i := strings.LastIndexByte(text, ' '); i > most/2 {
		text = text[:i]
	}
	return text
}
