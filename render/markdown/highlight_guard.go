package markdown

import (
	"regexp"
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// Some patterns of lexers still take time that grows with the square of a line, of a run of blanks or, with
// a small factor, of a block. The bounds below are properties of the text, not of a clock, so that the same
// text always gives the same bytes. The blocks of the EIPs, the SIMDs and the MIPs pass, but for nine with
// longer lines.
const (
	highlightMaxBlock    = 16 << 10 // bytes
	highlightMaxDocument = 32 << 10 // bytes of code, all blocks together
	highlightMaxLine     = 1000     // bytes
	highlightMaxErrors   = 100      // tokens that the language does not know
	highlightMaxEmpty    = 100      // tokens without text, one after another
)

// manyBlanks is a run of blanks and line ends that no code has.
var manyBlanks = regexp.MustCompile(`\s{100}`)

// highlightable reports whether a lexer gets to see the text.
func highlightable(text string) bool {
	if len(text) > highlightMaxBlock || manyBlanks.MatchString(text) {
		return false
	}
	for line := range strings.Lines(text) {
		if len(line) > highlightMaxLine {
			return false
		}
	}
	return true
}

// notOfLanguage counts tokens that a lexer could not place, and those without text, and gives up on the text:
// some lexers find empty tokens at one place without end.
type notOfLanguage struct{ errors, empty int }

func (n *notOfLanguage) reached(t chroma.Token) bool {
	if t.Type == chroma.Error {
		n.errors++
	}
	if n.empty++; t.Value != "" {
		n.empty = 0
	}
	return n.errors > highlightMaxErrors || n.empty > highlightMaxEmpty
}
