package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// formulas looks at how a browser sets them: a fraction is higher than a letter, nothing of the source is
// seen, and what is wider than the window scrolls in its own box by keyboard.
func formulas(t *testing.T, r *served) {
	for _, v := range []View{{}, {Width: 320, Dark: true}, {Width: 320, NoScript: true}} {
		tab := r.tab(t, v)
		tab.Go("/mip/900/")
		got := Ask[struct {
			Formulas, High int
			Seen, Shown    string
			Same           bool
		}](tab, `(all => ({
			Formulas: all.length,
			High: all.filter(m => m.querySelector("mfrac") && m.getBoundingClientRect().height > 1.5 * document.querySelector(".prose h3 math").getBoundingClientRect().height).length,
			Seen: [...document.querySelectorAll("annotation")].filter(e => e.checkVisibility()).map(e => e.textContent).join(),
			Shown: document.querySelector("code.math").innerText,
			Same: all.every(m => getComputedStyle(m).color === getComputedStyle(m.parentElement).color),
		}))([...document.querySelectorAll(".prose math")])`)
		if got.Formulas != 4 || got.High != 2 || got.Seen != "" || got.Shown != `\unknown{w}` || !got.Same {
			t.Errorf("%s: %+v", v, got)
		}
		if text := Ask[string](tab, `document.querySelector("article").innerText`); !strings.Contains(text, "price of $5 or $6, bounds") {
			t.Errorf("%s: prices are no formula:\n%s", v, text)
		}
		if v.Width != 320 || v.NoScript {
			continue
		}
		for _, box := range []string{".prose div.math:has(math)", ".prose .maths:has(mtext)"} {
			Ask[bool](tab, `(e => { e.scrollIntoView(); e.focus(); return true })(document.querySelector("`+box+`"))`)
			if !Ask[bool](tab, `(e => document.activeElement === e && e.getAttribute("aria-label") && e.scrollWidth > e.clientWidth)(document.querySelector("`+box+`"))`) {
				t.Errorf("%s: %s is no named box that takes the focus and scrolls", v, box)
			}
			tab.Press(kb.ArrowRight)
			tab.Wait(`document.querySelector("` + box + `").scrollLeft > 0`)
		}
	}
	paper := r.tab(t, View{Width: 740})
	paper.Go("/mip/900/")
	paper.Print()
	if cut := Ask[[]string](paper, `[...document.querySelectorAll(".math, .maths")].filter(e => !e.matches("code") && getComputedStyle(e).overflowX !== "visible").map(e => e.outerHTML.slice(0, 80))`); len(cut) > 0 {
		t.Errorf("paper cuts %q", cut)
	}
}
