package requirement

import (
	"cmp"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// passage is a run of prose: a paragraph, the direct text of an item, or a row of a table, which is
// one sentence.
type passage struct {
	sentences []sentence
	// the text that introduces an item's list, such as "Clients:", or the head of a row's table
	lead   string
	above  string   // the text above an item, whether it introduces it or not
	within bool     // it is in a list or a table, to which the text after these does not refer
	items  []string // the items after a colon at the passage's end, except those with key words
}

// sentence is a sentence of a text, as plain text.
type sentence struct {
	text  string
	words []string // its key words, in order
}

// passages returns the passages of a section's text, in order. labels are as in prose.Plain.
func passages(text string, labels map[string]bool) (out []*passage) {
	root, _ := markdown.ParseBlocks(text)
	at := map[ast.Node]*passage{}
	// The function never returns an error.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		p := &passage{}
		switch n.Kind() {
		case ast.KindParagraph, ast.KindTextBlock:
			for _, s := range prose.Split(source(n, text)) {
				p.sentences = append(p.sentences,
					sentence{prose.Plain(s, labels), keyWords(s, labels)})
			}
		case east.KindTableHeader, east.KindTableRow:
			var cells, words []string
			for cell := n.FirstChild(); cell != nil; cell = cell.NextSibling() {
				in := source(cell, text)
				if shown := prose.Plain(in, labels); shown != "" {
					cells, words = append(cells, shown), append(words, keyWords(in, labels)...)
				}
			}
			p.sentences = []sentence{{strings.Join(cells, " | "), words}}
			p.within = true
			if header := at[n.Parent().FirstChild()]; header != nil {
				p.lead = header.last()
			}
		case ast.KindHeading, ast.KindCodeBlock, ast.KindFencedCodeBlock, ast.KindHTMLBlock:
			return ast.WalkSkipChildren, nil
		default:
			return ast.WalkContinue, nil
		}
		if item := n.Parent(); item.Kind() == ast.KindListItem {
			p.within = true
			if over := at[before(n)]; over != nil {
				p.above = over.last()
			}
		}
		// An item below an item belongs to the outer list, too.
		for outer := before(n); outer != nil; outer = before(outer) {
			if leading := at[outer]; leading != nil && leading.opens() {
				p.lead = cmp.Or(p.lead, leading.last())
				if item, requires := p.whole(); !requires {
					leading.items = append(leading.items, item)
				}
			}
		}
		at[n], out = p, append(out, p)
		return ast.WalkSkipChildren, nil
	})
	return out
}

// last returns the last sentence of the passage, empty if there is none.
func (p *passage) last() string {
	if len(p.sentences) == 0 {
		return ""
	}
	return p.sentences[len(p.sentences)-1].text
}

// whole returns the passage as one text, and whether it has a key word.
func (p *passage) whole() (text string, requires bool) {
	var all []string
	for _, s := range p.sentences {
		all, requires = append(all, s.text), requires || len(s.words) > 0
	}
	return strings.Join(all, " "), requires
}

// opens reports whether the passage introduces a list.
func (p *passage) opens() bool { return strings.HasSuffix(p.last(), ":") }

// before returns the block before the list of the item that n begins, nil if n begins none.
func before(n ast.Node) ast.Node {
	item := n.Parent()
	if item.Kind() != ast.KindListItem || n.PreviousSibling() != nil {
		return nil
	}
	return item.Parent().PreviousSibling()
}

// source returns the text of a passage or a cell on one line.
func source(n ast.Node, text string) string {
	var lines []string
	for _, line := range markdown.PassageLines(n, text) {
		lines = append(lines, text[line.Start:line.Stop])
	}
	return mip.Collapse(strings.Join(lines, " "))
}
