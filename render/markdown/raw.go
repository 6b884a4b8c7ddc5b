package markdown

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"
)

// rawMaxDepth is how many raw elements may be open at once; tags beyond it are text.
const rawMaxDepth = 64

// rawKind is the treatment of a raw tag.
type rawKind int

// The kinds of raw tags. Those above rawImage open an element.
const (
	rawText    rawKind = iota // shown as it is written: unknown, or known to be active
	rawVoid                   // has no content
	rawImage                  // treated as a Markdown image
	rawAnchor                 // treated as a Markdown link
	rawHeading                // joins the outline
	rawInline                 // closed at the end of the block that it is in
	rawBlock                  // may stay open over the blocks that follow it, as <details> does
)

// rawKinds are the kinds of tags; others are rawText.
var rawKinds = map[string]rawKind{"br": rawVoid, "hr": rawVoid, "img": rawImage, "a": rawAnchor}

// The tags that pass, by kind. None of them loads or runs anything.
func init() {
	for kind, tags := range map[rawKind]string{
		rawHeading: "h1 h2 h3 h4 h5 h6",
		rawInline:  "abbr b cite code del em i ins kbd mark p pre q s samp small span strong sub summary sup u var",
		rawBlock:   "blockquote caption dd details div dl dt li ol table tbody td th thead tr ul",
	} {
		for tag := range strings.FieldsSeq(tags) {
			rawKinds[tag] = kind
		}
	}
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

// rawTokens iterates over tokens and their source; the sources concatenated are src.
func rawTokens(src []byte) iter.Seq2[html.Token, []byte] {
	return func(yield func(html.Token, []byte) bool) {
		z := html.NewTokenizer(bytes.NewReader(src))
		for rest := src; len(rest) > 0; {
			n := len(rest) // a tag that does not end
			if z.Next() != html.ErrorToken {
				n = len(z.Raw())
			}
			raw := rest[:n]
			rest = rest[n:]
			if !yield(z.Token(), raw) {
				return
			}
		}
	}
}

// isStartTag reports whether a token is a start tag. HTML knows no self-closing ones but in formulas and drawings.
func isStartTag(t html.Token) bool {
	return t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken
}

// idsOfRaw returns the ids that the kept tags of a piece of raw HTML define.
func idsOfRaw(src []byte) []string {
	var ids []string
	for t := range rawTokens(src) {
		if id := rawID(t); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// rawHTMLBlock writes an HTML block. One that shows only text is a paragraph.
func (d *document) rawHTMLBlock(n *ast.HTMLBlock, entering bool) ast.WalkStatus {
	if !entering {
		return ast.WalkContinue
	}
	src := rawSource(n, d.source)
	bare := rawIsText(src, d.rawKept)
	open := len(d.rawOpen)
	if bare {
		d.print("<p>")
	}
	d.rawHTML(src, d.block)
	if bare {
		d.print("</p>\n")
	}
	// Of the elements that the block opened, inline ones end with it, and all within them.
	for i := open; i < len(d.rawOpen); i++ {
		if rawKinds[d.rawOpen[i]] != rawBlock {
			d.closeRaw(i)
		}
	}
	return ast.WalkContinue
}

// rawHTMLInline writes one tag or comment within a paragraph.
func (d *document) rawHTMLInline(n *ast.RawHTML, entering bool) ast.WalkStatus {
	if entering {
		d.rawHTML(rawSource(n, d.source), n.Segments.At(0).Start)
	}
	return ast.WalkSkipChildren
}

// rawIsText reports whether there is something in src to be shown, and no tag that is kept.
func rawIsText(src []byte, kept bool) bool {
	shown := false
	for t, raw := range rawTokens(src) {
		switch {
		case isStartTag(t) || t.Type == html.EndTagToken:
			if kept && rawKinds[t.Data] != rawText {
				return false
			}
			shown = true
		case t.Type == html.CommentToken:
			shown = shown || !isRawComment(raw)
		default:
			shown = shown || len(bytes.TrimSpace(raw)) > 0
		}
	}
	return shown
}

// isRawComment reports whether a comment has its end. The tokenizer also calls <?php a comment.
func isRawComment(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("<!--")) && bytes.HasSuffix(raw, []byte("-->"))
}

// rawHTML writes a piece of raw HTML: tags of the allow-list with hardly an attribute, comments not
// at all, everything else as text that the reader sees.
func (d *document) rawHTML(src []byte, offset int) {
	for t, raw := range rawTokens(src) {
		kind := rawKinds[t.Data]
		// End tags pass at any depth: they close elements that were let in.
		if !d.rawKept || kind > rawImage && isStartTag(t) && len(d.rawOpen) >= rawMaxDepth {
			kind = rawText
		}
		switch {
		case t.Type == html.TextToken:
			d.print(escape(t.Data))
		case t.Type == html.CommentToken && isRawComment(raw):
		case isStartTag(t) && kind != rawText:
			d.rawStart(t, kind, raw, offset)
		case t.Type == html.EndTagToken && kind != rawText:
			d.rawEnd(t.Data)
		default:
			d.print(escape(raw))
		}
	}
}

// rawStart writes a start tag of a kind that passes. raw is its source.
func (d *document) rawStart(t html.Token, kind rawKind, raw []byte, offset int) {
	switch kind {
	case rawVoid:
		d.rawSent = d.rawSent || t.Data != "br"
		d.printf("<%s>", t.Data)
	case rawImage:
		d.picture(rawAttr(t, "src"), rawAttr(t, "alt"))
	case rawAnchor:
		d.rawLink(t, raw, offset)
	case rawHeading:
		d.enterSection(int(t.Data[1] - '0'))
		d.openRaw("h"+strconv.Itoa(d.headingLevel()), d.newRawID(t))
	default:
		attrs := d.newRawID(t)
		if t.Data == "td" || t.Data == "th" {
			attrs += rawSpan(t, "colspan") + rawSpan(t, "rowspan")
		}
		d.openRaw(t.Data, attrs)
	}
}

// rawLink writes an <a> whose address is allowed; of others only an id stays, for links to it. With
// neither it is a word in angle brackets.
func (d *document) rawLink(t html.Token, raw []byte, offset int) {
	dest := rawAttr(t, "href")
	if dest == "" && rawAttr(t, "id") == "" && rawAttr(t, "name") == "" {
		d.print(escape(raw))
		return
	}
	// The id gets an element of its own: the <a> may be dropped, and links to the id stay.
	d.rawSent = true
	if rawID(t) != "" {
		d.printf("<span%s></span>", d.newRawID(t))
	}
	if dest != "" {
		d.noteFragment(dest, offset)
	}
	if href, ok := d.target(dest); ok && d.openAnchor(href, "", "") {
		d.rawOpen = append(d.rawOpen, "a")
	}
}

// openRaw writes a start tag.
func (d *document) openRaw(tag, attrs string) {
	d.rawSent = true
	d.rawOpen = append(d.rawOpen, tag)
	d.printf("<%s%s>", tag, attrs)
}

// rawEnd closes an element that was opened in the same place, with all that is open inside it. An end
// tag without a start is left out.
func (d *document) rawEnd(tag string) {
	// Elements below the mark belong to nodes around this one and are not closed from here.
	mark := d.rawMark[len(d.rawMark)-1]
	for i := len(d.rawOpen) - 1; i >= mark; i-- {
		if open := d.rawOpen[i]; open == tag || rawKinds[tag] == rawHeading && rawKinds[open] == rawHeading {
			d.closeRaw(i)
			return
		}
	}
}

// closeRaw closes all open raw elements but the first n.
func (d *document) closeRaw(n int) {
	for len(d.rawOpen) > n {
		last := len(d.rawOpen) - 1
		if d.rawOpen[last] == "a" {
			d.closeAnchor()
		} else {
			d.printf("</%s>", d.rawOpen[last])
		}
		d.rawOpen = d.rawOpen[:last]
	}
}

// rawID returns the id of a kept start tag, by id or by an anchor's name, if it is a plain word.
func rawID(t html.Token) string {
	if !isStartTag(t) || rawKinds[t.Data] < rawAnchor {
		return ""
	}
	id := rawAttr(t, "id")
	if id == "" && t.Data == "a" {
		id = rawAttr(t, "name")
	}
	// The set has no character that needs escaping, and none that a page's script could misread.
	if len(id) > 100 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" {
		return ""
	}
	return id
}

// newRawID returns a tag's id as an attribute where it first appears, else nothing.
func (d *document) newRawID(t html.Token) string {
	id := "s-" + rawID(t)
	if !d.rawIDs[id] {
		return ""
	}
	delete(d.rawIDs, id)
	return ` id="` + id + `"`
}

// rawSpan returns an attribute of a cell with how many columns or rows it spans, if that is a sane number.
func rawSpan(t html.Token, name string) string {
	n, err := strconv.Atoi(rawAttr(t, name))
	if err != nil || n <= 1 || n > 100 {
		return ""
	}
	return " " + name + `="` + strconv.Itoa(n) + `"`
}

// rawAttr returns the value of an attribute, empty when the tag has none of that name.
func rawAttr(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
