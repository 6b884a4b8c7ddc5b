package markdown

import (
	"fmt"
	"regexp"
	"strconv"

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
	// The policy knows no MathML, whose parsing rules are a known way for HTML to get past such
	// policies. A number is the placeholder until the article is clean.
	case d.rawSeen:
		d.rawSent = true
		inner = fmt.Sprintf(`<span class="formula">%d</span>`, len(d.math))
		d.math = append(d.math, f.MathML)
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

// formulaMark matches the placeholder of a formula. No text of an author can match: raw tags have
// no class.
var formulaMark = regexp.MustCompile(`(<span class="formula">)([0-9]+)(</span>)`)

// putFormulas replaces the placeholders of formulas in a clean article.
func (d *document) putFormulas(article []byte) []byte {
	return formulaMark.ReplaceAllFunc(article, func(mark []byte) []byte {
		m := formulaMark.FindSubmatch(mark)
		if i, err := strconv.Atoi(string(m[2])); err == nil && i < len(d.math) {
			return fmt.Appendf(nil, "%s%s%s", m[1], d.math[i], m[3])
		}
		return mark
	})
}
