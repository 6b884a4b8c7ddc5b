package browsertest

import (
	"net/http"
	"strings"
	"testing"
)

// following goes from a proposal to the page of feeds, which has the address of its feed, and from
// an upgrade to its own.
func following(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	tab.Go("/mip/4/")
	tab.Click(".acts .ic-feed")
	tab.Wait(`location.pathname === "/follow/" && document.querySelector("#of")?.innerText === "This is the address for MIP-4."`)
	clipboard.Lock()
	tab.Click("#feed-of-proposal button")
	tab.Wait(`document.querySelector("#live").textContent === "Copied"`)
	copied := Ask[string](tab, `navigator.clipboard.readText()`)
	clipboard.Unlock()
	path, ok := strings.CutPrefix(copied, r.site.BaseURL)
	if !ok || path != "/mip/4/feed.atom" {
		t.Errorf("the address of MIP-4's feed is %q", copied)
	}
	// Every address is an address of the site.
	for _, a := range Ask[[]string](tab,
		`[...document.querySelectorAll(".addresses code")].map(e => e.textContent).filter(a => !a.includes("{login}"))`) {
		path := strings.TrimPrefix(a, r.site.BaseURL)
		answer, err := http.Get(r.base + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", a, answer.Status)
		}
	}
	tab.Go("/upgrade/beacon/")
	tab.Click(".acts .ic-feed")
	tab.Wait(`document.querySelector(":target code")?.textContent.endsWith("/upgrade/beacon/feed.atom")`)

	tab.Go("/author/lantern-aoife/")
	tab.Click(".fresh .ic-feed")
	tab.Wait(`document.querySelector(":target code")?.textContent.endsWith("/author/lantern-aoife/feed.atom")`)

	bare := r.tab(t, View{Width: 390, NoScript: true})
	bare.Go("/follow/?proposal=MIP-4#proposal")
	if got := Ask[string](bare, `document.querySelector("#feed-of-proposal").innerText`); !strings.Contains(got,
		"/mip/{n}/feed.atom") {
		t.Errorf("without scripts the address of a proposal's feed is %q", got)
	}
}

// describedAPI looks at the page of the API: a list that fits few screens, in which a link unfolds
// what it leads to.
func describedAPI(t *testing.T, r *served) {
	for _, v := range []View{{Width: 1280}, {Width: 390, Dark: true},
		{Width: 1280, NoScript: true}, {Width: 390, NoScript: true}} {
		tab := r.tab(t, v)
		tab.Go("/api/")
		if h := Ask[int](tab, `document.documentElement.scrollHeight`); h > 8000 {
			t.Errorf("%s: the page has a height of %d px, want 8000 at most", v, h)
		}
		tab.Go("/api/#op-getProposal")
		const open = `[...document.querySelectorAll(".op[open] > summary h3")].map(e => e.textContent).join()`
		tab.Wait(open + ` === "GET /api/v1/mips/{n}"`)
		const top = `document.querySelector(".op[open] h3").getBoundingClientRect().top`
		tab.Wait(top + ` > 0 && ` + top + ` < innerHeight / 2`)
		tab.Click(`.op[open] a[href="#schema-Proposal"]`)
		tab.Wait(open + ` === "GET /api/v1/mips/{n},Proposal"`)
	}
}
