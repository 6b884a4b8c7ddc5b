// Package tex turns a formula in the notation of TeX into MathML. It knows the part of that notation that
// is one formula by itself: no macros, numbers or references. Where formulas stand in a text, and what
// stands on a page instead of one that it does not understand, is not its business.
package tex

import (
	"errors"
	"strings"
)

const (
	// MaxBytes is the longest source that is read.
	MaxBytes = 4 << 10
	// maxDepth is how deep groups, fractions, roots and the like may nest.
	maxDepth = 32
	// maxCells is how many cells the tables of one formula may have.
	maxCells = 400
)

// errSyntax is the panic by which the parser leaves off; [Parse] recovers from it.
var errSyntax = errors.New("not understood")

// Formula is what a source became.
type Formula struct {
	// MathML is a math element with the source as its annotation. It is well-formed in HTML and in XML,
	// and has elements and attributes of a fixed set only, whatever the source.
	MathML []byte
	// Width is about how many letters wide it is in a line of text. No browser breaks it.
	Width int
}

// Parse reads a source without its dollar signs. ok is false unless all of it is understood: there are no
// partial formulas. Its time is linear in the length of the source.
func Parse(source string, display bool) (f Formula, ok bool) {
	if len(source) > MaxBytes || strings.TrimSpace(source) == "" {
		return Formula{}, false
	}
	p := parser{src: source}
	defer func() {
		if r := recover(); r != nil && r != errSyntax {
			panic(r)
		} else if r != nil {
			f, ok = Formula{}, false
		}
	}()
	top := group(p.row(""))
	math := element{tag: "math", kids: []element{{tag: "semantics", kids: []element{top,
		{tag: "annotation", attr: ` encoding="application/x-tex"`, text: source},
	}}}}
	if display {
		math.attr = ` display="block"`
	}
	return Formula{MathML: math.append(nil), Width: top.width()}, true
}
