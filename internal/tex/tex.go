// Package tex converts a TeX formula into MathML. It knows the part of the notation within a single
// formula: no macros, numbers or references.
//
// It is a recursive descent parser. A row is a list of atoms up to a token that ends it: a closing
// brace, the next cell of a table, \right. An atom is a character, a command with its arguments or
// a group in braces, and may have scripts. As in TeX, each atom has a class, and the classes of
// neighbors determine the space between them; most of that is left to browsers, whose operator
// dictionary has the same spaces. The output is MathML Core (https://www.w3.org/TR/mathml-core/),
// which browsers draw without a script or a special font.
//
// The input is untrusted: lengths, nesting and cells are bounded, and all characters of the source
// are escaped.
//
// The package does not know where formulas are in a text, nor how a page shows one that is not
// understood.
package tex

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Bounds of one formula.
const (
	// MaxBytes bounds the source, in bytes.
	MaxBytes = 4 << 10
	// maxDepth bounds the nesting of groups, fractions, roots and the like.
	maxDepth = 32
	// maxToken bounds a token, in bytes. All known tokens are shorter.
	maxToken = 64
	// maxCells bounds the cells of all tables in one formula.
	maxCells = 400
)

// errSyntax is the panic value with which the parser gives up; [Parse] recovers from it.
var errSyntax = errors.New("not understood")

// Formula is a parsed source.
type Formula struct {
	// MathML is a math element with the source as its annotation. It is well-formed in HTML and in
	// XML, and consists of a fixed set of elements and attributes, whatever the source.
	MathML []byte
	// Width is its approximate width in letters. Browsers do not break it across lines.
	Width int
}

// Parse parses a source without its dollar signs. ok is false unless all of it is understood: there
// are no partial formulas. Its time is linear in the length of the source.
func Parse(source string, display bool) (f Formula, ok bool) {
	if len(source) > MaxBytes || strings.TrimSpace(source) == "" || !utf8.ValidString(source) {
		return Formula{}, false
	}
	p := parser{src: source, font: italic}
	// Any other panic is a defect and is passed on.
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

// element is a MathML element. Its tag and attributes come from this package and are written
// unescaped; its text comes from the source.
type element struct {
	tag  string
	attr string
	text string
	kids []element
}

// group returns one element for a row.
func group(row []element) element {
	if len(row) == 1 {
		return row[0]
	}
	return element{tag: "mrow", kids: row}
}

// space returns a gap of a width in CSS units.
func space(width string) element {
	return element{tag: "mspace", attr: ` width="` + width + `"`}
}

// thin is TeX's space before and after the name of a function.
var thin = space("0.1667em")

// Attributes of operators.
const (
	tight = ` lspace="0" rspace="0"` // without space around it
	fixed = ` stretchy="false"`      // does not grow with its content
)

// append appends the element as HTML. Empty elements have end tags, too, which is also valid XML.
func (e element) append(b []byte) []byte {
	b = append(b, "<"+e.tag+e.attr+">"...)
	text, _ := mip.Printable(e.text)
	b = append(b, escaper.Replace(text)...)
	for _, k := range e.kids {
		b = k.append(b)
	}
	return append(b, "</"+e.tag+">"...)
}

// width returns the number of characters that the element shows. Accents, fraction lines and spaces
// count as zero.
func (e element) width() int {
	n := utf8.RuneCountInString(e.text)
	for _, k := range e.kids {
		n += k.width()
	}
	return n
}

// escaper escapes characters that are markup in text and in quoted attributes.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
