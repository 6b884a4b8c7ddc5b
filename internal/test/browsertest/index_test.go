package browsertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// shown returns the ids of the proposals that the list shows, in its order.
func shown(tab *Tab) []string {
	return Ask[[]string](tab, `[...document.querySelectorAll("#list tbody tr")].filter(r => r.checkVisibility()).map(r => r.querySelector(".n").textContent)`)
}

// shows waits until the list shows these proposals, in this order.
func shows(tab *Tab, want []string) {
	tab.t.Helper()
	b, _ := json.Marshal(want)
	tab.Wait(`!document.querySelector("[data-wait]") && JSON.stringify([...document.querySelectorAll("#list tbody tr")].filter(r => r.checkVisibility()).map(r => r.querySelector(".n").textContent)) === ` + fmt.Sprintf("%q", b))
}

// ids returns the ids of the proposals that satisfy keep.
func ids(all []mip.Metadata, keep func(mip.Metadata) bool) []string {
	out := []string{}
	for _, m := range all {
		if keep(m) {
			out = append(out, m.ID.String())
		}
	}
	return out
}

func firstPage(t *testing.T, r *served) {
	want := ids(mip.ActiveFirst(r.proposals(t)), everyone)
	info := read[mip.SiteInfo](t, r, "/api/v1/site")
	for _, v := range []View{{}, {Width: 390, NoScript: true}} {
		tab := r.tab(t, v)
		tab.Go("/")
		if got := Ask[[]string](tab,
			`[...document.querySelectorAll("h1")].map(h => h.textContent)`); !slices.Equal(got,
			[]string{info.Title}) {
			t.Errorf("%s: headings %q", v, got)
		}
		if got := shown(tab); !slices.Equal(got, want) {
			t.Errorf("%s: rows %q, want %q", v, got, want)
		}
		fresh := Ask[string](tab, `document.querySelector(".fresh").innerText`)
		if !strings.Contains(fresh, fmt.Sprint(len(want))) ||
			info.Commit != nil &&
				(!strings.Contains(fresh, (*info.Commit)[:7]) || !strings.Contains(fresh, "UTC")) {
			t.Errorf("%s: the head says %q", v, fresh)
		}
		form := Ask[bool](tab,
			`(document.querySelector("#more").open = true, document.querySelector("#sort").checkVisibility())`)
		if form == v.NoScript {
			t.Errorf("%s: filters shown: %t", v, form)
		}
	}
}

func skip(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	for _, path := range []string{"/", "/mip/4/", "/dashboard/"} {
		tab.Go(path)
		tab.Press(kb.Tab)
		tab.Wait(`document.activeElement.textContent === "Skip to content" && document.activeElement.getBoundingClientRect().top >= 0`)
		tab.Press(kb.Enter)
		tab.Wait(`document.activeElement.id === "main"`)
	}
}

func slash(t *testing.T, r *served) {
	const focused = `document.activeElement.id === (document.querySelector("#q") ? "q" : "find")`
	tab := r.tab(t, View{})
	for _, path := range []string{"/", "/mip/4/", "/dashboard/", "/api/"} {
		tab.Go(path)
		tab.Press("/", chromedp.ModifierCtrl) // Ctrl
		if Ask[bool](tab, focused) {
			t.Errorf("%s: Ctrl and slash leads to the search", path)
		}
		tab.Press("/")
		tab.Wait(focused)
		tab.Press("a/b")
		tab.Wait(`document.activeElement.value === "a/b"`)
	}
}

