package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/mipwatch/mipwatch/internal/test/corpora"
)

// TestSearchWeight types words into the search fields of a large site as a new visitor: the
// compressed size of the requests is bounded, also for each further word.
func TestSearchWeight(t *testing.T) {
	t.Parallel()
	start(t)
	v := setup{folders: []string{corpora.Need(t, "eips")}, prefix: "EIP"}.serve(t)
	const first, further = 48_000, 25_000
	for path, results := range map[string]string{"/": "#list tbody", "/search/": "#found",
		"/about/": ".pop"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			tab := v.tab(t, View{})
			tab.Go(path)
			weighed := len(tab.Requests())
			weigh := func(word string, most int) {
				tab.Press(word + " ")
				tab.Wait(fmt.Sprintf(`[...document.querySelectorAll("%s mark")].some(m => m.textContent.toLowerCase().startsWith(%q)) &&
					[...document.querySelectorAll("%[1]s .ex")].every(e => e.firstChild || e.getBoundingClientRect().top >= innerHeight)`, results, word))
				sum, parts, all := 0, "", tab.Requests()
				for _, r := range all[weighed:] {
					var ranges []string
					if r.Range != "" {
						ranges = []string{r.Range}
					}
					n := len(v.get(t, strings.TrimPrefix(r.URL, v.base), "gzip", ranges...))
					sum += n
					parts += fmt.Sprintf(" %s %s %d", r.URL, r.Range, n)
				}
				weighed = len(all)
				t.Logf("%s asks for %d bytes", word, sum)
				if sum > most {
					t.Errorf("%s asks for %d bytes, want %d at most:%s", word, sum, most, parts)
				}
			}
			tab.Press("/")
			weigh("blob", first)
			weigh("market", further)
		})
	}
}

// TestSearchOfBareFiles searches a site whose host ignores ranges of files and has no rewrites.
func TestSearchOfBareFiles(t *testing.T) {
	t.Parallel()
	start(t)
	tab := setup{bare: true}.serve(t).tab(t, View{})
	tab.Expect(`404 .*/api/v1/search$`)
	tab.Go("/search/?q=gas+cost")
	tab.Wait(`document.querySelectorAll("#found li mark").length > 3`)
}

// searching searches texts on the search page, from the field of another page, and without results.
func searching(t *testing.T, r *served) {
	const found = `[...document.querySelectorAll("#found li a")].map(a => a.textContent + " " + a.getAttribute("href")).join("|")`
	tab := r.tab(t, View{})
	tab.Go("/search/?q=gas+cost")
	tab.Wait(`document.querySelectorAll("#found li mark").length > 3`)
	tab.Wait(`document.querySelector("#live").textContent.endsWith(" proposals.")`)
	// Input shows results at once, and is in the address.
	tab.Click("#q")
	Ask[bool](tab, `(document.querySelector("#q").select(), true)`)
	tab.Press("block status:final")
	tab.Wait(`new URLSearchParams(location.search).get("q") === "block status:final"`)
	tab.Wait(`document.querySelectorAll("#found li").length > 0 && [...document.querySelectorAll("#found .b")].every(b => b.textContent === "Final")`)
	// A filter is a chip that can be removed, and an unknown value gets a list of the known ones.
	tab.Click(`#found [aria-label="Remove status:final"]`)
	tab.Wait(`document.querySelector("#q").value.trim() === "block" && document.activeElement.id === "q" && !document.querySelector("#found [aria-label]")`)
	Ask[bool](tab, `(document.querySelector("#q").select(), true)`)
	tab.Press("block status:finish")
	tab.Wait(`document.querySelector("#found [aria-label]") && document.querySelector("#live").textContent.includes('No proposal has the status "finish". Statuses: draft, final,')`)
	// A list of values has the name of its filter.
	Ask[bool](tab, `(document.querySelector("#q").select(), true)`)
	tab.Press("category:zz")
	tab.Wait(`document.querySelector("#live").textContent.startsWith('No proposal has the category "zz". Categories: ')`)
	// A phrase is marked as one.
	Ask[bool](tab, `(document.querySelector("#q").select(), true)`)
	tab.Press("“base fee”")
	tab.Wait(`[...document.querySelectorAll("#found li mark")].some(m => m.textContent.toLowerCase() === "base fee")`)
	Ask[bool](tab, `(document.querySelector("#q").select(), true)`)
	tab.Press("\"fee base\"")
	tab.Wait(`document.querySelector("#found").textContent.includes("No proposal contains these words")`)
	for text, want := range map[string]string{"mip-4": "MIP-4 ", "0004": "MIP-4 "} {
		Ask[bool](tab, `(document.querySelector("#q").select(), true)`)
		tab.Press(text)
		tab.Wait(`(` + found + `).startsWith("` + want + `")`)
	}
	Ask[bool](tab, `(document.querySelector("#q").select(), true)`)
	tab.Press("zzyzx")
	tab.Wait(`document.querySelector("#found").textContent.startsWith("No proposal contains these words")`)
	Ask[bool](tab, `(document.querySelector("#q").select(), true)`)
	tab.Press("a")
	tab.Wait(`document.querySelector("#found").textContent === "Type one letter more."`)

	// A slash leads to the field of any page, arrows to the results, and a result to its section.
	tab.Go("/about/")
	tab.Press("/")
	tab.Wait(`document.activeElement.id === "find"`)
	tab.Press("transaction")
	tab.Wait(`document.querySelectorAll(".pop li a").length > 2 && document.querySelector(".pop > a").search === "?q=transaction"`)
	tab.Press(kb.ArrowDown + kb.ArrowDown + kb.ArrowUp)
	tab.Wait(`document.activeElement === document.querySelector(".pop li a")`)
	tab.Press(kb.Escape)
	tab.Wait(`document.activeElement.id === "find" && document.querySelector(".pop").hidden`)
	Ask[bool](tab, `(document.querySelector("#find").select(), true)`)
	tab.Press("gas cost")
	tab.Wait(`[...document.querySelectorAll(".pop li:first-child mark")].some(m => m.textContent === "cost") && document.querySelector(".pop > a").search === "?q=gas%20cost"`)
	tab.Press(kb.ArrowDown + kb.Enter)
	tab.Wait(`location.pathname.startsWith("/mip/") && location.hash.startsWith("#s-")`)

	// The output of a screen reader on a phone: the field, the number of results, and each result
	// as a link with its name.
	phone := r.tab(t, View{Width: 320})
	phone.Go("/search/?q=%22base+fee%22+status:final")
	phone.Wait(`document.querySelectorAll("#found li mark").length > 1 && [...document.querySelectorAll("#found .ex")].every(e => e.firstChild)`)
	tree, at := phone.Tree(), 0
	for _, want := range []string{
		"heading Search", "search", "searchbox Words of a text, a number, or a name",
		"button Remove status:final", "StaticText 2 proposals.",
		"list", "link MIP-", "StaticText Final", "mark", "link MIP-", "status",
		"StaticText 2 proposals.",
	} {
		i := slices.IndexFunc(tree[at:], func(s string) bool { return strings.HasPrefix(s, want) })
		if i < 0 {
			t.Errorf("the tree has no %q behind the first %d of %q", want, at, tree)
			break
		}
		at += i + 1
	}

	// Without scripts the field leads to the search page, which names the alternatives.
	bare := r.tab(t, View{Width: 320, NoScript: true})
	bare.Go("/about/")
	bare.Click("#find")
	bare.Press("gas\r")
	bare.Click(`noscript a, .empty a`)
}
