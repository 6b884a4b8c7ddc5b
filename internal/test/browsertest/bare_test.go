package browsertest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// liveWords are the words of pages about live figures.
var liveWords = []string{
	"being measured", "asking", "Not asked", "not asked", "not offered", "no answer", "Unknown",
	"latest block", "Finalized",
	"Hottest", "Translate", "language model",
}

// silence is shown and announced if there is a sidecar that does not answer. Nothing else
// distinguishes this from a site without one.
const silence = "Live figures are not available right now. Below: "

// drawn lists the visible elements that are live, or replace live ones.
const drawn = `[...document.querySelectorAll("[data-source], [data-network], [data-topic], #hot, .spark, .heat, .he, #heat, .fh, .langs button, [data-offer=translations], [data-offer=summaries]")]
	.filter(e => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().width && !(e.id === "heat" && !e.textContent)).map(e => e.outerHTML.slice(0, 120))`

// bare visits sites without live figures: there is no sidecar, it is unreachable, or a proxy
// reports so. The pages are complete, have no empty figures, and nothing moves. A summary is a file
// of the site.
func bare(t *testing.T, _ *served) {
	for name, c := range map[string]struct {
		status int
		view   View
	}{
		"static files only":  {0, View{Width: 390, Dark: true}},
		"connection refused": {-1, View{}},
		"502":                {http.StatusBadGateway, View{Width: 390}},
		"without scripts":    {0, View{NoScript: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup{down: c.status, locale: "de", more: stub}.serve(t)
			if !c.view.NoScript {
				c.view.Early = shiftsSeen
			}
			tab := r.tab(t, c.view)
			for _, path := range []string{"/", "/?sort=heat", "/mip/4/", "/mip/15/", "/mip/901/",
				"/dashboard/", "/upgrade/", "/upgrade/beacon/", "/status/final/", "/api/"} {
				asked := r.asked.Load()
				tab.Go(path)
				if !c.view.NoScript {
					if path != "/status/final/" && path != "/api/" {
						tab.Wait(`answers > 0`)
					}
					if moved := Ask[[]string](tab, shiftsNow); len(moved) > 0 {
						t.Errorf("%s: %s", path, strings.Join(moved, "\n"))
					}
				}
				if got := Ask[[]string](tab, drawn); len(got) > 0 {
					t.Errorf("%s draws %s", path, strings.Join(got, "\n"))
				}
				text := Ask[string](tab, `document.querySelector("main").innerText`)
				i := slices.IndexFunc(liveWords, func(w string) bool {
					return strings.Contains(text, w)
				})
				if i >= 0 && path != "/api/" {
					t.Errorf("%s says %q", path, liveWords[i])
				}
				if strings.Contains(text, "–\n") && !strings.HasPrefix(path, "/mip/") {
					t.Errorf("%s has a dash in the place of something: %q", path, text)
				}
				switch {
				case path == "/dashboard/" && !strings.Contains(text, "Recent changes"):
					t.Errorf("the dashboard says %q", text)
				case path == "/dashboard/" &&
					(strings.Contains(text, silence) != (c.status != 0) ||
						strings.Contains(Ask[string](tab,
							`document.querySelector("#live").textContent`), silence) != (c.status != 0)):
					t.Errorf("status %d: the dashboard says %q, and aloud %q",
						c.status, text,
						Ask[string](tab, `document.querySelector("#live").textContent`))
				case path == "/dashboard/" && name == "static files only" &&
					r.asked.Load() != asked+1:
					t.Errorf("the dashboard asks %d times where nobody answers",
						r.asked.Load()-asked)
				case path == "/mip/4/" && (!strings.Contains(text, "Picked by rules") ||
					strings.Contains(text, "Ask a model")):
					t.Errorf("a summary by rules stands on the page, and no model is offered: %q",
						text)
				case strings.HasPrefix(path, "/?") && !c.view.NoScript:
					shows(tab, ids(mip.ActiveFirst(r.proposals(t)), everyone))
				}
			}
		})
	}
}

// stub is a proposal that only reports a move.
var stub = map[string]string{"MIP-901.md": "---\nmip: 901\ntitle: Moved\nstatus: Moved\n" +
	"author: Ada (@ada)\ncreated: 2025-01-01\n---\n\n" +
	"This proposal was moved to another repository.\n"}

// offered visits a site whose sidecar answers: everything that it offers is drawn in place, and
// nothing else.
func offered(t *testing.T, _ *served) {
	for model, v := range map[*demo.Model]View{nil: {Early: shiftsSeen},
		demo.NewModel(nil): {Early: shiftsSeen, Width: 390}} {
		t.Run(fmt.Sprint("model ", model != nil), func(t *testing.T) {
			t.Parallel()
			tab := setup{sidecar: true, locale: "de", more: stub, model: model}.serve(t).tab(t, v)
			seen := func(selector string) string {
				return fmt.Sprintf(
					`document.querySelector(%q)?.checkVisibility({visibilityProperty: true}) === true`, selector)
			}
			still := func() {
				t.Helper()
				if moved := Ask[[]string](tab, shiftsNow); len(moved) > 0 {
					t.Error(strings.Join(moved, "\n"))
				}
			}
			tab.Go("/")
			tab.Wait(seen("#list .heat") + " && " + seen("#heat"))
			tab.Go("/mip/15/")
			tab.Wait(seen(".fh"))
			tab.Go("/mip/900/")
			tab.Wait(`document.querySelector(".acts").dataset.live`)
			for _, offer := range []string{"summaries", "translations"} {
				if got := Ask[bool](tab, seen("[data-offer="+offer+"]")); got != (model != nil) {
					t.Errorf("%s are offered: %t", offer, got)
				}
			}
			still()
			tab.Go("/mip/901/")
			tab.Wait(`answers > 0`)
			if Ask[bool](tab, seen("[data-offer=summaries]")) {
				t.Error("a summary of a stub is offered")
			}
			tab.Go("/dashboard/")
			for _, place := range []string{".src", "#hot", "[data-network=mainnet]"} {
				tab.Wait(seen(place))
			}
			still()
		})
	}
}
