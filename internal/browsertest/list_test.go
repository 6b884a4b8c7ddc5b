package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/mipwatch/mipwatch/internal/mip"
)

const pageRows = 50

// withStatus keeps proposals by status.
func withStatus(of ...mip.Status) func(mip.Metadata) bool {
	return func(m mip.Metadata) bool { return slices.Contains(of, m.Status) }
}

func everyone(mip.Metadata) bool { return true }

// TestList is what a reader does with more proposals than fit on a page.
func TestList(t *testing.T) {
	t.Parallel()
	start(t)
	r := setup{folders: []string{}, more: varied(t, 130)}.serve(t)
	all := mip.ActiveFirst(r.proposals(t))
	count := func(n int) string { return fmt.Sprintf("%d of %d proposals", n, len(all)) }

	t.Run("without scripts every proposal can be reached", func(t *testing.T) {
		t.Parallel()
		tab := r.tab(t, View{NoScript: true})
		tab.Go("/")
		if got := shown(tab); !slices.Equal(got, ids(all[:pageRows], everyone)) {
			t.Errorf("rows %q", got)
		}
		if Ask[bool](tab, `[...document.querySelectorAll("#pager, #filters :is(input:not(#more), select), #list button:enabled")].some(e => e.checkVisibility())`) {
			t.Error("something is offered that needs scripts")
		}
		var reached []string
		for _, path := range Ask[[]string](tab, `[...document.querySelectorAll(".life a")].map(a => a.pathname)`) {
			tab.Go(path)
			reached = append(reached, shown(tab)...)
		}
		slices.Sort(reached)
		if want := slices.Sorted(slices.Values(ids(all, everyone))); !slices.Equal(reached, want) {
			t.Errorf("the lists by status have %q", reached)
		}
	})
	t.Run("several statuses at once, and back", func(t *testing.T) {
		t.Parallel()
		tab := r.tab(t, View{})
		tab.Go("/feeds/")
		tab.Go("/")
		drafts, both := ids(all, withStatus(mip.Draft)), ids(all, withStatus(mip.Draft, mip.Review))
		tab.Click("[data-status=draft]")
		tab.Wait(`location.search === "?status=draft"`)
		shows(tab, drafts[:min(len(drafts), pageRows)])
		tab.Click("[data-status=review]")
		tab.Wait(`location.search === "?status=draft,review"`)
		shows(tab, both[:min(len(both), pageRows)])
		if got := Ask[string](tab, `document.querySelector("#live").textContent`); got != count(len(both)) {
			t.Errorf("announced %q", got)
		}
		if got := Ask[[]string](tab, `[...document.querySelectorAll("[aria-pressed=true]")].map(e => e.dataset.status)`); !slices.Equal(got, []string{"draft", "review"}) {
			t.Errorf("pressed: %q", got)
		}
		for _, load := range []func(){tab.Reload, func() {
			Ask[bool](tab, `(history.back(), true)`)
			Ask[bool](tab, `(setTimeout(() => history.forward()), true)`)
		}} {
			load()
			tab.Wait(`location.search === "?status=draft,review"`)
			shows(tab, both[:min(len(both), pageRows)])
		}
		Ask[bool](tab, `(history.back(), true)`)
		tab.Wait(`location.search === "?status=draft"`)
		shows(tab, drafts[:min(len(drafts), pageRows)])
		Ask[bool](tab, `(history.back(), true)`)
		tab.Wait(`location.pathname === "/" && location.search === ""`)
		shows(tab, ids(all[:pageRows], everyone))
		Ask[bool](tab, `(history.back(), true)`)
		tab.Wait(`location.pathname === "/feeds/"`)
	})
	t.Run("counts under the choice", func(t *testing.T) {
		t.Parallel()
		core := func(m mip.Metadata) bool { return *m.Category == "Core" }
		tab := r.tab(t, View{Width: 390})
		tab.Go("/?category=core&status=final")
		shows(tab, ids(all, func(m mip.Metadata) bool { return core(m) && m.Status == mip.Final }))
		for _, s := range mip.Process(nil).Known() {
			want := len(ids(all, func(m mip.Metadata) bool { return core(m) && m.Standing == s }))
			if got := Ask[string](tab, `document.querySelector("[data-status=`+s.Status.Slug()+`] .n").textContent`); got != fmt.Sprint(want) {
				t.Errorf("%s: %s, want %d", s.Status, got, want)
			}
		}
	})
	t.Run("author and words", func(t *testing.T) {
		t.Parallel()
		login := *all[70].Authors[0].GitHub
		by := ids(all, func(m mip.Metadata) bool {
			return slices.ContainsFunc(m.Authors, func(a mip.Author) bool { return strings.Contains(strings.ToLower(a.String()), "@"+login) })
		})
		tab := r.tab(t, View{})
		tab.Go("/")
		tab.Click("#author")
		tab.Press("@" + login)
		tab.Wait(`new URLSearchParams(location.search).get("author") === "@` + login + `"`)
		shows(tab, by)
		if !Ask[bool](tab, `document.querySelectorAll("#authors option").length > 10`) {
			t.Error("no authors are suggested")
		}
		tab.Click("#clear")
		shows(tab, ids(all[:pageRows], everyone))
	})
	t.Run("heads that sort", func(t *testing.T) {
		t.Parallel()
		tab := r.tab(t, View{})
		tab.Go("/")
		for _, c := range []struct {
			key   string
			order func(a, b mip.Metadata) int
		}{
			{"number", func(a, b mip.Metadata) int { return a.Number - b.Number }},
			{"updated", func(a, b mip.Metadata) int { return b.Updated.UTC().Compare(a.Updated.UTC()) }},
			{"status", func(a, b mip.Metadata) int {
				return slices.Index(mip.Process(nil).Known(), a.Standing) - slices.Index(mip.Process(nil).Known(), b.Standing)
			}},
		} {
			head := `th[data-sort="` + c.key + `"]`
			for _, reversed := range []bool{false, true} {
				want := slices.Clone(all)
				slices.SortStableFunc(want, func(a, b mip.Metadata) int {
					if reversed {
						a, b = b, a
					}
					return c.order(a, b)
				})
				tab.Click(head + " button")
				address, sorted := "?sort="+c.key, "ascending"
				if reversed {
					address = "?sort=-" + c.key
				}
				if reversed != (c.key == "updated") {
					sorted = "descending"
				}
				tab.Wait(fmt.Sprintf(`location.search === %q && document.querySelector("#sort").value === %q`, address, strings.TrimPrefix(address, "?sort=")))
				shows(tab, ids(want[:pageRows], everyone))
				if got := Ask[[]string](tab, `[...document.querySelectorAll("[aria-sort]")].map(e => e.dataset.sort + " " + e.ariaSort)`); !slices.Equal(got, []string{c.key + " " + sorted}) {
					t.Errorf("%s: sorted by %q", address, got)
				}
			}
			tab.Click(head + " button")
			tab.Wait(`location.search === "" && !document.querySelector("[aria-sort]")`)
		}
		tab.Go("/status/draft/")
		if Ask[bool](tab, `!!document.querySelector("th button, th[aria-sort]")`) {
			t.Error("a list that does not sort looks as if it did")
		}
	})
	t.Run("pages", func(t *testing.T) {
		t.Parallel()
		tab := r.tab(t, View{Width: 390})
		tab.Media("prefers-reduced-motion", "reduce")
		tab.Go("/")
		tab.Click("#pager a[rel=next]")
		tab.Wait(`location.search === "?page=2"`)
		shows(tab, ids(all[pageRows:2*pageRows], everyone))
		tab.Click("#pager [aria-label='Page 3']")
		tab.Wait(`location.search === "?page=3" && document.activeElement.id === "list"`)
		shows(tab, ids(all[2*pageRows:], everyone))
		if got := Ask[string](tab, `document.querySelector("#live").textContent`); !strings.HasSuffix(got, "page 3 of 3") {
			t.Errorf("announced %q", got)
		}
		Ask[bool](tab, `(history.back(), true)`)
		shows(tab, ids(all[pageRows:2*pageRows], everyone))
		tab.Reload()
		shows(tab, ids(all[pageRows:2*pageRows], everyone))
		tab.Click("[data-status=draft]") // another choice begins at its first page
		tab.Wait(`location.search === "?status=draft"`)
	})
	t.Run("by keyboard", func(t *testing.T) {
		t.Parallel()
		tab := r.tab(t, View{})
		tab.Go("/")
		for _, key := range []string{" ", kb.Enter} {
			Ask[bool](tab, `(document.querySelector("[data-status=final]").focus(), true)`)
			tab.Press(key)
			tab.Wait(`location.search === "?status=final"`)
			tab.Press(key)
			tab.Wait(`location.search === ""`)
		}
	})
	t.Run("type and upgrade", func(t *testing.T) {
		t.Parallel()
		site := serve(t, false)
		listed := mip.ActiveFirst(site.proposals(t))
		tab := site.tab(t, View{})
		tab.Go("/?type=meta")
		shows(tab, ids(listed, func(m mip.Metadata) bool { return m.Type != nil && mip.Slug(*m.Type) == "meta" }))
		bundled := ids(listed, func(m mip.Metadata) bool { return m.Hardfork != nil && *m.Hardfork == "BEACON" })
		tab.Go("/?upgrade=beacon")
		shows(tab, bundled)
		tab.Go("/upgrade/beacon/")
		for _, id := range shown(tab) { // its table leaves out the proposal that defines it
			if !slices.Contains(bundled, id) {
				t.Errorf("the upgrade's page has %s", id)
			}
		}
	})
	t.Run("what the chain says", func(t *testing.T) {
		t.Parallel()
		site := serve(t, false)
		listed := mip.ActiveFirst(site.proposals(t))
		fork := func(name string) []string {
			return ids(listed, func(m mip.Metadata) bool { return m.Hardfork != nil && *m.Hardfork == name })
		}
		none := ids(listed, func(m mip.Metadata) bool { return m.Hardfork == nil })
		for _, c := range []struct {
			day  time.Time
			want map[string][]string
			mark string
		}{
			{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), map[string][]string{"live": fork("BEACON"), "test": {}, "ahead": fork("ARGAND"), "none": none}, "In 49 days"},
			{time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC), map[string][]string{"live": fork("BEACON"), "test": fork("ARGAND"), "ahead": {}, "none": none}, "Live on testnet"},
		} {
			tab := site.tab(t, View{Early: clockAt(c.day)})
			for choice, want := range c.want {
				tab.Go("/?chain=" + choice)
				shows(tab, want)
			}
			for _, path := range []string{"/", "/?sort=chain", "/status/draft/"} {
				tab.Go(path)
				tab.Wait(fmt.Sprintf(`!document.querySelector("[data-wait]") && document.querySelector(".chain[data-fork=ARGAND]").innerText === %q`, c.mark))
			}
		}
	})
	t.Run("rows are those of the page", func(t *testing.T) {
		t.Parallel()
		const html = `[...document.querySelectorAll("#list tbody tr")].map(r => r.outerHTML.replace(/\s+(?=<)|(?<=>)\s+/g, ""))`
		for _, site := range []*served{r, serve(t, false)} {
			tab := site.tab(t, View{})
			tab.Go("/")
			want := Ask[[]string](tab, html)
			tab.Click("[data-status=draft]")
			tab.Click("[data-status=draft]")
			tab.Wait(`!new URLSearchParams(location.search).has("status") && document.querySelectorAll("#list tbody tr").length === ` + fmt.Sprint(len(want)))
			if got := Ask[[]string](tab, html); !slices.Equal(got, want) {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Errorf("a row is drawn as\n%s\nand is\n%s\non the page", got[i], want[i])
						break
					}
				}
			}
		}
	})
}

