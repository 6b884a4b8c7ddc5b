package browsertest

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
)

// targetFaults is a script that returns the links beside a proposal's text that are hard to hit:
// WCAG 2.5.8.
//
//go:embed testdata/targets.js
var targetFaults string

// TestFacts checks the facts about proposals above and beside their texts.
func TestFacts(t *testing.T) {
	t.Parallel()
	start(t)
	more := map[string]string{}
	for n, header := range map[int]string{
		1: "status: Final\nauthor: Ada Lovelace (@ada), B (@b), Cy (@cy), Dora " +
			"Somebody-With-A-Long-Name (@dora), E (@e), F (@f)\n" +
			"requires: 2, 3, 4, 5, 6\n" +
			"description: Of `a_long_name` and of others.\nsuperseded-by: 2",
		2: "status: Draft\nauthor: Ada (@ada)\nrequires: 1\ntype: Meta\ncategory: Meta",
		3: "status: Withdrawn\nauthor: Ada (@ada)\nwithdrawal-reason: It was `too_slow`.",
		4: "status: Draft\nauthor: Example Labs, Ada\nreplaces: 5",
		5: "status: Living\nauthor: Ada",
		6: "status: Draft\nauthor: Ada",
	} {
		more[fmt.Sprintf("MIP-%d.md",
			n)] = fmt.Sprintf("---\nmip: %d\ntitle: Title %d\n%s\n---\n\n## Text\n\n"+
			"See [`a_long_name`](https://example.org/).\n", n, n, header)
	}
	v := setup{folders: []string{}, more: more}.serve(t)
	tab := v.tab(t, View{})
	for n := 1; n <= 6; n++ {
		path := fmt.Sprintf("/mip/%d/", n)
		tab.Go(path)
		for _, width := range []int{1200, 390} {
			tab.Resize(width)
			if faults := Ask[[]string](tab, targetFaults); len(faults) > 0 {
				t.Errorf("%s at %d px:\n%s", path, width, strings.Join(faults, "\n"))
			}
		}
		want, noted := map[int]string{
			1: "MIP-2 Title 2 (Draft) proposes to replace this proposal. Until then this " +
				"one holds.",
			3: "This proposal was withdrawn. It was too_slow.",
			5: "MIP-4 Title 4 (Draft) proposes to replace this proposal. Until then this " +
				"one holds.",
			6: "",
		}[n]
		if got := Ask[string](tab, `[...document.querySelectorAll(".phead .end")].filter(n => n.checkVisibility()).map(n => n.innerText.trim()).join("|")`); noted && got != want {
			t.Errorf("%s says %q, want %q", path, got, want)
		}
		switch n {
		case 1:
			if got := Ask[string](tab,
				`document.querySelector(".phead .desc").innerHTML`); got != "Of <code>a_long_name</code> and of others." {
				t.Errorf("the description is %s", got)
			}
		case 2:
			if got := Ask[[]string](tab,
				`[...document.querySelectorAll(".phead .row > *")].map(e => e.textContent)`); strings.Join(got, " ") != "Draft Meta" {
				t.Errorf("badges of a meta proposal: %q", got)
			}
		}
	}
	tab.Go("/graph/")
	if got := Ask[int](tab, `document.querySelectorAll("path.new").length`); got != 2 {
		t.Errorf("%d lines of replacements, want 2", got)
	}
	// The search finds rows, dims the rest in drawings, and is in the address.
	tab.Click("#q")
	tab.Press("title 4")
	const rows = `[...document.querySelectorAll(".rel tbody tr")].filter(r => r.checkVisibility()).length + " " + document.querySelectorAll(".g a:not(.off)").length`
	tab.Wait(`document.querySelector("#found").textContent.startsWith("2 of ")`)
	found := Ask[string](tab, rows)
	tab.Reload()
	tab.Wait(`document.querySelector("#found").textContent.startsWith("2 of ")`)
	if got := Ask[string](tab, rows); got != found || got != "2 1" {
		t.Errorf("rows and boxes found: %q, after a reload %q", found, got)
	}
}
