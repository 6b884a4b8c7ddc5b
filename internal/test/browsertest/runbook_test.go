package browsertest

import (
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

// since notifies a reader once of a version other than the one seen last.
func since(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	for range 2 {
		tab.Go("/mip/4/")
		tab.Wait(`document.querySelector(".since").hidden`)
	}
	Ask[bool](tab, `(localStorage.setItem("seen /mip/4/", "2026-01-01T00:00:00Z"), true)`)
	tab.Reload()
	tab.Wait(`document.querySelector(".since").checkVisibility()`)
	tab.Reload()
	tab.Wait(`document.querySelector(".since").hidden`)
}
