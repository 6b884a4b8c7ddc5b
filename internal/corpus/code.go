package corpus

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// withoutCode returns body with code and HTML blanked out, line for line; of a block of HTML what it
// begins with stays, so that blocks can be counted. Only blocks are parsed, which is cheap whatever
// the inline text is.
func withoutCode(body []byte) []byte {
	p := parser.NewParser(parser.WithBlockParsers(append(parser.DefaultBlockParsers(),
		util.Prioritized(extension.NewFootnoteBlockParser(), 999))...))
	root := p.Parse(text.NewReader(body))
	out := bytes.Clone(body)
	ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock, ast.KindHTMLBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				for j := line.Start; j < line.Stop && j < len(out); j++ {
					if out[j] != '\n' && !(out[j] == '<' && i == 0 && n.Kind() == ast.KindHTMLBlock) {
						out[j] = ' '
					}
				}
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return out
}
