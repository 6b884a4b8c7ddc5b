package browsertest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/demo"
)

// liveWords are what pages say of live figures.
var liveWords = []string{
	"being measured", "asking", "Not asked", "not asked", "not offered", "no answer", "Unknown", "latest block", "Finalized",
	"Hottest", "disagree", "Summarise", "Translate", "language model",
}

// drawn is what a reader sees of a page that is live, or stands for what is.
const drawn = `[...document.querySelectorAll("[data-source], [data-network], [data-topic], #hot, .attn, .spark, .heat, .he, #heat, .fh, .langs button, [data-offer], .ai")]
	.filter(e => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().width && !(e.id === "heat" && !e.textContent)).map(e => e.outerHTML.slice(0, 120))`

// barePages are one of each kind that shows something live where there is a sidecar.
var barePages = []string{"/", "/?sort=heat", "/mip/4/", "/mip/15/", "/mip/901/", "/dashboard/", "/upgrade/", "/upgrade/beacon/", "/status/final/", "/api/"}

// bare visits sites whose sidecar gives nothing: none is there, it cannot be reached, or a proxy says so. The pages are
// whole, draw nothing that they cannot fill, and nothing moves.
func bare(t *testing.T, with *served) {
	for name, status := range map[string]int{"static files only": 0, "connection refused": -1, "502": http.StatusBadGateway} {
		r := setup{down: status, locale: "de", more: stub}.serve(t)
		for _, v := range []View{{}, {Width: 390, Dark: true}, {NoScript: true}, {Width: 390, NoScript: true}} {
			t.Run(name+" "+v.String(), func(t *testing.T) {
				if !v.NoScript {
					v.Early = shiftsSeen
				}
				tab := r.tab(t, v)
				for _, path := range barePages {
					tab.Go(path)
					if !v.NoScript && path != "/status/final/" && path != "/api/" {
						tab.Wait(`window.answers > 0`)
					}
					if got := Ask[[]string](tab, drawn); len(got) > 0 {
						t.Errorf("%s draws %s", path, strings.Join(got, "\n"))
					}
					text := Ask[string](tab, `document.querySelector("main").innerText`)
					if i := slices.IndexFunc(liveWords, func(w string) bool { return strings.Contains(text, w) }); i >= 0 && path != "/api/" {
						t.Errorf("%s says %q", path, liveWords[i])
					}
					if strings.Contains(text, "–\n") && !strings.HasPrefix(path, "/mip/") {
						t.Errorf("%s has a dash in the place of something: %q", path, text)
					}
					if v.NoScript {
						continue
					}
					if moved := Ask[[]string](tab, shiftsNow); len(moved) > 0 {
						t.Errorf("%s: %s", path, strings.Join(moved, "\n"))
					}
				}
			})
		}
	}
}

// stub is a proposal that only says where it has gone.
var stub = map[string]string{"MIP-901.md": "---\nmip: 901\ntitle: Moved\nstatus: Moved\nauthor: Ada (@ada)\ncreated: 2025-01-01\n---\n\nThis proposal was moved to another repository.\n"}

// offered visits a site whose sidecar answers: what it offers is drawn, in place, and what it does not offer is not.
func offered(t *testing.T, with *served) {
	for _, model := range []bool{false, true} {
		s := setup{sidecar: true, locale: "de", more: stub}
		if model {
			s.model = demo.NewModel(nil)
		}
		r := s.serve(t)
		for _, v := range []View{{Early: shiftsSeen}, {Early: shiftsSeen, Width: 390}} {
			t.Run(fmt.Sprint("model ", model, " ", v), func(t *testing.T) {
				tab := r.tab(t, v)
				seen := func(selector string) string {
					return fmt.Sprintf(`document.querySelector(%q)?.checkVisibility({visibilityProperty: true}) === true`, selector)
				}
				tab.Go("/")
				tab.Wait(seen("#list .heat") + " && " + seen("#heat"))
				tab.Go("/mip/15/")
				tab.Wait(seen(".fh"))
				tab.Go("/mip/900/")
				tab.Wait(seen("[data-offer=summaries]"))
				if got := Ask[bool](tab, seen("[data-offer=translations]")); got != model {
					t.Errorf("translations are offered: %t, want %t", got, model)
				}
				if moved := Ask[[]string](tab, shiftsNow); len(moved) > 0 {
					t.Errorf("/mip/900/: %s", strings.Join(moved, "\n"))
				}
				tab.Go("/mip/901/")
				tab.Wait(`answers > 0`)
				if Ask[bool](tab, seen("[data-offer=summaries]")) {
					t.Error("a summary of a stub is offered")
				}
				tab.Go("/dashboard/")
				for _, place := range []string{".src", "#hot", "[data-network=mainnet]", ".attn"} {
					tab.Wait(seen(place))
				}
				if moved := Ask[[]string](tab, shiftsNow); len(moved) > 0 {
					t.Errorf("/dashboard/: %s", strings.Join(moved, "\n"))
				}
			})
		}
	}
}
