package browsertest

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answers looks at a proposal that tells developers to act, users that there is nothing to do, validators neither and
// the foundation nothing, with a summary beside it and without one: the page and the script draw the same.
func answers(t *testing.T, with *served) {
	const must, idle, quiet = "Contracts that allocate more than 8 MB will now revert.", "Users do not have to do anything.",
		"Validators sign a block as they did before."
	at := func(quote string) string { return fmt.Sprintf(`{"section": "s-compatibility", "quote": %q}`, quote) }
	axis := func(severity string, act bool, quote string) string {
		return fmt.Sprintf(`{"impact": "As it says.", "severity": %q, "actionRequired": %t, "evidence": [%s]}`, severity, act, at(quote))
	}
	summary := `{"tldr": "A bound.", "whatsChanging": ["One.", "Two.", "Three."], "developers": ` + axis("high", true, must) +
		`, "users": ` + axis("low", false, idle) + `, "validators": ` + axis("medium", false, quiet) +
		`, "foundation": {"impact": "The text does not say what this means for this group.", "severity": "low", "actionRequired": false, "evidence": []}`
	more := map[string]string{}
	for _, n := range []int{950, 951} {
		more[fmt.Sprintf("MIP-%d.md", n)] = fmt.Sprintf("---\nmip: %d\ntitle: Memory\nstatus: Draft\ntype: Standards Track\ncategory: Core\n---\n\n%s\n\n## Compatibility\n\n%s\n\n%s\n\n%s\n",
			n, strings.Repeat("Memory is counted in pages of a fixed size. ", 10), must, idle, quiet)
	}
	more["summaries/MIP-950.json"] = fmt.Sprintf(`%s, "mipNumber": 950, "generatedAt": "2026-11-01T00:00:00Z", "locale": "en", "source": "a person", "contentHash": "%x"}`,
		summary, sha256.Sum256([]byte(more["MIP-950.md"])))
	r := setup{sidecar: true, more: more}.serve(t)
	type group struct {
		Name, Level, Act, Says, Place string
		Quiet, Glyph, Seen            bool
	}
	const look = `[...document.querySelectorAll(".ax")].map(e => {
		const text = s => e.querySelector(s)?.innerText ?? "", act = getComputedStyle(e.querySelector(".act"), "::before");
		return { Name: text("h3"), Level: text(".sev"), Act: text(".act"), Says: text(".says q"), Place: e.querySelector(".says a")?.hash ?? "",
			Quiet: e.classList.contains("quiet"), Glyph: !["", "none"].includes(act.maskImage || act.webkitMaskImage),
			Seen: [...e.querySelectorAll(".act, .says")].every(p => p.checkVisibility() && p.offsetHeight > 10) };
	})`
	want := []group{
		{"Developers", "High impact", "Action needed", must, "#s-compatibility", false, true, true},
		{"Users", "Low impact", "No action needed", idle, "#s-compatibility", false, true, true},
		{"Validators", "Medium impact", "Not said whether action is needed", "", "", false, true, true},
		{"Foundation", "", "Not said whether action is needed", "", "", true, true, true},
	}
	colours := func(tab *Tab) []string {
		return Ask[[]string](tab, `[...document.querySelectorAll(".act")].map(e => getComputedStyle(e).color)`)
	}
	for _, v := range []View{{}, {Width: 390, Dark: true}, {Width: 320, NoScript: true}} {
		tab := r.tab(t, v)
		tab.Go("/mip/950/")
		if diff := cmp.Diff(want, Ask[[]group](tab, look)); diff != "" {
			t.Errorf("%s: the page says (-want +got):\n%s", v, diff)
		}
		if c := colours(tab); c[0] == c[1] || c[1] == c[2] || c[0] == c[2] || c[2] != c[3] {
			t.Errorf("%s: colours of the answers %q", v, c)
		}
		if v.NoScript {
			continue
		}
		tab.Go("/mip/951/")
		tab.Click("[data-offer=summaries]")
		tab.Wait(`document.querySelector("section.ai .axes")`)
		got := Ask[[]group](tab, look)
		got[2].Level = want[2].Level // a floor of the rules
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the script says (-want +got):\n%s", v, diff)
		}
		if a := Ask[string](tab, `document.querySelector("section.ai").innerText`); strings.Contains(a, "undefined") || strings.Contains(a, "null") {
			t.Errorf("%s: the panel says %q", v, a)
		}
	}
}
