package markdown

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"
)

// rawMaxDepth bounds the raw elements that are open at once; tags beyond it are text.
const rawMaxDepth = 64

// rawKind is the treatment of a raw tag.
type rawKind int

// Kinds of raw tags. Kinds above rawImage open an element.
const (
	// rawText: the tag is shown as written, since it is unknown, or known to be active.
	rawText rawKind = iota
	// rawVoid: the element has no content.
	rawVoid
	// rawImage: the tag is treated as a Markdown image.
	rawImage
	// rawAnchor: the tag is treated as a Markdown link.
	rawAnchor
	// rawHeading: the element joins the outline.
	rawHeading
	// rawInline: the element is closed at the end of its block.
	rawInline
	// rawBlock: the element may stay open over the following blocks, as <details> does.
	rawBlock
)

// rawKinds maps tags to their kinds; others are rawText. No tag that passes loads or runs anything.
var rawKinds = map[string]rawKind{}

func init() {
	for kind, tags := range map[rawKind]string{
		rawVoid: "br hr", rawImage: "img", rawAnchor: "a", rawHeading: "h1 h2 h3 h4 h5 h6",
		rawInline: "abbr b cite code del em i ins kbd mark p pre q s samp small span strong sub " +
			"summary sup u var",
		rawBlock: "blockquote caption dd details div dl dt li ol table tbody td th thead tr ul",
	} {
		for tag := range strings.FieldsSeq(tags) {
			rawKinds[tag] = kind
		}
	}
}

// rawToken is a token of raw HTML with its source.
type rawToken struct {
	html.Token
	source []byte
}

// isStart reports whether the token is a start tag. HTML has no self-closing tags except in
// formulas and drawings.
func (t rawToken) isStart() bool {
	return t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken
}

// isComment reports whether the token is a comment with its end. The tokenizer also treats <?php as
// a comment.
func (t rawToken) isComment() bool {
	return t.Type == html.CommentToken &&
		bytes.HasPrefix(t.source, []byte("<!--")) && bytes.HasSuffix(t.source, []byte("-->"))
}

// rawTokens returns the tokens of an HTML block or of an inline tag. Their sources concatenated are
// the node's source.
func rawTokens(n ast.Node, source []byte) (out []rawToken) {
	var src []byte
	switch n := n.(type) {
	case *ast.HTMLBlock:
		src = n.Lines().Value(source)
		if n.HasClosure() {
			src = append(slices.Clip(src), n.ClosureLine.Value(source)...)
		}
	case *ast.RawHTML:
		src = n.Segments.Value(source)
	}
	// The tokenizer drops the text of a tag that does not end, so take it from the source.
	z := html.NewTokenizer(bytes.NewReader(src))
	for len(src) > 0 {
		n := len(src) // a tag that does not end
		if z.Next() != html.ErrorToken {
			n = len(z.Raw())
		}
		out = append(out, rawToken{z.Token(), src[:n]})
		src = src[n:]
	}
	return out
}

// rawHTMLBlock writes an HTML block. A block that shows only text becomes a paragraph.
func (d *document) rawHTMLBlock(n *ast.HTMLBlock) {
	tokens := rawTokens(n, d.source)
	kept := func(t rawToken) bool {
		return (t.isStart() || t.Type == html.EndTagToken) && rawKinds[t.Data] != rawText
	}
	shown := func(t rawToken) bool {
		return !t.isComment() && (t.Type != html.TextToken || len(bytes.TrimSpace(t.source)) > 0)
	}
	open := len(d.rawOpen)
	if !slices.ContainsFunc(tokens, kept) && slices.ContainsFunc(tokens, shown) {
		d.print("<p>")
		d.rawHTML(tokens, d.block)
		d.print("</p>\n")
	} else {
		d.rawHTML(tokens, d.block)
	}
	// End the inline elements that the block opened, and all within them.
	for i := open; i < len(d.rawOpen); i++ {
		if rawKinds[d.rawOpen[i]] != rawBlock {
			d.closeRaw(i)
		}
	}
}

