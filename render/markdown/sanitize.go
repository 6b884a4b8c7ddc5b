package markdown

import (
	"bytes"
	"errors"
	"regexp"
	"slices"

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
