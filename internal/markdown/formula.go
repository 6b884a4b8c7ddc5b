package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxFormula is the longest formula that is looked for, dollar signs included. It bounds the
// search for the end of each.
const maxFormula = 4<<10 + 64

// Kinds of nodes.
var (
	KindFormula      = ast.NewNodeKind("Formula")
	KindFormulaBlock = ast.NewNodeKind("FormulaBlock")
)

// Formula is a formula within a text. Its children are raw texts, the source line by line
// without the marks around it, so that a program that does not know formulas reads their
// source.
type Formula struct {
	ast.BaseInline
	// Between two dollar signs: it stands on a line of its own.
	Display bool
}

// Kind implements [ast.Node].
func (n *Formula) Kind() ast.NodeKind { return KindFormula }

// Dump implements [ast.Node].
func (n *Formula) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Source returns the formula without the marks around it. In a table, where a bar ends a cell,
// a bar is written with a backslash, which is not part of the formula.
func (n *Formula) Source(source []byte) string {
	var b []byte
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b = append(b, t.Segment.Value(source)...)
		}
	}
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == east.KindTableCell {
			b = bytes.ReplaceAll(b, []byte(`\|`), []byte("|"))
		}
	}
	return strings.TrimSpace(string(b))
}

// FormulaBlock is a formula between lines with two dollar signs. Its lines are the source.
type FormulaBlock struct {
	ast.BaseBlock
	whole text.Segment // its first line
	open  bool         // no end yet
}

// Kind implements [ast.Node].
func (n *FormulaBlock) Kind() ast.NodeKind { return KindFormulaBlock }

// IsRaw implements [ast.Node]: there is no Markdown in it.
func (n *FormulaBlock) IsRaw() bool { return true }

// Dump implements [ast.Node].
func (n *FormulaBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Source returns the formula without the marks around it.
func (n *FormulaBlock) Source(source []byte) string {
	return strings.TrimSpace(string(n.Lines().Value(source)))
}

// Formulas makes a goldmark parser find formulas. A text without dollar signs costs it nothing.
type Formulas struct{}

// Extend implements [goldmark.Extender].
func (Formulas) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithBlockParsers(util.Prioritized(formulaBlockParser{}, 690)), // before fenced code (700) or any list
		parser.WithInlineParsers(util.Prioritized(formulaParser{}, 150)),     // after code (100), before links and emphasis
	)
}

// foundFormula is the formula that a dollar sign begins.
type foundFormula struct {
	// size counts its bytes with the marks; 0 when there is none.
	size int
	// from and to enclose the source of the formula.
	from, to int
	// more says that it may end in a later line.
	more bool
}

// findFormula looks at a text that begins with a dollar sign; before is the character before
// it.
func findFormula(text []byte, before rune) foundFormula {
	if before == '$' || wordLike(before) {
		return foundFormula{}
	}
	mark := []byte("$")
	switch {
	case bytes.HasPrefix(text, []byte("$$")):
		mark = []byte("$$")
	case bytes.HasPrefix(text, []byte("$`")):
		mark = []byte("$`")
	case len(text) == 1 || blank(text[1]) || bytes.IndexByte([]byte(",;:)!?"), text[1]) >= 0: // no formula begins so
		return foundFormula{}
	}
	i := len(mark) + decisive(text[len(mark):], mark[len(mark)-1] != '`')
	if i == len(text) {
		return foundFormula{more: i < maxFormula}
	}
	end := i + len(mark)
	switch string(mark) {
	case "$":
		if text[i] != '$' || blank(text[i-1]) { // in a price's text the next price does not end a formula
			return foundFormula{}
		}
	case "$$":
		if !bytes.HasPrefix(text[i:], mark) {
			return foundFormula{}
		}
	case "$`":
		if i--; text[i] != '`' {
			return foundFormula{}
		}
		end--
	}
	if i <= len(mark) || wordAt(text, end) {
		return foundFormula{}
	}
	return foundFormula{size: end, from: len(mark), to: i}
}

// decisive returns where the first dollar sign is that no backslash precedes, or the first
// backtick: code comes before formulas. It looks no further than maxFormula.
func decisive(text []byte, ticks bool) int {
	// Looking further would be quadratic in a text of dollar signs.
	n := min(len(text), maxFormula)
	for i := 0; i < n; i++ {
		switch text[i] {
		case '\\':
			i++
		case '$':
			return i
		case '`':
			if ticks {
				return i
			}
		}
	}
	return len(text)
}

// blank reports white space of ASCII.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// wordLike reports a character that makes a dollar sign next to it part of a word or number,
// such as US$5 or A$1.
func wordLike(c rune) bool {
	return c == '_' || unicode.IsDigit(c) || unicode.IsLetter(c) && c < 0x2E80
}

// wordAt reports whether a word, a number or another dollar sign begins at i. Scripts that
// write no blanks between words begin none.
func wordAt(text []byte, i int) bool {
	c, _ := utf8.DecodeRune(text[min(i, len(text)):])
	return i < len(text) && (c == '$' || wordLike(c))
}

// formulaParser finds formulas within a paragraph.
type formulaParser struct{}

// Trigger implements [parser.InlineParser].
func (formulaParser) Trigger() []byte { return []byte{'$'} }

