package markdown

import (
	"github.com/mipwatch/mipwatch/internal/tex"
)

// Bounds of the formulas of one document.
const (
	// formulaMaxBytes bounds MathML, at tens of times the amount in the proposals with most
	// formulas; beyond it formulas are shown as their source, which is far shorter.
	formulaMaxBytes = 1 << 20
	// formulaMaxWidth is the number of letters that fit into a line of a narrow window.
	formulaMaxWidth = 20
)

// formula writes a formula as MathML, or its source unchanged. A displayed or long formula is in a
// box, an element of the name tag, that scrolls by keyboard, since browsers do not break formulas.
func (d *document) formula(source string, display bool, tag string) {
	display = display && d.inAnchor == 0 // a heading's link takes the focus as a whole
	f, ok := tex.Formula{}, false
	if d.mathBytes < formulaMaxBytes {
		f, ok = tex.Parse(source, display)
		d.mathBytes += len(f.MathML)
	}
	// The class determines the box: none, one on a separate line, or one within the line that
	// scrolls.
	class, inner := "", ""
	switch {
	case display:
		class = "math"
	case ok && f.Width > formulaMaxWidth && d.inAnchor == 0:
		class = "maths"
	}
	if ok {
		inner = d.inset(f.MathML)
	} else {
		inner = `<code class="math">` + escape(source) + "</code>"
	}
	// A box scrolls by keyboard only if it has a name and the focus; short formulas in a line have
	// no box.
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
