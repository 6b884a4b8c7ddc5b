package browsertest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// mostRequests is what a first view may ask for, live figures aside.
const mostRequests = 4

func requests(t *testing.T, r run) {
	tab := r.tab(t, View{})
	for _, path := range pages() {
		tab.Go(path)
		var got []string
		for _, q := range tab.Requests() {
			// A worker is the theme's script once more, which the browser keeps for ever.
			if path := strings.TrimPrefix(q.URL, r.base); q.Type != "Fetch" && (!strings.HasPrefix(path, "/assets/theme.") || !slices.Contains(got, path)) {
				got = append(got, path)
			}
		}
		if len(got) > mostRequests {
			t.Errorf("%s asks for %q", path, got)
		}
	}
}

// stillness holds every page to a cumulative layout shift of zero, live figures included.
func stillness(t *testing.T, r run) {
	for _, v := range []View{{}, {Width: 390}} {
		v.Early = impatient + shiftsSeen
		tab := r.tab(t, v)
		for _, path := range append(pages(), "/?q=gas&sort=heat", "/mip/4/#s-specification") {
			if moved := movedOn(tab, path); len(moved) > 0 {
				t.Errorf("%s %s: %s", v, path, strings.Join(moved, "\n"))
			}
			// Scripts may add to a text before or after it is first shown: what they add takes no room.
			if pushed := Ask[int](tab, `(() => {
				const tops = () => [...document.querySelectorAll(".prose *")].filter(e => !e.closest("button")).map(e => e.getBoundingClientRect().top);
				const before = tops();
				for (const b of document.querySelectorAll(".prose button")) b.remove();
				return tops().filter((y, i) => y !== before[i]).length;
			})()`); pushed > 0 {
				t.Errorf("%s %s: buttons push %d elements", v, path, pushed)
			}
		}
	}
}

// movedOn is what moves while a page loads and gets its live figures.
func movedOn(tab *Tab, path string) []string {
	tab.Go("/404.html") // so that a path that differs by its fragment alone is loaded too
	tab.Go(path)
	switch path {
	case "/dashboard/":
		tab.Wait(pill("mainnet") + `.className === "ok"`)
	case "/?q=gas&sort=heat":
		tab.Wait(`document.querySelector("#heat").textContent.startsWith("Forum heat as of")`)
	case "/mip/4/":
		tab.Wait(`document.querySelector(".fh [data-f=as]").textContent.startsWith("As of")`)
	}
	return Ask[[]string](tab, shiftsNow)
}

// sideways holds narrow windows, and letters of twice the size, to pages that do not scroll sideways.
func sideways(t *testing.T, r run) {
	for _, v := range []View{
		{Width: 320}, {Width: 320, NoScript: true}, {Width: 390}, {Width: 768}, {Width: 640, Letters: 32}, {Letters: 32},
	} {
		tab := r.tab(t, v)
		for _, path := range pages() {
			tab.Go(path)
			got := Ask[[]string](tab, `(root => {
				for (const d of document.querySelectorAll("details")) d.open = true;
				if (root.scrollWidth <= root.clientWidth) return [];
				const over = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > root.clientWidth + 1 && !e.parentElement.closest(".scroll, pre"));
				return [root.scrollWidth + " > " + root.clientWidth, ...over.slice(0, 3).map(e => e.outerHTML.slice(0, 160))];
			})(document.documentElement)`)
			if len(got) > 0 {
				t.Errorf("%s %s: %s", v, path, strings.Join(got, "\n"))
			}
		}
	}
}

