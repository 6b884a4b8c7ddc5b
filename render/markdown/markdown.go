// Package markdown renders parsed Markdown as the HTML of an article that is safe to embed: raw
// HTML is sanitized, code highlighted, formulas are MathML, and diagrams SVG.
//
// Rendering has three stages. First the document's ids are collected, since a link may precede the
// heading to which it leads. Then goldmark's renderer walks the tree, with functions of this
// package for the nodes whose HTML differs from goldmark's own. Finally a document with raw HTML is
// sanitized. There are two lines of defense:
//
//   - The tag filter (raw.go) sees each raw tag while it is written. Tags of an allow-list pass
//     with hardly any attributes, others become visible text. Each element ends with the node
//     that contains its tag.
//   - The policy (sanitize.go) sees the whole article once more and passes only elements and
//     attributes that this package writes. An HTML parser then balances the elements and puts each
//     where the standard allows it.
//
// Nothing depends on time: limits on code, formulas and output are properties of the text, so that
// the same text gives the same bytes on a busy machine, too.
//
// The package knows one document at a time; the caller resolves relative links.
package markdown

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// ErrTooLarge reports HTML over 4 MiB, or over 20 times a source of more than 64 KiB.
var ErrTooLarge = errors.New("rendered output is too large")

// sizeLimit returns the most bytes of HTML for a source of that many bytes, so that a page stays in
// proportion.
func sizeLimit(source int) int {
	const (
		most   = 4 << 20
		free   = 64 << 10 // bytes of source up to which only most applies
		growth = 20       // times the source, beyond free
	)
	if source > free {
		return min(most, growth*source)
	}
	return most
}

// Links resolves links and images.
type Links interface {
	// Own returns the page of this site, root-relative, at an http or https address; neither has a
	// fragment. If ok is false the address is not on this site.
	Own(address string) (href string, ok bool)
	// Link resolves a destination: no scheme, no host, no fragment, as written except for escapes.
	// The href is root-relative, or absolute if the target is not part of the site; it must not
	// have a fragment. If ok is false the link is dropped and its text stays.
	Link(dest string) (href string, ok bool)
	// Picture returns the picture of the site at a destination as for Link, or at an address of the
	// web. If ok is false the picture is shown as a link.
	Picture(dest string) (p Picture, ok bool)
}

// Picture is a picture of the site.
type Picture struct {
	// Href is root-relative.
	Href string
	// Width and Height are in pixels.
	Width, Height int
}

// Article is a rendered document.
type Article struct {
	HTML []byte
	// IDs are the ids of its elements.
	IDs map[string]bool
	// Fragments are its links to a fragment: the broken ones within the document, and all to other
	// pages.
	Fragments []Fragment
	// Dropped lists its links that lead nowhere, and its pictures that are not shown: [Links] has
	// no address or no picture, or the policy refuses it. It also lists diagrams that are not
	// drawn.
	Dropped []Dropped
}

// Dropped is a link that became its text, a picture that became a link or a text, or a diagram that
// became its source.
type Dropped struct {
	// Dest is the destination as written, except for escapes; for a relative one the path.
	Dest string
	// Offset is as in a [Fragment].
	Offset int
	// Picture is true for a relative picture.
	Picture bool
	// Undrawn is the reason why a diagram is not drawn, and empty for links and pictures. The
	// offset is then in the line that prevents the drawing.
	Undrawn string
}

// Fragment is a link to a place in a page.
type Fragment struct {
	// Dest is the whole destination as written, except for escapes.
	Dest string
	// Path is the relative path of the page. Empty means a missing place in the document itself.
	Path string
	// ID is the id of the place on that page.
	ID string
	// Offset is the position in the source of the link's text, or of the raw HTML block that
	// contains the link.
	Offset int
}

// Renderer renders parsed Markdown as the contents of an article: no script, no style attribute, no
// address but http, https and mailto, and no id that does not start with "s-". It is safe for
// concurrent use.
type Renderer struct {
	highlight bool
	policy    *bluemonday.Policy
	// nodes calls its functions with the document as their writer.
	nodes renderer.Renderer
}