// Parse implements [parser.InlineParser].
func (formulaParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	f := findFormula(line, before)
	switch {
	case f.size > 0:
		n := &Formula{Display: line[1] == '$'}
		n.add(segment.Start+f.from, segment.Start+f.to)
		block.Advance(f.size)
		return n
	case f.more:
		return formulaOverLines(block, before)
	}
	return nil
}

// formulaOverLines looks for a formula of more than one line: up to the first that decides.
func formulaOverLines(block text.Reader, before rune) ast.Node {
	at, position := block.Position()
	var all []byte
	var lines []text.Segment
	for decided := false; !decided; {
		line, segment := block.PeekLine()
		if line == nil || len(all) > maxFormula || segment.Padding > 0 {
			break
		}
		decided = len(all) > 0 && decisive(line, true) < len(line)
		all, lines = append(all, line...), append(lines, segment)
		block.AdvanceLine()
	}
	block.SetPosition(at, position)
	f := findFormula(all, before)
	if f.size == 0 {
		return nil
	}
	n := &Formula{Display: all[1] == '$'}
	done := 0
	for _, l := range lines {
		if from, to := max(f.from-done, 0), min(f.to-done, l.Len()); from < to {
			n.add(l.Start+from, l.Start+to)
		}
		if done += l.Len(); done < f.size {
			block.AdvanceLine()
		} else {
			block.Advance(f.size - (done - l.Len()))
		}
	}
	return n
}

// add adds a line of the source.
func (n *Formula) add(from, to int) {
	n.AppendChild(n, ast.NewRawTextSegment(text.NewSegment(from, to)))
}

// formulaBlockParser finds the lines between two dollar signs at a line's beginning and two at
// a line's end, without an empty line or another dollar sign between them. Within a paragraph
// its lines would be taken for lists, headings and quotes.
type formulaBlockParser struct{}

var formulaBlockMark = []byte("$$")

// Trigger implements [parser.BlockParser].
func (formulaBlockParser) Trigger() []byte { return []byte{'$'} }

// Open implements [parser.BlockParser].
func (formulaBlockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 || segment.Padding > 0 || !bytes.HasPrefix(line[pos:], formulaBlockMark) || bytes.HasPrefix(line[pos:], []byte("$$$")) {
		return nil, parser.NoChildren
	}
	from := pos + len(formulaBlockMark)
	n := &FormulaBlock{whole: segment, open: true}
	to := from + decisive(line[from:], true)
	switch {
	case to == len(line):
		if !ends(reader.Source()[segment.Stop:]) {
			return nil, parser.NoChildren
		}
	case closes(line[to:]) && !util.IsBlank(line[from:to]):
		n.open = false
	default:
		return nil, parser.NoChildren // a text that begins with a formula, or none
	}
	n.add(text.NewSegment(segment.Start+from, segment.Start+to), reader.Source())
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

// closes reports whether the rest of a line is the end of a formula.
func closes(rest []byte) bool {
	return bytes.HasPrefix(rest, formulaBlockMark) && util.IsBlank(rest[len(formulaBlockMark):])
}

// ends reports whether one of the lines that follow ends the formula.
func ends(rest []byte) bool {
	rest = rest[:min(len(rest), maxFormula)]
	for line := range bytes.Lines(rest) {
		if i := decisive(line, true); i < len(line) {
			return closes(line[i:])
		}
		if len(bytes.Trim(line, "> \t\r\n")) == 0 {
			return false
		}
	}
	return false
}

// Continue implements [parser.BlockParser].
func (formulaBlockParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*FormulaBlock)
	line, segment := reader.PeekLine()
	if !n.open || util.IsBlank(line) {
		return parser.Close
	}
	at := decisive(line, true)
	n.open = at == len(line)
	// The line may begin with blanks that are no bytes of the source, which mean nothing in a
	// formula.
	n.add(text.NewSegment(segment.Start, segment.Start+at-segment.Padding), reader.Source())
	reader.AdvanceToEOL()
	if n.open {
		return parser.Continue | parser.NoChildren
	}
	return parser.Close
}

// Close implements [parser.BlockParser]. A formula that a list or a quote ends before its own
// end is text.
func (formulaBlockParser) Close(node ast.Node, _ text.Reader, _ parser.Context) {
	n := node.(*FormulaBlock)
	if !n.open {
		return
	}
	// The lines become a paragraph, as if there were no formulas.
	p := ast.NewParagraph()
	n.Parent().ReplaceChild(n.Parent(), n, p)
	p.Lines().Append(n.whole)
	for _, l := range n.Lines().Sliced(0, n.Lines().Len()) {
		if l.Start >= n.whole.Stop {
			p.Lines().Append(l)
		}
	}
}

// CanInterruptParagraph implements [parser.BlockParser].
func (formulaBlockParser) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements [parser.BlockParser].
func (formulaBlockParser) CanAcceptIndentedLine() bool { return false }

// add adds a line of the source without the blanks around it.
func (n *FormulaBlock) add(line text.Segment, source []byte) {
	if line = line.TrimLeftSpace(source); !line.IsEmpty() {
		n.Lines().Append(line)
	}
}
