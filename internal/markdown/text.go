package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// Passages are the blocks that hold text for a reader, in the order of the text: headings,
// paragraphs, table cells and what a list item holds directly. The Lines of each lie in Body.
// Code and blocks of HTML are none.
func (d *Document) Passages() []ast.Node {
	var out []ast.Node
	// The function never returns an error.
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindHeading, ast.KindParagraph, ast.KindTextBlock, east.KindTableCell:
			if entering && n.Lines().Len() > 0 {
				out = append(out, n)
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return out
}

// PlainText is the text of the inline nodes below n as a reader sees it, on one line: entities
// and escapes resolved, marks and HTML gone.
func PlainText(n ast.Node, source []byte) string {
	var b strings.Builder
	appendText(&b, n, source)
	return strings.Join(strings.Fields(b.String()), " ")
}

// appendText appends the text of the inline nodes below n.
func appendText(b *strings.Builder, n ast.Node, source []byte) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			if c.IsRaw() {
				b.Write(c.Segment.Value(source))
			} else {
				b.Write(resolve(c.Segment.Value(source)))
			}
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(resolve(c.Value))
		case *ast.CodeSpan:
			for t := c.FirstChild(); t != nil; t = t.NextSibling() {
				if t, ok := t.(*ast.Text); ok {
					b.Write(t.Segment.Value(source))
				}
			}
		case *ast.AutoLink:
			b.Write(c.Label(source))
		case *ast.RawHTML:
		default:
			appendText(b, c, source)
		}
	}
}

// resolve replaces backslash escapes and entities by the characters that they stand for.
func resolve(s []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(s)))
}
