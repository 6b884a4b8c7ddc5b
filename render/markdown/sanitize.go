package markdown

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// newPolicy returns the second line of defense after the tag filter, for documents with raw HTML:
// it accepts exactly the elements and attributes that this package writes.
func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("figcaption", "figure", "section")
	for tag, kind := range rawKinds {
		if kind != rawImage && kind != rawAnchor {
			p.AllowElements(tag)
		}
	}
	// By default bluemonday drops a span without attributes.
	p.AllowNoAttrs().OnElements("span")
	for _, a := range []struct{ names, value, elements string }{
		{"href title", `(?s).*`, "a"},
		{"src alt loading decoding", `(?s).*`, "img"},
		{"width height", `[0-9]+`, "img"},
		{"checked disabled", `(?s).*`, "input"},
		{"aria-label", `(?s).*`, "a div input pre section span"},
		{"id", `s-\S*`, ""},
		{"class", `[a-z]+( [a-z-]+)?`, ""},
		{"tabindex", `0`, "div pre span"},
		{"role", `group|region|note|doc-noteref|doc-backlink|doc-endnotes`, "a div section span"},
		{"scope", `col`, "th"},
		{"colspan rowspan", `[0-9]+`, "td th"},
		{"start", `[0-9]+`, "ol"},
		{"rel", `noopener`, "a"},
		{"type", `checkbox`, "input"},
	} {
		attr := p.AllowAttrs(strings.Fields(a.names)...).Matching(
			regexp.MustCompile(`^(` + a.value + `)$`))
		if a.elements == "" {
			attr.Globally()
		} else {
			attr.OnElements(strings.Fields(a.elements)...)
		}
	}
	// Addresses were checked when they were written; this applies the same rule to the whole
	// article.
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(false)
	return p
}

// clean filters an article and closes its open elements, so that none encloses the rest of the
// page. Then it puts the insets in. The error is from an HTML parser that gives up.
func (d *document) clean(article []byte) ([]byte, error) {
	root := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: atom.Div.String()}
	nodes, err := html.ParseFragment(bytes.NewReader(d.policy.SanitizeBytes(article)), root)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	// The first element with an id keeps it. A parser that balances <b id=x><div> duplicates the b.
	ids := map[string]bool{}
	for n := range root.Descendants() {
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
			twice := a.Key == "id" && ids[a.Val]
			ids[a.Val] = ids[a.Val] || a.Key == "id"
			return twice
		})
	}
	var out bytes.Buffer
	for n := range root.ChildNodes() {
		if err := html.Render(&out, n); err != nil {
			return nil, err
		}
	}
	return d.putInsets(out.Bytes()), nil
}

// inset returns MathML or SVG, or its placeholder if the article must be clean first: the policy
// knows neither, since their parsing rules are a known way for HTML to get past such policies.
func (d *document) inset(markup []byte) string {
	if !d.rawSeen {
		return string(markup)
	}
	d.rawSent = true
	d.insets = append(d.insets, markup)
	return fmt.Sprintf(`<span class="inset">%d</span>`, len(d.insets)-1)
}

// insetMark matches a placeholder. No text of an author can match: raw tags have no class.
var insetMark = regexp.MustCompile(`(<span class="inset">)([0-9]+)(</span>)`)

// putInsets replaces the placeholders in a clean article.
func (d *document) putInsets(article []byte) []byte {
	return insetMark.ReplaceAllFunc(article, func(mark []byte) []byte {
		m := insetMark.FindSubmatch(mark)
		if i, err := strconv.Atoi(string(m[2])); err == nil && i < len(d.insets) {
			return fmt.Appendf(nil, "%s%s%s", m[1], d.insets[i], m[3])
		}
		return mark
	})
}