func typing(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	tab.Go("/follow/")
	tab.Go("/")
	const columns = `[...document.querySelectorAll("#list th")].map(th => Math.round(th.getBoundingClientRect().left)).join(" ")`
	before := Ask[string](tab, columns)
	tab.Click("#find")
	tab.Press("refund pool")
	same := func(when string) {
		t.Helper()
		tab.Wait(`new URLSearchParams(location.search).get("q") === "refund pool"`)
		// The first of the matching texts is the one with the most matches, and shows where they
		// are.
		tab.Wait(`document.querySelector("#list tbody .ti").innerText.includes("refund pool") && document.querySelectorAll("#list tbody .ex mark").length > 1`)
		want := fmt.Sprintf("%d of %d proposals", len(shown(tab)), len(r.proposals(t)))
		if got := Ask[string](tab,
			`document.querySelector("[role=status]#live").textContent`); got != want {
			t.Errorf("%s: announced %q, want %q", when, got, want)
		}
	}
	same("typed")
	if got := Ask[string](tab, columns); got != before {
		t.Errorf("the columns are at %s with other rows, were at %s", got, before)
	}
	tab.Reload()
	same("loaded again")
	// A filter is a chip that can be removed, and an unknown value is reported, as on the search
	// page.
	tab.Click("#find")
	tab.Press(kb.End)
	tab.Press(" status:final")
	tab.Wait(`[...document.querySelectorAll("#list tbody .b:not(.chain)")].every(b => b.textContent === "Final")`)
	tab.Click(`.bar [aria-label="Remove status:final"]`)
	tab.Wait(`document.querySelector("#find").value === "refund pool" && document.activeElement.id === "find" && !document.querySelector(".bar button")`)
	same("without a filter")
	tab.Press(" type:x")
	tab.Wait(`document.querySelector("#none").textContent.includes('No proposal has the type "x". Types: ')`)
	Ask[bool](tab, `(document.querySelector("#find").select(), true)`)
	tab.Press("sentence that nobody wrote")
	tab.Wait(`document.querySelector("#list tbody .t").href.includes(":~:text=")`)
	Ask[bool](tab, `(document.querySelector("#find").select(), true)`)
	tab.Press("a")
	tab.Wait(`document.querySelector("#count").textContent === "Type one letter more."`)
	shows(tab, ids(mip.ActiveFirst(r.proposals(t)), everyone))
	if n := Ask[int](tab,
		`[...document.querySelectorAll("[type=search]")].filter(e => e.checkVisibility()).length`); n != 1 {
		t.Errorf("the first page has %d fields for searching", n)
	}
	Ask[bool](tab, `(history.back(), true)`)
	tab.Wait(`location.pathname === "/follow/"`)
}

// folded opens choices on a phone: the filters stay folded, and those that are set are visible,
// each with a button that removes it.
func folded(t *testing.T, r *served) {
	const buttons = `[...document.querySelectorAll(".bar button")].filter(e => e.checkVisibility()).map(e => e.ariaLabel).join()`
	tab := r.tab(t, View{Width: 320})
	for query, want := range map[string]string{"?q=gas": "", "?q=gas&page=2": "",
		"?q=gas&status=final": "", "?author=aoife": "Remove aoife",
		"?category=core&type=standards-track&chain=live": "Remove Live on mainnet,Remove Core," +
			"Remove Standards Track"} {
		tab.Go("/" + query)
		tab.Wait(`document.querySelector("#count").checkVisibility() && document.querySelector("#count").textContent.includes(" of ")`)
		if Ask[bool](tab, `document.querySelector("#filters select").checkVisibility()`) {
			t.Errorf("/%s shows what else can be chosen", query)
		}
		if got := Ask[string](tab, buttons); got != want {
			t.Errorf("/%s has buttons %q, want %q", query, got, want)
		}
		if !Ask[bool](tab, `(c => !c || c.getBoundingClientRect().right < innerWidth)(document.querySelector("#filters [data-status][aria-pressed=true]"))`) {
			t.Errorf("/%s: the chosen status is out of sight", query)
		}
	}
	tab.Go("/?author=aoife")
	tab.Click(".bar button")
	tab.Wait(`location.search === "" && !document.querySelector(".bar").checkVisibility()`)
}

