package browsertest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// answers checks a proposal with a duty for developers, none for users, neither for validators and
// nothing for the foundation, with a committed summary and without: the page and the script draw
// the same, with and without a hard fork.
func answers(t *testing.T, _ *served) {
	sample, err := os.ReadFile("../../samples/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "site.yaml")
	if err := os.WriteFile(config,
		bytes.Replace(sample, []byte("mips: [12, 14]"), []byte("mips: [12, 14, 950, 951]"), 1),
		0o600); err != nil {
		t.Fatal(err)
	}
	answersIn(t, "", "")
	answersIn(t, config, "ARGAND")
}

func answersIn(t *testing.T, config, fork string) {
	t.Helper()
	const must, idle, quiet = "Contracts that allocate more than 8 MB will now revert.",
		"Users do not have to do anything.",
		"Validators verify blocks in 5% less time."
	at := func(quote string) string {
		return fmt.Sprintf(`{"section": "s-compatibility", "quote": %q}`, quote)
	}
	axis := func(severity string, act bool, quote string) string {
		return fmt.Sprintf(
			`{"impact": "As it says.", "severity": %q, "actionRequired": %t, "evidence": [%s]}`,
			severity, act, at(quote))
	}
	nothing := fmt.Sprintf(`{"impact": "As it says.", "severity": "low", "actionRequired": false, "actionEvidence": %[1]s, "evidence": [%[1]s]}`,
		at(idle))
	high, medium := "medium", "low"
	if fork != "" {
		high, medium = "high", "medium" // the minimum for bundled proposals
	}
	summary := `{"tldr": "A bound.", "whatsChanging": ["One.", "Two.", "Three."], "developers": ` +
		axis("high", true, must) +
		`, "users": ` + nothing + `, "validators": ` + axis(high, false, quiet) +
		`, "foundation": {"impact": "The text does not say what this means for this group.", "severity": "` + medium + `", "actionRequired": false, "evidence": []}`
	more := map[string]string{}
	for _, n := range []int{950, 951} {
		more[fmt.Sprintf("MIP-%d.md",
			n)] = fmt.Sprintf("---\nmip: %d\ntitle: Memory\nstatus: Draft\n"+
			"type: Standards Track\ncategory: Core\n---\n\n%s\n\n"+
			"## Compatibility\n\n%s\n\n%s\n\n%s\n",
			n, strings.Repeat("Memory is counted in pages of a fixed size. ", 10), must,
			idle, quiet)
	}
	more["summaries/MIP-950.json"] = fmt.Sprintf(`%s, "mipNumber": 950, "generatedAt": "2026-11-01T00:00:00Z", "locale": "en", "source": "a person", "contentHash": "%x"}`,
		summary, sha256.Sum256([]byte(more["MIP-950.md"])))
	r := setup{sidecar: true, more: more, config: config}.serve(t)
	type group struct {
		Name, Level, Act, Says, Place string
		Asked                         []string
		Glyph, Seen                   bool
	}
	const look = `[...document.querySelectorAll(".ax")].map(e => {
		const text = s => e.querySelector(s)?.innerText ?? "", acts = [...e.querySelectorAll(".act")].map(a => getComputedStyle(a, "::before"));
		return { Name: text("h3"), Level: text(".sev"), Act: text(".act"), Says: text(".says q"), Asked: [...e.querySelectorAll(".asked > p, .asked li")].map(x => x.innerText.replace(/\s+/g, " ").replace(/ in \d+ \w+| active for.*/, "")), Place: e.querySelector(".says a")?.hash ?? "",
			Glyph: acts.every(act => !["", "none"].includes(act.maskImage || act.webkitMaskImage)),
			Seen: [...e.querySelectorAll(".act, .says")].every(p => p.checkVisibility() && p.offsetHeight > 10) };
	})`
	want := []group{
		{"Developers", "High impact", "Action needed", must, "#s-compatibility", []string{},
			true, true},
		{"Validators", "Medium impact", "", "", "", []string{}, true, true},
		{"Users", "Low impact", "No action needed", idle, "#s-compatibility", []string{},
			true, true},
	}
	validators := 1 // those who have to act come first
	if fork != "" {
		const asked = "Asked by the upgrade, not by the text"
		times := []string{"Mainnet: no date yet", "Deadline on testnet: 19 Jan 2027, 15:00 UTC"}
		want[0].Act += " for " + fork
		want[0], want[1], validators = want[1], want[0], 0
		want[0].Level, want[0].Act, want[0].Asked = "High impact", asked,
			append([]string{asked, "A release that knows " + fork}, times...)
		asks := append([]string{asked, "The date and the releases of " + fork}, times...)
		want = append(want, group{"Foundation", "", asked, "", "", asks, true, true})
	}
	colors := func(tab *Tab) map[string]int {
		return Ask[map[string]int](tab,
			`Object.fromEntries([...document.querySelectorAll(".act")].map(e => [getComputedStyle(e).color, 1]))`)
	}
	// The fork has the times of the samples.
	clock := clockAt(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC))
	for _, v := range []View{{Early: asksModel + clock},
		{Width: 390, Dark: true, Early: asksModel + clock}, {Width: 320, NoScript: true}} {
		tab := r.tab(t, v)
		tab.Go("/mip/950/")
		if diff := cmp.Diff(want, Ask[[]group](tab, look)); diff != "" {
			t.Errorf("%s: the page says (-want +got):\n%s", v, diff)
		}
		kinds := 2 // needed, nothing to do, and asked by the upgrade
		if fork != "" {
			kinds++
		}
		if c := colors(tab); len(c) != kinds {
			t.Errorf("%s: colours of the answers %v, want %d", v, c, kinds)
		}
		// The sentences of a summary by rules are its quotes, and its severity is a minimum.
		byRules := slices.Clone(want)
		byRules[validators].Says, byRules[validators].Place = quiet, "#s-compatibility"
		tab.Go("/mip/951/")
		got := Ask[[]group](tab, look)
		byRules[validators].Level = got[validators].Level
		if diff := cmp.Diff(byRules, got); diff != "" {
			t.Errorf("%s: the page says by rules (-want +got):\n%s", v, diff)
		}
		if v.NoScript {
			continue
		}
		tab.Click("[data-offer=summaries]")
		tab.Wait(`document.activeElement.id === "impact"`)
		if diff := cmp.Diff(byRules, Ask[[]group](tab, look)); diff != "" {
			t.Errorf("%s: the script says (-want +got):\n%s", v, diff)
		}
		if a := Ask[string](tab,
			`document.querySelector("section.ai").innerText`); strings.Contains(a, "undefined") ||
			strings.Contains(a, "null") {
			t.Errorf("%s: the panel says %q", v, a)
		}
	}
}
