// Package markdown renders parsed Markdown as the HTML of an article that is safe as it stands: raw HTML cleaned,
// code highlighted, formulas as MathML. It knows one document at a time; where relative links lead, the caller says.
package markdown

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/markdown"
)

// ErrTooLarge says that a document's HTML would pass 4 MiB, or 20 times a source of over 64 KiB.
var ErrTooLarge = errors.New("rendered output is too large")

const (
	maxBytes  = 4 << 20  // of HTML
	freeBytes = 64 << 10 // of source, up to which only maxBytes applies
	maxGrowth = 20       // times the source, beyond freeBytes
)

// Links resolves the destination of a relative link or image: no scheme, no host, no fragment, as
// written but for escapes. The href is root-relative, or absolute when the target is not part of the
// site; it may not hold a fragment. With ok false the link is dropped and its text stays.
type Links func(dest string) (href string, ok bool)

// Article is a rendered document.
type Article struct {
	HTML []byte
	// IDs are the ids of its elements.
	IDs map[string]bool
	// Fragments are its links to a fragment: of those within the document the broken ones, of those to
	// other pages all.
	Fragments []Fragment
}

// Fragment is a link to a place in a page.
type Fragment struct {
	Dest   string // the whole destination as written, but for escapes
	Path   string // relative path of the page; empty: a place in the document itself that does not exist
	ID     string // of the place on that page
	Offset int    // in the source: start of the link's text, or of the block of raw HTML that holds the link
}

// Renderer renders parsed Markdown as the inside of an article: no script, no style attribute, no
// address but http, https and mailto, and no id that does not start with "s-". It is safe for
// concurrent use.
type Renderer struct {
	highlight bool
	policy    *bluemonday.Policy
}

// New returns a Renderer that highlights code, which takes most of a build's time, or leaves it plain.
func New(highlight bool) *Renderer {
	return &Renderer{highlight: highlight, policy: newPolicy()}
}

// Render renders a document, which is only read. Headings with an id attribute get an anchor; the page
// has its own level 1, so their levels start at 2 and are their depth in the outline, whatever the number
// of # characters. A first heading that only repeats title is left out, its id stays. Links within the
// document are rewritten to its ids, relative ones by links (nil drops them all); where a link leads
// nowhere its text stays. The error is [ErrTooLarge] or says what could not be balanced.
func (r *Renderer) Render(source *markdown.Document, title string, links Links) (*Article, error) {
	d := newDocument(r, source, title, links, true)
	html, err := d.render(source.Root)
	if errors.Is(err, errUnbalanced) {
		// Tags nested so oddly that the HTML parser gives up are shown as text.
		d = newDocument(r, source, title, links, false)
		html, err = d.render(source.Root)
	}
	if err != nil {
		return nil, err
	}
	return &Article{HTML: html, IDs: d.ids, Fragments: d.fragments}, nil
}

func (d *document) render(root ast.Node) ([]byte, error) {
	html := &limitedBuffer{limit: sizeLimit(len(d.source))}
	html.b.Grow(len(d.source) * 3 / 2)
	d.out = bufio.NewWriter(html)
	err := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(d, 0))).Render(d.out, d.source, root)
	if err != nil || !d.rawSent {
		return html.b.Bytes(), err
	}
	out, err := d.clean(html.b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("clean raw HTML: %w", err)
	}
	if len(out) > html.limit {
		return nil, ErrTooLarge
	}
	return out, nil
}

func sizeLimit(source int) int {
	if source > freeBytes {
		return min(maxBytes, maxGrowth*source)
	}
	return maxBytes
}

// limitedBuffer is a buffer of at most limit bytes. A document that multiplies cannot fill the memory.
type limitedBuffer struct {
	b     bytes.Buffer
	limit int
}

// Write implements [io.Writer]. The error is [ErrTooLarge].
func (l *limitedBuffer) Write(p []byte) (int, error) {
	if l.b.Len()+len(p) > l.limit {
		return 0, ErrTooLarge
	}
	return l.b.Write(p)
}
