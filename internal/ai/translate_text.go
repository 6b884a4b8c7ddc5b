package ai

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// text is a proposal that is translated.
type text struct {
	links              map[string]parser.Reference // that any section defines, by label as goldmark compares it
	title, description *passage                    // description is nil where there is none
	sections           []section
	all                []*passage // those to ask for, in the order of the text
	bySource           map[string]*passage
	opening            string // beginning of placeholders
}

// passage is a text without markup of blocks. Equal passages of a proposal are one.
type passage struct {
	source string
	tokens []token
	first  int    // number of its first placeholder
	asked  string // the source with placeholders
	result string // the translation; the source while there is none, and when nothing in it is language
	in     []*section
}

// section is a section of the proposal with its passages in order.
type section struct {
	blocks
	markdown string
	passages []*passage
}

// newText reads the blocks of a proposal's sections.
func newText(p *mip.Proposal) *text {
	t := &text{links: map[string]parser.Reference{}, sections: make([]section, len(p.Sections)), bySource: map[string]*passage{}}
	for i, s := range p.Sections {
		t.sections[i] = section{blocks: readBlocks(s.Markdown), markdown: s.Markdown}
		for _, l := range t.sections[i].links {
			t.links[util.ToLinkReference(l.Label())] = l
		}
	}
	t.title = t.add(p.Title)
	if p.Description != nil {
		t.description = t.add(*p.Description)
	}
	for i := range t.sections {
		s := &t.sections[i]
		for _, lines := range s.lines {
			p := t.add(joined(s.markdown, lines))
			s.passages = append(s.passages, p)
			if !slices.Contains(p.in, s) {
				p.in = append(p.in, s)
			}
		}
	}
	t.hide()
	return t
}

// add returns the passage of a source. Passages without language are known too, so that they are looked at once.
func (t *text) add(source string) *passage {
	if known := t.bySource[source]; known != nil {
		return known
	}
	p := &passage{source: source, result: source, tokens: t.tokens(source)}
	t.bySource[source] = p
	if p.hasLanguage() {
		t.all = append(t.all, p)
	}
	return p
}

