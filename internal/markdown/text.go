package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

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
