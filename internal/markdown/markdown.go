// Package markdown parses Markdown: it has the goldmark parser with its extensions, limits for
// texts, and the sections, plain text and passages of a parsed text. It knows no headers and writes
// no HTML.
package markdown

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// newParser is called once: a parser keeps no state between texts and is safe for concurrent use.
var newParser = sync.OnceValue(func() parser.Parser {
	extensions := goldmark.WithExtensions(
		extension.Table, extension.Strikethrough, extension.TaskList, bareLinks{},
		extension.Footnote, Formulas{}, alerts{})
	return goldmark.New(extensions).Parser()
})

// Document is a parsed text. It is immutable and therefore safe for concurrent use.
type Document struct {
	// Text is the text, with LF line ends.
	Text string
	// Body is the same as bytes.
	Body []byte
	// Root is the tree over Body; each section's heading has its id attribute.
	Root ast.Node
	// Sections is never nil; its Markdown values concatenated are Body.
	Sections []mip.Section
}

// Parse parses a UTF-8 text with LF line ends. It is slow for texts that [Check] refuses.
func Parse(body string) *Document {
	doc := &Document{Text: body, Body: []byte(body)}
	doc.Root = newParser().Parse(text.NewReader(doc.Body))
	doc.Sections = sections(doc, body)
	return doc
}

// Join parses the concatenated sections of a [Document], and gives its headings the ids that the
// sections have now.
func Join(sections []mip.Section) *Document {
	var text strings.Builder
	for _, s := range sections {
		text.WriteString(s.Markdown)
	}
	doc := Parse(text.String())
	headings := doc.headings()
	for _, s := range sections {
		// The section before the first heading has no heading that could get an id.
		if s.Level > 0 && len(headings) > 0 {
			headings[0].SetAttributeString("id", []byte(s.ID))
			headings = headings[1:]
		}
	}
	doc.Sections = sections
	return doc
}

// headings returns the document's own headings, not those in quotes or lists.
func (d *Document) headings() (out []*ast.Heading) {
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			out = append(out, h)
		}
	}
	return out
}

// sections splits the body at the document's own headings and gives each heading its id.
func sections(doc *Document, body string) []mip.Section {
	ids, out, end := idSet{}, []mip.Section{}, 0
	begin := func(start int, s mip.Section) {
		if last := len(out) - 1; last >= 0 {
			out[last].Markdown = body[end:start]
		}
		out, end = append(out, s), start
	}
	for _, h := range doc.headings() {
		start := headingStart(h, doc.Body)
		// Text before the first heading is a section; blank lines are not.
		if len(out) == 0 && strings.TrimSpace(body[:start]) != "" {
			begin(0, mip.Section{ID: ids.add("text")})
		} else if len(out) == 0 {
			start = 0
		}
		s := mip.Section{Level: h.Level, Title: PlainText(h, doc.Body)}
		s.ID = ids.add(s.Title)
		h.SetAttributeString("id", []byte(s.ID))
		begin(start, s)
	}
	if len(out) == 0 && body != "" {
		begin(0, mip.Section{ID: ids.add("text")})
	}
	if last := len(out) - 1; last >= 0 {
		out[last].Markdown = body[end:]
	}
	return out
}

// headingStart returns the offset of the heading's first line.
func headingStart(h *ast.Heading, body []byte) int {
	at := h.Pos()
	if h.Lines().Len() > 0 {
		at = h.Lines().At(0).Start
	}
	return bytes.LastIndexByte(body[:max(at, 0)], '\n') + 1
}

// Title returns the text of the first heading of level 1, empty if there is none.
func (d *Document) Title() string {
	for _, s := range d.Sections {
		if s.Level == 1 && s.Title != "" {
			return s.Title
		}
	}
	return ""
}

// longestID bounds an id in bytes, except for the last letter and a number.
const longestID = 200

// idSet gives each heading a unique id. It counts, by id, the headings with the same text.
type idSet map[string]int

// add returns an id for a heading with that text: letters and digits of any script, in the style of
// GitHub, with a prefix, so that no id can be a global name of the page's script (constructor,
// location). The id of a long heading is made from its beginning.
func (ids idSet) add(title string) string {
	var b strings.Builder
	b.WriteString("s-")
	for _, c := range strings.ToLower(title) {
		if b.Len() >= longestID {
			break
		}
		switch {
		case unicode.IsLetter(c), unicode.IsMark(c), unicode.IsDigit(c), c == '_', c == '-':
			b.WriteRune(c)
		case unicode.IsSpace(c):
			b.WriteByte('-')
		}
	}
	id := b.String()
	if id == "s-" {
		id = "s-section"
	}
	// Two headings with the text a have the ids s-a and s-a-1.
	for base := id; ; id = base + "-" + strconv.Itoa(ids[base]) {
		if _, taken := ids[id]; !taken {
			ids[id] = 0
			return id
		}
		ids[base]++
	}
}

// bareLinks is goldmark's linkify extension behind a quick test: it is called at each blank, and
// searches for an e-mail address from there.
type bareLinks struct{ parser.InlineParser }

// Extend adds the parser where goldmark's own extension would.
func (bareLinks) Extend(m goldmark.Markdown) {
	const priority = 999
	m.Parser().AddOptions(parser.WithInlineParsers(
		util.Prioritized(bareLinks{extension.NewLinkifyParser()}, priority)))
}

// Parse calls goldmark's parser only where an address can begin.
func (p bareLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	// The part before an @ has at most mostLocal bytes (RFC 5321, section 4.5.3.1.1). Searching
	// further would be quadratic in the length of a line.
	const mostLocal = 64
	line, _ := block.PeekLine()
	// the characters at which it is called
	if len(line) > 0 && strings.IndexByte(" *_~(", line[0]) >= 0 {
		line = line[1:]
	}
	schemes := len(line) > 0 && (line[0] == 'h' || line[0] == 'f' || line[0] == 'w')
	if !schemes && bytes.IndexByte(line[:min(len(line), mostLocal+1)], '@') < 0 {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}

// PlainText returns the text of the inline nodes below n as a reader sees it, on one line: entities
// and escapes are resolved, marks and HTML are removed.
func PlainText(n ast.Node, source []byte) string {
	var b strings.Builder
	appendText(&b, n, source)
	return mip.OneLine(mip.Collapse(b.String()))
}

// appendText appends the text of the inline nodes below n.
func appendText(b *strings.Builder, n ast.Node, source []byte) {
	code := n.Kind() == ast.KindCodeSpan
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			if value := c.Segment.Value(source); code || c.IsRaw() {
				b.Write(value)
			} else {
				b.Write(resolve(value))
			}
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(resolve(c.Value))
		case *ast.AutoLink:
			b.Write(c.Label(source))
		case *ast.RawHTML:
			if bytes.HasPrefix(c.Segments.Value(source), []byte("<br")) {
				b.WriteByte(' ')
			}
		default:
			appendText(b, c, source)
		}
	}
}

// resolve replaces backslash escapes and entities by their characters.
func resolve(s []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(s)))
}
