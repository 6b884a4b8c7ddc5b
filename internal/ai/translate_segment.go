package ai

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// segment is a passage as it goes to the model and comes back. Equal passages of one kind share one.
type segment struct {
	kind   passageKind
	source string
	tokens []token
	first  int    // number of its first placeholder
	asked  string // the source with placeholders
	result string // the translation; the source when nothing in it is language
}

// segments are the passages of a translation in the order of the text.
type segments struct {
	links              map[string]parser.Reference // that the proposal defines anywhere, by their label as goldmark compares it
	labels             map[string]bool             // the same labels as plain has them
	all                []*segment                  // those to ask for
	title, description *segment                    // description is nil where there is none
	sections           []sectionText               // the proposal's
	known              map[segmentKey]*segment
	opening            string // what placeholders begin with
}

type segmentKey struct {
	kind passageKind
	text string
}

// newSegments reads the blocks of a proposal's sections, and adds their passages behind the title and the
// description.
func newSegments(p *mip.Proposal) *segments {
	s := &segments{links: map[string]parser.Reference{}, labels: map[string]bool{}, known: map[segmentKey]*segment{}}
	for _, section := range p.Sections {
		t := sectionText{markdown: section.Markdown, tree: readBlocks(section.Markdown)}
		for _, l := range t.tree.links {
			s.links[util.ToLinkReference(l.Label())] = l
			s.labels[strings.ToLower(collapse(string(l.Label())))] = true
		}
		s.sections = append(s.sections, t)
	}
	s.title = s.add(linePassage, p.Title)
	if p.Description != nil {
		s.description = s.add(linePassage, *p.Description)
	}
	for i := range s.sections {
		t := &s.sections[i]
		for _, passage := range t.tree.passages {
			t.segments = append(t.segments, s.add(passage.kind, passage.in(t.markdown)))
		}
	}
	s.hide()
	return s
}

// add returns the segment for a passage.
func (s *segments) add(kind passageKind, text string) *segment {
	key := segmentKey{kind, text}
	if known := s.known[key]; known != nil {
		return known
	}
	g := &segment{kind: kind, source: text, result: text, tokens: s.tokens(text)}
	s.known[key] = g
	if g.hasLanguage() {
		s.all = append(s.all, g)
	}
	return g
}

// hasLanguage reports whether anything but tokens is in the passage: two letters in a row, or one of a
// script that writes words so.
func (g *segment) hasLanguage() bool {
	at := 0
	for _, t := range append(g.tokens, token{from: len(g.source)}) {
		run := 0
		for _, c := range g.source[at:t.from] {
			switch {
			case !unicode.IsLetter(c):
				run = 0
			case run > 0 || unicode.Is(unicode.Lo, c):
				return true
			default:
				run++
			}
		}
		at = t.to
	}
	return false
}

// hide writes what the model is given of each segment. Placeholders count through the whole text, so
// that one that strays into another passage is noticed; and they begin with what no passage holds.
func (s *segments) hide() {
	s.opening = "{{"
	for _, g := range s.all {
		for strings.Contains(g.source, s.opening) {
			s.opening += "x"
		}
	}
	next := 1
	for _, g := range s.all {
		g.first = next
		var b strings.Builder
		at := 0
		for _, span := range g.hidden() {
			b.WriteString(g.source[at:span.from] + s.placeholder(next))
			at = span.to
			next++
		}
		b.WriteString(g.source[at:])
		g.asked = b.String()
	}
}

const placeholderEnd = "}}"

func (s *segments) placeholder(n int) string { return s.opening + strconv.Itoa(n) + placeholderEnd }

// hidden are the parts of the source that have a placeholder.
func (g *segment) hidden() []span {
	var out []span
	for _, t := range g.tokens {
		if t.hide.to > t.hide.from {
			out = append(out, t.hide)
		}
	}
	return out
}

// show puts back what the placeholders stand for. ok is false unless each stands once and no other.
func (s *segments) show(g *segment, reply string) (text string, ok bool) {
	hidden := g.hidden()
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(reply, s.opening)
		b.WriteString(before)
		if !found {
			break
		}
		digits, after, closed := strings.Cut(rest, placeholderEnd)
		number, err := strconv.Atoi(digits)
		n := number - g.first
		if !closed || err != nil || digits != strconv.Itoa(number) || n < 0 || n >= len(hidden) || hidden[n].to == 0 {
			return "", false
		}
		b.WriteString(g.source[hidden[n].from:hidden[n].to])
		hidden[n] = span{}
		reply = after
	}
	for _, span := range hidden {
		if span.to > 0 {
			return "", false
		}
	}
	return b.String(), true
}
