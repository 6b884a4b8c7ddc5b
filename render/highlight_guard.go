package render

import (
	"compress/flate"
	"io"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// Lexers match backwards and forwards: on text that is made for it, or that is no code at all, the
// time grows with the square of its length or worse. The bounds below are properties of the text, not
// of a clock, so that the same text always gives the same bytes. They were drawn from the 600 blocks
// of the EIPs that name a language, which pass but for six with very long lines.
const (
	highlightMaxBlock    = 64 << 10  // bytes
	highlightMaxDocument = 128 << 10 // bytes of code, all blocks together
	highlightMaxLine     = 1000      // bytes
	highlightMaxErrors   = 100       // tokens that the language does not know
	highlightMinShare    = 16        // flate must not reduce a block to less than one part in so many …
	highlightMinRepeated = 256       // … if it has that many bytes
)

// codeGuard decides which blocks a lexer gets to see.
type codeGuard struct {
	writers sync.Pool // of *flate.Writer
}

func (g *codeGuard) admits(text string) bool {
	if len(text) > highlightMaxBlock {
		return false
	}
	for line := range strings.Lines(text) {
		if len(line) > highlightMaxLine {
			return false
		}
	}
	return len(text) < highlightMinRepeated || g.compressed(text) >= len(text)/highlightMinShare
}

// compressed returns how many bytes are left of text: hardly any if it repeats itself.
func (g *codeGuard) compressed(text string) int {
	var n byteCounter
	w, ok := g.writers.Get().(*flate.Writer)
	if ok {
		w.Reset(&n)
	} else {
		var err error
		if w, err = flate.NewWriter(&n, flate.BestSpeed); err != nil {
			return len(text)
		}
	}
	defer g.writers.Put(w)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return int(n)
}

type byteCounter int

func (n *byteCounter) Write(p []byte) (int, error) {
	*n += byteCounter(len(p))
	return len(p), nil
}

// notOfLanguage counts tokens that a lexer could not place and gives up on the text.
type notOfLanguage int

func (n *notOfLanguage) reached(t chroma.Token) bool {
	if t.Type == chroma.Error {
		*n++
	}
	return *n > highlightMaxErrors
}
