package markdown

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Texts returns the texts of the sections as a reader sees them, each on one line and without its
// heading: block after block, code unchanged, formulas as their source. Comments, tags and
// addresses are left out. Footnotes are in the last section, as on a page.
func (d *Document) Texts() []string {
	var out []string
	var b strings.Builder
	for _, blocks := range d.Blocks() {
		b.Reset()
		for _, n := range blocks {
			d.appendBlock(&b, n)
		}
		text := address.ReplaceAllLiteralString(b.String(), " ")
		out = append(out, mip.OneLine(mip.Collapse(text)))
	}
	return out
}

// Blocks returns the nodes of each section, without its heading.
func (d *Document) Blocks() [][]ast.Node {
	out, at := make([][]ast.Node, len(d.Sections)), -1
	if len(d.Sections) > 0 && d.Sections[0].Level == 0 {
		at = 0 // the text before the first heading
	}
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHeading {
			at++
		} else if at >= 0 && at < len(out) {
			out[at] = append(out[at], n)
		}
	}
	return out
}

var (
	// address matches a web address, which is left out.
	address = regexp.MustCompile("https?://[^\\s<>()\\[\\]\"`]+")
	// tags matches HTML tags, comments, scripts and styles.
	tags = regexp.MustCompile(
		`(?is)<!--.*?-->|<(?:script|style)\b.*?</(?:script|style)\s*>|</?[a-z][^<>]*>`)
)

// appendBlock appends the text of a block, and a blank.
func (d *Document) appendBlock(b *strings.Builder, n ast.Node) {
	defer b.WriteByte(' ')
	switch n := n.(type) {
	case *ast.HTMLBlock:
		html := string(n.Lines().Value(d.Body))
		if n.HasClosure() {
			html += string(n.ClosureLine.Value(d.Body))
		}
		b.Write(resolve([]byte(tags.ReplaceAllLiteralString(html, " "))))
		return
	case *ast.CodeBlock, *ast.FencedCodeBlock, *FormulaBlock:
		b.Write(n.Lines().Value(d.Body))
		return
	}
	if c := n.FirstChild(); c != nil && c.Type() == ast.TypeInline {
		appendText(b, n, d.Body)
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		d.appendBlock(b, c)
	}
}
