package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// commitTexts writes texts into a folder and commits them at noon.
func commitTexts(t *testing.T, dir, day string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testenv.Git(t, dir, "", "init", "-q")
	for _, args := range [][]string{{"add", "."}, {"commit", "-qm", "words"}} {
		testenv.Git(t, dir, day+"T12:00:00Z", args...)
	}
}

// TestChanges has the actions of a reader on the pages of changes: a kind can be chosen without
// scripts too, and one proposal can be followed through all years.
func TestChanges(t *testing.T) {
	t.Parallel()
	start(t)
	dir := t.TempDir()
	commit := func(day string, statuses ...string) {
		texts := map[string]string{}
		for i, s := range statuses {
			texts[fmt.Sprintf("MIP-%d.md",
				i+1)] = fmt.Sprintf("---\nmip: %d\ntitle: Title %d\nstatus: %s\n---\n\nWords.\n",
				i+1, i+1, s)
		}
		commitTexts(t, dir, day, texts)
	}
	commit("2024-05-01", "Draft", "Draft")
	many := slices.Repeat([]string{"Draft"}, 52)
	many[0] = "Review"
	commit("2025-03-01", many...)
	commit("2025-04-01", "Review", "Review")
	r := setup{folders: []string{dir}}.serve(t)
	visible := func(tab *Tab, want ...string) {
		t.Helper()
		got := Ask[[]string](tab, `[...document.querySelectorAll("#changes li:not(:has(li)) > :is(a:not(.of), time + :not(a))")].filter(e => e.checkVisibility()).map(e => e.textContent)`)
		if !slices.Equal(got, want) {
			t.Errorf("%s shows %q, want %q", Ask[string](tab, "location.href"), got, want)
		}
	}
	const first, second = "MIP-1 moved from Draft to Review", "MIP-2 moved from Draft to Review"
	without := r.tab(t, View{NoScript: true})
	without.Go("/changes/")
	visible(without, second, first)
	without.Click(`label:has([value=created])`)
	visible(without)
	if got := Ask[[]string](without, `[...document.querySelectorAll("#changes h2, #changes summary")].filter(e => e.checkVisibility()).map(e => e.textContent)`); !slices.Equal(got, []string{"March 2025", "50 proposals were imported"}) {
		t.Errorf("of what was created the page shows %q", got)
	}

	tab := r.tab(t, View{})
	tab.Go("/changes/?proposal=mip-1")
	tab.Wait(`document.querySelectorAll("#changes section").length === 3`)
	visible(tab, first, "MIP-1 was created as Draft")
	tab.Click(`label:has([value=status])`)
	tab.Wait(`location.search === "?proposal=mip-1&kind=status"`)
	visible(tab, first)
	tab.Click(`#years a[href*="/2024/"]`)
	tab.Wait(`location.pathname === "/changes/2024/" && document.querySelector("#none:not([hidden])")`)
	visible(tab)
	Ask[bool](tab, `(history.back(), true)`)
	tab.Wait(`location.pathname === "/changes/"`)
	tab.Wait(`document.querySelectorAll("#changes section").length === 3`)
	visible(tab, first)
}