func theme(t *testing.T, r run) {
	const ground = `getComputedStyle(document.body).backgroundColor`
	// The grounds of the frames that were painted, by the time at which their style is final.
	early := `
		window.grounds = [];
		const look = () => { if (document.body) grounds.push(getComputedStyle(document.body).backgroundColor); if (document.readyState !== "complete") requestAnimationFrame(look) };
		requestAnimationFrame(look);
		// The choice when the body begins, before which nothing can be painted.
		new MutationObserver((_, o) => { if (document.body) { window.chosen = document.documentElement.dataset.theme; o.disconnect() } }).observe(document, { childList: true, subtree: true });
	`
	tab := r.tab(t, View{Early: early})
	tab.Go("/mip/4/")
	light := Ask[string](tab, ground)
	tab.Click("label:has([name=theme][value=dark])")
	tab.Wait(ground + " !== " + fmt.Sprintf("%q", light))
	dark := Ask[string](tab, ground)
	for _, path := range []string{"/mip/4/", "/", "/dashboard/"} {
		for _, load := range []func(){func() { tab.Go(path) }, tab.Reload} {
			load()
			if got := Ask[[]string](tab, "[...grounds, "+ground+"]"); slices.ContainsFunc(got, func(c string) bool { return c != dark }) {
				t.Errorf("%s: frames of %q, want %s only", path, got, dark)
			}
			if got := Ask[string](tab, `window.chosen ?? ""`); got != "dark" {
				t.Errorf("%s: the body begins with the theme %q", path, got)
			}
		}
		if !Ask[bool](tab, `document.querySelector("[name=theme][value=dark]").checked`) {
			t.Errorf("%s: the choice is not shown", path)
		}
	}
	tab.Click("label:has([name=theme][value=auto])")
	tab.Wait(ground + " === " + fmt.Sprintf("%q", light))
	tab.Media("prefers-color-scheme", "dark")
	tab.Wait(ground + " === " + fmt.Sprintf("%q", dark))
	still := r.tab(t, View{Dark: true, NoScript: true})
	still.Go("/")
	if got := Ask[string](still, ground); got != dark {
		t.Errorf("without scripts: %s, want the system's %s", got, dark)
	}
}

// paperWidth is that of a sheet of Letter without Chromium's margins, in pixels.
const paperWidth = 740

// printed looks at two proposals as paper shows them, and at what their PDFs lead to: a PDF has an address
// for each link on it, so what paper leaves out leads nowhere.
func printed(t *testing.T, r run) {
	for _, path := range []string{"/mip/4/", "/mip/900/"} {
		tab := r.tab(t, View{Width: paperWidth, Dark: true})
		tab.Go(path)
		ask := func(what, expression string) {
			t.Helper()
			if got := Ask[[]string](tab, expression); len(got) > 0 {
				t.Errorf("%s: %s: %q", path, what, got)
			}
		}
		addresses := Ask[[]string](tab, `[...document.querySelectorAll(".prose a[href^=http]")].map(a => a.href)`)
		pdf := tab.PDF()
		if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(addresses) == 0 {
			t.Fatalf("%s: a PDF of %d bytes, links to %q", path, len(pdf), addresses)
		}
		for _, a := range addresses {
			if !bytes.Contains(pdf, []byte("/URI ("+a+")")) {
				t.Errorf("%s: the PDF does not lead to %s", path, a)
			}
		}
		for _, a := range []string{"/dashboard/", "/feeds/", "/accessibility/"} {
			if bytes.Contains(pdf, []byte("/URI ("+r.base+a+")")) {
				t.Errorf("%s: the PDF has the navigation's %s", path, a)
			}
		}
		tab.Print()
		ask("paper has", `["header.top", "footer.foot", "nav", ".toc", ".mob", ".acts", ".skip", ".pn", "button"].filter(s => [...document.querySelectorAll(s)].some(e => e.checkVisibility()))`)
		ask("paper has links without their addresses", `[...document.querySelectorAll(".prose a[href^=http]")].filter(a => !getComputedStyle(a, "::after").content.includes(a.getAttribute("href"))).map(a => a.href)`)
		ask("paper cuts code", `[...document.querySelectorAll("figure.code, figure.code pre")].filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1 || getComputedStyle(e).maxHeight !== "none").map(e => e.textContent.slice(0, 60))`)
		ask("code does not wrap on paper", `[...document.querySelectorAll("figure.code pre")].filter(e => getComputedStyle(e).whiteSpaceCollapse !== "preserve" || getComputedStyle(e).textWrapMode !== "wrap").map(e => e.textContent.slice(0, 60))`)
		if got := Ask[string](tab, `getComputedStyle(document.body).backgroundColor`); got != "rgb(255, 255, 255)" && got != "rgba(0, 0, 0, 0)" {
			t.Errorf("%s: paper is %s", path, got)
		}
	}
}
