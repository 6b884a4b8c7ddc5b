package markdown

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// errUnbalanced says that the HTML parser gave up.
var errUnbalanced = errors.New("unbalanced HTML")

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
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^s-\S*$`)).Globally()
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^[a-z]+$`)).Globally()
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("div", "pre", "span")
	p.AllowAttrs("role").Matching(regexp.MustCompile(`^(group|region|doc-noteref|doc-backlink|doc-endnotes)$`)).OnElements("a", "div", "section", "span")
	p.AllowAttrs("aria-label").OnElements("a", "div", "input", "pre", "section", "span")
	p.AllowAttrs("scope").Matching(regexp.MustCompile(`^col$`)).OnElements("th")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href", "title").OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile(`^noopener$`)).OnElements("a")
	p.AllowAttrs("src", "alt", "loading", "decoding").OnElements("img")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	// Addresses were judged when they were written; this holds the same rule for the whole article.
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(false)
	return p
}

// clean filters an article and closes its open elements, so that none encloses the rest of the page. Then it
// puts the formulas in.
func (d *document) clean(article []byte) ([]byte, error) {
	root := newElement(atom.Div)
	nodes, err := html.ParseFragment(bytes.NewReader(d.policy.SanitizeBytes(article)), root)
	if err != nil {
		return nil, errors.Join(errUnbalanced, err)
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	// Ids are made unique after elements have moved: the first in the text keeps its own.
	arrange(root, false)
	keepFirstIDs(root)
	var out bytes.Buffer
	for n := range root.ChildNodes() {
		putFormulas(n, d.math)
		if err := html.Render(&out, n); err != nil {
			return nil, errors.Join(errUnbalanced, err)
		}
	}
	return out.Bytes(), nil
}

// keepFirstIDs removes an id that an element before has: a parser that balances <b id=x><div> makes
// two of the b.
func keepFirstIDs(root *html.Node) {
	ids := map[string]bool{}
	for n := range root.Descendants() {
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
			if a.Key != "id" {
				return false
			}
			twice := ids[a.Val]
			ids[a.Val] = true
			return twice
		})
	}
}

// Elements by the content and the place that the HTML standard allows them (section 4, content models).
var (
	headings = newSet("h1 h2 h3 h4 h5 h6")
	// inlineOnly hold text and inline elements alone.
	inlineOnly = newSet("h1 h2 h3 h4 h5 h6 p pre abbr b cite code em i kbd mark q s samp small span strong sub summary sup u var")
	// blocks may not stand within a line.
	blocks = newSet(`blockquote caption dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section summary
		table tbody td th thead tr ul`)
)

// newSet is the set of the words.
func newSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// arrange gives the elements below n the places that the HTML standard allows them: a parser keeps a list item
// without a list, or a paragraph in a heading, where it stands. inline says that n is inside of an element that
// may hold only text and inline elements.
func arrange(n *html.Node, inline bool) {
	inline = inline || inlineOnly[n.Data]
	for _, c := range slices.Collect(n.ChildNodes()) {
		if c.Type != html.ElementNode {
			continue
		}
		// A summary may hold a heading, which is the one block within a line that the standard allows.
		switch {
		case inline && blocks[c.Data] && !(headings[c.Data] && n.Data == "summary"):
			makeNeutral(c, atom.Span)
		case isStray(c):
			makeNeutral(c, atom.Div)
		}
		arrange(c, inline)
		if (c.Data == "a" || headings[c.Data]) && isEmpty(c) { // there is no link, and no heading
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
		if !isBlank(c) && c.Type == html.TextNode || c.DataAtom == atom.Img {
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
	var open *html.Node
	for _, c := range slices.Collect(list.ChildNodes()) {
		if c.Type == html.ElementNode && slices.Contains(parts, c.DataAtom) || isBlank(c) && open == nil {
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

// putSummaryFirst lets a <details> begin with its one summary: a browser shows any as if it did.
func putSummaryFirst(n *html.Node) {
	var first *html.Node
	leads, content := false, false
	for _, c := range slices.Collect(n.ChildNodes()) {
		switch {
		case c.DataAtom == atom.Summary && first == nil:
			first, leads = c, !content
		case c.DataAtom == atom.Summary:
			makeNeutral(c, atom.Div)
		case !isBlank(c):
			content = true
		}
	}
	switch {
	case leads:
		return
	case first == nil:
		first = newElement(atom.Summary)
		first.AppendChild(&html.Node{Type: html.TextNode, Data: "Details"})
	default:
		n.RemoveChild(first)
	}
	n.InsertBefore(first, n.FirstChild)
}
