package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// reachable walks through every kind of page with the Tab key: every visible control gets the
// focus, has a name, and shows the focus.
func reachable(t *testing.T, r *served) {
	for v, paths := range map[View][]string{
		{}:           {"/", "/mip/5/", "/mip/900/", "/dashboard/", "/graph/", "/follow/"},
		{Width: 390}: {"/", "/mip/4/", "/404.html"},
	} {
		tab := r.tab(t, v)
		for _, path := range paths {
			tab.Go("/about/ai/") // so that the walk begins at the top of the page
			tab.Go(path)
			// A group of radio buttons has one stop. The content of a closed box has none.
			want := Ask[int](tab, `(() => {
				window.left = new Set([...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter(e =>
					!e.disabled && e.checkVisibility({ visibilityProperty: true }) && !(e.type === "radio" && !e.checked)));
				window.faults = [];
				addEventListener("focusin", ({ target: e }) => {
					left.delete(e);
					const name = e.getAttribute("aria-label") || e.ariaLabelledByElements?.map(x => x.textContent).join("") || [...e.labels ?? []].map(x => x.textContent).join("") || e.textContent || e.title || e.querySelector?.("img")?.alt;
					if (!name?.trim()) faults.push("no name: " + e.outerHTML.slice(0, 120));
					const shows = x => (s => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2)(getComputedStyle(x));
					const seen = (r => r.width >= 8 && r.height >= 8)(e.getBoundingClientRect()) && getComputedStyle(e).opacity !== "0";
					if (!(seen && shows(e)) && !(e.labels?.length && [...e.labels].some(shows)) && !(e.parentElement && shows(e.parentElement))) faults.push("no outline: " + e.outerHTML.slice(0, 120));
				});
				return left.size;
			})()`)
			const some = 10
			for i := 0; i < want+some && Ask[int](tab, "left.size") > 0; i += some {
				tab.Press(strings.Repeat(kb.Tab, some))
			}
			lost := Ask[[]string](tab,
				`[...left].map(e => "not reached: " + e.outerHTML.slice(0, 120)).concat(faults)`)
			if want < 10 || len(lost) > 0 {
				t.Errorf("%s %s: of %d controls\n%s",
					v, path, want, strings.Join(lost[:min(len(lost), 8)], "\n"))
			}
		}
	}
}

// phone opens the table of contents of a narrow window with the keyboard, and follows it, also
// without scripts.
func phone(t *testing.T, r *served) {
	for _, v := range []View{{Width: 390}, {Width: 320, Dark: true, NoScript: true}} {
		tab := r.tab(t, v)
		tab.Media("prefers-reduced-motion", "reduce") // the page is at the target at once
		tab.Go("/mip/4/")
		const box = `document.querySelector("details.mob")`
		if Ask[bool](tab,
			`document.querySelector("nav.toc")?.checkVisibility() || !`+box+`.checkVisibility() || `+box+`.open`) {
			t.Errorf("%s: a narrow window does not have the one closed table of contents", v)
		}
		Ask[bool](tab, `(`+box+`.querySelector("summary").focus(), true)`)
		tab.Press(kb.Enter)
		if !Ask[bool](tab, box+`.open && [...`+box+`.querySelectorAll("a")].every(a => a.checkVisibility() && a.getBoundingClientRect().height >= 24)`) {
			t.Errorf("%s: Enter does not open it, or its links are too small to touch", v)
		}
		tab.Press(kb.Tab + kb.Tab + kb.Enter)
		got := Ask[struct {
			Hash, Want string
			Seen       bool
		}](tab, `(a => ({ Hash: location.hash, Want: a.hash, Seen: (r => r.top >= 0 && r.top < innerHeight)(document.getElementById(decodeURIComponent(a.hash.slice(1))).getBoundingClientRect()) }))(`+box+`.querySelectorAll("a")[1])`)
		if got.Hash != got.Want || got.Hash == "" || !got.Seen {
			t.Errorf("%s: the second entry leads to %+v", v, got)
		}
	}
}
