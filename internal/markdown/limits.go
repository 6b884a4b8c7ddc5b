package markdown

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// What a body may hold. Beyond these goldmark 1.8 takes more than about half a second or much
// more memory than the text has; every limit is tens of times what the largest real proposals need.
const (
	// maxNesting is the deepest nesting of quotes, lists and inline marks that is published.
	maxNesting = 64
	// maxMarkers and maxIndent (columns before a list item or a quote) are refused unseen: parsing
	// itself is quadratic in them.
	maxMarkers, maxIndent = 128, 256
	// maxCells bounds tables as goldmark expands them: every row has a cell for every column.
	maxCells = 10_000
	// maxHeadings bounds the sections.
	maxHeadings = 10_000
	// maxBrackets bounds what may begin a link.
	maxBrackets = 100_000
	// maxClosers bounds what may end a link: each looks through the thousand bytes before it.
	maxClosers = 50_000
	// maxFootnotes bounds footnotes and references to them together: each one searches all others.
	maxFootnotes = 5_000
	// maxEscapedPipes bounds \| in tables, which are compared with each other.
	maxEscapedPipes = 5_000
	// maxLines bounds lines that are not blank: each is a node of some hundred bytes.
	maxLines = 100_000
	// hopelessLines and hopelessHeadings are refused even within code: telling code from text would
	// itself cost a node for each.
	hopelessLines, hopelessHeadings = 250_000, 60_000
	// maxAngles bounds what may begin inline HTML or an address.
	maxAngles = 100_000
	// maxWork bounds the sum, over paragraphs, of what goldmark is quadratic in: the squares of the
	// number of emphasis characters and of the number of reference definitions (11,585 in one
	// paragraph, or 1,158 in each of 100); the number of link ends "](" times the length in bytes,
	// since each one may search to the paragraph's end; the number of "]" times the number of lines,
	// four times, since the text of each label is looked for line by line from the end; the longest
	// run of backticks times the length, since one that nothing closes searches to the end.
	maxWork = 1 << 27
	// maxTags bounds lines that begin with HTML: each may be a block, which is dear to make harmless.
	maxTags = 30_000
)

// From these on a document is parsed and rendered when it is loaded, so that what grows out of
// proportion is found before anything is published.
const (
	largeBody      = 64 << 10
	manyCells      = 2_000
	manyHeadings   = 1_000
	manyFootnotes  = 200
	manyBrackets   = 5_000   // what may begin a link: a short one can lead to a long address
	manyMarks      = 1_000   // emphasis characters in one paragraph: they may nest
	largeExpansion = 1 << 20 // longest reference definition times brackets, in bytes
)

// Excess says which limit a text passes.
type Excess struct {
	Line    int    // of the text, from 1
	Code    string // of the problem that it is: too-deep, too-complex, too-many-cells or too-many-headings
	Message string
}

// Check refuses texts that would cost too much, before goldmark sees them. heavy is set for those that must be parsed
// and rendered to know, see also [Document.TooDeep].
func Check(body string) (heavy bool, refused *Excess) {
	s := scan([]byte(body))
	if s.deepest > 0 {
		return false, &Excess{s.deepest, "too-deep", fmt.Sprintf("quotes or lists are nested more than %d levels", maxNesting)}
	}
	if code, _ := s.excess(); code != "" {
		// Perhaps all of it is code, which costs nothing.
		if s.lines <= hopelessLines && s.headings <= hopelessHeadings {
			s = scan(withoutCode([]byte(body)))
		}
		if code, message := s.excess(); code != "" {
			return false, &Excess{max(s.worst, 1), code, message}
		}
	}
	heavy = len(body) > largeBody || s.deep || s.cells > manyCells || s.headings > manyHeadings || s.footnotes > manyFootnotes ||
		s.marks > manyMarks || s.brackets > manyBrackets || s.images > maxNesting || s.definition*s.brackets > largeExpansion
	return heavy, nil
}

// excess says which limit the counts pass; the code is empty when they pass none.
func (s *shape) excess() (code, message string) {
	for _, limit := range []struct {
		count, most   int
		code, message string
	}{
		{s.cells, maxCells, "too-many-cells", "tables have more than 10,000 cells in all, counted as columns times rows; publish the data beside the proposal"},
		{s.headings, maxHeadings, "too-many-headings", "there are more than 10,000 headings"},
		{s.footnotes, maxFootnotes, "too-complex", "there are more than 5,000 footnotes and references to footnotes"},
		{s.brackets, maxBrackets, "too-complex", "there are more than 100,000 opening square brackets outside code; put data into a code block"},
		{s.closers, maxClosers, "too-complex", "there are more than 50,000 closing square brackets outside code; put data into a code block"},
		{s.escapedPipes, maxEscapedPipes, "too-complex", `there are more than 5,000 escaped pipes (\|) outside code`},
		{s.lines, maxLines, "too-complex", "there are more than 100,000 lines of text outside code"},
		{s.angles, maxAngles, "too-complex", "there are more than 100,000 signs < outside code; put data into a code block"},
		{s.work, maxWork, "too-complex",
			"too many links, brackets, emphasis marks, backticks or reference definitions in one paragraph: divide it, or put data into a code block"},
		{s.tags, maxTags, "too-complex", "there are more than 30,000 lines that begin with HTML"},
	} {
		if limit.count > limit.most {
			return limit.code, limit.message
		}
	}
	return "", ""
}

// TooDeep says where the text is nested deeper than is published, nil when it is not. Of the tree, list items count
// and the lists around them do not, so that 64 levels of either are 64. It does not recurse: the tree may be deep.
func (d *Document) TooDeep() *Excess {
	depth := 0
	for n := d.Root; n != nil; {
		depth += nests(n)
		if depth > maxNesting {
			line := 1 + bytes.Count(d.Body[:blockStart(n)], []byte("\n"))
			return &Excess{line, "too-deep", fmt.Sprintf("quotes, lists or emphasis are nested more than %d levels", maxNesting)}
		}
		if c := n.FirstChild(); c != nil {
			n = c
			continue
		}
		for n != nil && n.NextSibling() == nil {
			depth -= nests(n)
			n = n.Parent()
		}
		if n != nil {
			depth -= nests(n)
			n = n.NextSibling()
		}
	}
	return nil
}

// nests is 1 for what a writer sees as a level.
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
