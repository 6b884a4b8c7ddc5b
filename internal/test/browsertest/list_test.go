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

// withStatus selects proposals by status.
func withStatus(of ...mip.Status) func(mip.Metadata) bool {
	return func(m mip.Metadata) bool { return slices.Contains(of, m.Status) }
}

func everyone(mip.Metadata) bool { return true }

// TestList has the actions of a reader with more proposals than fit on a page.
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
		if Ask[bool](tab, `document.querySelector("#more").open = true; [...document.querySelectorAll("#pager, #filters :is(input, select), #list button:enabled")].some(e => e.checkVisibility())`) {
			t.Error("something is offered that needs scripts")
		}
		var reached []string
		for _, path := range Ask[[]string](tab,
			`[...document.querySelectorAll(".life [data-status]")].map(a => a.pathname)`) {
			tab.Go(path)
			reached = append(reached, shown(tab)...)
		}
		slices.Sort(reached)
		if want := slices.Sorted(slices.Values(ids(all, everyone))); !slices.Equal(reached, want) {
			t.Errorf("the lists by status have %q", reached)
		}
	})
	t.Run("first screen", func(t *testing.T) {
		t.Parallel()
		rowsFirst(t, r, "/", "/status/draft/", "/category/core/")
	})
	t.Run("several statuses at once, and back", func(t *testing.T) {
		t.Parallel()
		tab := r.tab(t, View{})
		tab.Go("/follow/")
		tab.Go("/")
		drafts, both := ids(all, withStatus(mip.Draft)), ids(all, withStatus(mip.Draft, mip.Review))
		tab.Click("[data-status=draft]")
		tab.Wait(`location.search === "?status=draft"`)
		shows(tab, drafts[:min(len(drafts), pageRows)])
		tab.Click("[data-status=review]")
		tab.Wait(`location.search === "?status=draft,review"`)
		shows(tab, both[:min(len(both), pageRows)])
		if got := Ask[string](tab,
			`document.querySelector("#live").textContent`); got != count(len(both)) {
			t.Errorf("announced %q", got)
		}
		if got := Ask[[]string](tab,
			`[...document.querySelectorAll("[aria-pressed=true]")].map(e => e.dataset.status)`); !slices.Equal(got, []string{"draft", "review"}) {
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
		tab.Wait(`location.pathname === "/follow/"`)
	})
	t.Run("counts under the choice", func(t *testing.T) {
		t.Parallel()
		core := func(m mip.Metadata) bool { return *m.Category == "Core" }
		tab := r.tab(t, View{Width: 390})
		tab.Go("/?category=core&status=final")
		shows(tab, ids(all, func(m mip.Metadata) bool { return core(m) && m.Status == mip.Final }))
		for _, s := range mip.Process(nil).Known() {
			want := len(ids(all, func(m mip.Metadata) bool { return core(m) && m.Standing == s }))
			if got := Ask[string](tab,
				`document.querySelector("[data-status=`+s.Status.Slug()+`] .n").textContent`); got != fmt.Sprint(want) {
				t.Errorf("%s: %s, want %d", s.Status, got, want)
			}
		}
	})
	t.Run("author and words", func(t *testing.T) {
		t.Parallel()
		login := *all[70].Authors[0].GitHub
		by := ids(all, func(m mip.Metadata) bool {
			return slices.ContainsFunc(m.Authors, func(a mip.Author) bool {
				return strings.Contains(strings.ToLower(a.String()), "@"+login)
			})
		})
		tab := r.tab(t, View{})
		tab.Go("/")
		tab.Click("#more > summary")
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
			{"updated", func(a, b mip.Metadata) int {
				return b.Updated.UTC().Compare(a.Updated.UTC())
			}},
			{"status", func(a, b mip.Metadata) int {
				return slices.Index(mip.Process(nil).Known(),
					a.Standing) - slices.Index(mip.Process(nil).Known(), b.Standing)
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
				tab.Wait(fmt.Sprintf(
					`location.search === %q && document.querySelector("#sort").value === %q`,
					address, strings.TrimPrefix(address, "?sort=")))
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
		if got := Ask[string](tab,
			`document.querySelector("#live").textContent`); !strings.HasSuffix(got, "page 3 of 3") {
			t.Errorf("announced %q", got)
		}
		Ask[bool](tab, `(history.back(), true)`)
		shows(tab, ids(all[pageRows:2*pageRows], everyone))
		tab.Reload()
		shows(tab, ids(all[pageRows:2*pageRows], everyone))
		tab.Click("[data-status=draft]") // another choice starts at its first page
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
		shows(tab, ids(listed, func(m mip.Metadata) bool {
			return m.Type != nil && mip.Slug(*m.Type) == "meta"
		}))
		bundled := ids(listed, func(m mip.Metadata) bool {
			return m.Hardfork != nil && *m.Hardfork == "BEACON"
		})
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
			return ids(listed, func(m mip.Metadata) bool {
				return m.Hardfork != nil && *m.Hardfork == name
			})
		}
		none := ids(listed, func(m mip.Metadata) bool { return m.Hardfork == nil })
		for _, c := range []struct {
			day  time.Time
			want map[string][]string
			mark string
		}{
			{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
				map[string][]string{"live": fork("BEACON"), "test": {}, "ahead": fork("ARGAND"),
					"none": none}, "Testnet in 49 days"},
			{time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC),
				map[string][]string{"live": fork("BEACON"), "test": fork("ARGAND"), "ahead": {},
					"none": none}, "Live on testnet"},
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
	t.Run("words alone, ten at a time and without the list", func(t *testing.T) {
		t.Parallel()
		tab := r.tab(t, View{})
		tab.Go("/")
		tab.Click("#find")
		tab.Press("abs") // each has an abstract
		tab.Wait(`document.querySelector("#list .ex") && document.querySelector("#count").textContent === "130 proposals"`)
		first := shown(tab)
		tab.Click("#pager a[rel=next]")
		tab.Wait(`location.search === "?q=abs&page=2" && document.querySelector("#count").textContent === "130 proposals, page 2 of 13"`)
		second := shown(tab)
		if len(first) != 10 || len(second) != 10 ||
			slices.ContainsFunc(second, func(id string) bool {
				return slices.Contains(first, id)
			}) {
			t.Errorf("pages of %q and %q", first, second)
		}
		finals := ids(all, withStatus(mip.Final))
		tab.Click("[data-status=final]")
		tab.Wait(fmt.Sprintf(
			`document.querySelector("#count").textContent.startsWith("%d of 130 ")`, len(finals)))
		if got := shown(tab); len(got) != min(10, len(finals)) ||
			slices.ContainsFunc(got, func(id string) bool {
				return !slices.Contains(finals, id)
			}) {
			t.Errorf("with a status %q", got)
		}
		if drafts := Ask[string](tab,
			`document.querySelector("[data-status=draft] .n").textContent`); drafts != fmt.Sprint(
			len(ids(all, withStatus(mip.Draft)))) {
			t.Errorf("%s drafts have the word", drafts)
		}
		tab.Click("[data-status=final]")
		Ask[bool](tab,
			`(document.querySelector("#find").select(), document.querySelector("#find").focus(), true)`)
		tab.Press("a")
		tab.Wait(`document.querySelector("#count").textContent === "Type one letter more."`)
		shows(tab, ids(all[:pageRows], everyone))
		list := func(r Request) bool { return strings.HasSuffix(r.URL, "/api/v1/index") }
		if slices.ContainsFunc(tab.Requests(), list) {
			t.Error("a search for words reads the whole list")
		}
		tab.Click("#more > summary")
		tab.Click("#category")
		tab.Wait(`performance.getEntriesByName(new URL("/api/v1/index", location)).length === 1`)
	})
	t.Run("rows are those of the page", func(t *testing.T) {
		t.Parallel()
		const html = `[...document.querySelectorAll("#list tbody tr")].map(r => {
			for (const e of r.querySelectorAll(".ex")) e.textContent = "";
			for (const e of r.querySelectorAll(".t")) e.hash = "";
			return r.outerHTML.replace(/\s+(?=<)|(?<=>)\s+|<.?code>/g, "");
		})`
		for _, site := range []*served{r, serve(t, false)} {
			tab := site.tab(t, View{})
			tab.Go("/")
			want := Ask[[]string](tab, html)
			tab.Go("/?status=" + Ask[string](tab,
				`[...document.querySelectorAll("[data-status]")].map(e => e.dataset.status).join()`))
			tab.Wait(`!document.querySelector("[data-wait]") && document.querySelectorAll("#list tbody tr").length === ` + fmt.Sprint(len(want)))
			if got := Ask[[]string](tab, html); !slices.Equal(got, want) {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Errorf("a row is drawn as\n%s\nand is\n%s\non the page", got[i], want[i])
						break
					}
				}
			}
			if site == r {
				continue
			}
			// The rows of results come from the index of texts or, if the list is needed, from the
			// list.
			var listed []string
			for _, page := range []string{"", "&page=2"} {
				tab.Go("/?q=the&sort=number" + page)
				tab.Wait(`document.querySelector("#list tbody .ex")`)
				listed = append(listed, Ask[[]string](tab, html)...)
			}
			tab.Go("/?q=the")
			tab.Wait(`document.querySelector("#list tbody .ex")`)
			read := Ask[[]string](tab, html)
			if len(read) != 10 {
				t.Errorf("%d rows, want ten", len(read))
			}
			for _, row := range read {
				if !slices.Contains(listed, row) {
					t.Errorf("from texts a row is drawn as\n%s\nand from the list none of\n%s",
						row, strings.Join(listed, "\n"))
					break
				}
			}
		}
	})
}
