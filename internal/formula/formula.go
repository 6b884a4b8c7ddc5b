// Package formula finds formulas in Markdown, by the rules of GitHub where those are known: it extends
// goldmark's parser. What a formula's source means is not its business.
package formula

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

// maxBytes is the longest formula that is looked for, dollar signs included. It bounds the search for
// the end of each.
const maxBytes = 4<<10 + 64

// Kinds of nodes.
var (
	KindInline = ast.NewNodeKind("Formula")
	KindBlock  = ast.NewNodeKind("FormulaBlock")
)

// Inline is a formula within a text. Its children are raw texts, the source line by line without what
// encloses it, so that who does not know formulas reads their source.
type Inline struct {
	ast.BaseInline
	Display bool // between two dollar signs: it stands on a line of its own
}

// Kind implements [ast.Node].
func (n *Inline) Kind() ast.NodeKind { return KindInline }

// Dump implements [ast.Node].
func (n *Inline) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Source returns the formula without what encloses it. In a table, where a bar ends a cell, a bar is
// written with a backslash, which is not part of the formula.
func (n *Inline) Source(source []byte) string {
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

// Block is a formula between lines with two dollar signs. Its lines are the source.
type Block struct {
	ast.BaseBlock
	whole text.Segment // its first line
	open  bool         // no end yet
}

// Kind implements [ast.Node].
func (n *Block) Kind() ast.NodeKind { return KindBlock }

// IsRaw implements [ast.Node]: there is no Markdown in it.
func (n *Block) IsRaw() bool { return true }

// Dump implements [ast.Node].
func (n *Block) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Source returns the formula without what encloses it.
func (n *Block) Source(source []byte) string {
	return strings.TrimSpace(string(n.Lines().Value(source)))
}

// Extension makes a goldmark parser find formulas. A text without dollar signs costs it nothing.
type Extension struct{}

// Extend implements [goldmark.Extender].
func (Extension) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithBlockParsers(util.Prioritized(blockParser{}, 690)),   // before fenced code (700) or any list
		parser.WithInlineParsers(util.Prioritized(inlineParser{}, 150)), // after code (100), before links and emphasis
	)
}

// found is what a dollar sign begins.
type found struct {
	size     int  // of all of it; 0: nothing
	from, to int  // where the source of the formula is
	more     bool // it may end in what follows
}

// find looks at a text that begins with a dollar sign; before is what stands before it.
func find(text []byte, before rune) found {
	if before == '$' || wordLike(before) {
		return found{}
	}
	mark := []byte("$")
	switch {
	case bytes.HasPrefix(text, []byte("$$")):
		mark = []byte("$$")
	case bytes.HasPrefix(text, []byte("$`")):
		mark = []byte("$`")
	case len(text) == 1 || blank(text[1]) || bytes.IndexByte([]byte(",;:)!?"), text[1]) >= 0: // no formula begins so
		return found{}
	}
	i := len(mark) + decisive(text[len(mark):], mark[len(mark)-1] != '`')
	if i == len(text) {
		return found{more: i < maxBytes}
	}
	end := i + len(mark)
	switch string(mark) {
	case "$":
		if text[i] != '$' || blank(text[i-1]) { // in a price's text the next price does not end a formula
			return found{}
		}
	case "$$":
		if !bytes.HasPrefix(text[i:], mark) {
			return found{}
		}
	case "$`":
		if i--; text[i] != '`' {
			return found{}
		}
		end--
	}
	if i <= len(mark) || wordAt(text, end) {
		return found{}
	}
	return found{size: end, from: len(mark), to: i}
}

// decisive returns where the first dollar sign is that no backslash precedes, or the first backtick: code
// comes before formulas. It looks no further than maxBytes.
func decisive(text []byte, ticks bool) int {
	n := min(len(text), maxBytes)
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

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// wordLike reports what makes a dollar sign beside it part of a word or number, such as US$5 or A$1.
func wordLike(c rune) bool {
	return c == '_' || unicode.IsDigit(c) || unicode.IsLetter(c) && c < 0x2E80
}

// wordAt reports whether a word, a number or another dollar sign begins at i. Scripts that write no blanks
// between words begin none.
func wordAt(text []byte, i int) bool {
	c, _ := utf8.DecodeRune(text[min(i, len(text)):])
	return i < len(text) && (c == '$' || wordLike(c))
}