// rawHTML writes a piece of raw HTML: tags of the allow-list with hardly any attributes, no
// comments, everything else as visible text.
func (d *document) rawHTML(tokens []rawToken, offset int) {
	for _, t := range tokens {
		kind := rawKinds[t.Data]
		// End tags pass at any depth: they close elements that were accepted.
		if kind > rawImage && t.isStart() && len(d.rawOpen) >= rawMaxDepth {
			kind = rawText
		}
		switch {
		case t.Type == html.TextToken:
			d.print(escape(t.Data))
		case t.isComment():
		case t.isStart() && kind != rawText:
			d.rawStart(t, kind, offset)
		case t.Type == html.EndTagToken && kind != rawText:
			d.rawEnd(t.Data)
		default:
			d.print(escape(t.source))
		}
	}
}

// rawStart writes a start tag of a kind that passes.
func (d *document) rawStart(t rawToken, kind rawKind, offset int) {
	switch kind {
	case rawVoid:
		d.rawSent = d.rawSent || t.Data != "br"
		d.printf("<%s>", t.Data)
	case rawImage:
		d.rawPicture(t, offset)
	case rawAnchor:
		d.rawLink(t, offset)
	case rawHeading:
		d.enterSection(int(t.Data[1] - '0'))
		d.openRaw("h"+strconv.Itoa(d.headingLevel()), d.newRawID(t))
	default:
		var attrs strings.Builder
		attrs.WriteString(d.newRawID(t))
		for _, name := range []string{"colspan", "rowspan"} {
			const most = 100
			if n, err := strconv.Atoi(t.attr(name)); err == nil && n > 1 && n <= most &&
				(t.Data == "td" || t.Data == "th") {
				attrs.WriteString(" " + name + `="` + strconv.Itoa(n) + `"`)
			}
		}
		d.openRaw(t.Data, attrs.String())
	}
}

// rawLink writes an <a> whose address is allowed; otherwise only its id stays, for links to it.
// With neither it is a word in angle brackets.
func (d *document) rawLink(t rawToken, offset int) {
	dest := t.attr("href")
	if dest == "" && t.attr("id") == "" && t.attr("name") == "" {
		d.print(escape(t.source))
		return
	}
	// The id gets a separate element: the <a> may be dropped, but links to the id stay valid.
	d.rawSent = true
	if t.id() != "" {
		d.printf("<span%s></span>", d.newRawID(t))
	}
	if dest == "#"+strings.TrimPrefix(t.id(), "s-") {
		return // it leads to itself: it only marks a place
	}
	if href, ok := d.target(dest, offset); ok && d.openAnchor(href, "", "") {
		d.rawOpen = append(d.rawOpen, "a")
	}
}

// openRaw writes a start tag.
func (d *document) openRaw(tag, attrs string) {
	d.rawSent = true
	d.rawOpen = append(d.rawOpen, tag)
	d.printf("<%s%s>", tag, attrs)
}

// rawEnd closes an element that was opened in the same node, with all that is open inside it. An
// end tag without a start is left out.
func (d *document) rawEnd(tag string) {
	// Elements below the mark belong to enclosing nodes and are not closed from here.
	mark := d.rawMark[len(d.rawMark)-1]
	for i := len(d.rawOpen) - 1; i >= mark; i-- {
		if open := d.rawOpen[i]; open == tag ||
			rawKinds[tag] == rawHeading && rawKinds[open] == rawHeading {
			d.closeRaw(i)
			return
		}
	}
}

// closeRaw closes all open raw elements except the first n.
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

// id returns the id that a start tag will have, from its id or an anchor's name, if that is a plain
// word.
func (t rawToken) id() string {
	if !t.isStart() || rawKinds[t.Data] < rawAnchor {
		return ""
	}
	id := t.attr("id")
	if id == "" && t.Data == "a" {
		id = t.attr("name")
	}
	// No character of this set needs escaping, and none can confuse a page's script.
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	if id == "" || len(id) > 100 || strings.Trim(id, plain) != "" {
		return ""
	}
	return "s-" + id
}

// newRawID returns a tag's id as an attribute at its first occurrence, else an empty string.
func (d *document) newRawID(t rawToken) string {
	id := t.id()
	if !d.rawIDs[id] {
		return ""
	}
	delete(d.rawIDs, id)
	return ` id="` + id + `"`
}

// attr returns the value of an attribute, empty if the tag has none of that name.
func (t rawToken) attr(name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
