// Package markdown renders parsed Markdown as the HTML of an article that is safe as it stands: raw HTML cleaned,
// code highlighted, formulas as MathML.
//
// A document passes through three stages. First its ids are collected, since a link may come before the heading that
// it leads to. Then goldmark's renderer walks the tree, with functions of this package for the nodes whose HTML
// differs from goldmark's own. A document that holds raw HTML is cleaned at last, as there are two lines of defence:
//
//   - The tag filter (raw.go) sees every raw tag while it is written. Tags of an allow-list pass with hardly an
//     attribute, others become text that the reader sees. Each element ends with the node that its tag is in.
//   - The policy (sanitize.go) sees the whole article once more and lets pass only elements and attributes that this
//     package writes. An HTML parser then balances the elements and puts each where the standard allows it.
//
// Nothing depends on time: limits on code, formulas and output are properties of the text, so that the same text
// gives the same bytes on a busy machine, too.
//
// The package knows one document at a time; where relative links lead, the caller says.
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

// ErrTooLarge says that a document's HTML would pass 4 MiB, or 20 times a source of over 64 KiB.
var ErrTooLarge = errors.New("rendered output is too large")

// sizeLimit is how many bytes of HTML a source of that many bytes may become, so that a page stays in proportion.
func sizeLimit(source int) int {
	const (
		most   = 4 << 20
		free   = 64 << 10 // of source, up to which only most applies
		growth = 20       // times the source, beyond free
	)
	if source > free {
		return min(most, growth*source)
	}
	return most
}

// Links knows where links and images lead.
type Links interface {
	// Own is the page of this site, root-relative, that an address with http or https means; no fragment is in either. With
	// ok false it leads where it says.
	Own(address string) (href string, ok bool)
	// Link resolves a destination: no scheme, no host, no fragment, as written but for escapes. The href
	// is root-relative, or absolute when the target is not part of the site; it may not hold a fragment.
	// With ok false the link is dropped and its text stays.
	Link(dest string) (href string, ok bool)
}

// Article is a rendered document.
type Article struct {
	HTML []byte
	// IDs are the ids of its elements.
	IDs map[string]bool
	// Fragments are its links to a fragment: of those within the document the broken ones, of those to
	// other pages all.
	Fragments []Fragment
	// Dropped are its links and pictures that lead nowhere: no address of [Links], or one that the
	// policy refuses.
	Dropped []Dropped
}

// Dropped is a link or a picture whose text alone is shown.
type Dropped struct {
	// Dest is the destination as written, but for escapes; of a relative one the path.
	Dest string
	// Offset is as that of a [Fragment].
	Offset int
}

// Fragment is a link to a place in a page.
type Fragment struct {
	// Dest is the whole destination as written, but for escapes.
	Dest string
	// Path is the relative path of the page. Empty means a place in the document itself that does not exist.
	Path string
	// ID is that of the place on that page.
	ID string
	// Offset is where in the source the link's text begins, or the block of raw HTML that holds the link.
	Offset int
}

// Renderer renders parsed Markdown as the inside of an article: no script, no style attribute, no
// address but http, https and mailto, and no id that does not start with "s-". It is safe for
// concurrent use.
type Renderer struct {
	highlight bool
	policy    *bluemonday.Policy
	// Its functions are given the document as their writer.
	nodes renderer.Renderer
}

// New returns a Renderer that highlights code, which takes most of a build's time, or leaves it plain.
func New(highlight bool) *Renderer {
	nodes := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(functions{}, 0)))
	return &Renderer{highlight: highlight, policy: newPolicy(), nodes: nodes}
}

// Render renders a document, which is only read. Headings with an id attribute get an anchor; the page
// has its own level 1, so their levels start at 2 and are their depth in the outline, whatever the number
// of # characters. A first heading that only repeats title is left out, its id stays. Links within the
// document are rewritten to its ids, relative ones by links (nil drops them all); where a link leads
// nowhere its text stays. The error is [ErrTooLarge].
func (r *Renderer) Render(source *markdown.Document, title string, links Links) (*Article, error) {
	d := newDocument(r, source, title, links)
	html := &limitedBuffer{limit: sizeLimit(len(d.source))}
	html.Grow(len(d.source) * 3 / 2)
	// A bufio.Writer keeps its first error, so that the functions of nodes need not look at any.
	d.Writer = bufio.NewWriter(html)
	if err := r.nodes.Render(d, d.source, source.Root); err != nil {
		return nil, err
	}
	out := html.Bytes()
	if d.rawSent {
		var err error
		if out, err = d.clean(out); err != nil {
			// Tags are nested so oddly that the HTML parser gives up: the reader gets the source.
			out, d.ids = []byte("<pre>"+escape(d.source)+"</pre>\n"), map[string]bool{}
		}
	}
	if len(out) > html.limit {
		return nil, ErrTooLarge
	}
	return &Article{HTML: out, IDs: d.ids, Fragments: d.fragments, Dropped: d.dropped}, nil
}

