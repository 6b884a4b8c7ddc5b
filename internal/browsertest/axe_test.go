package browsertest

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/corpora"
)

// axe holds every kind of page in both themes to axe-core's rules: WCAG A and AA, best practice, and the
// contrast of AAA. The policy of the pages forbids scripts of others; those of the protocol it does not.
func axe(t *testing.T, r run) {
	views := []View{{}, {Dark: true}, {Width: 390, Dark: true}, {Width: 320}}
	audit(t, r, views, append(pages(), "/?q=no+such+words"), func(tab *Tab, path string) {
		if path == "/dashboard/" {
			tab.Wait(answered("forum"))
		}
	})
}

// axeOfFigures holds the pages that show figures of the build to the same rules.
func axeOfFigures(t *testing.T, with run) {
	r := run{with.Browser, serveFigures(t, false, nil), with.clipboard}
	audit(t, r, []View{{}, {Width: 390, Dark: true}}, []string{"/", "/mip/4/", "/status/draft/", "/dashboard/"}, func(tab *Tab, path string) {
		if path == "/dashboard/" {
			tab.Wait(aged)
		}
	})
}

// axeSeed draws the pages of [TestAxeDrawn].
var axeSeed = flag.Uint64("axe-seed", 14, "which pages TestAxeDrawn looks at")

// TestAxeDrawn holds 40 pages that no list names to the same rules: of the samples, of Monad and of the EIPs.
func TestAxeDrawn(t *testing.T) {
	b := Start(t)
	draw := rand.New(rand.NewPCG(*axeSeed, 0))
	for _, site := range []struct {
		name  string
		pages int
		with  setup
	}{
		{"samples", 12, setup{sidecar: true}},
		{"monad", 8, setup{folders: []string{corpora.Need(t, "monad-mips")}}},
		{"eips", 20, setup{folders: []string{corpora.Need(t, "eips")}, prefix: "EIP"}},
	} {
		t.Run(site.name, func(t *testing.T) {
			r := run{Browser: b, served: site.with.serve(t)}
			all := r.pages()
			draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			t.Logf("-axe-seed=%d draws %q", *axeSeed, all[:site.pages])
			audit(t, r, []View{{}, {Width: 390, Dark: true}}, all[:site.pages], func(*Tab, string) {})
		})
	}
}

func audit(t *testing.T, r run, views []View, paths []string, ready func(tab *Tab, path string)) {
	t.Helper()
	source := Axe(t)
	for _, v := range views {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			tab := r.tab(t, v)
			for _, path := range paths {
				tab.Go(path)
				ready(tab, path)
				Ask[bool](tab, source+"; true")
				got := Ask[[]string](tab, `axe.run(document, {
					runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "wcag2aaa"],
					rules: { "color-contrast-enhanced": { enabled: true }, "identical-links-same-purpose": { enabled: false } },
				}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary.replace(/\s+/g, " "))))`)
				if len(got) > 0 {
					t.Errorf("%s: %d violations, such as\n%s", path, len(got), strings.Join(got[:min(len(got), 8)], "\n"))
				}
			}
		})
	}
}
