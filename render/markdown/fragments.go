package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"
)

// Fragment is a link to a place in this document or in another one of the site.
type Fragment struct {
	Dest   string // as written, but for escapes
	Offset int    // in the source: where its text begins, or the block of raw HTML that it is in
}

// DeadFragments lists the links of a document, as for [Renderer.HTML], to places that do not exist. there
// reports whether the page that a relative path leads to has an id; it says yes of what is no page of the
// site.
func (m *Renderer) DeadFragments(root ast.Node, source []byte, there func(path, id string) bool) []Fragment {
	d := m.surveyed(root, source)
	var out []Fragment
	look := func(dest string, at int) {
		dest = browserTrim(dest)
		path, fragment, ok := strings.Cut(dest, "#")
		if _, absolute := urlScheme(dest); !ok || absolute || len(dest) >= 2 && isSlash(dest[0]) && isSlash(dest[1]) {
			return
		}
		switch {
		case path == "":
			_, ok = d.anchor(fragment)
		default:
			ok = fragment == "" || there(path, pageID(fragment))
		}
		if !ok {
			out = append(out, Fragment{dest, at})
		}
	}
	raw := func(n ast.Node, at int) {
		rawTokens(rawSource(n, source), func(t html.Token, _ []byte) {
			if t.Type == html.StartTagToken && t.Data == "a" {
				if href := rawAttr(t, "href"); href != "" {
					look(href, at)
				}
			}
		})
	}
	block := 0 // where the innermost one begins
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			block = n.Lines().At(0).Start
		}
		switch n := n.(type) {
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			at := block
			if text, ok := n.FirstChild().(*ast.Text); ok {
				at = text.Segment.Start
			}
			look(resolveMarkdown(n.Destination), at)
		case *ast.HTMLBlock:
			raw(n, block)
		case *ast.RawHTML:
			raw(n, n.Segments.At(0).Start)
		}
		return ast.WalkContinue, nil
	})
	return out
}

// IDs returns every id that a document, as for [Renderer.HTML], has on its page.
func (m *Renderer) IDs(root ast.Node, source []byte) map[string]bool {
	return m.surveyed(root, source).ids
}

func (m *Renderer) surveyed(root ast.Node, source []byte) *document {
	d := &document{Renderer: m, source: source, rawKept: true}
	d.survey(root)
	return d
}
