package header

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Translation is a translation of a proposal as in its file. Its header has the form of a
// proposal's. A field is empty if the header does not have it.
type Translation struct {
	Title, Description string
	Of                 string // the contentHash of the text that was translated
	// Body is the text below the header. It begins at Line of the file, from 1.
	Body string
	Line int
}

// ParseTranslation parses a translation, without reading the proposal. The header must have the
// required fields; if there are none, no header is needed. It returns nil for a file that cannot be
// read, and r then has an error.
func ParseTranslation(raw string, required []string, r *problem.Report) *Translation {
	text, ok := Normalize(raw, r)
	isControl := func(c rune) bool { return c != '\t' && c != '\n' && unicode.IsControl(c) }
	if at := strings.IndexFunc(text, isControl); at >= 0 {
		c, _ := utf8.DecodeRuneInString(text[at:])
		r.Add(mip.LineAt(text, at), "translation-invalid/control-character", c)
	}
	if !ok || r.Failed {
		return nil
	}
	b, ok := readHeader(text, r)
	switch {
	case !ok:
		return nil
	case b == nil && len(required) > 0:
		r.Add(1, "translation-invalid/no-header")
		return nil
	case b == nil:
		b = &block{}
	}
	t := &Translation{Body: text[b.body:], Line: mip.LineAt(text, b.body)}
	const of = "translation-of"
	fields := decode(b, r, "title", "description", fieldName(of))
	for _, f := range fields.order {
		if f.name == fieldName(of) && !mip.IsContentHash(fields.get(of).text()) {
			r.Add(f.line, "translation-invalid/hash")
		}
	}
	for _, name := range required {
		if fields.get(name).text() == "" {
			r.Add(t.Line-1, "translation-invalid/missing", name) // at the closing fence
		}
	}
	t.Title, t.Description = fields.get("title").text(), fields.get("description").text()
	t.Of = fields.get(of).text()
	return t
}