// TestLastCall is the list of last calls: the soonest deadline first, each with its date and, by the reader's clock,
// how far away that is.
func TestLastCall(t *testing.T) {
	t.Parallel()
	start(t)
	more := map[string]string{}
	for n, deadline := range map[int]string{1: "2026-12-20", 2: "", 3: "2026-11-30", 4: "2026-12-05"} {
		more[fmt.Sprintf("MIP-%d.md", n)] = fmt.Sprintf("---\nmip: %d\ntitle: Words\nstatus: Last Call\ncreated: 2026-10-0%d\nlast-call-deadline: %s\n---\n\nWords.\n", n, n, deadline)
	}
	more["MIP-5.md"] = "---\nmip: 5\ntitle: Words\nstatus: Draft\ncreated: 2026-10-05\nlast-call-deadline: 2026-12-20\n---\n\nWords.\n"
	r := setup{folders: []string{}, more: more}.serve(t)
	for _, v := range []View{{NoScript: true}, {Width: 320, Early: clockAt(time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC))}} {
		tab := r.tab(t, v)
		want := []string{"MIP-3 Last Call until 30 Nov 2026", "MIP-4 Last Call until 5 Dec 2026", "MIP-1 Last Call until 20 Dec 2026", "MIP-2 Last Call"}
		if !v.NoScript { // what has passed comes last
			want = []string{"MIP-4 Last Call until 5 Dec 2026 in 3 days", "MIP-1 Last Call until 20 Dec 2026 in 18 days", "MIP-2 Last Call", "MIP-3 Last Call until 30 Nov 2026 passed 1 day ago"}
		}
		tab.Go("/status/last-call/")
		const rows = `[...document.querySelectorAll("#list tbody tr")].map(r => r.querySelector(".n").textContent + " " + r.querySelector(".st").innerText.trim().replace(/\s+/g, " "))`
		if got := Ask[[]string](tab, rows); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", v, got, want)
		}
		// A list of all has the same of each, as it is and as the script makes it; and a draft has no such day.
		slices.Sort(want)
		tab.Go("/")
		if got := Ask[[]string](tab, rows); !slices.Equal(slices.Sorted(slices.Values(got)), append(want, "MIP-5 Draft")) {
			t.Errorf("%s: the first page has %q, want %q and a draft", v, got, want)
		}
		if v.NoScript {
			continue
		}
		tab.Go("/?status=last-call")
		tab.Wait(`document.querySelectorAll("#list tbody tr").length === 4`)
		if got := Ask[[]string](tab, rows); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%s: of last calls the first page has %q, want %q", v, got, want)
		}
		tab.Go("/search/?q=mip-3")
		tab.Wait(`document.querySelector("main .b.s-last-call")`)
		if got := Ask[string](tab, `document.querySelector("main .b.s-last-call").parentElement.textContent`); got != "MIP-3 Words Last Call until 30 Nov 2026" {
			t.Errorf("%s: searching finds %q", v, got)
		}
	}
}
