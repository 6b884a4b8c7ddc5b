// Package prose reads the prose in Markdown: paragraphs and items, their sentences as a reader sees
// them, and the numbers and addresses in a text.
//
// Sentences are cut from the source and not from its rendering, so that each of them is a quote
// that can be found in the proposal again. [Plain] then returns a sentence as it is rendered.
//
// The package does not know the meaning of a sentence, nor its author.
package prose

import (
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Block is a run of prose in a section: a paragraph, or the first paragraph of a list item. Its
// text is the source with white space collapsed. So a part of it is a part of the collapsed
// section.
type Block struct {
	Text string
	Item bool
	// Lead is the paragraph before the list of an item, or the item above a nested list, if it ends
	// with a colon.
	Lead string
}

// Blocks returns the prose of a section in order. It leaves out headings, code, tables, quotes,
// HTML, footnotes and formulas: their lines are no sentences.
func Blocks(text string) []Block {
	root, _ := markdown.ParseBlocks(text)
	return blocks(text, root)
}

// InSections returns the blocks of each section of a parsed text.
func InSections(d *markdown.Document) (out [][]Block) {
	for _, nodes := range d.Blocks() {
		out = append(out, blocks(d.Text, nodes...))
	}
	return out
}

// blocks returns the prose of nodes of a text: of a document, or of its blocks.
func blocks(text string, nodes ...ast.Node) (out []Block) {
	texts := map[ast.Node]string{}
	lead := func(item ast.Node) string {
		if before := texts[item.Parent().PreviousSibling()]; strings.HasSuffix(before, ":") {
			return before
		}
		return ""
	}
	walk := func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindDocument, ast.KindList, ast.KindListItem:
			return ast.WalkContinue, nil
		case ast.KindParagraph, ast.KindTextBlock:
			var lines []string
			for _, line := range markdown.PassageLines(n, text) {
				lines = append(lines, text[line.Start:line.Stop])
			}
			// The other paragraphs of a list item explain the first one.
			if prose := mip.Collapse(strings.Join(lines, " ")); prose != "" && entering {
				texts[n] = prose
				if n.Parent().Kind() == ast.KindListItem && n.PreviousSibling() == nil {
					out = append(out, Block{prose, true, lead(n.Parent())})
				} else {
					out = append(out, Block{Text: prose})
				}
			}
		}
		return ast.WalkSkipChildren, nil
	}
	for _, n := range nodes {
		_ = ast.Walk(n, walk) // which never returns an error
	}
	return out
}

// Labels returns the labels of the link definitions in the sections, in lower case.
func Labels(sections []mip.Section) map[string]bool {
	out := map[string]bool{}
	for _, s := range sections {
		if !strings.Contains(s.Markdown, "]:") {
			continue
		}
		_, links := markdown.ParseBlocks(s.Markdown)
		for _, l := range links {
			out[strings.ToLower(string(l.Label()))] = true
		}
	}
	return out
}

// Body returns a section without its heading and the underline of a heading. A section of level 0
// has no heading, whatever its first line looks like.
func Body(s mip.Section) string {
	// A blank line ends a heading, so the rest is not parsed.
	start, _, _ := strings.Cut(strings.TrimLeft(s.Markdown, " \t\n"), "\n\n")
	root, _ := markdown.ParseBlocks(start)
	heading, ok := root.FirstChild().(*ast.Heading)
	if !ok || s.Level == 0 {
		return s.Markdown
	}
	text, lines := strings.TrimLeft(s.Markdown, " \t\n"), 1
	if !strings.HasPrefix(text, "#") {
		lines = heading.Lines().Len() + 1
	}
	for range lines {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// pattern is a regular expression that is compiled at its first use. The patterns of this package
// take ten milliseconds to compile, which no start of a process should wait for.
type pattern func() *regexp.Regexp

// Lazily is [regexp.MustCompile] for a package variable: the expression is compiled at its first
// use. The returned function is safe for concurrent use.
func Lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
