package browsertest

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

func agent(t *testing.T, r run) {
	text, mediaType := r.get(t, "/llms.txt")
	if !strings.HasPrefix(mediaType, "text/plain") {
		t.Errorf("/llms.txt is %s", mediaType)
	}
	links := regexp.MustCompile(`\]\(`+regexp.QuoteMeta(r.base)+`([^)\s]*)\)`).FindAllSubmatch(text, -1)
	for _, m := range links {
		r.get(t, string(m[1]))
	}
	if len(links) < 10 {
		t.Errorf("/llms.txt has %d links", len(links))
	}
	want, err := os.ReadFile("../samples/proposals/MIP-4.md")
	if err != nil {
		t.Fatal(err)
	}
	if got, mediaType := r.get(t, "/mip/4.md"); string(got) != string(want) || !strings.HasPrefix(mediaType, "text/markdown") {
		t.Errorf("/mip/4.md is %s of %d bytes, the file has %d", mediaType, len(got), len(want))
	}
	if list, _ := r.get(t, "/api/v1/mips"); strings.Contains(string(list), `"rawMarkdown"`) {
		t.Error("the list holds the texts")
	}
	if p := r.one(t, "/api/v1/mips/4"); p.RawMarkdown != string(want) || len(p.Sections) == 0 {
		t.Errorf("the proposal has %d bytes of text and %d sections", len(p.RawMarkdown), len(p.Sections))
	}
}

func feeds(t *testing.T, r run) {
	tab := r.tab(t, View{})
	for _, path := range []string{"/", "/feeds/"} {
		tab.Go(path)
		got := Ask[[]string](tab, `[...document.querySelectorAll("link[rel=alternate]")].map(l => l.type + " " + new URL(l.href).pathname)`)
		for _, want := range []string{"application/rss+xml /feed.xml", "application/atom+xml /feed.atom", "application/feed+json /feed.json"} {
			if !slices.Contains(got, want) {
				t.Errorf("%s tells of %q, want %s", path, got, want)
			}
		}
	}
	proposals := r.proposals(t)
	all := readFeeds(t, r.served)
	for path, items := range all {
		if len(items) != len(proposals) {
			t.Errorf("%s has %d items of %d proposals", path, len(items), len(proposals))
		}
		for i, item := range items {
			if i > 0 && item.changed.After(items[i-1].changed) {
				t.Errorf("%s: %s of %s comes after %s", path, item.id, item.changed, items[i-1].changed)
			}
			at := slices.IndexFunc(proposals, func(m mip.Summary) bool { return m.URL == item.id })
			if at < 0 {
				t.Errorf("%s: %q is no proposal's address", path, item.id)
			} else if p := proposals[at]; p.Description != nil && !strings.HasPrefix(item.summary, *p.Description) {
				t.Errorf("%s: %s says %q, want all of %q", path, p.ID, item.summary, *p.Description)
			}
		}
	}
	// A text that changes, and moves to the front, keeps its id.
	later := readFeeds(t, setup{edit: func(folder string) { appendTo(t, folder, "MIP-5.md") }}.serve(t))
	for path, items := range all {
		var before, after []string
		for _, item := range items {
			before = append(before, strings.TrimPrefix(item.id, r.base))
		}
		for _, item := range later[path] {
			_, id, _ := strings.Cut(strings.TrimPrefix(item.id, "http://"), "/")
			after = append(after, "/"+id)
		}
		slices.Sort(before)
		slices.Sort(after)
		if !slices.Equal(before, after) {
			t.Errorf("%s: ids %q, after a change %q", path, before, after)
		}
	}
}

// feedItem is what every kind of feed tells of a proposal.
type feedItem struct {
	id, summary string
	changed     time.Time
}

// readFeeds reads the three feeds of all proposals as their formats say.
func readFeeds(t *testing.T, v *served) map[string][]feedItem {
	t.Helper()
	read := func(path, mediaType string, decode func([]byte, any) error, into any) {
		t.Helper()
		b, got := v.get(t, path)
		if err := decode(b, into); err != nil || !strings.HasPrefix(got, mediaType) {
			t.Fatalf("%s is %s: %v", path, got, err)
		}
	}
	date := func(layout, s string) time.Time {
		t.Helper()
		d, err := time.Parse(layout, s)
		if err != nil {
			t.Error(err)
		}
		return d
	}
	var rss struct {
		XMLName xml.Name `xml:"rss"`
		Items   []struct {
			ID      string `xml:"guid"`
			Date    string `xml:"pubDate"`
			Summary string `xml:"description"`
		} `xml:"channel>item"`
	}
	var atom struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		Items   []struct {
			ID      string `xml:"id"`
			Date    string `xml:"updated"`
			Summary string `xml:"summary"`
		} `xml:"entry"`
	}
	var feed struct {
		Version string
		Items   []struct {
			ID, Summary string
			Published   string `json:"date_published"`
			Date        string `json:"date_modified"` // absent where no change is known
		}
	}
	read("/feed.xml", "application/rss+xml", xml.Unmarshal, &rss)
	read("/feed.atom", "application/atom+xml", xml.Unmarshal, &atom)
	read("/feed.json", "application/feed+json", json.Unmarshal, &feed)
	if feed.Version != "https://jsonfeed.org/version/1.1" {
		t.Errorf("/feed.json is of version %q", feed.Version)
	}
	out := map[string][]feedItem{}
	for _, i := range rss.Items {
		out["/feed.xml"] = append(out["/feed.xml"], feedItem{i.ID, i.Summary, date(time.RFC1123Z, i.Date)})
	}
	for _, i := range atom.Items {
		out["/feed.atom"] = append(out["/feed.atom"], feedItem{i.ID, i.Summary, date(time.RFC3339, i.Date)})
	}
	for _, i := range feed.Items {
		out["/feed.json"] = append(out["/feed.json"], feedItem{i.ID, i.Summary, date(time.RFC3339, cmp.Or(i.Date, i.Published))})
	}
	if len(out) != 3 {
		t.Fatalf("%d feeds have items", len(out))
	}
	return out
}

