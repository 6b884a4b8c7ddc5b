package markdown

import (
	"strconv"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/tex"
)

const (
	// formulaMaxBytes of MathML is tens of times what the proposals with most formulas have; what comes
	// beyond it is shown as its source, which is far shorter.
	formulaMaxBytes = 1 << 20
	// formulaMaxWidth is how many letters of a formula fit into a narrow window's line.
	formulaMaxWidth = 20
)

// formula writes a formula as MathML, or its source as it is. One that is displayed or long is in a box of
// its own, an element of the name tag, that scrolls by keyboard, as no browser breaks it.
func (d *document) formula(source string, display bool, tag string) {
	display = display && d.inAnchor == 0 // a heading's link takes the focus as a whole
	f, ok := tex.Formula{}, false
	if d.mathBytes < formulaMaxBytes {
		f, ok = tex.Parse(source, display)
		d.mathBytes += len(f.MathML)
	}
	if !ok {
		d.wrap(display, `<`+tag+` class="math">`, "")
		d.out.strings(`<code class="math">`)
		d.out.escaped(source)
		d.out.strings("</code>")
		d.wrap(display, "</"+tag+">", "")
		return
	}
	box := ""
	switch {
	case display:
		box = "math"
	case f.Width > formulaMaxWidth && d.inAnchor == 0:
		box = "maths"
	}
	if box != "" {
		d.formulas++
		d.out.strings("<", tag, ` class="`, box, `" tabindex="0" role="group" aria-label="Formula `, strconv.Itoa(d.formulas), `">`)
	}
	if d.rawSeen && d.rawKept {
		d.rawSent = true
		d.out.strings(`<span class="formula">`, strconv.Itoa(len(d.math)), "</span>")
		d.math = append(d.math, f.MathML)
	} else if d.out.room(len(f.MathML)) {
		d.out.b = append(d.out.b, f.MathML...)
	}
	if box != "" {
		d.out.strings("</", tag, ">")
	}
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
