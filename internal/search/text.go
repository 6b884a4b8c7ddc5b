package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Texts are some sections of one proposal that stand side by side, as readers see them.
type Texts struct {
	Version  int           `json:"version" doc:"4."`
	Sections []SectionText `json:"sections" doc:"Of each the id, the title and the plain text, in order; a long section is in pieces in several parts."`
}

// SectionText is the id, the title and the text of a section.
type SectionText [3]string

// ID is that of the heading on the page.
func (s SectionText) ID() string { return s[0] }

// Title is empty of a text before the first heading.
func (s SectionText) Title() string { return s[1] }

// Text is plain and without the heading.
func (s SectionText) Text() string { return s[2] }

const (
	// textsOf is the size that a part of the texts is meant to have. No part has twice as much.
	textsOf = 4 << 10
	// longestWhole is the size beyond which the text of a section is divided.
	longestWhole = 7 << 10
	// longestText is in bytes. Excerpts and phrases are found in so much of a section; its words are
	// found in all of it.
	longestText = 24 << 10
	// mostTexts is how many parts the texts of a proposal have. Of sections behind these the words are
	// found.
	mostTexts = 128
	// longestTitle is in bytes. A longer title of a section is shown cut; its words are found in all
	// of it.
	longestTitle = 200
)

// piece is a section of a text, or one of several pieces of a long one.
type piece struct {
	SectionText

	// section is its index among the sections of the text; -1 is the proposal as a whole.
	section int
	// part is the index of the part that has the piece.
	part int
	// words has the terms of the piece: its text and, of the last one, what no part has.
	words string
	// beyond reports a piece that no part has room for. Its part is the last one.
	beyond bool
}

// pieces are what the parts of a proposal's texts have, in their order. The first one is what a
// reader is shown of the proposal as a whole: its description or, without one, how its text begins.
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
			out = append(out, piece{SectionText{s.ID, title, text}, i, min(part, mostTexts-1), text, part >= mostTexts})
		}
		out[len(out)-1].words += s.Text[len(shown):]
	}
	return out
}

// Cut divides the texts of a proposal into parts of bounded size.
func (p *Proposal) Cut() (parts []Texts) {
	for _, s := range p.pieces() {
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

// divide cuts a long text into pieces, behind a sentence or a word where one ends in the second
// half of a piece.
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

// fit cuts a text behind the last letter with which its beginning takes at most so many bytes.
func fit(text string, most int) (begins, rest string) {
	size := 0
	for i, c := range text {
		if size += writtenRune(c); size > most {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// written is how many bytes a text takes as a string of JSON, with what stands around it.
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

// has reports that all phrases are in the title or the text.
func (s SectionText) has(phrases []string) bool {
	return !slices.ContainsFunc(phrases, func(p string) bool {
		asked := []string{p}
		return len(places(s.Title(), asked)) == 0 && len(places(s.Text(), asked)) == 0
	})
}

// Best is the section with the phrases of an [Answer] and most of its other terms; of several the one that has more in its
// title, more places, or an address. It is the first where none has any.
func (t *Texts) Best(asked []string) (best SectionText) {
	most := -1
	for _, s := range t.Sections {
		titled, all := places(s.Title(), asked), places(s.Text(), asked)
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

// begin is the beginning of a text, in whole words unless one is as long.
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
