package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// newPolicy returns the second line behind the tag filter, for documents that hold raw HTML: it lets
// exactly the elements and attributes pass that this package writes.
func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("figcaption", "figure", "section")
	for tag, kind := range rawKinds {
		if kind != rawImage && kind != rawAnchor {
			p.AllowElements(tag)
		}
	}
	// bluemonday drops a span without attributes unless it is told not to.
	p.AllowNoAttrs().OnElements("span")
	for _, a := range []struct{ names, value, elements string }{
		{"href title", `(?s).*`, "a"},
		{"src alt loading decoding", `(?s).*`, "img"},
		{"checked disabled", `(?s).*`, "input"},
		{"aria-label", `(?s).*`, "a div input pre section span"},
		{"id", `s-\S*`, ""},
		{"class", `[a-z]+`, ""},
		{"tabindex", `0`, "div pre span"},
		{"role", `group|region|doc-noteref|doc-backlink|doc-endnotes`, "a div section span"},
		{"scope", `col`, "th"},
		{"colspan rowspan", `[0-9]+`, "td th"},
		{"start", `[0-9]+`, "ol"},
		{"rel", `noopener`, "a"},
		{"type", `checkbox`, "input"},
	} {
		attr := p.AllowAttrs(strings.Fields(a.names)...).Matching(regexp.MustCompile(`^(` + a.value + `)$`))
		if a.elements == "" {
			attr.Globally()
		} else {
			attr.OnElements(strings.Fields(a.elements)...)
		}
	}
	// Addresses were judged when they were written; this holds the same rule for the whole article.
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(false)
	return p
}

// clean filters an article and closes its open elements, so that none encloses the rest of the page. Then it
// puts the formulas in. The error is that of an HTML parser that gives up.
func (d *document) clean(article []byte) ([]byte, error) {
	root := newElement(atom.Div)
	nodes, err := html.ParseFragment(bytes.NewReader(d.policy.SanitizeBytes(article)), root)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	arrange(root, false)
	// Ids are made unique after elements have moved: the first in the text keeps its own. A parser that balances
	// <b id=x><div> makes two of the b.
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
	return d.putFormulas(out.Bytes()), nil
}

// isBlock reports whether an element may not stand within a line (HTML standard, section 4, content models).
func isBlock(tag string) bool {
	switch kind := rawKinds[tag]; tag {
	case "figcaption", "figure", "hr", "p", "pre", "section", "summary":
		return true
	default:
		return kind == rawHeading || kind == rawBlock
	}
}

// arrange gives the elements below n the places that the HTML standard allows them: a parser keeps a list item
// without a list, or a paragraph in a heading, where it stands. inline says that n is inside of an element that
// may hold only text and inline elements.
func arrange(n *html.Node, inline bool) {
	inline = inline || rawKinds[n.Data] == rawHeading || rawKinds[n.Data] == rawInline
	for _, c := range slices.Collect(n.ChildNodes()) {
		if c.Type != html.ElementNode {
			continue
		}
		heading := rawKinds[c.Data] == rawHeading
		switch {
		// A summary may hold a heading, which is the one block within a line that the standard allows.
		case inline && isBlock(c.Data) && !(heading && n.Data == "summary"):
			makeNeutral(c, atom.Span)
		case isStray(c):
			makeNeutral(c, atom.Div)
		}
		arrange(c, inline)
		if (c.Data == "a" || heading) && isEmpty(c) { // there is no link, and no heading
			makeNeutral(c, atom.Span)
		}
	}
	switch n.DataAtom {
	case atom.Ul, atom.Ol:
		wrapOthers(n, atom.Li, atom.Li)
	case atom.Dl:
		wrapOthers(n, atom.Dd, atom.Dt, atom.Dd, atom.Div)
	case atom.Details:
		putSummaryFirst(n)
	}
}

// makeNeutral makes n an element without a meaning: of its attributes the id stays, for links to it.
func makeNeutral(n *html.Node, a atom.Atom) {
	n.Data, n.DataAtom = a.String(), a
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key != "id" })
}

// isStray reports whether an element is a part of one that is not around it.
func isStray(n *html.Node) bool {
	parent := n.Parent.Data
	switch n.Data {
	case "li":
		return parent != "ul" && parent != "ol"
	case "dt", "dd":
		grouped := parent == "div" && n.Parent.Parent != nil && n.Parent.Parent.Data == "dl"
		return parent != "dl" && !grouped
	case "summary":
		return parent != "details"
	}
	return false
}

// isEmpty reports whether an element shows nothing.
func isEmpty(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.Type == html.TextNode && !isBlank(c) || c.DataAtom == atom.Img {
			return false
		}
	}
	return true
}

// isBlank reports whether a node is text that shows nothing.
func isBlank(n *html.Node) bool {
	return n.Type == html.TextNode && strings.TrimSpace(n.Data) == ""
}

// newElement returns an element without attributes.
func newElement(a atom.Atom) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
}

// wrapOthers puts the children of a list that are none of its parts into parts.
func wrapOthers(list *html.Node, wrapper atom.Atom, parts ...atom.Atom) {
	// A run of other children gets one part together. A blank between parts stays as it is.
	var open *html.Node
	for _, c := range slices.Collect(list.ChildNodes()) {
		if slices.Contains(parts, c.DataAtom) || isBlank(c) && open == nil {
			open = nil
			continue
		}
		if open == nil {
			open = newElement(wrapper)
			list.InsertBefore(open, c)
		}
		list.RemoveChild(c)
		open.AppendChild(c)
	}
}

// putSummaryFirst lets a <details> begin with its one summary: a browser shows any as if it did. Further ones are no
// summaries.
func putSummaryFirst(n *html.Node) {
	children := slices.Collect(n.ChildNodes())
	lead := slices.IndexFunc(children, func(c *html.Node) bool { return !isBlank(c) })
	i := slices.IndexFunc(children, func(c *html.Node) bool { return c.DataAtom == atom.Summary })
	if i < 0 {
		summary := newElement(atom.Summary)
		summary.AppendChild(&html.Node{Type: html.TextNode, Data: "Details"})
		n.InsertBefore(summary, n.FirstChild)
		return
	}
	if i > lead {
		n.RemoveChild(children[i])
		n.InsertBefore(children[i], n.FirstChild)
	}
	for _, c := range children[i+1:] {
		if c.DataAtom == atom.Summary {
			makeNeutral(c, atom.Div)
		}
	}
}
