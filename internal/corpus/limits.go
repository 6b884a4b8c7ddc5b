package corpus

import (
	"github.com/yuin/goldmark/ast"
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

// limits refuses bodies that would cost too much, before goldmark sees them. suspicious is set for
// those that must be parsed and rendered to know. first is the file's line at which body begins.
func limits(body []byte, first int, r *report) (suspicious, ok bool) {
	s := scan(body)
	if s.deepest > 0 {
		r.errorf(first+s.deepest-1, "too-deep", "quotes or lists are nested more than %d levels", maxNesting)
		return false, false
	}
	if excess, _, _ := s.excess(); excess {
		// Perhaps all of it is code, which costs nothing.
		if s.lines <= hopelessLines && s.headings <= hopelessHeadings {
			s = scan(withoutCode(body))
		}
		if excess, code, what := s.excess(); excess {
			r.errorf(first+max(s.worst, 1)-1, code, "%s", what)
			return false, false
		}
	}
	suspicious = len(body) > largeBody || s.deep || s.cells > manyCells || s.headings > manyHeadings || s.footnotes > manyFootnotes ||
		s.marks > manyMarks || s.brackets > manyBrackets || s.images > maxNesting || s.definition*s.brackets > largeExpansion
	return suspicious, true
}

// excess says which limit the counts pass.
func (s *shape) excess() (excess bool, code, what string) {
	switch {
	case s.cells > maxCells:
		return true, "too-many-cells", "tables have more than 10,000 cells in all, counted as columns times rows; publish the data beside the proposal"
	case s.headings > maxHeadings:
		return true, "too-many-headings", "there are more than 10,000 headings"
	case s.footnotes > maxFootnotes:
		return true, "too-complex", "there are more than 5,000 footnotes and references to footnotes"
	case s.brackets > maxBrackets:
		return true, "too-complex", "there are more than 100,000 opening square brackets outside code; put data into a code block"
	case s.closers > maxClosers:
		return true, "too-complex", "there are more than 50,000 closing square brackets outside code; put data into a code block"
	case s.escapedPipes > maxEscapedPipes:
		return true, "too-complex", `there are more than 5,000 escaped pipes (\|) outside code`
	case s.lines > maxLines:
		return true, "too-complex", "there are more than 100,000 lines of text outside code"
	case s.angles > maxAngles:
		return true, "too-complex", "there are more than 100,000 signs < outside code; put data into a code block"
	case s.work > maxWork:
		return true, "too-complex", "too many links, brackets, emphasis marks, backticks or reference definitions in one paragraph: divide it, or put data into a code block"
	case s.tags > maxTags:
		return true, "too-complex", "there are more than 30,000 lines that begin with HTML"
	}
	return false, "", ""
}

// tooDeep returns the file's line at which a document is nested deeper than is published, or 0. Of
// the tree, list items count and the lists around them do not, so that 64 levels of either are 64. It
// does not recurse: the document may be deep.
func tooDeep(doc *Document, first int) int {
	depth := 0
	for n := doc.Root; n != nil; {
		depth += nests(n)
		if depth > maxNesting {
			return first + lineAt(doc.Body, blockStart(n)) - 1
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
	return 0
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

func nestedTooDeep(line int, r *report) {
	r.errorf(line, "too-deep", "quotes, lists or emphasis are nested more than %d levels", maxNesting)
}
