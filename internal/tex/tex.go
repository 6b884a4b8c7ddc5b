// Package tex turns a formula in the notation of TeX into MathML. It knows the part of that notation that
// is one formula by itself: no macros, numbers or references.
//
// The parser descends recursively. A row is a list of atoms up to a token that ends it: a closing brace, the next
// cell of a table, \right. An atom is a character, a command with its arguments or a group in braces, and may have
// scripts. Like in TeX, each atom has a class, and the classes of neighbours decide the space between them; most of
// that is left to browsers, whose operator dictionary has the same spaces. The elements come out as MathML Core
// (https://www.w3.org/TR/mathml-core/), which browsers draw without a script or a font of ours.
//
// The input is hostile: lengths, nesting and cells are bounded, and every character of the source is escaped.
//
// The package does not know where formulas stand in a text, nor how a page shows one that is not understood.
package tex

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Bounds of one formula.
const (
	// MaxBytes is the longest source that is read.
	MaxBytes = 4 << 10
	// maxDepth is how deep groups, fractions, roots and the like may nest.
	maxDepth = 32
	// maxToken is how many bytes of a token are read. All that are known are shorter.
	maxToken = 64
	// maxCells is how many cells the tables of one formula may have.
	maxCells = 400
)

// errSyntax is the panic by which the parser leaves off; [Parse] recovers from it.
var errSyntax = errors.New("not understood")

// Formula is a source that was understood.
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
	if len(source) > MaxBytes || strings.TrimSpace(source) == "" || !utf8.ValidString(source) {
		return Formula{}, false
	}
	p := parser{src: source, font: italic}
	// Every other panic is a defect and passes.
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

// element is one of MathML. Its tag and attributes are written as they are and come from this package; its
// text comes from the source.
type element struct {
	tag  string
	attr string
	text string
	kids []element
}

// group makes one element of a row.
func group(row []element) element {
	if len(row) == 1 {
		return row[0]
	}
	return element{tag: "mrow", kids: row}
}

// space is a gap of a width in CSS units.
func space(width string) element {
	return element{tag: "mspace", attr: ` width="` + width + `"`}
}

// thin is TeX's space before and after the name of a function.
var thin = space("0.1667em")

// Attributes of operators.
const (
	tight = ` lspace="0" rspace="0"` // takes no room of its own
	fixed = ` stretchy="false"`      // does not grow with its content
)

// append appends the element as HTML. Tags that have no content are closed like the others, which XML reads as well.
func (e element) append(b []byte) []byte {
	b = append(b, "<"+e.tag+e.attr+">"...)
	text, _ := mip.Printable(e.text)
	b = append(b, escaper.Replace(text)...)
	for _, k := range e.kids {
		b = k.append(b)
	}
	return append(b, "</"+e.tag+">"...)
}

// width is how many characters the element shows. Accents, lines of fractions and spaces have none.
func (e element) width() int {
	n := utf8.RuneCountInString(e.text)
	for _, k := range e.kids {
		n += k.width()
	}
	return n
}

// escaper replaces the characters that are markup in text and in quoted attributes.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
