package render

import (
	"errors"
	"fmt"

	"github.com/yuin/goldmark/ast"
)

// ErrTooLarge says that a document's HTML would pass 4 MiB, or 20 times a source of over 64 KiB.
var ErrTooLarge = errors.New("rendered output is too large")

const (
	markdownMaxBytes  = 4 << 20  // of HTML
	markdownFreeBytes = 64 << 10 // of source, up to which only markdownMaxBytes applies
	markdownMaxGrowth = 20       // times the source, beyond markdownFreeBytes
)

// Markdown renders parsed Markdown as the inside of an article: no script, no style attribute, no
// address but http, https and mailto, and no id that does not start with "s-". It is safe for
// concurrent use and keeps the code blocks that it has highlighted, in bounded memory, for the next
// call.
type Markdown struct {
	languages *markdownLanguages
	highlight bool
	policy    *markdownPolicy
}

// NewMarkdown returns a Markdown that highlights code, which takes most of a build's time, or leaves
// it plain.
func NewMarkdown(highlight bool) *Markdown {
	return &Markdown{languages: newMarkdownLanguages(), highlight: highlight, policy: newMarkdownPolicy()}
}

// HTML renders the tree that goldmark made of source, with its GFM and footnote extensions. The tree
// is only read. Headings with an id attribute get an anchor; the page has its own level 1, so their
// levels start at 2 and are their depth in the outline, whatever the number of # characters. A first
// heading that only repeats title is left out, its id stays. Links within the document are
// rewritten to its ids, relative ones by links (nil drops them all); where a link leads nowhere its
// text stays. The error is [ErrTooLarge] or says what could not be balanced.
func (m *Markdown) HTML(root ast.Node, source []byte, title string, links Links) ([]byte, error) {
	out, err := m.render(root, source, title, links, true)
	if errors.Is(err, errUnbalanced) {
		// Tags nested so oddly that the HTML parser gives up are shown as text.
		out, err = m.render(root, source, title, links, false)
	}
	return out, err
}

func (m *Markdown) render(root ast.Node, source []byte, title string, links Links, raw bool) ([]byte, error) {
	d := &markdownDoc{
		Markdown: m,
		source:   source,
		title:    title,
		links:    links,
		rawKept:  raw,
		out:      boundedBuffer{limit: markdownLimit(len(source))},
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

func markdownLimit(source int) int {
	if source > markdownFreeBytes {
		return min(markdownMaxBytes, markdownMaxGrowth*source)
	}
	return markdownMaxBytes
}
