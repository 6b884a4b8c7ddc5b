package ai

import (
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// translationSource is a proposal, divided into passages for its translation.
type translationSource struct {
	// The links that any section defines, by label as goldmark compares it.
	links map[string]parser.Reference
	// The description is nil if there is none.
	title, description *passage
	sections           []section
	// The passages to ask for, in the order of the text.
	all      []*passage
	bySource map[string]*passage
	// The number of the next placeholder. Numbers continue through the whole text, so that a
	// placeholder in another passage is noticed.
	next int
}

// passage is a text without markup of blocks. Equal passages of a proposal are one.
type passage struct {
	source string
	tokens []token
	// The number of its first placeholder.
	first int
	// The source with placeholders.
	asked string
	// The translation, or the source if there is none yet or nothing to translate.
	result string
	in     []*section
}

// section is a section of the proposal with its passages in order.
type section struct {
	markdown string
	places   []place
	passages []*passage
}

// place is the place of a passage in a section.
type place struct {
	// The kinds of the block and of its ancestors.
	path  string
	lines []gmtext.Segment
}

// newTranslationSource finds the passages of a proposal and hides what no model needs to see.
func newTranslationSource(p *mip.Proposal) *translationSource {
	v := &translationSource{
		links: map[string]parser.Reference{}, sections: make([]section, len(p.Sections)),
		bySource: map[string]*passage{}, next: 1,
	}
	for i, s := range p.Sections {
		found, links := places(s.Markdown)
		v.sections[i] = section{markdown: s.Markdown, places: found}
		for _, l := range links {
			v.links[util.ToLinkReference(l.Label())] = l
		}
	}
	v.title = v.add(p.Title)
	if p.Description != nil {
		v.description = v.add(*p.Description)
	}
	for i := range v.sections {
		s := &v.sections[i]
		for _, place := range s.places {
			p := v.add(place.text(s.markdown))
			s.passages = append(s.passages, p)
			if !slices.Contains(p.in, s) {
				p.in = append(p.in, s)
			}
		}
	}
	return v
}

// add returns the passage of a source. Passages without language are added too, so that they are
// checked once.
func (v *translationSource) add(source string) *passage {
	if known := v.bySource[source]; known != nil {
		return known
	}
	p := &passage{source: source, result: source, tokens: v.tokens(source), first: v.next}
	p.asked = p.hide(v.next)
	v.next += len(p.hidden())
	v.bySource[source] = p
	if p.hasLanguage() {
		v.all = append(v.all, p)
	}
	return p
}

// places returns the passages in a section, and its link definitions.
func places(body string) (out []place, links []parser.Reference) {
	root, links := markdown.ParseBlocks(body)
	for _, n := range markdown.Passages(root) {
		lines := markdown.PassageLines(n, body)
		if len(lines) == 0 {
			continue
		}
		var path strings.Builder
		for at := n; at != nil; at = at.Parent() {
			path.WriteString(" " + at.Kind().String())
			if h, ok := at.(*ast.Heading); ok {
				path.WriteString(strconv.Itoa(h.Level))
			}
		}
		out = append(out, place{path.String(), lines})
	}
	return out, links
}

// text returns the text at a place of a section.
func (p place) text(body string) string {
	parts := make([]string, len(p.lines))
	for i, l := range p.lines {
		parts[i] = body[l.Start:l.Stop]
	}
	return strings.Join(parts, "\n")
}

// with returns the section with other texts for its passages, which may have fewer lines but not
// more. Everything between the passages stays, byte for byte. ok is false unless goldmark finds
// exactly these texts in the same places of the same blocks. Then everything else is unchanged,
// too.
func (s *section) with(textOf func(*passage) string) (body string, ok bool) {
	var b strings.Builder
	starts := make([]int, len(s.passages))
	at := 0
	for i, p := range s.passages {
		lines := s.places[i].lines
		b.WriteString(s.markdown[at:lines[0].Start])
		starts[i] = b.Len()
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
	found, _ := places(body)
	ok = len(found) == len(s.places)
	for i, p := range s.passages {
		ok = ok && found[i].path == s.places[i].path && found[i].lines[0].Start == starts[i] &&
			found[i].text(body) == textOf(p)
	}
	return body, ok
}

// fits reports whether the sections with a passage keep their blocks with its translation.
func (p *passage) fits(result string) bool {
	return !slices.ContainsFunc(p.in, func(s *section) bool {
		_, ok := s.with(func(other *passage) string {
			if other == p {
				return result
			}
			return other.source
		})
		return !ok
	})
}
