package tex

import "unicode/utf8"

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

func space(width string) element {
	return element{tag: "mspace", attr: ` width="` + width + `"`}
}

// thin is TeX's space beside the name of a function.
var thin = space("0.1667em")

// tight is the attributes of an operator that takes no room of its own.
const tight = ` lspace="0" rspace="0"`

// append appends the element as HTML.
func (e element) append(b []byte) []byte {
	b = append(b, "<"+e.tag+e.attr+">"...)
	b = appendEscaped(b, e.text)
	for _, k := range e.kids {
		b = k.append(b)
	}
	return append(b, "</"+e.tag+">"...)
}

// width is how many characters the element shows.
func (e element) width() int {
	n := utf8.RuneCountInString(e.text)
	for _, k := range e.kids {
		n += k.width()
	}
	return n
}

// escapes are the characters that are markup in text and in quoted attributes.
var escapes = map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;"}

// appendEscaped appends a text so that no character in it is markup. What XML forbids becomes U+FFFD.
func appendEscaped(b []byte, s string) []byte {
	for _, c := range s {
		switch {
		case escapes[c] != "":
			b = append(b, escapes[c]...)
		case c < ' ' && c != '\n' && c != '\t', c == 0xFFFE, c == 0xFFFF:
			b = append(b, "\uFFFD"...)
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return b
}
