package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// firstHeading is the distance of the author's first heading from the top of the page, and the
// number of lines of the title.
const firstHeading = `(() => {
	const title = document.querySelector("h1"), lines = title.getBoundingClientRect().height / parseFloat(getComputedStyle(title).lineHeight);
	return { Y: Math.round(document.querySelector("#text :is(h2, h3, h4, h5, h6, p)").getBoundingClientRect().top + scrollY), Lines: Math.round(lines) };
})()`

// textFirst checks that the author's text begins on the first screen of a desktop and of a phone,
// without scripts too.
func textFirst(t *testing.T, r *served) {
	for v, most := range map[View]int{{Width: 1280}: 700, {Width: 390}: 900,
		{Width: 1280, NoScript: true}: 700, {Width: 390, Dark: true, NoScript: true}: 900} {
		tab := r.tab(t, v)
		for _, m := range r.proposals(t) {
			tab.Go(fmt.Sprintf("/mip/%d/", m.Number))
			got := Ask[struct{ Y, Lines int }](tab, firstHeading)
			if got.Lines <= 2 && got.Y > most {
				t.Errorf("%s: the text of %s begins at %d px, want %d", v, m.ID, got.Y, most)
			}
		}
	}
}

// rowsFirst checks that lists begin high enough: twelve rows are on the first screen of a desktop,
// and the first row begins on the first screen of a phone, with filters and without scripts too.
func rowsFirst(t *testing.T, r *served, paths ...string) {
	const rows = `(rows => ({ First: Math.round(rows[0].top), Whole: rows.filter(r => r.bottom <= 900).length, Of: rows.length }))(
		[...document.querySelectorAll("#list tbody tr")].map(r => r.getBoundingClientRect()))`
	for _, v := range []View{{Width: 1280}, {Width: 1280, NoScript: true}, {Width: 390},
		{Width: 390, NoScript: true}, {Width: 320, Dark: true}} {
		tab := r.tab(t, v)
		for _, path := range paths {
			tab.Go(path)
			got := Ask[struct{ First, Whole, Of int }](tab, rows)
			if v.Width == 1280 && got.Whole < min(12, got.Of) || got.First > 700 {
				t.Errorf("%s: %s shows %d of %d rows, the first at %d px", v, path, got.Whole,
					got.Of, got.First)
			}
		}
	}
}

// firstNames are the authors and the requirements, which the head of a page names, on a phone too.
// If there are many, it names the first ones.
func firstNames(t *testing.T, r *served) {
	for _, v := range []View{{Width: 1280}, {Width: 390, NoScript: true}} {
		tab := r.tab(t, v)
		for page, want := range map[string]string{
			"/mip/4/":  "By Tomás Peña.",
			"/mip/12/": "By Marek Wójcik @lantern-marek. Requires MIP-4.",
			"/mip/11/": "By Aoife Ní Bhriain @lantern-aoife, 渡辺結衣 @lantern-yui and 1 more.",
			"/mip/15/": "By Jiří Dvořák @lantern-jiri, Ida Brandvold @lantern-ida and 1 more." +
				" Requires MIP-12, MIP-14.",
			"/mip/8/": "By Ida Brandvold @lantern-ida. Requires MIP-3, MIP-4, MIP-7.",
		} {
			tab.Go(page)
			got := Ask[string](tab, `(e => e.getBoundingClientRect().bottom < 844 ? e.innerText : "low")(document.querySelector(".phead .by"))`)
			if got != want {
				t.Errorf("%s: %s names %q, want %q", v, page, got, want)
			}
		}
		if v.NoScript {
			continue
		}
		// The details have the others.
		tab.Go("/mip/15/")
		tab.Click(".by a[href='#details']")
		tab.Wait(`document.querySelector(":target").parentElement.innerText.includes("Lantern Foundation")`)
	}
}

// firstFacts are what a validator or a developer asks first. The page answers it beside or above
// the text, on the first screen.
func firstFacts(t *testing.T, r *served) {
	tab := r.tab(t, View{Width: 1280,
		Early: clockAt(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC))})
	for page, facts := range map[string][]string{
		"/mip/4/": {"Final", "Standards Track", "Core", "Put milliseconds into the block header",
			"Live on mainnet since 12 May 2026 with BEACON", "testnet 14 Apr 2026",
			"It asked validators to adapt.", "High impact", "Tomás Peña", "15 Apr 2025"},
		"/mip/12/": {"Review", "Testnet in 57 days, 19 Jan 2027 with ARGAND",
			"mainnet no date yet", "Asks validators to act.", "A new transaction type, 0x4C"},
		"/mip/11/": {"Last Call", "Comments until 8 Dec 2026",
			"Touches validators and developers."},
		"/mip/6/": {"This proposal was withdrawn. A simulation", "It touched developers."},
	} {
		tab.Go(page)
		text := Ask[string](tab, `[...document.querySelectorAll("main :is(p, a, dd, h1, h3)")].filter(e => !e.closest(".prose") && e.checkVisibility() && e.getBoundingClientRect().bottom <= 900).map(e => e.innerText.replace(/\s+/g, " ")).join(" | ")`)
		for _, fact := range facts {
			if !strings.Contains(text, fact) {
				t.Errorf("%s does not say %q on its first screen: %s", page, fact, text)
			}
		}
		if words := Ask[string](tab, `document.querySelector("main").innerText`); strings.Contains(
			words, "does not speak") || strings.Contains(words, "ot said") {
			t.Errorf("%s tells silence: %s", page, words)
		}
	}
}
