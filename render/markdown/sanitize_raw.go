package markdown

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"
)

// rawMaxDepth is how many raw elements may be open at once; tags beyond it are text.
const rawMaxDepth = 64

// rawKind says what becomes of a raw tag.
type rawKind int

const (
	rawText   rawKind = iota // shown as it is written: unknown, or known to be active
	rawVoid                  // br and hr
	rawImage                 // treated as a Markdown image
	rawAnchor                // a
	rawHead                  // h1 to h6: joins the outline
	rawInline                // closed at the end of the block that it is in
	rawBlock                 // may stay open over the blocks that follow it, as <details> does
)

func rawKindOf(tag string) rawKind {
	switch tag {
	case "br", "hr":
		return rawVoid
	case "img":
		return rawImage
	case "a":
		return rawAnchor
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return rawHead
	case "abbr", "b", "cite", "code", "del", "em", "i", "ins", "kbd", "mark", "p", "pre", "q", "s", "samp", "small",
		"span", "strong", "sub", "summary", "sup", "u", "var":
		return rawInline
	case "blockquote", "caption", "dd", "details", "div", "dl", "dt", "li", "ol", "table", "tbody", "td", "th", "thead",
		"tr", "ul":
		return rawBlock
	}
	return rawText
}

// rawSource returns the source of an HTML block or of an inline tag.
func rawSource(n ast.Node, source []byte) []byte {
	switch n := n.(type) {
	case *ast.HTMLBlock:
		src := n.Lines().Value(source)
		if n.HasClosure() {
			src = append(slices.Clip(src), n.ClosureLine.Value(source)...)
		}
		return src
	case *ast.RawHTML:
		return n.Segments.Value(source)
	}
	return nil
}

// rawTokens calls f with each token and its source; the sources concatenated are src.
func rawTokens(src []byte, f func(t html.Token, raw []byte)) {
	z := html.NewTokenizer(bytes.NewReader(src))
	for done := 0; done < len(src); {
		end := z.Next() == html.ErrorToken
		raw := bytes.Clone(z.Raw())
		if end {
			raw = src[done:] // a tag that does not end
		}
		done += len(raw)
		if end {
			f(html.Token{Type: html.ErrorToken}, raw)
			return
		}
		f(z.Token(), raw)
	}
}

// rawBlock writes an HTML block. One that shows only text is a paragraph.
func (d *document) rawBlock(src []byte) {
	bare := rawIsText(src, d.rawKept)
	start := len(d.rawOpen)
	d.wrap(bare, "<p>", "")
	d.rawHTML(src)
	d.wrap(bare, "</p>\n", "")
	for i := start; i < len(d.rawOpen); i++ {
		if rawKindOf(d.rawOpen[i]) != rawBlock {
			d.closeRaw(i)
			break
		}
	}
}

// rawIsText reports whether there is something in src to be shown, and no tag that is kept.
func rawIsText(src []byte, kept bool) bool {
	shown, tags := false, false
	rawTokens(src, func(t html.Token, raw []byte) {
		switch t.Type {
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			known := kept && rawKindOf(t.Data) != rawText
			tags, shown = tags || known, shown || !known
		case html.CommentToken:
			shown = shown || !isRawComment(raw)
		default:
			shown = shown || len(bytes.TrimSpace(raw)) > 0
		}
	})
	return shown && !tags
}

func isRawComment(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("<!--")) && bytes.HasSuffix(raw, []byte("-->"))
}

// rawHTML writes a piece of raw HTML: tags of the allow-list with hardly an attribute, comments not
// at all, everything else as text that the reader sees.
func (d *document) rawHTML(src []byte) {
	rawTokens(src, func(t html.Token, raw []byte) {
		switch {
		case t.Type == html.TextToken:
			d.out.escaped(t.Data)
		case t.Type == html.CommentToken && isRawComment(raw):
		case !d.rawKept:
			d.out.escaped(string(raw))
		case t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken:
			d.rawStart(t, raw)
		case t.Type == html.EndTagToken:
			d.rawEnd(t.Data, raw)
		default:
			d.out.escaped(string(raw))
		}
	})
}

