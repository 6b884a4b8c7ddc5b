package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blockParser has no inline parsers. It has the parser of footnotes without the transformer, which
// would drop unreferenced footnotes: the reference may be in another section.
var blockParser = sync.OnceValue(func() parser.Parser {
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
	goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.Table, Formulas{}))
	p.AddOptions(parser.WithBlockParsers(util.Prioritized(extension.NewFootnoteBlockParser(), 999)))
	return p
})

// inlineParser has no block parser but the paragraph's: a line that begins like a list or a heading
// is text.
var inlineParser = sync.OnceValue(func() parser.Parser {
	p := parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 0)),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithInlineParsers(util.Prioritized(footnoteMarks{}, 140),
			util.Prioritized(formulaParser{}, 150)))
	goldmark.New(goldmark.WithParser(p),
		goldmark.WithExtensions(extension.Strikethrough, bareLinks{}))
	return p
})

// ParseInline parses a line of a paragraph into inline nodes. labels are the labels of link
// definitions outside of it, in lower case. A footnote mark becomes an empty string. It is safe for
// concurrent use.
func ParseInline(line string, labels map[string]bool) ast.Node {
	pc := parser.NewContext()
	if strings.Contains(line, "[") {
		for label := range labels {
			pc.AddReference(parser.NewReference([]byte(label), nil, nil))
		}
	}
	return inlineParser().Parse(text.NewReader([]byte(line)), parser.WithContext(pc))
}

// footnoteMarks parses the marks of footnotes that are defined outside of the line.
type footnoteMarks struct{}

var footnoteMark = regexp.MustCompile(`^\[\^[^\]]{1,99}\]`)

// Trigger implements [parser.InlineParser].
func (footnoteMarks) Trigger() []byte { return []byte{'['} }

// Parse implements [parser.InlineParser].
func (footnoteMarks) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	mark := footnoteMark.Find(line)
	if mark == nil {
		return nil
	}
	block.Advance(len(mark))
	return ast.NewString(nil)
}

// ParseBlocks parses a text into blocks only, without the inline nodes in them. links are the link
// definitions in the text. It is safe for concurrent use, and slow for texts that [Check] refuses.
func ParseBlocks(body string) (root ast.Node, links []parser.Reference) {
	pc := parser.NewContext()
	root = blockParser().Parse(text.NewReader([]byte(body)), parser.WithContext(pc))
	links = pc.References()
	slices.SortFunc(links, func(a, b parser.Reference) int {
		return bytes.Compare(a.Label(), b.Label())
	})
	return root, links
}

// Passages returns the blocks that contain text for a reader, in the order of the text: headings,
// paragraphs, table cells and the direct text of list items. Code and HTML blocks are left out.
func Passages(root ast.Node) []ast.Node {
	var out []ast.Node
	// The function never returns an error.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !IsPassage(n) {
			return ast.WalkContinue, nil
		}
		if entering && n.Lines().Len() > 0 {
			out = append(out, n)
		}
		return ast.WalkSkipChildren, nil
	})
	// Footnotes are children of one list, which is at the place of the first one.
	slices.SortStableFunc(out, func(a, b ast.Node) int {
		return a.Lines().At(0).Start - b.Lines().At(0).Start
	})
	return out
}

// IsPassage reports whether a node is of a kind that [Passages] returns.
func IsPassage(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindHeading, ast.KindParagraph, ast.KindTextBlock, east.KindTableCell:
		return true
	}
	return false
}

var taskBox = regexp.MustCompile(`^\[[ xX]\][ \t]+`)

// PassageLines returns the lines of a passage within body, without leading blanks and marks and
// without the box of a task. The last line has no trailing blanks. An empty passage has no lines.
func PassageLines(n ast.Node, body string) (out []text.Segment) {
	for i, line := range n.Lines().Sliced(0, n.Lines().Len()) {
		whole := strings.TrimRight(body[line.Start:line.Stop], "\n")
		trimmed := strings.TrimLeft(whole, " \t")
		if i == 0 && n.PreviousSibling() == nil && n.Parent().Kind() == ast.KindListItem {
			trimmed = trimmed[len(taskBox.FindString(trimmed)):]
		}
		end := line.Start + len(whole)
		out = append(out, text.NewSegment(end-len(trimmed), end))
	}
	for last := len(out) - 1; last >= 0; last-- {
		l := &out[last]
		l.Stop = l.Start + len(strings.TrimRight(body[l.Start:l.Stop], " \t"))
		if l.Stop > l.Start {
			return out
		}
		out = out[:last]
	}
	return nil
}
