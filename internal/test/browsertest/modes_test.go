package browsertest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// theme chooses a theme: the page and the browser's bars have it, from the first frame of the next
// page.
func theme(t *testing.T, r *served) {
	// The background of the page, and the color of the bars.
	const ground = `getComputedStyle(document.body).backgroundColor`
	const bars = `[...document.querySelectorAll("meta[name=theme-color]")].filter(m => matchMedia(m.media).matches).map(m => m.content).join()`
	// The backgrounds of the painted frames, by the time at which their style is final.
	early := `
		window.grounds = [];
		const look = () => { if (document.body) grounds.push(getComputedStyle(document.body).backgroundColor); if (document.readyState !== "complete") requestAnimationFrame(look) };
		requestAnimationFrame(look);
		// The choice when the body begins, before which nothing can be painted.
		new MutationObserver((_, o) => { if (document.body) { window.chosen = document.documentElement.dataset.theme; o.disconnect() } }).observe(document, { childList: true, subtree: true });
	`
	tab := r.tab(t, View{Early: early})
	tab.Go("/mip/4/")
	light, lightBars := Ask[string](tab, ground), Ask[string](tab, bars)
	tab.Click("label:has([name=theme][value=dark])")
	tab.Wait(ground + " !== " + fmt.Sprintf("%q", light))
	dark, darkBars := Ask[string](tab, ground), Ask[string](tab, bars)
	if darkBars == lightBars || strings.Contains(darkBars, ",") {
		t.Errorf("theme-color is %q, and %q after the dark theme was chosen", lightBars, darkBars)
	}
	for _, path := range []string{"/mip/4/", "/", "/dashboard/"} {
		for _, load := range []func(){func() { tab.Go(path) }, tab.Reload} {
			load()
			if got := Ask[[]string](tab,
				"[...grounds, "+ground+"]"); slices.ContainsFunc(got, func(c string) bool {
				return c != dark
			}) {
				t.Errorf("%s: frames of %q, want %s only", path, got, dark)
			}
			if got := Ask[string](tab, `window.chosen ?? ""`); got != "dark" {
				t.Errorf("%s: the body begins with the theme %q", path, got)
			}
		}
		if !Ask[bool](tab, `document.querySelector("[name=theme][value=dark]").checked`) ||
			Ask[string](tab, bars) != darkBars {
			t.Errorf("%s: the choice is not shown", path)
		}
	}
	tab.Click("label:has([name=theme][value=auto])")
	tab.Wait(ground + " === " + fmt.Sprintf("%q",
		light) + " && " + bars + " === " + fmt.Sprintf("%q", lightBars))
	tab.Media("prefers-color-scheme", "dark")
	tab.Wait(ground + " === " + fmt.Sprintf("%q", dark))
	still := r.tab(t, View{Dark: true, NoScript: true})
	still.Go("/")
	if got := Ask[string](still, ground); got != dark {
		t.Errorf("without scripts: %s, want the system's %s", got, dark)
	}
}

// paperWidth is the width of a Letter sheet without Chromium's margins, in pixels.
const paperWidth = 740

// printed checks two proposals on paper, and the links of their PDFs: a PDF has an address for each
// link, so hidden links are missing.
func printed(t *testing.T, r *served) {
	for _, path := range []string{"/mip/4/", "/mip/900/"} {
		tab := r.tab(t, View{Width: paperWidth, Dark: true})
		tab.Go(path)
		ask := func(what, expression string) {
			t.Helper()
			if got := Ask[[]string](tab, expression); len(got) > 0 {
				t.Errorf("%s: %s: %q", path, what, got)
			}
		}
		addresses := Ask[[]string](tab,
			`[...document.querySelectorAll(".prose a[href^=http]")].map(a => a.href)`)
		pdf := tab.PDF()
		if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(addresses) == 0 {
			t.Fatalf("%s: a PDF of %d bytes, links to %q", path, len(pdf), addresses)
		}
		for _, a := range addresses {
			if !bytes.Contains(pdf, []byte("/URI ("+a+")")) {
				t.Errorf("%s: the PDF does not lead to %s", path, a)
			}
		}
		for _, a := range []string{"/dashboard/", "/follow/", "/accessibility/"} {
			if bytes.Contains(pdf, []byte("/URI ("+r.base+a+")")) {
				t.Errorf("%s: the PDF has the navigation's %s", path, a)
			}
		}
		tab.Print()
		ask("paper has", `["header.top", "footer.foot", "nav", ".toc", ".mob", ".acts", ".skip", ".pn", "button"].filter(s => [...document.querySelectorAll(s)].some(e => e.checkVisibility()))`)
		ask("paper has links without their addresses", `[...document.querySelectorAll(".prose a[href^=http]")].filter(a => !getComputedStyle(a, "::after").content.includes(a.getAttribute("href"))).map(a => a.href)`)
		ask("paper cuts code", `[...document.querySelectorAll("figure.code, figure.code pre")].filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1 || getComputedStyle(e).maxHeight !== "none").map(e => e.textContent.slice(0, 60))`)
		ask("code does not wrap on paper", `[...document.querySelectorAll("figure.code pre")].filter(e => getComputedStyle(e).whiteSpaceCollapse !== "preserve" || getComputedStyle(e).textWrapMode !== "wrap").map(e => e.textContent.slice(0, 60))`)
		ask("paper cuts formulas", `[...document.querySelectorAll(".math, .maths")].filter(e => !e.matches("code") && getComputedStyle(e).overflowX !== "visible").map(e => e.outerHTML.slice(0, 80))`)
		ask("paper leaves out icons", `[...document.querySelectorAll(".steps li")].filter(e => getComputedStyle(e, "::after").printColorAdjust !== "exact").map(e => e.textContent)`)
		ask("paper has addresses of links within the site", `[...document.querySelectorAll(".prose a[href^='/']")].filter(a => getComputedStyle(a, "::after").content !== "none").map(a => a.href)`)
		if got := Ask[string](tab,
			`getComputedStyle(document.body).backgroundColor`); got != "rgb(255, 255, 255)" &&
			got != "rgba(0, 0, 0, 0)" {
			t.Errorf("%s: paper is %s", path, got)
		}
	}
}

