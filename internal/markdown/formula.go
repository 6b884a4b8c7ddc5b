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

// maxFormula bounds a formula in bytes, including dollar signs. It bounds the search for the end of
// each.
const maxFormula = 4<<10 + 64

// Kinds of nodes.
var (
	KindFormula      = ast.NewNodeKind("Formula")
	KindFormulaBlock = ast.NewNodeKind("FormulaBlock")
)

// Formula is a formula within a text. Its children are raw texts, the source line by line without
// the marks around it, so that a program without support for formulas sees their source.
type Formula struct {
	ast.BaseInline
	// Display reports two dollar signs: the formula is set on a separate line.
	Display bool
}

// Kind implements [ast.Node].
func (n *Formula) Kind() ast.NodeKind { return KindFormula }

// Dump implements [ast.Node].
func (n *Formula) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Source returns the formula without the marks around it. In a table, where a bar ends a cell, a
// bar is written with a backslash, which Source removes.
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
	// open reports that the end has not been found yet.
	open bool
}

// Kind implements [ast.Node].
func (n *FormulaBlock) Kind() ast.NodeKind { return KindFormulaBlock }

// IsRaw implements [ast.Node]: it contains no Markdown.
func (n *FormulaBlock) IsRaw() bool { return true }

// Dump implements [ast.Node].
func (n *FormulaBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Source returns the formula without the marks around it.
func (n *FormulaBlock) Source(source []byte) string {
	return strings.TrimSpace(string(n.Lines().Value(source)))
}

// Formulas is a goldmark extension for formulas. It costs nothing in texts without dollar signs.
type Formulas struct{}

// Extend implements [goldmark.Extender].
func (Formulas) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		// Blocks: before fenced code (700) and lists. Inline: after code (100), before links and
		// emphasis.
		parser.WithBlockParsers(util.Prioritized(formulaBlockParser{}, 690)),
		parser.WithInlineParsers(util.Prioritized(formulaParser{}, 150)),
	)
}

// NewFormulaParser returns a parser for formulas in a paragraph. Register it with the priority 150,
// as [Formulas] does.
func NewFormulaParser() parser.InlineParser { return formulaParser{} }

// formulaParser parses formulas within a paragraph.
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
	// Read lines up to the first one that decides. Most formulas are on one line.
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

// formulaMark returns the mark with which a formula at the beginning of the text starts, empty if
// none can start there. before is the preceding character.
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

// formulaSize returns the length of a formula with its marks, 0 if it is none. Its source begins
// after the mark; end is the first byte that decides.
func formulaSize(text []byte, mark string, end int) int {
	size := end + len(mark)
	switch mark {
	case "$":
		if text[end] != '$' || blank(text[end-1]) { // a second price does not end a formula
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
	// Scripts without blanks between words need none after a formula.
	after, _ := utf8.DecodeRune(text[min(size, len(text)):])
	if end <= len(mark) || size < len(text) && (after == '$' || wordLike(after)) {
		return 0
	}
	return size
}

// decisive returns the position of the first dollar sign not preceded by a backslash, or of the
// first backtick: code takes precedence over formulas. It searches at most maxFormula bytes;
// otherwise a text of dollar signs would take quadratic time.
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

// blank reports ASCII white space.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// wordLike reports a character that makes an adjacent dollar sign part of a word or number, such as
// US$5 or A$1.
func wordLike(c rune) bool {
	return c == '_' || unicode.IsDigit(c) || unicode.IsLetter(c) && c < 0x2E80
}

// formulaBlockParser parses the lines between two dollar signs at a line's beginning and two at a
// line's end, without an empty line or another dollar sign between them. As a paragraph, such lines
// could be parsed as lists, headings and quotes.
type formulaBlockParser struct{}

// Trigger implements [parser.BlockParser].
func (formulaBlockParser) Trigger() []byte { return []byte{'$'} }

// Open implements [parser.BlockParser].
func (formulaBlockParser) Open(
	_ ast.Node, reader text.Reader, pc parser.Context,
) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 || segment.Padding > 0 || !bytes.HasPrefix(line[pos:], []byte("$$")) {
		return nil, parser.NoChildren
	}
	from := pos + len("$$")
	to := from + decisive(line[from:], true)
	n := &FormulaBlock{whole: segment, open: to == len(line)}
	// Otherwise it is a text that begins with a formula, or none.
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

// ends reports whether one of the following lines ends the formula.
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
func (formulaBlockParser) Continue(
	node ast.Node, reader text.Reader, _ parser.Context,
) parser.State {
	n := node.(*FormulaBlock)
	line, segment := reader.PeekLine()
	if !n.open || util.IsBlank(line) {
		return parser.Close
	}
	at := decisive(line, true)
	n.open = at == len(line)
	// The line may begin with virtual blanks that are not in the source; they mean nothing in a
	// formula.
	n.add(text.NewSegment(segment.Start, segment.Start+at-segment.Padding), reader.Source())
	reader.AdvanceToEOL()
	if n.open {
		return parser.Continue | parser.NoChildren
	}
	return parser.Close
}

// Close implements [parser.BlockParser]. A formula that is cut short by the end of its list or
// quote is text: its lines become a paragraph, as without formulas.
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
