package markdown

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Beyond these limits goldmark 1.8 takes more than about half a second or much more memory than
// the text has; every limit is tens of times the most that the largest real proposals need.
const (
	// maxNesting is the deepest nesting of quotes, lists and inline marks that is published.
	maxNesting = 64
	// maxMarkers and maxIndent (columns before a list item or a quote) are refused before
	// parsing, which is quadratic in them.
	maxMarkers, maxIndent = 128, 256
	// maxWork bounds the sum, over paragraphs, of the steps that goldmark is quadratic in: see
	// [paragraph.work].
	maxWork = 1 << 27
	// hopelessLines and hopelessHeadings are refused even within code: telling code from text
	// would itself cost a node for each.
	hopelessLines, hopelessHeadings = 250_000, 60_000
)

// limits are the most that a text may hold outside code. Where several are passed the first is
// reported.
var limits = []struct {
	count         func(*shape) int
	most          int
	code, message string
}{
	// goldmark expands tables: every row has a cell for every column.
	{func(s *shape) int { return s.cells }, 10_000, "too-many-cells",
		"tables have more than 10,000 cells in all, counted as columns times rows; publish the data beside the proposal"},
	{func(s *shape) int { return s.headings }, 10_000, "too-many-headings", "there are more than 10,000 headings"},
	// Each footnote searches all others.
	{func(s *shape) int { return s.footnotes }, 5_000, "too-complex", "there are more than 5,000 footnotes and references to footnotes"},
	{func(s *shape) int { return s.brackets }, 100_000, "too-complex",
		"there are more than 100,000 opening square brackets outside code; put data into a code block"},
	// Each closing bracket looks through the thousand bytes before it.
	{func(s *shape) int { return s.closers }, 50_000, "too-complex",
		"there are more than 50,000 closing square brackets outside code; put data into a code block"},
	// Escaped pipes are compared with each other.
	{func(s *shape) int { return s.escapedPipes }, 5_000, "too-complex", `there are more than 5,000 escaped pipes (\|) outside code`},
	// Each line that is not blank is a node of some hundred bytes.
	{func(s *shape) int { return s.lines }, 100_000, "too-complex", "there are more than 100,000 lines of text outside code"},
	{func(s *shape) int { return s.angles }, 100_000, "too-complex",
		"there are more than 100,000 signs < outside code; put data into a code block"},
	{func(s *shape) int { return s.work }, maxWork, "too-complex",
		"too many links, brackets, emphasis marks, backticks or reference definitions in one paragraph: divide it, or put data into a code block"},
	// Each may be a block of HTML, which is dear to make harmless.
	{func(s *shape) int { return s.tags }, 30_000, "too-complex", "there are more than 30,000 lines that begin with HTML"},
}

// heavy reports a text of so many bytes that may grow out of proportion when it is rendered:
// tables, footnotes and short links to long addresses expand, emphasis and images nest.
func (s *shape) heavy(size int) bool {
	const largeBody, largeExpansion = 64 << 10, 1 << 20 // bytes
	return size > largeBody || s.deep || s.cells > 2_000 || s.headings > 1_000 || s.footnotes > 200 ||
		s.marks > 1_000 || s.brackets > 5_000 || s.images > maxNesting || s.definition*s.brackets > largeExpansion
}

// Excess says which limit a text passes.
type Excess struct {
	// Line is that of the text, from 1.
	Line int
	// Code is that of the problem: too-deep, too-complex, too-many-cells or too-many-headings.
	Code    string
	Message string
}

// Check refuses texts that would cost too much, before goldmark sees them. heavy is set for
// those that must be parsed and rendered to know, see also [Document.TooDeep].
func Check(body string) (heavy bool, refused *Excess) {
	s := scan(body)
	if s.deepest > 0 {
		return false, &Excess{s.deepest, "too-deep", fmt.Sprintf("quotes or lists are nested more than %d levels", maxNesting)}
	}
	refused = s.excess()
	if refused != nil && s.lines <= hopelessLines && s.headings <= hopelessHeadings {
		// Perhaps all of it is code, which costs nothing.
		s = scan(withoutCode(body))
		refused = s.excess()
	}
	return refused == nil && s.heavy(len(body)), refused
}

// excess says which limit the counts pass, nil when they pass none.
func (s *shape) excess() *Excess {
	for _, l := range limits {
		if l.count(s) > l.most {
			return &Excess{max(s.worst, 1), l.code, l.message}
		}
	}
	return nil
}

// TooDeep says where the text is nested deeper than is published, nil when it is not. Of the
// tree, list items count and the lists around them do not, so that 64 levels of either are 64.
func (d *Document) TooDeep() (found *Excess) {
	depth := 0
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth -= nests(n)
			return ast.WalkContinue, nil
		}
		if depth += nests(n); depth <= maxNesting {
			return ast.WalkContinue, nil
		}
		line := 1 + bytes.Count(d.Body[:blockStart(n)], []byte("\n"))
		found = &Excess{line, "too-deep", fmt.Sprintf("quotes, lists or emphasis are nested more than %d levels", maxNesting)}
		return ast.WalkStop, nil
	})
	return found
}

// nests is 1 for a node that a writer sees as a level.
func nests(n ast.Node) int {
	switch n.(type) {
	case *ast.Blockquote, *ast.ListItem, *ast.Emphasis, *ast.Link, *ast.Image:
		return 1
	}
	return 0
}

// blockStart is an offset in the block that holds n.
func blockStart(n ast.Node) int {
	for ; n != nil; n = n.Parent() {
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			return n.Lines().At(0).Start
		}
		if n.Type() == ast.TypeBlock && n.Pos() > 0 {
			return n.Pos()
		}
	}
	return 0
}

// blocks is a parser of blocks alone, which is cheap whatever the inline text is.
var blocks = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(append(parser.DefaultBlockParsers(),
		util.Prioritized(extension.NewFootnoteBlockParser(), 999))...))
})

// withoutCode returns body with code and HTML blanked out, line for line; of a block of HTML
// its beginning stays, so that blocks can be counted.
func withoutCode(body string) string {
	out := []byte(body)
	_ = ast.Walk(blocks().Parse(text.NewReader([]byte(body))), func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock, ast.KindHTMLBlock:
		default:
			return ast.WalkContinue, nil
		}
		for i, line := range n.Lines().Sliced(0, n.Lines().Len()) {
			blanked := out[line.Start:min(line.Stop, len(out))]
			for j, c := range blanked {
				if c != '\n' && !(c == '<' && i == 0 && n.Kind() == ast.KindHTMLBlock) {
					blanked[j] = ' '
				}
			}
		}
		return ast.WalkSkipChildren, nil
	})
	return string(out)
}