func (d *document) rawStart(t html.Token, raw []byte) {
	kind := rawKindOf(t.Data)
	if kind > rawImage && len(d.rawOpen) >= rawMaxDepth {
		kind = rawText
	}
	switch kind {
	case rawText:
		d.out.escaped(string(raw))
	case rawVoid:
		d.rawSent = d.rawSent || t.Data != "br"
		d.out.strings("<", t.Data, ">")
	case rawImage:
		d.picture(rawAttr(t, "src"), rawAttr(t, "alt"))
	case rawAnchor:
		d.rawAnchor(t, raw)
	case rawHead:
		d.outlineLevel(int(t.Data[1] - '0'))
		d.openRaw("h" + strconv.Itoa(min(1+len(d.outline), 6)))
		d.writeRawID(t)
		d.out.strings(">")
	default:
		d.openRaw(t.Data)
		d.writeRawID(t)
		for _, name := range []string{"colspan", "rowspan"} {
			n, err := strconv.Atoi(rawAttr(t, name))
			if (t.Data == "td" || t.Data == "th") && err == nil && 1 < n && n <= 100 {
				d.out.strings(" ", name, `="`, strconv.Itoa(n), `"`)
			}
		}
		d.out.strings(">")
	}
}

// rawAnchor writes an <a> whose address is allowed; of others only an id stays, for links to it. With
// neither it is a word in angle brackets.
func (d *document) rawAnchor(t html.Token, raw []byte) {
	if rawAttr(t, "href") == "" && rawAttr(t, "id") == "" && rawAttr(t, "name") == "" {
		d.out.escaped(string(raw))
		return
	}
	d.rawSent = true
	if rawID(t) != "" {
		d.out.strings("<span")
		d.writeRawID(t)
		d.out.strings("></span>")
	}
	if target, ok := d.target(rawAttr(t, "href")); ok && d.openAnchor(target, "", "") {
		d.rawOpen = append(d.rawOpen, "a")
	}
}

// openRaw writes a start tag up to its attributes.
func (d *document) openRaw(tag string) {
	d.rawSent = true
	d.rawOpen = append(d.rawOpen, tag)
	d.out.strings("<", tag)
}

// rawEnd closes an element that was opened in the same place, with all that is open inside it. An end
// tag without a start is no text of anybody's: it goes.
func (d *document) rawEnd(tag string, raw []byte) {
	kind := rawKindOf(tag)
	if kind == rawText {
		d.out.escaped(string(raw))
		return
	}
	mark := d.rawMark[len(d.rawMark)-1]
	for i := len(d.rawOpen) - 1; i >= mark; i-- {
		if open := d.rawOpen[i]; open == tag || kind == rawHead && rawKindOf(open) == rawHead {
			d.closeRaw(i)
			return
		}
	}
}

// closeRaw closes what is open beyond the first n raw elements.
func (d *document) closeRaw(n int) {
	for len(d.rawOpen) > n {
		last := len(d.rawOpen) - 1
		if d.rawOpen[last] == "a" {
			d.closeAnchor()
		} else {
			d.out.strings("</", d.rawOpen[last], ">")
		}
		d.rawOpen = d.rawOpen[:last]
	}
}

// rawID returns the id of a kept tag, by id or by an anchor's name, if it is a plain word.
func rawID(t html.Token) string {
	switch rawKindOf(t.Data) {
	case rawText, rawVoid, rawImage:
		return ""
	}
	id := rawAttr(t, "id")
	if id == "" && t.Data == "a" {
		id = rawAttr(t, "name")
	}
	if len(id) > 100 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" {
		return ""
	}
	return id
}

// writeRawID writes a tag's id where it first appears.
func (d *document) writeRawID(t html.Token) {
	id := "s-" + rawID(t)
	if d.rawIDs[id] {
		delete(d.rawIDs, id)
		d.out.strings(` id="`, id, `"`)
	}
}

func rawAttr(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
