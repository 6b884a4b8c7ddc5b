package formula

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

type inlineParser struct{}

// Trigger implements [parser.InlineParser].
func (inlineParser) Trigger() []byte { return []byte{'$'} }

// Parse implements [parser.InlineParser].
func (inlineParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	f := find(line, before)
	switch {
	case f.size > 0:
		n := &Inline{Display: line[1] == '$'}
		n.add(segment.Start+f.from, segment.Start+f.to)
		block.Advance(f.size)
		return n
	case f.more:
		return several(block, before)
	}
	return nil
}

// several looks for a formula of more than one line: up to the first that decides.
func several(block text.Reader, before rune) ast.Node {
	at, position := block.Position()
	var all []byte
	var lines []text.Segment
	for decided := false; !decided; {
		line, segment := block.PeekLine()
		if line == nil || len(all) > maxBytes || segment.Padding > 0 {
			break
		}
		decided = len(all) > 0 && decisive(line, true) < len(line)
		all, lines = append(all, line...), append(lines, segment)
		block.AdvanceLine()
	}
	block.SetPosition(at, position)
	f := find(all, before)
	if f.size == 0 {
		return nil
	}
	n := &Inline{Display: all[1] == '$'}
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
func (n *Inline) add(from, to int) {
	n.AppendChild(n, ast.NewRawTextSegment(text.NewSegment(from, to)))
}

// NewInlineParser finds formulas in a paragraph; its priority is that of [Extension], 150.
func NewInlineParser() parser.InlineParser { return inlineParser{} }
