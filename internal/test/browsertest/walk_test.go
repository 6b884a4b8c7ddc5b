package browsertest

import (
	_ "embed"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/palette"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/corpora"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// pages is a page of each kind.
func pages() []string {
	return []string{
		"/", "/mip/4/", "/mip/5/", "/mip/5/ja/", "/mip/5/history/", "/mip/8/", "/mip/900/",
		"/dashboard/", "/status/final/", "/category/core/", "/type/meta/", "/author/lantern-aoife/",
		"/upgrade/", "/upgrade/beacon/", "/upgrade/argand/", "/for/validators/", "/graph/",
		"/changes/", "/api/", "/follow/", "/about/", "/about/ai/", "/accessibility/", "/404.html",
		"/search/?q=gas+cost",
	}
}

// walkSeed selects the pages of real repositories.
var walkSeed = flag.Uint64("walk-seed", 14, "which pages of real repositories TestWalk looks at")

// walk is a path through pages in one tab.
type walk struct {
	name  string
	site  *served
	paths []string
	view  View
	// widths are the widths of the window in which the layout of a loaded page is checked, in
	// pixels.
	widths []int
}

// TestWalk opens pages of each kind, in several ways, and checks all properties of every page at
// once.
func TestWalk(t *testing.T) {
	t.Parallel()
	start(t)
	samples := serve(t, true)
	wide, narrow := View{}, View{Width: 390, Dark: true}
	all := append(pages(), "/?q=gas&sort=heat", "/?q=gas+status:final", "/?q=zzyzx",
		"/changes/?kind=status", "/changes/?proposal=4")
	// Each was added on another day, so that the first page lists as many as possible.
	dir, texts := t.TempDir(), varied(t, 50)
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		commitTexts(t, dir, fmt.Sprintf("2026-%02d-%02d", 1+i/28, 1+i%28),
			map[string]string{name: texts[name]})
	}
	fifty := setup{sidecar: true, folders: []string{dir}}.serve(t)
	fifty.runs(t, 50)
	// Thirteen statuses, of the process and in others' words.
	statuses := setup{folders: []string{}, more: map[string]string{}}
	for i, status := range []mip.Status{mip.Draft, mip.Review, mip.LastCall, mip.Final, mip.Living,
		mip.Stagnant, mip.Withdrawn,
		"Peer Review", "Accepted", "Moved", "Deferred", "Active",
		"Inactive (superseded by CIP-0121)"} {
		statuses.more[fmt.Sprintf("MIP-%d.md",
			i+1)] = fmt.Sprintf("---\nmip: %d\ntitle: Proposal %d\nstatus: %s\n"+
			"author: Ada (@ada)\ncreated: 2025-01-01\n---\n\n## Abstract\n\nWords.\n", i+1,
			i+1, status)
	}
	branded := setup{sidecar: true, brand: plainBlue()}.serve(t)
	everyWidth := []int{280, 320, 390, 720, 768, 820, 912, 980, 1024, 1200}
	walks := []walk{
		{"samples", samples, all[:len(all)/2], narrow, everyWidth},
		{"samples", samples, all[len(all)/2:], narrow, everyWidth},
		{"samples", samples, append(all, "/mip/4/#s-specification"), wide, nil},
		{"samples", samples, pages(), View{Width: 320, NoScript: true}, []int{320}},
		{"samples", samples, pages(), View{Letters: 32}, []int{390, 640, 1200}},
		{"fifty", fifty, []string{"/", "/dashboard/"}, wide, nil},
		{"brand", branded,
			[]string{"/", "/mip/4/", "/dashboard/", "/upgrade/argand/", "/api/", "/about/"}, narrow,
			everyWidth},
		{"brand", branded,
			[]string{"/", "/mip/4/", "/dashboard/", "/upgrade/argand/", "/api/", "/404.html"},
			wide, nil},
		{"many statuses", statuses.serve(t),
			[]string{"/", "/dashboard/", "/status/peer-review/", "/graph/"}, wide, everyWidth},
	}
	for _, w := range walks {
		w.begin(t)
	}
	for _, real := range []struct {
		name, prefix string
		files, pages int
	}{{"monad-mips", "", 1000, 6}, {"eips", "EIP", 60, 10}} {
		t.Run(real.name, func(t *testing.T) {
			t.Parallel()
			v := setup{folders: []string{some(t, corpora.Need(t, real.name), real.files)},
				prefix: real.prefix}.serve(t)
			paths, draw := v.pages(), rand.New(rand.NewPCG(*walkSeed, 0))
			draw.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
			paths = append([]string{"/"}, paths[:real.pages]...)
			t.Logf("-walk-seed=%d draws %q", *walkSeed, paths)
			walk{real.name, v, paths, wide, []int{1200}}.begin(t)
			walk{real.name, v, paths, narrow, []int{390}}.begin(t)
		})
	}
}

