package markdown

import (
	"fmt"
	"regexp"
	"strconv"

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

// formula writes a formula as MathML, or its source as it is. One that is displayed or long is in a box of
// its own, an element of the name tag, that scrolls by keyboard, as no browser breaks it.
func (d *document) formula(source string, display bool, tag string) {
	display = display && d.inAnchor == 0 // a heading's link takes the focus as a whole
	f, ok := tex.Formula{}, false
	if d.mathBytes < formulaMaxBytes {
		f, ok = tex.Parse(source, display)
		d.mathBytes += len(f.MathML)
	}
	// The class decides about the box: none, one on a line of its own, or one within the line that scrolls.
	class, inner := "", string(f.MathML)
	switch {
	case display:
		class = "math"
	case ok && f.Width > formulaMaxWidth && d.inAnchor == 0:
		class = "maths"
	}
	switch {
	case !ok:
		inner = `<code class="math">` + escape(source) + "</code>"
	// The policy knows no MathML, whose rules of parsing are those by which HTML gets past such policies. A number holds
	// the place until the article is clean.
	case d.rawSeen:
		d.rawSent = true
		inner = fmt.Sprintf(`<span class="formula">%d</span>`, len(d.math))
		d.math = append(d.math, f.MathML)
	}
	// A box scrolls by keyboard only if it has a name and the focus; formulas in a line that are short have none.
	switch {
	case class == "":
		d.print(inner)
	case ok:
		d.formulas++
		const box = `<%s class="%s" tabindex="0" role="group" aria-label="Formula %d">%s</%[1]s>`
		d.printf(box, tag, class, d.formulas, inner)
	default:
		d.printf(`<%s class="%s">%s</%[1]s>`, tag, class, inner)
	}
}

// formulaMark is what holds the place of a formula. No text of an author can be one: raw tags have no class.
var formulaMark = regexp.MustCompile(`(<span class="formula">)([0-9]+)(</span>)`)

// putFormulas replaces the numbers that stand for formulas in a clean article.
func (d *document) putFormulas(article []byte) []byte {
	return formulaMark.ReplaceAllFunc(article, func(mark []byte) []byte {
		m := formulaMark.FindSubmatch(mark)
		if i, err := strconv.Atoi(string(m[2])); err == nil && i < len(d.math) {
			return fmt.Appendf(nil, "%s%s%s", m[1], d.math[i], m[3])
		}
		return mark
	})
}
