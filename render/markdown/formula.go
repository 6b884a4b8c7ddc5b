package markdown

import (
	"fmt"
	"strconv"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/tex"
)

// Bounds of the formulas of one document.
const (
	// formulaMaxBytes of MathML is tens of times what the proposals with most formulas have; what comes
	// beyond it is shown as its source, which is far shorter.
	formulaMaxBytes = 1 << 20
	// formulaMaxWidth is how many letters of a formula fit into a narrow window's line.
	formulaMaxWidth = 20
)

// formula writes a formula within a text.
func (d *document) formula(n *markdown.Formula, entering bool) ast.WalkStatus {
	if entering {
		d.writeFormula(n.Source(d.source), n.Display, "span")
	}
	return ast.WalkSkipChildren
}

// formulaBlock writes a formula that stands on lines of its own.
func (d *document) formulaBlock(n *markdown.FormulaBlock, entering bool) ast.WalkStatus {
	if entering {
		d.writeFormula(n.Source(d.source), true, "div")
		d.print("\n")
	}
	return ast.WalkContinue
}

// writeFormula writes a formula as MathML, or its source as it is. One that is displayed or long is in a box of
// its own, an element of the name tag, that scrolls by keyboard, as no browser breaks it.
func (d *document) writeFormula(source string, display bool, tag string) {
	display = display && d.inAnchor == 0 // a heading's link takes the focus as a whole
	f, ok := tex.Formula{}, false
	if d.mathBytes < formulaMaxBytes {
		f, ok = tex.Parse(source, display)
		d.mathBytes += len(f.MathML)
	}
	start, end := "", ""
	// A box scrolls by keyboard only if it has a name and the focus; formulas in a line that are short have none.
	switch {
	case display:
		start, end = "<"+tag+` class="math"`, "</"+tag+">"
	case ok && f.Width > formulaMaxWidth && d.inAnchor == 0:
		start, end = "<"+tag+` class="maths"`, "</"+tag+">"
	}
	switch {
	case start == "":
	case ok:
		d.formulas++
		start = fmt.Sprintf(`%s tabindex="0" role="group" aria-label="Formula %d">`, start, d.formulas)
	default:
		start += ">"
	}
	inner := string(f.MathML)
	switch {
	case !ok:
		inner = `<code class="math">` + escape(source) + "</code>"
	// The policy knows no MathML: a number holds the place until the article is clean.
	case d.rawSeen && d.rawKept:
		d.rawSent = true
		inner = fmt.Sprintf(`<span class="formula">%d</span>`, len(d.math))
		d.math = append(d.math, f.MathML)
	}
	d.print(start + inner + end)
}

// putFormulas replaces the numbers that stand for formulas. The policy for raw HTML knows no MathML,
// whose rules of parsing are those by which HTML gets past such policies.
func putFormulas(n *html.Node, math [][]byte) {
	for c := range n.ChildNodes() {
		putFormulas(c, math)
	}
	if n.Type != html.ElementNode || n.Data != "span" || len(n.Attr) != 1 || n.Attr[0].Key != "class" || n.Attr[0].Val != "formula" || n.FirstChild == nil {
		return
	}
	if i, err := strconv.Atoi(n.FirstChild.Data); err == nil && 0 <= i && i < len(math) {
		*n.FirstChild = html.Node{Type: html.RawNode, Parent: n, Data: string(math[i])}
	}
}