// numbers types the number of a proposal in many forms, and clears the search with Escape, as the
// browser does.
func numbers(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	tab.Go("/")
	all := shown(tab)
	tab.Press("/")
	for _, text := range []string{"4", "mip-4", "MIP4", "mip 4", "004"} {
		tab.Press(text)
		tab.Wait(fmt.Sprintf(`new URLSearchParams(location.search).get("q") === %q && document.querySelector("#count").textContent.includes(" of ")`, text))
		tab.Wait(`document.querySelector("#list tbody .n").textContent === "MIP-4"`)
		tab.Press(kb.Escape)
		tab.Wait(`document.querySelector("#find").value === "" && location.search === ""`)
		shows(tab, all)
	}
}

func tiles(t *testing.T, r *served) {
	want := ids(r.proposals(t), withStatus(mip.LastCall))
	tab := r.tab(t, View{Width: 320})
	tab.Go("/")
	tab.Click(`[data-status="last-call"]`)
	tab.Wait(`location.pathname === "/" && location.search === "?status=last-call"`)
	shows(tab, want)
	tab.Click(`[data-status="last-call"]`)
	tab.Wait(`location.search === ""`)

	still := r.tab(t, View{Width: 390, NoScript: true})
	still.Go("/")
	still.Click(`[data-status="last-call"]`)
	still.Wait(`location.pathname === "/status/last-call/"`)
	shows(still, want)
}

func combined(t *testing.T, r *served) {
	want := ids(r.proposals(t), func(m mip.Metadata) bool {
		return m.Status == mip.Draft && m.Category != nil && *m.Category == "Core"
	})
	tab := r.tab(t, View{})
	tab.Go("/")
	tab.Wait(`document.querySelector("#filters")`)
	Ask[bool](tab, `(() => {
		const f = document.querySelector("#filters").elements;
		f.status.value = "draft"; f.category.value = "core"; f.sort.value = "heat";
		return f.sort.dispatchEvent(new Event("input", { bubbles: true }));
	})()`)
	const heated = `document.querySelector("#heat").textContent.startsWith("Heat as of")`
	tab.Wait(heated)
	tab.Wait(fmt.Sprintf(`document.querySelectorAll("#list tbody tr").length === %d`, len(want)))
	got, at := shown(tab), Ask[string](tab, `location.pathname + location.search`)
	sorted := slices.Sorted(slices.Values(got))
	if !slices.Equal(sorted, slices.Sorted(slices.Values(want))) {
		t.Errorf("rows %q, want %q", got, want)
	}
	other := r.tab(t, View{})
	other.Go(at)
	other.Wait(heated)
	shows(other, got)
	other.Go("/?sort=heat")
	other.Wait(heated)
	heat := Ask[[]string](other, `[...document.querySelectorAll("#list tbody tr")].map(r => r.querySelector("td.he").textContent)`)
	if !slices.IsSortedFunc(heat, func(a, b string) int { return number(b) - number(a) }) ||
		number(heat[0]) <= 0 {
		t.Errorf("heat %q", heat)
	}
}

// number is a cell's number, or -1 for an empty cell.
func number(cell string) int {
	n := -1
	fmt.Sscan(cell, &n)
	return n
}

func nothing(t *testing.T, r *served) {
	tab := r.tab(t, View{Width: 320})
	tab.Go("/?q=zzyzx&status=draft")
	tab.Wait(`document.querySelector("#none").checkVisibility()`)
	if got := shown(tab); len(got) != 0 {
		t.Errorf("rows %q", got)
	}
	tab.Click("#clear")
	tab.Wait(`location.search === "" && !document.querySelector("#none").checkVisibility() && document.activeElement.id === "find"`)
	shows(tab, ids(mip.ActiveFirst(r.proposals(t)), everyone))
	// Without a network the words above the rows report it, since the rows are no answer.
	Ask[bool](tab, `(window.fetch = () => Promise.reject(new Error("no network")), true)`)
	tab.Press("lantern")
	tab.Wait(`document.querySelector("#count").textContent.startsWith("The texts cannot be searched now")`)
}
