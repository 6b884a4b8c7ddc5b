package corpus

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

	"github.com/mipwatch/mipwatch/internal/formula"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// bodyParser is made once: it keeps no state between documents and is safe for concurrent use.
var bodyParser = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(
		extension.Table, extension.Strikethrough, extension.TaskList, bareLinks{}, extension.Footnote, formula.Extension{})).Parser()
})

// parse reads a body that the limits allow. Raw is not set.
func parse(body []byte) *Document { return parseWords(body, string(body)) }

// parseWords is parse for a body that there is as a string already, which the sections share.
func parseWords(body []byte, words string) *Document {
	doc := &Document{Body: body, Root: bodyParser().Parse(text.NewReader(body))}
	doc.Sections = sections(doc, words)
	return doc
}

// Sections reads a Markdown text that stands in a file of another kind than a proposal, under the same
// limits; first is the file's line at which it begins. A text that breaks them has no sections and
// problems that say why, without the file's name. render is as in [Options.Render].
func Sections(text []byte, first int, render func(*Document) error) ([]mip.Section, []mip.Problem) {
	var r report
	suspicious, ok := limits(text, first, &r)
	if !ok {
		return nil, r.problems
	}
	doc := parse(text)
	ld := &loader{}
	if suspicious {
		ld.render = render
	}
	if !ld.bounded(doc, first, &r) {
		return nil, r.problems
	}
	return doc.Sections, nil
}

// Join parses the text that sections of [Sections] are put together, and gives its headings the ids that
// the sections now have. Raw is not set.
func Join(sections []mip.Section) *Document {
	var text strings.Builder
	for _, s := range sections {
		text.WriteString(s.Markdown)
	}
	doc := parseWords([]byte(text.String()), text.String())
	at := 0
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		for at < len(sections) && sections[at].Level == 0 {
			at++
		}
		if at == len(sections) {
			break
		}
		h.SetAttributeString("id", []byte(sections[at].ID))
		at++
	}
	doc.Sections = sections
	return doc
}

// sections cuts the body at the document's own headings and gives each heading its id.
func sections(doc *Document, words string) []mip.Section {
	out := []mip.Section{}
	if len(doc.Body) == 0 {
		return out
	}
	ids := idSet{}
	starts := []int{}
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		start := headingStart(h, doc.Body)
		if len(starts) == 0 && len(bytes.TrimSpace(doc.Body[:start])) > 0 {
			out, starts = append(out, mip.Section{ID: ids.add("text")}), append(starts, 0)
		}
		if len(starts) == 0 {
			start = 0
		}
		title := plainText(h, doc.Body)
		id := ids.add(title)
		h.SetAttributeString("id", []byte(id))
		out, starts = append(out, mip.Section{ID: id, Level: h.Level, Title: title}), append(starts, start)
	}
	if len(out) == 0 {
		out, starts = append(out, mip.Section{ID: ids.add("text")}), append(starts, 0)
	}
	for i := range out {
		end := len(words)
		if i+1 < len(out) {
			end = starts[i+1]
		}
		out[i].Markdown = words[starts[i]:end]
	}
	return out
}

// headingStart is the offset of the beginning of the heading's first line.
func headingStart(h *ast.Heading, body []byte) int {
	at := h.Pos()
	if h.Lines().Len() > 0 {
		at = h.Lines().At(0).Start
	}
	return bytes.LastIndexByte(body[:max(at, 0)], '\n') + 1
}

// firstTitle returns the text of the first heading of level 1, or the empty string.
func firstTitle(doc *Document) string {
	for _, s := range doc.Sections {
		if s.Level == 1 && s.Title != "" {
			return s.Title
		}
	}
	return ""
}

// plainText is what a reader sees of an inline text: entities and escapes resolved, marks gone.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	appendText(&b, n, source)
	return foldBlanks(b.String())
}

func appendText(b *strings.Builder, n ast.Node, source []byte) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			if c.IsRaw() {
				b.Write(c.Segment.Value(source))
			} else {
				b.Write(resolve(c.Segment.Value(source)))
			}
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(resolve(c.Value))
		case *ast.CodeSpan:
			for t := c.FirstChild(); t != nil; t = t.NextSibling() {
				if t, ok := t.(*ast.Text); ok {
					b.Write(t.Segment.Value(source))
				}
			}
		case *ast.AutoLink:
			b.Write(c.Label(source))
		case *ast.RawHTML:
		default:
			appendText(b, c, source)
		}
	}
}

func resolve(s []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(s)))
}

// idSet gives every heading an id of its own: how often each id has been asked for again.
type idSet map[string]int

// add returns an id for a heading with that text: letters and digits of any script, as GitHub makes
// them, prefixed so that no id can name a property of the page's script (constructor, location).
func (ids idSet) add(title string) string {
	var b strings.Builder
	b.WriteString("s-")
	for _, c := range strings.ToLower(title) {
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
	for base := id; ; id = base + "-" + strconv.Itoa(ids[base]) {
		if _, taken := ids[id]; !taken {
			ids[id] = 0
			return id
		}
		ids[base]++
	}
}
