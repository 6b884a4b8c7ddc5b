// Package markdown renders parsed Markdown as the HTML of an article that is safe as it stands: raw HTML cleaned,
// code highlighted, formulas as MathML. It knows one document at a time; where relative links lead, the caller says.
package markdown

import (
	"errors"
	"fmt"

	"github.com/yuin/goldmark/ast"
)

// ErrTooLarge says that a document's HTML would pass 4 MiB, or 20 times a source of over 64 KiB.
var ErrTooLarge = errors.New("rendered output is too large")

const (
	maxBytes  = 4 << 20  // of HTML
	freeBytes = 64 << 10 // of source, up to which only maxBytes applies
	maxGrowth = 20       // times the source, beyond freeBytes
)

// Renderer renders parsed Markdown as the inside of an article: no script, no style attribute, no
// address but http, https and mailto, and no id that does not start with "s-". It is safe for
// concurrent use and keeps the code blocks that it has highlighted, in bounded memory, for the next
// call.
type Renderer struct {
	languages *languages
	highlight bool
	policy    *policy
}

// New returns a Renderer that highlights code, which takes most of a build's time, or leaves
// it plain.
func New(highlight bool) *Renderer {
	return &Renderer{languages: newLanguages(), highlight: highlight, policy: newPolicy()}
}

// HTML renders the tree that goldmark made of source, with its GFM and footnote extensions. The tree
// is only read. Headings with an id attribute get an anchor; the page has its own level 1, so their
// levels start at 2 and are their depth in the outline, whatever the number of # characters. A first
// heading that only repeats title is left out, its id stays. Links within the document are
// rewritten to its ids, relative ones by links (nil drops them all); where a link leads nowhere its
// text stays. The error is [ErrTooLarge] or says what could not be balanced.
func (m *Renderer) HTML(root ast.Node, source []byte, title string, links Links) ([]byte, error) {
	out, err := m.render(root, source, title, links, true)
	if errors.Is(err, errUnbalanced) {
		// Tags nested so oddly that the HTML parser gives up are shown as text.
		out, err = m.render(root, source, title, links, false)
	}
	return out, err
}

func (m *Renderer) render(root ast.Node, source []byte, title string, links Links, raw bool) ([]byte, error) {
	d := &document{
		Renderer: m,
		source:   source,
		title:    title,
		links:    links,
		rawKept:  raw,
		out:      boundedBuffer{limit: sizeLimit(len(source))},
	}
	d.out.b = make([]byte, 0, len(source)+len(source)/2)
	d.survey(root)
	if err := ast.Walk(root, d.visit); err != nil {
		return nil, err
	}
	if d.out.over {
		return nil, ErrTooLarge
	}
	if !d.rawSent {
		return d.out.b, nil
	}
	out, err := m.policy.clean(d.out.b, d.math)
	if err != nil {
		return nil, fmt.Errorf("clean raw HTML: %w", err)
	}
	if len(out) > d.out.limit {
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
