package markdown

import (
	"bytes"
	"slices"
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
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		}
	}
	s := strings.TrimSpace(b.String())
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == east.KindTableCell {
			s = strings.ReplaceAll(s, `\|`, "|")
		}
	}
	return s
}

// FormulaBlock is a formula between lines with two dollar signs. Its lines are the source.
type FormulaBlock struct {
	ast.BaseBlock
	// whole is the first line with its marks.
	whole text.Segment
	// open says that the end was not found yet.
	open bool
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
		// Before fenced code (700) or any list; after code (100), before links and emphasis.
		parser.WithBlockParsers(util.Prioritized(formulaBlockParser{}, 690)),
		parser.WithInlineParsers(util.Prioritized(formulaParser{}, 150)),
	)
}

// NewFormulaParser finds formulas in a paragraph. Its priority is that of [Formulas], 150.
func NewFormulaParser() parser.InlineParser { return formulaParser{} }

// formulaParser finds formulas within a paragraph.
type formulaParser struct{}

// Trigger implements [parser.InlineParser].
func (formulaParser) Trigger() []byte { return []byte{'$'} }

// Parse implements [parser.InlineParser].
func (formulaParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	first, _ := block.PeekLine()
	mark := formulaMark(first, block.PrecendingCharacter())
	if mark == "" {
		return nil
	}
	// The lines are taken up to the first that decides. Most formulas are within one.
	at, position := block.Position()
	var all []byte
	var lines []text.Segment
	end := len(mark)
	for decided := false; !decided; block.AdvanceLine() {
		line, segment := block.PeekLine()
		if line == nil || len(lines) > 0 && (len(all) > maxFormula || segment.Padding > 0) {
			block.SetPosition(at, position)
			return nil
		}
		n := decisive(line[end-len(all):], mark != "$`")
		decided = end+n < len(all)+len(line)
		end += n
		switch len(lines) {
		case 0:
			all = line // not copied
		case 1:
			all = slices.Concat(all, line)
		default:
			all = append(all, line...)
		}
		lines = append(lines, segment)
	}
	block.SetPosition(at, position)
	size := formulaSize(all, mark, end)
	if size == 0 {
		return nil
	}
	if mark == "$`" {
		end-- // the backtick
	}
	n, done := &Formula{Display: mark == "$$"}, 0
	for _, l := range lines {
		if from, to := max(len(mark)-done, 0), min(end-done, l.Len()); from < to {
			n.AppendChild(n, ast.NewRawTextSegment(text.NewSegment(l.Start+from, l.Start+to)))
		}
		if done += l.Len(); done < size {
			block.AdvanceLine()
		} else {
			block.Advance(size - (done - l.Len()))
		}
	}
	return n
}

// formulaMark is the mark with which a formula begins, as the text does; empty when none can
// begin there. before is the character before it.
func formulaMark(text []byte, before rune) string {
	switch {
	case before == '$' || wordLike(before):
		return ""
	case bytes.HasPrefix(text, []byte("$$")), bytes.HasPrefix(text, []byte("$`")):
		return string(text[:2])
	case len(text) == 1 || blank(text[1]) || bytes.IndexByte([]byte(",;:)!?"), text[1]) >= 0:
		return ""
	}
	return "$"
}

// formulaSize is the length of a formula with its marks, 0 when that is none. Its source begins
// after the mark; end is the first byte that decides.
func formulaSize(text []byte, mark string, end int) int {
	size := end + len(mark)
	switch mark {
	case "$":
		if text[end] != '$' || blank(text[end-1]) { // in a price's text the next price does not end a formula
			return 0
		}
	case "$$":
		if !bytes.HasPrefix(text[end:], []byte(mark)) {
			return 0
		}
	default:
		end--
		size--
		if text[end] != '`' {
			return 0
		}
	}
	// Scripts that write no blanks between words begin none after a formula.
	after, _ := utf8.DecodeRune(text[min(size, len(text)):])
	if end <= len(mark) || size < len(text) && (after == '$' || wordLike(after)) {
		return 0
	}
	return size
}

// decisive returns where the first dollar sign is that no backslash precedes, or the first
// backtick: code comes before formulas. It looks no further than maxFormula, which would be
// quadratic in a text of dollar signs.
func decisive(text []byte, ticks bool) int {
	for i := 0; i < min(len(text), maxFormula); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '$', c == '`' && ticks:
			return i
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

// formulaBlockParser finds the lines between two dollar signs at a line's beginning and two at
// a line's end, without an empty line or another dollar sign between them. Within a paragraph
// its lines would be taken for lists, headings and quotes.
type formulaBlockParser struct{}

// Trigger implements [parser.BlockParser].
func (formulaBlockParser) Trigger() []byte { return []byte{'$'} }

// Open implements [parser.BlockParser].
func (formulaBlockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 || segment.Padding > 0 || !bytes.HasPrefix(line[pos:], []byte("$$")) {
		return nil, parser.NoChildren
	}
	from := pos + len("$$")
	to := from + decisive(line[from:], true)
	n := &FormulaBlock{whole: segment, open: to == len(line)}
	// Else it is a text that begins with a formula, or none.
	found := closes(line[to:]) && !util.IsBlank(line[from:to])
	if n.open {
		found = ends(reader.Source()[segment.Stop:])
	}
	if !found {
		return nil, parser.NoChildren
	}
	n.add(text.NewSegment(segment.Start+from, segment.Start+to), reader.Source())
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

// closes reports whether the rest of a line is the end of a formula.
func closes(rest []byte) bool {
	after, ok := bytes.CutPrefix(rest, []byte("$$"))
	return ok && util.IsBlank(after)
}

// ends reports whether one of the lines that follow ends the formula.
func ends(rest []byte) bool {
	for line := range bytes.Lines(rest[:min(len(rest), maxFormula)]) {
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
// end is text: its lines become a paragraph, as if there were no formulas.
func (formulaBlockParser) Close(node ast.Node, _ text.Reader, _ parser.Context) {
	n := node.(*FormulaBlock)
	if !n.open {
		return
	}
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