// sheet reads a long text on a phone: a bar shows the section, opens the contents, and leads to the
// top. The contents appear once at any width.
func sheet(t *testing.T, r *served) {
	tab := r.tab(t, View{Width: 390})
	tab.Media("prefers-reduced-motion", "reduce")
	tab.Go("/mip/4/")
	if Ask[bool](tab, `!!document.querySelector(".here")?.checkVisibility()`) {
		t.Error("the bar is there before the text is")
	}
	Ask[bool](tab, `(document.querySelector("#text h2:nth-of-type(3)").scrollIntoView(), true)`)
	tab.Wait(`document.querySelector(".here button span").textContent === document.querySelector(".mtoc li:nth-child(3) > a").textContent`)
	tab.Wait(`document.querySelector(".here progress").value > 0`)
	tab.Click(".here button")
	tab.Wait(`document.querySelector(".sheet").open`)
	if Ask[string](tab,
		`document.querySelector(".sheet [aria-current]").textContent`) != Ask[string](tab,
		`document.querySelector(".here span").textContent`) {
		t.Error("the contents do not mark the section that is read")
	}
	tab.Click(".sheet li:nth-child(2) > a")
	tab.Wait(`!document.querySelector(".sheet").open && location.hash === document.querySelector(".mtoc li:nth-child(2) > a").hash`)
	tab.Wait(`(h => h.top >= 0 && h.top < innerHeight / 4)(document.querySelector(location.hash).getBoundingClientRect())`)
	tab.Click(".here a")
	tab.Wait(`scrollY < 200 && !document.querySelector(".here").checkVisibility()`)
	for _, width := range []int{390, 1200} {
		tab := r.tab(t, View{Width: width})
		tab.Go("/mip/4/")
		got := Ask[int](tab,
			`[...document.querySelectorAll(".toc, .mob")].filter(e => e.checkVisibility()).length`)
		if got != 1 {
			t.Errorf("%d: the contents stand %d times", width, got)
		}
	}
}

// modes are the modes in which a browser changes colors or sizes.
func modes(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	tab.Media("forced-colors", "active")
	tab.Go("/")
	for _, chosen := range []string{".nav [aria-current]", ".seg label:has(:checked)"} {
		if Ask[string](tab,
			`getComputedStyle(document.querySelector("`+chosen+`")).outlineStyle`) == "none" {
			t.Errorf("%s has no mark where colours are forced", chosen)
		}
	}
	tab.Go("/mip/900/")
	if got := Ask[[]string](tab, `[...document.querySelectorAll("a:has(code)")].filter(a => parseFloat(getComputedStyle(a).textUnderlineOffset) < .3 * parseFloat(getComputedStyle(a).fontSize)).map(a => a.textContent)`); len(got) > 0 {
		t.Errorf("underscores vanish in %q", got)
	}
	large := r.tab(t, View{Width: 390, Letters: 32})
	large.Go("/")
	// A broken word has more lines than words.
	if lines := Ask[int](large, `(e => Math.round(e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight)))(document.querySelector(".brand"))`); lines > 4 {
		t.Errorf("the title of the site has %d lines of large letters", lines)
	}
}
