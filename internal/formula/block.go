package formula

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blockParser finds what two dollar signs at a line's beginning and two at a line's end enclose, without
// an empty line or another dollar sign between them. Within a paragraph its lines would be taken for
// lists, headings and quotes.
type blockParser struct{}

var blockMark = []byte("$$")

// Trigger implements [parser.BlockParser].
func (blockParser) Trigger() []byte { return []byte{'$'} }

// Open implements [parser.BlockParser].
func (blockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 || segment.Padding > 0 || !bytes.HasPrefix(line[pos:], blockMark) || bytes.HasPrefix(line[pos:], []byte("$$$")) {
		return nil, parser.NoChildren
	}
	from := pos + len(blockMark)
	n := &Block{whole: segment, open: true}
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

// closes reports whether what follows a formula in its line is its end.
func closes(rest []byte) bool {
	return bytes.HasPrefix(rest, blockMark) && util.IsBlank(rest[len(blockMark):])
}

// ends reports whether one of the lines that follow ends the formula.
func ends(rest []byte) bool {
	rest = rest[:min(len(rest), maxBytes)]
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
func (blockParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*Block)
	line, segment := reader.PeekLine()
	if !n.open || util.IsBlank(line) {
		return parser.Close
	}
	at := decisive(line, true)
	n.open = at == len(line)
	// The line may begin with blanks that are no bytes of the source, which mean nothing in a formula.
	n.add(text.NewSegment(segment.Start, segment.Start+at-segment.Padding), reader.Source())
	reader.AdvanceToEOL()
	if n.open {
		return parser.Continue | parser.NoChildren
	}
	return parser.Close
}

// Close implements [parser.BlockParser]. What a list or a quote ends before the formula's own end is text.
func (blockParser) Close(node ast.Node, _ text.Reader, _ parser.Context) {
	n := node.(*Block)
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
func (blockParser) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements [parser.BlockParser].
func (blockParser) CanAcceptIndentedLine() bool { return false }

// add adds a line of the source without the blanks around it.
func (n *Block) add(line text.Segment, source []byte) {
	if line = line.TrimLeftSpace(source); !line.IsEmpty() {
		n.Lines().Append(line)
	}
}