// New returns a Renderer that highlights code, which takes a seventh of a build's time, or leaves
// it plain.
func New(highlight bool) *Renderer {
	nodes := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(functions{}, 0)))
	return &Renderer{highlight: highlight, policy: newPolicy(), nodes: nodes}
}

// Render renders a document without changing it. Headings with an id attribute get an anchor; the
// page has its own level 1, so their levels start at 2 and are their depth in the outline, whatever
// the number of # characters. A first heading that only repeats title is left out, but its id
// stays. Links within the document are rewritten to its ids, relative ones by links (nil drops them
// all); the text of a link that leads nowhere stays. The error is [ErrTooLarge].
func (r *Renderer) Render(source *markdown.Document, title string, links Links) (*Article, error) {
	d := newDocument(r, source, title, links)
	html := &limitedBuffer{limit: sizeLimit(len(d.source))}
	html.Grow(len(d.source) * 3 / 2)
	// A bufio.Writer keeps its first error, so the functions of nodes need not check any.
	d.Writer = bufio.NewWriter(html)
	if err := r.nodes.Render(d, d.source, source.Root); err != nil {
		return nil, err
	}
	out := html.Bytes()
	if d.rawSent {
		var err error
		if out, err = d.clean(out); err != nil {
			// Tags are nested so deep that the HTML parser gives up: the reader gets the source.
			out, d.ids = []byte("<pre>"+escape(d.source)+"</pre>\n"), map[string]bool{}
		}
	}
	if len(out) > html.limit {
		return nil, ErrTooLarge
	}
	return &Article{HTML: out, IDs: d.ids, Fragments: d.fragments, Dropped: d.dropped}, nil
}

// limitedBuffer is a buffer of at most limit bytes. A document that multiplies cannot exhaust
// memory.
type limitedBuffer struct {
	bytes.Buffer
	limit int
}

// Write implements [io.Writer]. The error is [ErrTooLarge].
func (l *limitedBuffer) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.limit {
		return 0, ErrTooLarge
	}
	return l.Buffer.Write(p)
}

// document is one rendering of one document.
type document struct {
	*Renderer
	source []byte
	title  string
	links  Links
	// The writer keeps its first error.
	*bufio.Writer

	// ids holds each id that the document will have.
	ids map[string]bool
	// looseIDs maps the looseID of each id to the id.
	looseIDs  map[string]string
	fragments []Fragment
	dropped   []Dropped
	// notePrefix is the beginning of the footnotes' ids.
	notePrefix string
	// titleHeading is the heading that is left out, nil if there is none.
	titleHeading *ast.Heading

	// block is the offset of the innermost block that has begun.
	block int
	// outline holds the levels, as written, of the enclosing headings.
	outline []int
	// tables, formulas and diagrams count the tables, the formulas that scroll, and the drawings,
	// so far.
	tables, formulas, diagrams int
	// mathBytes, diagramBytes and codeBytes count MathML, SVG, and code in blocks with a language,
	// so far.
	mathBytes, diagramBytes, codeBytes int
	// inLink reports that the walk is within a Markdown link for which an <a> was written.
	inLink bool
	// inAnchor is the number of open <a> elements.
	inAnchor int

	// rawSeen reports that the document contains raw HTML.
	rawSeen bool
	// rawSent reports that raw HTML was written that must be sanitized.
	rawSent bool
	// rawIDs holds the ids of raw HTML that are still to be written.
	rawIDs map[string]bool
	// rawOpen holds the names of the open raw elements.
	rawOpen []string
	// rawMark holds the length of rawOpen at the start of each open node.
	rawMark []int
	// insets holds the MathML and the SVG that replace placeholders after sanitizing.
	insets [][]byte
}