// plainBlue is a brand with the least possible contrast, a logo as wide as a word and a long
// footer.
func plainBlue() *site.Brand {
	light, dark, blue := palette.Light(), palette.Dark(), palette.Color{R: 0x3b, G: 0x82, B: 0xf6}
	logo := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 20"><rect width="120" height="20" fill="#3b82f6"/></svg>`
	return &site.Brand{
		Name:    "Lantern Protocol",
		Picture: &site.Picture{Ext: ".svg", Data: []byte(logo), Aspect: 6},
		Colors: &palette.Accents{Light: light.Accent(light.Nearest(blue)),
			Dark: dark.Accent(dark.Nearest(blue))},
		Footer: []site.FooterLine{
			{Text: "Lantern Foundation", URL: "https://lantern.example"},
			{Text: "All texts are CC0"},
			{Text: strings.Repeat("longword", 12), URL: "https://lantern.example/a"},
		},
	}
}

// some copies at most n files of a folder into another one, spread evenly over their order.
func some(t *testing.T, from string, n int) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	to, n := t.TempDir(), min(n, len(files))
	for i := range n {
		file := files[i*len(files)/n]
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, filepath.Base(file)), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// pages are the paths of all pages of the site.
func (v *served) pages() (paths []string) {
	for _, a := range v.plan.Artifacts {
		if strings.HasPrefix(a.Type(), "text/html") {
			paths = append(paths, a.Route)
		}
	}
	return paths
}

func (w walk) begin(t *testing.T) {
	t.Run(fmt.Sprint(w.name, " ", w.paths[0], " ", w.view), func(t *testing.T) {
		t.Parallel()
		axe := axe(t)
		if !w.view.NoScript {
			w.view.Early = impatient + shiftsSeen
		}
		tab := w.site.tab(t, w.view)
		for _, path := range w.paths {
			fail := func(what string, faults []string) {
				if len(faults) > 0 {
					t.Errorf("%s: %s, such as\n%s",
						path, what, strings.Join(faults[:min(len(faults), 8)], "\n"))
				}
			}
			tab.Resize(w.view.width())
			if strings.Contains(path, "#") {
				// so that a path that differs only by its fragment is loaded too
				tab.Go("/404.html")
			}
			tab.Go(path)
			if !w.view.NoScript {
				w.settle(tab, path)
				w.weigh(t, tab, path)
				fail("moves", Ask[[]string](tab, shiftsNow))
				fail("breaks rules", Ask[[]string](tab, axe))
			}
			fail("has bad links", Ask[[]string](tab, badLinks))
			for _, width := range w.widths {
				tab.Resize(width)
				fail(fmt.Sprint("is laid out badly at ", width, " px"),
					Ask[[]string](tab, layoutFaults))
			}
		}
	})
}

// settle waits until a page has shown the sidecar's answers.
func (w walk) settle(tab *Tab, path string) {
	switch {
	case strings.Contains(path, "sort=heat"):
		tab.Wait(`(e => e.dataset.live === "200" && e.textContent.startsWith("Heat as of"))(document.querySelector("#heat"))`)
	case path == "/dashboard/" && w.site.network != nil:
		tab.Wait(answered("forum") + " && " + pill("mainnet") + `.className === "ok"`)
	default:
		tab.Wait(`answers > 0 || !document.querySelector(":is(.fh, .acts, .forks, #now)[data-api], p#heat")`)
	}
	if _, id, there := strings.Cut(path, "#"); there {
		// it has scrolled there
		tab.Wait(fmt.Sprintf(
			`document.getElementById(%q).getBoundingClientRect().top < innerHeight / 2`, id))
	}
}

// axe is a script that checks a page by the rules of axe-core (npm): WCAG A and AA, best practice,
// and the contrast of AAA. It does not recognize that a formula in the header of a table is read
// aloud. The pages' policy forbids foreign scripts, but not the browser protocol's. The test is
// skipped if no folder of NODE_PATH has it.
func axe(t *testing.T) string {
	t.Helper()
	for _, dir := range filepath.SplitList(os.Getenv("NODE_PATH")) {
		if source, err := os.ReadFile(filepath.Join(dir, "axe-core", "axe.min.js")); err == nil {
			return string(source) + `; axe.run(document, {
				runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "wcag2aaa"],
				rules: { "color-contrast-enhanced": { enabled: true }, "identical-links-same-purpose": { enabled: false } },
			}).then(r => r.violations.flatMap(v => v.nodes
				.filter(n => v.id !== "empty-table-header" || !document.querySelector(n.target[0]).querySelector("math"))
				.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary.replace(/\s+/g, " "))))`
		}
	}
	testenv.Missing(t, "axe", "no folder of NODE_PATH has axe-core")
	return ""
}

// layoutFaults is a script that returns what is wrong with the layout of a page: two texts overlap,
// something is cut without a sign, or scrolls sideways that may not.
//
//go:embed testdata/layout.js
var layoutFaults string