func apiPage(t *testing.T, r run) {
	var doc struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	b, _ := r.get(t, "/openapi.json")
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	tab := r.tab(t, View{NoScript: true})
	tab.Go("/api/")
	got := Ask[[]string](tab, `[...document.querySelectorAll(".op h3")].map(h => h.innerText)`)
	for path, operations := range doc.Paths {
		for method := range operations {
			if want := strings.ToUpper(method) + " " + path; !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
				t.Errorf("the page lacks %s", want)
			}
		}
	}
}

func notFound(t *testing.T, r run) {
	for _, v := range []View{{}, {Width: 320, NoScript: true}} {
		tab := r.tab(t, v)
		tab.Expect(`Failed to load resource.*404.*/mip/999/`)
		tab.Go("/mip/999/")
		if got := Ask[string](tab, `document.querySelector("h1").textContent`); got != "Page not found" {
			t.Errorf("%s: %q", v, got)
		}
		if v.NoScript {
			tab.Click(`.offers a[href="/"]`)
			continue
		}
		tab.Click("#q")
		tab.Press("block time\r")
		tab.Wait(`location.pathname === "/" && new URLSearchParams(location.search).get("q") === "block time"`)
		tab.Wait(`(rows => rows.includes("MIP-4") && !rows.includes("MIP-1"))([...document.querySelectorAll("#list tbody .n")].map(e => e.textContent))`)
	}
}

// foreign follows links as other publishers make them: their fragments, and their addresses of a proposal.
func foreign(t *testing.T, r run) {
	tab := r.tab(t, View{})
	reached := func(fragment string) string {
		return `location.hash === ` + fmt.Sprintf("%q", fragment) + ` && (h => h.top >= 0 && h.top < innerHeight / 4)(document.getElementById(decodeURIComponent(location.hash.slice(1))).getBoundingClientRect())`
	}
	for _, fragment := range []string{"specification", "user-content-specification", "Specification", "s-specification"} {
		for _, path := range []string{"/mip/4/", "/MIPS/MIP-4", "/internal/samples/proposals/MIP-4.md"} {
			tab.Go("/404.html")
			tab.Go(path + "#" + fragment)
			tab.Wait(`location.pathname === "/mip/4/"`)
			tab.Wait(reached("#s-specification"))
		}
	}
	tab.Go("/mip/4/")
	Ask[bool](tab, `(location.hash = "#rationale", true)`)
	tab.Wait(reached("#s-rationale"))
	Ask[bool](tab, `(location.hash = "#nowhere%", true)`)
	tab.Wait(`location.hash === "#nowhere%"`)

	tab.Expect(`Failed to load resource.*404`)
	for path, want := range map[string]string{
		"/x/mip-4": "/mip/4/", "/ERCS/erc-0004.html": "/mip/4/", "/mip/4/nothing": "/mip/4/", "/2026/mip-4/": "/mip/4/",
		"/mip/999/": "", "/nothing": "", "/99999999999999999999": "",
	} {
		tab.Go(path)
		if want == "" {
			tab.Wait(`document.querySelector("#offer").dataset.live !== undefined || !/[0-9]/.test(location.pathname)`)
			if got := Ask[string](tab, `document.querySelector("#offer").textContent`); got != "" {
				t.Errorf("%s offers %q", path, got)
			}
			continue
		}
		tab.Wait(`document.querySelector("#offer a")?.pathname === ` + fmt.Sprintf("%q", want))
		if got := Ask[string](tab, `document.querySelector("#offer").textContent`); !strings.HasPrefix(got, "Did you mean MIP-4: ") {
			t.Errorf("%s offers %q", path, got)
		}
	}
	still := r.tab(t, View{NoScript: true})
	still.Expect(`Failed to load resource.*404`)
	still.Go("/x/mip-4")
	if got := Ask[string](still, `document.querySelector(".hero").innerText`); !strings.Contains(got, "at /mip/ and its number") {
		t.Errorf("without scripts: %q", got)
	}
}
