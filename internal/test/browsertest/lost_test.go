package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

func notFound(t *testing.T, r *served) {
	for _, v := range []View{{}, {Width: 320, NoScript: true}} {
		tab := r.tab(t, v)
		tab.Expect(`Failed to load resource.*404.*/mip/999/`)
		tab.Go("/mip/999/")
		got := Ask[string](tab, `document.querySelector("h1").textContent`)
		if got != "Page not found" {
			t.Errorf("%s: %q", v, got)
		}
		if v.NoScript {
			tab.Click(`.offers a[href="/"]`)
			continue
		}
		tab.Click("#q")
		tab.Press("block time\r")
		tab.Wait(`location.pathname === "/" && new URLSearchParams(location.search).get("q") === "block time"`)
		tab.Wait(`!document.querySelector("[data-wait]") && document.querySelector("#list tbody .n").textContent === "MIP-4"`)
	}
}

// foreign follows links in the form of other publishers: their fragments, and their addresses of a
// proposal.
func foreign(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	reached := func(fragment string) string {
		return `location.hash === ` + fmt.Sprintf("%q", fragment) + ` && (h => h.top >= 0 && h.top < innerHeight / 4)(document.getElementById(decodeURIComponent(location.hash.slice(1))).getBoundingClientRect())`
	}
	for _, fragment := range []string{"specification", "user-content-specification",
		"Specification", "s-specification"} {
		for _, path := range []string{"/mip/4/", "/MIPS/MIP-4",
			"/internal/samples/proposals/MIP-4.md"} {
			tab.Go("/404.html")
			tab.Go(path + "#" + fragment)
			tab.Wait(`location.pathname === "/mip/4/"`)
			tab.Wait(reached("#s-specification"))
		}
	}
	tab.Go("/mip/4/")
	Ask[bool](tab, `(location.hash = "#rationale", true)`)
	tab.Wait(reached("#s-rationale"))
	Ask[bool](tab, `(location.hash = "#nowhere%", true)`)
	tab.Wait(`location.hash === "#nowhere%"`)

	tab.Expect(`Failed to load resource.*404`)
	for path, want := range map[string]string{
		"/x/mip-4": "/mip/4/", "/ERCS/erc-0004.html": "/mip/4/", "/mip/4/nothing": "/mip/4/",
		"/2026/mip-4/": "/mip/4/",
		"/mip/999/":    "", "/nothing": "", "/99999999999999999999": "",
	} {
		tab.Go(path)
		if want == "" {
			tab.Wait(`document.querySelector("#offer").dataset.live !== undefined || !/[0-9]/.test(location.pathname)`)
			if got := Ask[string](tab, `document.querySelector("#offer").textContent`); got != "" {
				t.Errorf("%s offers %q", path, got)
			}
			continue
		}
		tab.Wait(`document.querySelector("#offer a")?.pathname === ` + fmt.Sprintf("%q", want))
		if got := Ask[string](tab,
			`document.querySelector("#offer").textContent`); !strings.HasPrefix(got,
			"Did you mean MIP-4: ") {
			t.Errorf("%s offers %q", path, got)
		}
	}
	still := r.tab(t, View{NoScript: true})
	still.Expect(`Failed to load resource.*404`)
	still.Go("/x/mip-4")
	if got := Ask[string](still,
		`document.querySelector(".hero").innerText`); !strings.Contains(got,
		"at /mip/ and its number") {
		t.Errorf("without scripts: %q", got)
	}
}