// shiftsSeen records layout shifts on a page, and counts the answers, successful or not, of a live
// route. A busy machine causes no shift: the page is painted only when it is complete, since the
// rest would push a part, and waits for an answer without limit. A shift below three digits, as
// tools print it, counts as none (web.dev/cls).
const shiftsSeen = `
	{
		const sheet = new CSSStyleSheet(), shifts = [];
		sheet.replaceSync("body { display: none } .hold { animation-delay: 1h !important }");
		document.adoptedStyleSheets = [sheet];
		document.addEventListener("readystatechange", () => sheet.deleteRule(0), { once: true });
		const note = list => { for (const e of list) if (e.value >= .0005) shifts.push(e.value + " " + e.sources.map(s => (s.node?.outerHTML ?? s.node?.parentElement?.outerHTML ?? "what is gone").slice(0, 120) + " from " + JSON.stringify(s.previousRect) + " to " + JSON.stringify(s.currentRect))) };
		const observer = new PerformanceObserver(list => note(list.getEntries()));
		observer.observe({ type: "layout-shift", buffered: true });
		window.shifted = () => { note(observer.takeRecords()); return shifts };
	}
	window.answers = 0;
	{
		const on = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage");
		Object.defineProperty(Worker.prototype, "onmessage", { ...on, set(f) { on.set.call(this, e => { f(e); requestAnimationFrame(() => answers++) }) } });
	}
`

// shiftsNow returns the shifts, which are known two frames later, and the elements that push a
// text: scripts may add buttons to it before or after its first display, which take no room.
const shiftsNow = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
	const moved = shifted(), buttons = [...document.querySelectorAll(".prose button")];
	const tops = () => [...document.querySelectorAll(".prose *")].filter(e => !e.closest("button")).map(e => [e.getBoundingClientRect().top, e]);
	const before = tops();
	for (const b of buttons) b.style.display = "none";
	for (const [i, [top, e]] of tops().entries()) if (top !== before[i][0]) moved.push("buttons push " + e.outerHTML.slice(0, 120));
	for (const b of buttons) b.style.display = "";
	done(moved);
}))))`

// badLinks are links to missing headings, and links to other sites that send a referrer.
const badLinks = `[
	...[...document.querySelectorAll("a[href^='#']")].filter(a => a.hash && !document.getElementById(decodeURIComponent(a.hash.slice(1)))),
	...[...document.querySelectorAll("a[href^=http]")].filter(a => a.origin !== location.origin && !a.closest(".prose") && !/\bnoopener\b/.test(a.rel)),
].map(a => a.outerHTML)`

// Limits of a first view, without live figures, in compressed bytes: page, style, scripts, and
// their requests before any interaction.
const (
	mostRequests    = 4
	mostOfIndex     = 30_000 // with fifty proposals
	mostOfProposal  = 35_000 // and of any other page
	mostOfAPI       = 42_000 // it grows with its operations, which have a section each
	mostOfDashboard = 26_000 // about 400 of them are disagreements of texts and chains
)

// weigh compares a loaded page with the limits.
func (w walk) weigh(t *testing.T, tab *Tab, path string) {
	t.Helper()
	var asked []string
	for _, q := range tab.Requests() {
		// A worker is the theme's script again, which the browser keeps forever. Logo and pictures
		// are the site's own, and come last.
		path := strings.TrimPrefix(q.URL, w.site.base)
		if q.Type != "Fetch" && !strings.HasPrefix(path, "/assets/logo.") &&
			!strings.HasPrefix(path, "/assets/pictures/") &&
			!slices.Contains(asked, path) {
			asked = append(asked, path)
		}
	}
	requests := mostRequests
	if path == "/search/" {
		requests++ // the first is the script that other pages load at a touch
	}
	if len(asked) > requests && !strings.Contains(path, "?") {
		t.Errorf("%s asks for %q", path, asked)
	}
	if w.site.network == nil || strings.Contains(path, "?") {
		return // a search loads the search scripts
	}
	asked = append(asked, Ask[[]string](tab, `[...new Set([...document.querySelectorAll(":is(#now, #filters, .fh, .acts, .forks)[data-api]")].map(e => new URL(e.dataset.api, location)).map(u => u.pathname + u.search))]`)...)
	most := mostOfProposal
	switch {
	case path == "/dashboard/":
		most = mostOfDashboard
	case path == "/api/":
		most = mostOfAPI
	case path == "/" && w.name == "fifty":
		most = mostOfIndex
	}
	sum, parts := 0, ""
	for _, path := range asked {
		n := len(w.site.get(t, path, "gzip"))
		sum += n
		parts += fmt.Sprintf(" %s %d", path, n)
	}
	if sum > most {
		t.Errorf("%s: the first view is %d bytes, want %d at most:%s", path, sum, most, parts)
	}
}