// language matches two letters in a row, or one of a script that writes words so. It is compiled at its first use.
var language = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\p{L}\p{L}|\p{Lo}`) })

// hasLanguage reports whether anything but tokens is in the passage. If not it is not asked for.
func (p *passage) hasLanguage() bool {
	at := 0
	for _, t := range p.tokens {
		if language().MatchString(p.source[at:t.from]) {
			return true
		}
		at = t.to
	}
	return language().MatchString(p.source[at:])
}

// hide sets the text of each passage that the model gets. Placeholders count through the whole text, so that one in
// another passage than its own is noticed. They begin with a text that no passage holds.
func (t *text) hide() {
	t.opening = "{{"
	for _, p := range t.all {
		for strings.Contains(p.source, t.opening) {
			t.opening += "x"
		}
	}
	next := 1
	for _, p := range t.all {
		p.first = next
		var b strings.Builder
		at := 0
		for _, hidden := range p.hidden() {
			b.WriteString(p.source[at:hidden.from] + t.placeholder(next))
			at = hidden.to
			next++
		}
		b.WriteString(p.source[at:])
		p.asked = b.String()
	}
}

// placeholderEnd ends a placeholder.
const placeholderEnd = "}}"

// placeholder is the placeholder of number n, such as {{3}}.
func (t *text) placeholder(n int) string { return t.opening + strconv.Itoa(n) + placeholderEnd }

// hidden are the parts of the source that have a placeholder, in order.
func (p *passage) hidden() []span {
	var out []span
	for _, t := range p.tokens {
		if t.hide.to > t.hide.from {
			out = append(out, t.hide)
		}
	}
	return out
}

// show replaces the placeholders of a reply by what they stand for. ok is false unless each is there once and no other.
func (t *text) show(p *passage, reply string) (shown string, ok bool) {
	hidden := p.hidden()
	left := len(hidden)
	parts := strings.Split(reply, t.opening)
	var b strings.Builder
	b.WriteString(parts[0])
	for _, part := range parts[1:] {
		digits, after, closed := strings.Cut(part, placeholderEnd)
		number, err := strconv.Atoi(digits)
		n := number - p.first
		if !closed || err != nil || digits != strconv.Itoa(number) || n < 0 || n >= len(hidden) || hidden[n].to == 0 {
			return "", false
		}
		b.WriteString(p.source[hidden[n].from:hidden[n].to] + after)
		hidden[n] = span{}
		left--
	}
	return b.String(), left == 0
}

// blocks is the part of a section that a translation keeps, with the places of its passages.
type blocks struct {
	outline string             // kinds and nesting of the blocks, all text that is no prose, link definitions
	lines   [][]gmtext.Segment // of each passage, in the order of the text
	links   []parser.Reference
}

// readBlocks reads Markdown within the limits of proposals. Two texts with one outline have the same blocks in the same
// order and nesting, and differ in their passages alone.
func readBlocks(body string) blocks {
	root, links := markdown.ParseBlocks(body)
	out := blocks{links: links}
	var outline strings.Builder
	// The function never returns an error.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case n.Type() == ast.TypeInline: // formulas
			return ast.WalkSkipChildren, nil
		case !entering:
			outline.WriteByte(')')
			return ast.WalkContinue, nil
		}
		outline.WriteString("(" + blockName(n, []byte(body)))
		if markdown.IsPassage(n) && len(markdown.PassageLines(n, body)) > 0 {
			outline.WriteString(" text")
		}
		return ast.WalkContinue, nil
	})
	for _, l := range links {
		fmt.Fprintf(&outline, " %q %q %q", l.Label(), l.Destination(), l.Title())
	}
	for _, n := range markdown.Passages(root) {
		if lines := markdown.PassageLines(n, body); len(lines) > 0 {
			out.lines = append(out.lines, lines)
		}
	}
	out.outline = outline.String()
	return out
}

// blockName is a block in an outline: its kind with all that a reader sees of it besides passages, such as the level of
// a heading, the alignment of a table, or the text of code.
func blockName(n ast.Node, body []byte) string {
	name := n.Kind().String()
	switch n := n.(type) {
	case *ast.Heading:
		name += fmt.Sprint(n.Level)
	case *ast.List:
		name += fmt.Sprint(n.Start, n.Marker, n.IsTight)
	case *extast.Table:
		name += fmt.Sprint(n.Alignments)
	case *extast.Footnote:
		name += fmt.Sprintf(" %q", n.Ref)
	case *ast.FencedCodeBlock:
		if n.Info != nil {
			name += fmt.Sprintf(" %q", n.Info.Segment.Value(body))
		}
	}
	if n.IsRaw() {
		name += fmt.Sprintf(" %q", n.Lines().Value(body))
	}
	return name
}

// joined is the text of a passage's lines.
func joined(body string, lines []gmtext.Segment) string {
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = body[l.Start:l.Stop]
	}
	return strings.Join(parts, "\n")
}

// with is the section with other texts for its passages, which may have fewer lines but not more. ok is false when
// these texts make other blocks, or are not the passages of these.
func (s *section) with(textOf func(*passage) string) (body string, ok bool) {
	var b strings.Builder
	at := 0
	for i, p := range s.passages {
		lines := s.lines[i]
		b.WriteString(s.markdown[at:lines[0].Start])
		for j, line := range strings.Split(textOf(p), "\n") {
			if j > 0 {
				b.WriteString(s.markdown[lines[j-1].Stop:lines[j].Start])
			}
			b.WriteString(line)
		}
		at = lines[len(lines)-1].Stop
	}
	b.WriteString(s.markdown[at:])
	body = b.String()
	other := readBlocks(body)
	if other.outline != s.outline || len(other.lines) != len(s.lines) {
		return body, false
	}
	for i, p := range s.passages {
		if joined(body, other.lines[i]) != textOf(p) {
			return body, false
		}
	}
	return body, true
}