// newDocument collects the ids that the document will have, since a link may precede the heading to
// which it leads.
func newDocument(r *Renderer, source *markdown.Document, title string, links Links) *document {
	d := &document{
		Renderer: r, source: source.Body, title: title, links: links,
		ids: map[string]bool{}, rawIDs: map[string]bool{}, looseIDs: map[string]string{},
		notePrefix: "s-fn",
	}
	d.titleHeading = d.findTitle(source.Root)
	var raw, notes []ast.Node
	_ = ast.Walk(source.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if id := headingID(n); id != "" {
				d.addID(id)
			}
		case *ast.Image: // its children are only its alternative text
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock, *ast.RawHTML:
			raw = append(raw, n)
		case *east.FootnoteLink, *east.Footnote:
			notes = append(notes, n)
		}
		return ast.WalkContinue, nil
	})
	// The parser has set the ids of headings; of two equal ids of raw tags the first counts.
	d.rawSeen = len(raw) > 0
	for _, n := range raw {
		for _, t := range rawTokens(n, d.source) {
			if id := t.id(); id != "" && !d.ids[id] {
				d.addID(id)
				d.rawIDs[id] = true
			}
		}
	}
	// A heading of an author may have the id "fn-1".
	for d.prefixTaken() {
		d.notePrefix += "-"
	}
	for _, n := range notes {
		d.addID(d.footnoteID(n))
	}
	return d
}

// addID adds an id of the document. Loose links lead to the first of the ids that differ only in
// signs.
func (d *document) addID(id string) {
	d.ids[id] = true
	loose := looseID(id)
	if _, ok := d.looseIDs[loose]; !ok && loose != "" {
		d.looseIDs[loose] = id
	}
}

// prefixTaken reports whether an id of the author starts like the footnotes' ids.
func (d *document) prefixTaken() bool {
	for id := range d.ids {
		if strings.HasPrefix(id, d.notePrefix+"-") || strings.HasPrefix(id, d.notePrefix+"ref-") {
			return true
		}
	}
	return false
}

// footnoteID returns the id of a footnote, or of a reference to one.
func (d *document) footnoteID(n ast.Node) string {
	switch n := n.(type) {
	case *east.Footnote:
		return fmt.Sprintf("%s-%d", d.notePrefix, n.Index)
	case *east.FootnoteLink:
		return d.referenceID(n.Index, n.RefIndex)
	}
	return ""
}

// referenceID returns the id of a reference to a footnote; use counts from 0.
func (d *document) referenceID(index, use int) string {
	id := fmt.Sprintf("%sref-%d", d.notePrefix, index)
	if use > 0 {
		id += fmt.Sprintf("-%d", use+1)
	}
	return id
}

// headingID returns the id that the parser set on a heading; headings within quotes and lists have
// none.
func headingID(n *ast.Heading) string {
	value, _ := n.AttributeString("id")
	id, _ := value.([]byte)
	return string(id)
}

// findTitle returns the first heading of the document if it only repeats the title.
func (d *document) findTitle(root ast.Node) *ast.Heading {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			plain := !holdsLink(h) && !holds(h, markdown.KindFormula)
			if h.Level == 1 && plain && sameTitle(markdown.PlainText(h, d.source), d.title) {
				return h
			}
			return nil
		}
	}
	return nil
}

// titleID matches an id at the start of a title, such as "EIP-20:" or "MIP 7 - ".
var titleID = regexp.MustCompile(
	`^\pL{2,}[ -]*[0-9]+ *[:.\-\x{2013}\x{2014}][ :.\-\x{2013}\x{2014}]*`)

// sameTitle compares titles without their ids, letter case, signs and blanks.
func sameTitle(a, b string) bool {
	a, b = mip.Collapse(a), mip.Collapse(b)
	if a == b {
		return a != ""
	}
	bareA, bareB := titleID.ReplaceAllString(a, ""), titleID.ReplaceAllString(b, "")
	// Either title may have an id that the other lacks: "EIP-20: Token Standard" equals "Token
	// Standard".
	for _, pair := range [][2]string{{a, b}, {bareA, b}, {a, bareB}, {bareA, bareB}} {
		if s := looseID(pair[0]); s != "" && s == looseID(pair[1]) {
			return true
		}
	}
	return false
}

// print writes HTML. The caller must [escape] text of the source first.
func (d *document) print(html string) {
	_, _ = d.WriteString(html)
}

// printf writes formatted HTML like print.
func (d *document) printf(format string, args ...any) {
	fmt.Fprintf(d, format, args...)
}

// escape replaces the four characters that matter in text and in double quotes, and NUL, which HTML
// forbids.
func escape[T string | []byte](s T) string {
	return string(util.EscapeHTML([]byte(s)))
}
