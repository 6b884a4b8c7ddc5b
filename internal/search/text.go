package search

import (
	"slices"
	"strings"
)

// Texts are some sections of one proposal that stand side by side, as readers see them.
type Texts struct {
	Version  int           `json:"version" doc:"3."`
	Sections []SectionText `json:"sections" doc:"Of each section the id, the title and the plain text without the heading, in their order."`
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
	// longestText is in bytes. Excerpts and phrases are found in so much of a section; its words are found in all of it.
	longestText = 24 << 10
	// textsOf is how many bytes the texts of a part have, if it has more than one.
	textsOf = 4 << 10
)

// Cut are the texts of a proposal in parts of bounded size. The first section is what a reader is shown of the proposal as a
// whole: its description or, without one, how its text begins.
func (p *Proposal) Cut() (parts []Texts) {
	texts := []SectionText{{"", "", p.Description}}
	for _, s := range p.Sections {
		if texts[0].Text() == "" {
			texts[0][2] = begin(s.Text, 4*excerptSize)
		}
		texts = append(texts, SectionText{s.ID, s.Title, begin(s.Text, longestText)})
	}
	size := 0
	for i, s := range texts {
		if i == 0 || size+len(s.Text()) > textsOf {
			parts, size = append(parts, Texts{Version: Version}), 0
		}
		last := &parts[len(parts)-1]
		last.Sections = append(last.Sections, s)
		size += len(s.Text())
	}
	return parts
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
