package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// bareLinks is goldmark's linkify extension behind a quick look: it is called at every blank,
// and searches for an e-mail address from each.
type bareLinks struct{}

// Extend adds the parser where goldmark's own extension would.
func (bareLinks) Extend(m goldmark.Markdown) {
	const priority = 999
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(bareLinkParser{extension.NewLinkifyParser()}, priority)))
}

// mostLocal is how long goldmark lets the part before an @ be (RFC 5321, section 4.5.3.1.1). To
// look further would be quadratic in the length of a line.
const mostLocal = 64 // bytes

// openers are the marks before which goldmark's parser is called.
const openers = " *_~("

// bareLinkParser is goldmark's parser of bare links behind a quick look.
type bareLinkParser struct{ parser.InlineParser }

// Parse calls goldmark's parser only where an address can begin.
func (p bareLinkParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if len(line) > 0 && strings.IndexByte(openers, line[0]) >= 0 {
		line = line[1:]
	}
	if len(line) == 0 || line[0] != 'h' && line[0] != 'f' && line[0] != 'w' && bytes.IndexByte(line[:min(len(line), mostLocal+1)], '@') < 0 {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}
