package browsertest

import (
	"fmt"
	"testing"
)

// runbook follows an upgrade on its page: the time in the reader's zone, the block at that time,
// and the ticked steps.
func runbook(t *testing.T, r *served) {
	tab := r.tab(t, View{Zone: "UTC"})
	tab.Go("/upgrade/argand/")
	tab.Wait(`/^about block [\d,]{7,}, at 0.5 s a block$/.test(document.querySelector("[data-chain=testnet] [data-f=block]").textContent)`)
	local := `document.querySelector("[data-chain=testnet] [data-f=local]")`
	if Ask[bool](tab, local+`.textContent != ""`) {
		t.Error("the time is shown twice to a reader in UTC")
	}
	east := r.tab(t, View{Zone: "Europe/Berlin"})
	east.Go("/upgrade/argand/")
	east.Wait(local + `.textContent == "19 Jan 2027, 16:00 in Europe/Berlin"`)
	if !Ask[bool](tab, `document.querySelector(".todo input").checkVisibility()`) {
		t.Fatal("there is nothing to tick")
	}
	tab.Click(".todo input")
	tab.Reload()
	tab.Wait(`document.querySelector(".todo input").checked`)
	tab.Click(".todo input")
	tab.Reload()
	tab.Wait(`!document.querySelector(".todo input").checked`)
}

// TestSince notifies a reader once of a version other than the one seen last.
func TestSince(t *testing.T) {
	t.Parallel()
	start(t)
	dir := t.TempDir()
	for i, status := range []string{"Draft", "Review"} {
		commitTexts(t, dir, fmt.Sprintf("2026-05-%02d", i+1), map[string]string{
			"MIP-1.md": "---\nmip: 1\ntitle: One\nstatus: " + status + "\n---\n\nWords.\n",
		})
	}
	tab := setup{folders: []string{dir}}.serve(t).tab(t, View{})
	for range 2 {
		tab.Go("/mip/1/")
		tab.Wait(`document.querySelector(".since").hidden`)
	}
	Ask[bool](tab, `(localStorage.setItem("seen /mip/1/", "2026-01-01T00:00:00Z"), true)`)
	tab.Reload()
	tab.Wait(`document.querySelector(".since").checkVisibility()`)
	tab.Reload()
	tab.Wait(`document.querySelector(".since").hidden`)
}
