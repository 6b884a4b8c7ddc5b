// Package tex turns a formula in the notation of TeX into MathML. It knows the part of that notation that
// is one formula by itself: no macros, numbers or references. Where formulas stand in a text, and what
// stands on a page instead of one that it does not understand, is not its business.
package tex

import "strings"

const (
	// MaxBytes is the longest source that is read.
	MaxBytes = 4 << 10
	// maxDepth is how deep groups, fractions, roots and the like may nest.
	maxDepth = 32
	// maxCells is how many cells the tables of one formula may have.
	maxCells = 400
)

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
	top := p.row("")
	if p.failed {
		return Formula{}, false
	}
	w := writer{}
	w.string("<math")
	if display {
		w.string(` display="block"`)
	}
	w.string("><semantics>")
	w.element(group(top))
	w.string(`<annotation encoding="application/x-tex">`)
	w.escaped(source)
	w.string("</annotation></semantics></math>")
	return Formula{MathML: w.b, Width: w.width}, true
}
