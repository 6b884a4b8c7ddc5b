package browsertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// committedThen are summaries of the samples' proposals, made with the samples' site.yaml.
func committedThen(t *testing.T) map[string]string {
	t.Helper()
	s, err := site.Load("../../samples/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := build.Load(t.Context(),
		build.Options{Site: buildtest.In(s, "../../samples/proposals")})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for i, m := range c.Metadata {
		if c.Committed[i] != nil {
			continue
		}
		subject := c.Subject(i)
		subject.Now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
		sum := summary.Extract(subject)
		text, err := json.Marshal(sum)
		if err != nil {
			t.Fatal(err)
		}
		out["summaries/"+m.ID.String()+".json"] = string(text)
	}
	return out
}

// TestClocks checks that all statements of the site about the time of a hard fork are right, so
// that no two contradict each other: on every page, with clocks before, between and after the times
// of the fork, on paper, in JSON, in feeds and in texts for agents. The summaries were made before
// the times in site.yaml changed.
func TestClocks(t *testing.T) {
	t.Parallel()
	start(t)
	sample, err := os.ReadFile("../../samples/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const main, test = "      mainnet: null\n",
		"      testnet: 1800370800 # 19 January 2027, 15:00 UTC\n"
	const later = "    source: https://git.example.org/lantern/wick/blob/main/params/forks.go\n" +
		"  - name: LATER\n    activation: {mainnet: 1803045600, testnet: 1803000000}\n"
	for name, change := range map[string]func(string) string{
		"as it was": func(s string) string { return s },
		"added": func(s string) string {
			return strings.Replace(s, main, "      mainnet: 1803045600\n", 1)
		},
		"moved": func(s string) string {
			return strings.NewReplacer(main, "      mainnet: 1809000000\n", test,
				"      testnet: 1805000000\n").Replace(s)
		},
		"removed": func(s string) string {
			return strings.Replace(s, test, "      testnet: null\n", 1)
		},
		"followed": func(s string) string {
			return strings.Replace(s, main+test, main+test+later, 1)
		},
		"skipped": func(s string) string {
			return strings.Replace(s, main+test, main+"      testnet: null\n"+later, 1)
		},
		"taken out": func(s string) string {
			return strings.NewReplacer("mips: [12, 14]", "mips: [14]", main,
				"      mainnet: 1803045600\n").Replace(s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := filepath.Join(t.TempDir(), "site.yaml")
			text := change(string(sample))
			if name != "as it was" && text == string(sample) {
				t.Fatal("the sample's site.yaml has other lines")
			}
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			v := setup{folders: []string{"../../samples/proposals"}, more: committedThen(t),
				config: config}.serve(t)
			forks := read[mip.HardForks](t, v, "/api/v1/hardforks").HardForks
			schedule := rendertest.Schedule{Networks: read[mip.SiteInfo](t, v,
				"/api/v1/site").Networks, Forks: forks}
			files(t, v, schedule)
			clocked(t, v, schedule, clocks(forks))
		})
	}
}

// clocks are times around the forks: long before, a minute before, between, a minute and a year
// after.
func clocks(forks []mip.HardFork) []time.Time {
	var times []int64
	for _, f := range forks {
		for _, a := range f.Activation {
			if a.Timestamp != nil && *a.Timestamp > 1_790_000_000 {
				times = append(times, *a.Timestamp)
			}
		}
	}
	if len(times) == 0 {
		times = []int64{1_800_370_800}
	}
	slices.Sort(times)
	first, last := times[0], times[len(times)-1]
	out := []int64{first - 40*86400, first - 60}
	for i := 1; i < len(times); i++ {
		out = append(out, times[i-1]/2+times[i]/2)
	}
	var at []time.Time
	for _, s := range append(out, last+60, last+366*86400) {
		at = append(at, time.Unix(s, 0))
	}
	return at
}

// files checks the files as published: pages without scripts, and files for programs and agents.
func files(t *testing.T, v *served, schedule rendertest.Schedule) {
	for _, a := range v.plan.Artifacts {
		body, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		switch kind := filepath.Ext(a.File); {
		case kind == ".html":
			texts = []string{withoutScript(t, body)}
		case strings.HasSuffix(a.File, "/summary.json"):
			var sum api.Summary
			if err := json.Unmarshal(body, &sum); err != nil {
				t.Fatal(err)
			}
			texts = summary.Texts(sum)
			for i, text := range texts {
				if sum.Hardfork != nil {
					texts[i] = *sum.Hardfork + ". " + text
				}
			}
			asks(t, v, sum)
		case strings.HasPrefix(a.File, "llms") && a.File == "llms.txt",
			strings.HasPrefix(filepath.Base(a.File), "feed."), a.File == "skill.md":
			texts = []string{string(body)}
		}
		for _, text := range texts {
			for _, fault := range schedule.Faults(text, nil) {
				t.Errorf("%s: %s", a.File, fault)
			}
		}
	}
}

// asks compares the statements of a summary about the fork and about duties with the configuration
// and with its quotes.
func asks(t *testing.T, v *served, sum api.Summary) {
	t.Helper()
	m := read[mip.Metadata](t, v, fmt.Sprintf("/api/v1/mips/%d", sum.MIPNumber))
	fork := summary.ForkOf(m.ID.Kind, m, read[mip.HardForks](t, v, "/api/v1/hardforks").HardForks)
	if fork == nil != (sum.Hardfork == nil) || fork != nil && fork.Name != *sum.Hardfork {
		t.Errorf("%s: the summary is of the fork %v, want %v", m.ID, sum.Hardfork, fork)
	}
	for _, x := range []api.Axis{sum.Developers, sum.Users, sum.Validators, sum.Foundation} {
		if x.ActionRequired && x.ActionEvidence == nil {
			t.Errorf("%s: a duty without a quote: %s", m.ID, x.Impact)
		}
	}
}

// withoutScript is the text of a page's main part without scripts, and without the proposal's own
// words.
func withoutScript(t *testing.T, page []byte) string {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		class := ""
		for _, a := range n.Attr {
			if a.Key == "class" {
				class = " " + a.Val + " "
			}
		}
		own := n.Data == "article" || n.Data == "q" || n.Data == "script" || n.Data == "style" ||
			strings.Contains(class, " desc ")
		if n.Type == html.ElementNode && (own || strings.Contains(class, " js ")) {
			return
		}
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
		switch {
		case n.Data == "td" || n.Data == "th":
			b.WriteByte('\t') // like innerText
		case n.Type == html.ElementNode:
			b.WriteByte(' ')
		}
	}
	walk(doc)
	return b.String()
}

