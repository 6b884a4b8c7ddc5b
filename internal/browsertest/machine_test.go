package browsertest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/browsertest"
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
	want, err := os.ReadFile(filepath.Join("..", "..", "proposals", "MIP-4.md"))
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
	tab := r.tab(t, browsertest.View{})
	for _, path := range []string{"/", "/feeds/"} {
		tab.Go(path)
		got := browsertest.Ask[[]string](tab, `[...document.querySelectorAll("link[rel=alternate]")].map(l => l.type + " " + new URL(l.href).pathname)`)
		for _, want := range []string{"application/rss+xml /feed.xml", "application/atom+xml /feed.atom", "application/feed+json /feed.json"} {
			if !slices.Contains(got, want) {
				t.Errorf("%s tells of %q, want %s", path, got, want)
			}
		}
	}
	var feed struct {
		Items []struct {
			ID           string `json:"id"`
			DateModified string `json:"date_modified"`
		} `json:"items"`
	}
	b, _ := r.get(t, "/feed.json")
	if err := json.Unmarshal(b, &feed); err != nil || len(feed.Items) < 10 {
		t.Fatalf("feed: %v, %d items", err, len(feed.Items))
	}
	for i, item := range feed.Items {
		if i > 0 && item.DateModified > feed.Items[i-1].DateModified {
			t.Errorf("%s of %s comes after %s", item.ID, item.DateModified, feed.Items[i-1].DateModified)
		}
	}
}

func apiPage(t *testing.T, r run) {
	var doc struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	b, _ := r.get(t, "/openapi.json")
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	tab := r.tab(t, browsertest.View{NoScript: true})
	tab.Go("/api/")
	got := browsertest.Ask[[]string](tab, `[...document.querySelectorAll(".op h3")].map(h => h.innerText)`)
	for path, operations := range doc.Paths {
		for method := range operations {
			if want := strings.ToUpper(method) + " " + path; !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
				t.Errorf("the page lacks %s", want)
			}
		}
	}
}

func notFound(t *testing.T, r run) {
	for _, v := range []browsertest.View{{}, {Width: 320, NoScript: true}} {
		tab := r.tab(t, v)
		tab.Expect(`Failed to load resource.*404.*/mip/999/`)
		tab.Go("/mip/999/")
		if got := browsertest.Ask[string](tab, `document.querySelector("h1").textContent`); got != "Page not found" {
			t.Errorf("%s: %q", v, got)
		}
		if v.NoScript {
			tab.Click(`.offers a[href="/"]`)
			continue
		}
		tab.Click("#q")
		tab.Press("block time\r")
		tab.Wait(`location.pathname === "/" && new URLSearchParams(location.search).get("q") === "block time" && document.querySelector("#filters")`)
		if got := shown(tab); !slices.Contains(got, "MIP-4") {
			t.Errorf("rows %q", got)
		}
	}
}
