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

// writer writes elements and measures them.
type writer struct {
	b     []byte
	width int
}

func (w *writer) string(s string) { w.b = append(w.b, s...) }

// escaped writes a text so that no character in it is markup. What XML forbids becomes U+FFFD.
func (w *writer) escaped(s string) {
	for _, c := range s {
		switch {
		case c == '&':
			w.string("&amp;")
		case c == '<':
			w.string("&lt;")
		case c == '>':
			w.string("&gt;")
		case c == '"':
			w.string("&quot;")
		case c < ' ' && c != '\n' && c != '\t', c == 0xFFFE, c == 0xFFFF:
			w.string("\uFFFD")
		default:
			w.b = utf8.AppendRune(w.b, c)
		}
	}
}

func (w *writer) element(e element) {
	w.string("<" + e.tag + e.attr + ">")
	w.escaped(e.text)
	w.width += utf8.RuneCountInString(e.text)
	for _, k := range e.kids {
		w.element(k)
	}
	w.string("</" + e.tag + ">")
}