// relative matches words whose truth depends on the time of reading.
var relative = regexp.MustCompile(`\bin \d+ (?:minute|hour|day|month|year)s?\b|\bactive for\b|\bpassed \d|\bago\b|\b(?:was|were) needed\b|\b(?:Next|Latest) upgrade\b`)

// clocked checks the pages with times in a browser, with each clock and on paper.
func clocked(t *testing.T, v *served, schedule rendertest.Schedule, moments []time.Time) {
	tab := v.tab(t, View{Early: `{ const now = Date.now; let ahead = 0; const ticks = []; Date.now = () => now() + ahead;
		window.setInterval = f => ticks.push(f); window.clockAt = ms => { ahead = ms - now(); for (const f of ticks) f() } }`})
	tab.Expect(failures)
	// The words of the proposal itself are its author's.
	const shown = `(() => {
		const hide = document.createElement("style");
		document.adoptedStyleSheets = [new CSSStyleSheet()];
		document.adoptedStyleSheets[0].replaceSync("article, q, .desc { display: none !important }");
		return document.querySelector("main").innerText + "\n" + (document.querySelector("#printed")?.checkVisibility() ? document.querySelector("#printed").innerText : "");
	})()`
	pages := map[string]bool{}
	for _, a := range v.plan.Artifacts {
		body, err := a.Bytes()
		if err == nil && strings.HasSuffix(a.File, ".html") && a.Route != "" &&
			bytes.Contains(body, []byte(`data-at="`)) {
			pages[a.Route] = true
		}
	}
	if len(pages) < 10 {
		t.Fatalf("only %d pages have times: %v", len(pages), slices.Collect(maps.Keys(pages)))
	}
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		tab.Go(page)
		for _, now := range moments {
			text := Ask[string](tab, fmt.Sprintf("(clockAt(%d), %s)", now.UnixMilli(), shown))
			for _, fault := range schedule.Faults(text, &now) {
				t.Errorf("%s at %s: %s", page, now.UTC().Format(time.DateTime), fault)
			}
		}
		// A duty has the sentence of the text as evidence.
		if got := Ask[[]string](tab, `[...document.querySelectorAll(".ax")].filter(e => e.querySelector(".act.yes") && !e.querySelector(":scope > .says")).map(e => e.innerText)`); len(got) > 0 {
			t.Errorf("%s: action is needed, and nobody says so: %q", page, got)
		}
		tab.Print()
		text := Ask[string](tab, shown)
		for _, fault := range schedule.Faults(text, nil) {
			t.Errorf("%s on paper: %s", page, fault)
		}
		if words := relative.FindAllString(text, -1); len(words) > 0 ||
			!strings.Contains(text, "Printed ") {
			t.Errorf("%s on paper says %q, and when it was printed: %t",
				page, words, strings.Contains(text, "Printed "))
		}
		tab.Media("prefers-color-scheme", "light")
	}
}