// limitedBuffer is a buffer of at most limit bytes. A document that multiplies cannot fill the memory.
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
	// It keeps its first error.
	*bufio.Writer

	// Every id that the document will have.
	ids map[string]bool
	// The ids by their looseID.
	looseIDs  map[string]string
	fragments []Fragment
	dropped   []Dropped
	// The beginning of the footnotes' ids.
	notePrefix string
	// The heading that is left out, nil if there is none.
	titleHeading *ast.Heading

	// Offset of the innermost block that has begun.
	block int
	// Levels, as written, of the headings that enclose this place.
	outline []int
	// Tables, and formulas that scroll, so far.
	tables, formulas int
	// Bytes of MathML, and of code in blocks that name a language, so far.
	mathBytes, codeBytes int
	// The walk is within a Markdown link for which an <a> was written.
	inLink bool
	// The number of <a> that are open.
	inAnchor int

	// The document holds raw HTML.
	rawSeen bool
	// Raw HTML was written that must be cleaned.
	rawSent bool
	// Ids of raw HTML that are still to be written.
	rawIDs map[string]bool
	// Names of the raw elements that are open.
	rawOpen []string
	// The length of rawOpen at the start of each open node.
	rawMark []int
	// MathML that replaces the numbers of formulas, after cleaning.
	math [][]byte
}

// newDocument collects which ids the document will have, as a link may come before the heading that it
// leads to.
func newDocument(r *Renderer, source *markdown.Document, title string, links Links) *document {
	d := &document{
		Renderer: r, source: source.Body, title: title, links: links,
		ids: map[string]bool{}, rawIDs: map[string]bool{}, looseIDs: map[string]string{}, notePrefix: "s-fn",
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
	// Headings have their ids from the parser already; of two equal ids of raw tags the first counts.
	d.rawSeen = len(raw) > 0
	for _, n := range raw {
		for _, t := range rawTokens(n, d.source) {
			if id := t.id(); id != "" && !d.ids[id] {
				d.addID(id)
				d.rawIDs[id] = true
			}
		}
	}
	// An author may have named a heading "fn-1".
	for d.prefixTaken() {
		d.notePrefix += "-"
	}
	for _, n := range notes {
		d.addID(d.footnoteID(n))
	}
	return d
}

// addID adds an id of the document. Loose links lead to the first of the ids that differ only in signs.
func (d *document) addID(id string) {
	d.ids[id] = true
	loose := looseID(id)
	if _, ok := d.looseIDs[loose]; !ok && loose != "" {
		d.looseIDs[loose] = id
	}
}

// prefixTaken reports whether an author's id starts as the footnotes' would.
func (d *document) prefixTaken() bool {
	for id := range d.ids {
		if strings.HasPrefix(id, d.notePrefix+"-") || strings.HasPrefix(id, d.notePrefix+"ref-") {
			return true
		}
	}
	return false
}

// footnoteID is the id of a footnote, or of a reference to one.
func (d *document) footnoteID(n ast.Node) string {
	switch n := n.(type) {
	case *east.Footnote:
		return fmt.Sprintf("%s-%d", d.notePrefix, n.Index)
	case *east.FootnoteLink:
		return d.referenceID(n.Index, n.RefIndex)
	}
	return ""
}

// referenceID is the id of a reference to a footnote; use counts from 0.
func (d *document) referenceID(index, use int) string {
	id := fmt.Sprintf("%sref-%d", d.notePrefix, index)
	if use > 0 {
		id += fmt.Sprintf("-%d", use+1)
	}
	return id
}

// headingID is the id that the parser gave a heading; headings within quotes and lists have none.
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

// titleID is an id at the start of a title, such as "EIP-20:" or "MIP 7 - ".
var titleID = regexp.MustCompile(`^\pL{2,}[ -]*[0-9]+ *[:.\-\x{2013}\x{2014}][ :.\-\x{2013}\x{2014}]*`)

// sameTitle compares titles without their ids, letter case, signs and blanks.
func sameTitle(a, b string) bool {
	a, b = mip.Collapse(a), mip.Collapse(b)
	if a == b {
		return a != ""
	}
	bareA, bareB := titleID.ReplaceAllString(a, ""), titleID.ReplaceAllString(b, "")
	// Either title may have the id that the other lacks: "EIP-20: Token Standard" is "Token Standard".
	for _, pair := range [][2]string{{a, b}, {bareA, b}, {a, bareB}, {bareA, bareB}} {
		if s := looseID(pair[0]); s != "" && s == looseID(pair[1]) {
			return true
		}
	}
	return false
}

// print writes HTML. Text of the source is escaped by [escape] first.
func (d *document) print(html string) {
	_, _ = d.WriteString(html)
}

// printf writes HTML as print does.
func (d *document) printf(format string, args ...any) {
	fmt.Fprintf(d, format, args...)
}

// escape replaces the four characters that matter in text and in double quotes, and NUL, which no HTML
// document may hold.
func escape[T string | []byte](s T) string {
	return string(util.EscapeHTML([]byte(s)))
}
