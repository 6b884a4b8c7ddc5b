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

// policy is the second line behind the tag filter, for documents that hold raw HTML: it lets
// exactly the elements and attributes pass that this package writes, and balances them.
type policy struct {
	policy *bluemonday.Policy
}

func newPolicy() *policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("abbr", "b", "blockquote", "br", "caption", "cite", "code", "dd", "del", "details", "div", "dl", "dt",
		"em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre",
		"q", "s", "samp", "section", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead",
		"tr", "u", "ul", "var")
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
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(false)
	return &policy{p}
}

// clean filters body and closes in it what is open, so that nothing in it reaches what follows it. Then
// it puts the formulas in.
func (m *policy) clean(body []byte, math [][]byte) ([]byte, error) {
	article := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(bytes.NewReader(m.policy.SanitizeBytes(body)), article)
	if err != nil {
		return nil, errors.Join(errUnbalanced, err)
	}
	var out bytes.Buffer
	ids := map[string]bool{}
	for _, n := range nodes {
		article.AppendChild(n)
	}
	settle(article, false)
	for n := range article.ChildNodes() {
		keepFirstIDs(n, ids)
		putFormulas(n, math)
		if err := html.Render(&out, n); err != nil {
			return nil, errors.Join(errUnbalanced, err)
		}
	}
	return out.Bytes(), nil
}

// keepFirstIDs removes an id that an element before has: a parser that balances <b id=x><div> makes
// two of the b.
func keepFirstIDs(n *html.Node, ids map[string]bool) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
		if a.Key != "id" {
			return false
		}
		twice := ids[a.Val]
		ids[a.Val] = true
		return twice
	})
	for c := range n.ChildNodes() {
		keepFirstIDs(c, ids)
	}
}

// settle gives the elements below n the places that the HTML standard allows them (the content models of
// section 4): a parser keeps a list item without a list, or a paragraph in a heading, where it stands.
// inline says that n, or what is around it, may hold only text and inline elements.
func settle(n *html.Node, inline bool) {
	inline = inline || holdsInline(n.DataAtom)
	for _, c := range slices.Collect(n.ChildNodes()) {
		if c.Type != html.ElementNode {
			continue
		}
		if isBlock(c.DataAtom) && (inline && !isTitle(c) || strayPart(c)) {
			if become(c, atom.Div); inline {
				become(c, atom.Span)
			}
		}
		settle(c, inline)
		if isEmpty(c) { // what links lead to stays
			become(c, atom.Span)
		}
	}
	switch n.DataAtom {
	case atom.Ul, atom.Ol:
		wrapOthers(n, atom.Li, atom.Li)
	case atom.Dl:
		wrapOthers(n, atom.Dd, atom.Dt, atom.Dd, atom.Div)
	case atom.Details:
		summarise(n)
	}
}

// become makes another element of n, one without a meaning: of its attributes the id stays.
func become(n *html.Node, a atom.Atom) {
	n.Data, n.DataAtom = a.String(), a
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key != "id" })
}

// holdsInline reports whether an element holds no blocks.
func holdsInline(a atom.Atom) bool {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Pre, atom.Abbr, atom.B, atom.Cite, atom.Code, atom.Em, atom.I,
		atom.Kbd, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Summary, atom.Sup, atom.U, atom.Var:
		return true
	}
	return false
}

// isBlock reports whether an element may not stand within a line.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Blockquote, atom.Caption, atom.Dd, atom.Details, atom.Div, atom.Dl, atom.Dt, atom.Figcaption, atom.Figure, atom.H1, atom.H2,
		atom.H3, atom.H4, atom.H5, atom.H6, atom.Hr, atom.Li, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table,
		atom.Tbody, atom.Td, atom.Th, atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return false
}

// isTitle reports whether an element is a heading in a summary, the one block that may stand there.
func isTitle(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return n.Parent.DataAtom == atom.Summary
	}
	return false
}

// strayPart reports whether an element is a part of one that is not around it.
func strayPart(n *html.Node) bool {
	whole := n.Parent.DataAtom
	switch n.DataAtom {
	case atom.Li:
		return whole != atom.Ul && whole != atom.Ol
	case atom.Dt, atom.Dd:
		return whole != atom.Dl && (whole != atom.Div || n.Parent.Parent == nil || n.Parent.Parent.DataAtom != atom.Dl)
	case atom.Summary:
		return whole != atom.Details
	}
	return false
}

// isEmpty reports whether an element without content says something that is not true: that there is a
// heading, or a link.
func isEmpty(n *html.Node) bool {
	switch n.DataAtom {
	case atom.A, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
	default:
		return false
	}
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" || c.DataAtom == atom.Img {
			return false
		}
	}
	return true
}

// wrapOthers puts what a list holds beside its parts into parts.
func wrapOthers(list *html.Node, wrapper atom.Atom, parts ...atom.Atom) {
	var open *html.Node
	for _, c := range slices.Collect(list.ChildNodes()) {
		blank := c.Type == html.TextNode && strings.TrimSpace(c.Data) == ""
		if c.Type == html.ElementNode && slices.Contains(parts, c.DataAtom) || blank && open == nil {
			open = nil
			continue
		}
		if open == nil {
			open = &html.Node{Type: html.ElementNode, DataAtom: wrapper, Data: wrapper.String()}
			list.InsertBefore(open, c)
		}
		list.RemoveChild(c)
		open.AppendChild(c)
	}
}

// summarise lets a <details> begin with its one summary: a browser shows any as if it did.
func summarise(n *html.Node) {
	var first *html.Node
	leads, content := false, false
	for _, c := range slices.Collect(n.ChildNodes()) {
		switch {
		case c.DataAtom == atom.Summary && first == nil:
			first, leads = c, !content
		case c.DataAtom == atom.Summary:
			become(c, atom.Div)
		case c.Type != html.TextNode || strings.TrimSpace(c.Data) != "":
			content = true
		}
	}
	switch {
	case leads:
		return
	case first == nil:
		first = &html.Node{Type: html.ElementNode, DataAtom: atom.Summary, Data: "summary"}
		first.AppendChild(&html.Node{Type: html.TextNode, Data: "Details"})
	default:
		n.RemoveChild(first)
	}
	n.InsertBefore(first, n.FirstChild)
}
