package render

import (
	"html/template"
	"strconv"
	"sync"
)

// markup collects HTML in Go for the parts that every page repeats, where a template's reflection
// would be most of a build. Whatever an author or an operator wrote goes through text.
type markup []byte

// raw appends what is HTML as it stands.
func (m *markup) raw(parts ...string) {
	for _, s := range parts {
		*m = append(*m, s...)
	}
}

// around appends a part with what stands before and after it, or nothing when there is no such part.
func (m *markup) around(before string, part template.HTML, after string) {
	if part != "" {
		m.raw(before, string(part), after)
	}
}

// text appends s escaped for the text of an element or a quoted attribute.
func (m *markup) text(s string) { *m = appendEscaped(*m, s) }

// meta appends <meta KIND="name" content="value">.
func (m *markup) meta(kind, name, value string) {
	m.raw("<meta ", kind, `="`, name, `" content="`)
	m.text(value)
	m.raw("\">\n")
}

// link appends a link of a class, which may be empty, to a path of this site or a web address.
func (m *markup) link(class, href, rel, label string) {
	m.raw("<a")
	if class != "" {
		m.raw(` class="`, class, `"`)
	}
	m.raw(` href="`)
	m.text(href)
	if rel != "" {
		m.raw(`" rel="`, rel)
	}
	m.raw(`">`, label, "</a>")
}

// time appends a day or a moment with its form for programs.
func (m *markup) time(program, people string) {
	m.raw(`<time datetime="`, program, `">`, people, "</time>")
}

// number appends n in digits.
func (m *markup) number(n int) { *m = strconv.AppendInt(*m, int64(n), 10) }

func escaped(s string) string { return template.HTMLEscapeString(s) }

func (m markup) html() template.HTML { return template.HTML(m) }

// markups are those that [markup.end] has taken back.
var markups = sync.Pool{New: func() any { return new(markup) }}

// begin returns an empty one for a part of a page that is as good as always there: a build makes thousands.
func begin() *markup { return markups.Get().(*markup) }

// end returns the HTML and takes the markup back: it is not to be used any more.
func (m *markup) end() template.HTML {
	const mostKept = 64 << 10 // bytes
	out := m.html()
	if cap(*m) <= mostKept {
		*m = (*m)[:0]
		markups.Put(m)
	}
	return out
}

// appendEscaped appends s with the four characters that matter in text and in double quotes replaced,
// and NUL, which no HTML document may hold.
func appendEscaped(b []byte, s string) []byte {
	from := 0
	for i := range len(s) {
		var e string
		switch s[i] {
		case '&':
			e = "&amp;"
		case '<':
			e = "&lt;"
		case '>':
			e = "&gt;"
		case '"':
			e = "&quot;"
		case 0:
			e = "\ufffd"
		default:
			continue
		}
		b = append(append(b, s[from:i]...), e...)
		from = i + 1
	}
	return append(b, s[from:]...)
}
