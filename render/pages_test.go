package render

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/agent"
)

// pageElement is what the tests ask of a parsed element.
type pageElement struct {
	tag  string
	attr map[string]string
	text string
}

func pageElements(t testing.TB, page []byte) []pageElement {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []pageElement
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		e := pageElement{tag: n.Data, attr: map[string]string{}}
		for _, a := range n.Attr {
			e.attr[a.Key] = a.Val
		}
		for c := range n.Descendants() {
			if c.Type == html.TextNode {
				e.text += c.Data
			}
		}
		out = append(out, e)
	}
	return out
}

// pageFaults are the ways in which a page breaks a rule that holds for all of them.
func pageFaults(t testing.TB, page []byte) []string {
	t.Helper()
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	ids, names, h1 := map[string]bool{}, map[string]bool{}, 0
	all := pageElements(t, page)
	for _, e := range all {
		for k, v := range e.attr {
			switch {
			case k == "style" || strings.HasPrefix(k, "on"):
				say("<%s %s=%q>", e.tag, k, v)
			case k == "id" && ids[v]:
				say("id %q twice", v)
			case k == "id":
				ids[v] = true
			}
			if strings.HasPrefix(strings.ToLower(strings.TrimSpace(v)), "javascript:") {
				say("<%s %s=%q>", e.tag, k, v)
			}
		}
		switch e.tag {
		case "style", "iframe", "object", "embed", "base":
			say("<%s>", e.tag)
		case "script":
			if e.attr["type"] == "application/ld+json" {
				if !json.Valid([]byte(e.text)) {
					say("structured data is not JSON: %s", e.text)
				}
			} else if e.attr["src"] == "" || e.text != "" {
				say("inline script %q", e.text)
			}
		case "h1", "h2", "h3", "h4", "a", "button", "title", "option", "summary":
			if strings.TrimSpace(e.text) == "" {
				say("<%s> without text", e.tag)
			}
		case "nav", "aside":
			if name := e.attr["aria-label"]; name == "" || names[name] {
				say("<%s aria-label=%q>: not a name of its own", e.tag, name)
			} else {
				names[name] = true
			}
		}
		if e.tag == "h1" {
			h1++
		}
	}
	if h1 != 1 {
		say("%d h1", h1)
	}
	for _, e := range all {
		if to, ok := strings.CutPrefix(e.attr["href"], "#"); ok && !ids[to] {
			say("no element has the id of #%s", to)
		}
	}
	return out
}

func TestPagesRules(t *testing.T) {
	p := newTestPages(t, pageInfo("https://example.org/p"), pageForks())
	for route, page := range renderAll(t, p, pageSummaries()) {
		for _, f := range pageFaults(t, page) {
			t.Errorf("%s: %s", route, f)
		}
	}
	// The rules themselves can fail.
	for _, bad := range []string{`<p style="a">`, `<p onclick="a">`, `<script>a</script>`, `<i id="a"></i><b id="a"></b>`, `<a href="#x">x</a>`, `<nav></nav>`, `<h2></h2>`} {
		if got := pageFaults(t, []byte("<!doctype html><title>x</title><h1>x</h1>"+bad)); len(got) == 0 {
			t.Errorf("pageFaults(%q) = none, want one", bad)
		}
	}
}

// TestPagesLinks follows every internal link: to a page, an asset or a machine-readable route.
func TestPagesLinks(t *testing.T) {
	for _, base := range []string{"", "/p"} {
		p := newTestPages(t, pageInfo("https://example.org"+base+"/"), pageForks())
		pages := renderAll(t, p, pageSummaries())
		known := map[string]bool{}
		for route := range pages {
			known[base+route] = true
			if kind, _, ok := strings.Cut(route[1:], "/"); ok && slices.Contains([]string{"status", "category", "type", "upgrade", "author"}, kind) && route != "/upgrade/" {
				known[base+route+"feed.xml"] = true
			}
		}
		for _, a := range p.Assets() {
			known[base+a.Route] = true
		}
		for _, r := range agent.StaticRoutes("MIP") {
			known[base+r.Pattern] = true
			for _, s := range pageSummaries() {
				known[base+strings.ReplaceAll(r.Pattern, "{n}", fmt.Sprint(s.Number))] = true
			}
		}
		for route, page := range pages {
			for _, e := range pageElements(t, page) {
				for _, key := range []string{"href", "src", "action"} {
					to, ok := e.attr[key]
					if !ok || strings.HasPrefix(to, "#") || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "data:image/svg+xml,") {
						continue
					}
					to = strings.ReplaceAll(to, "%C3%A9", "é")
					if !known[to] {
						t.Errorf("base %q, %s: <%s %s=%q> leads nowhere", base, route, e.tag, key, to)
					}
				}
			}
		}
	}
}

func TestProposalHead(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageSummaries()
	all[2].Title, all[2].ContentHash = "A `B` </script> & <C>", "0123abcd"
	page, err := p.Proposal(proposalPage(p, all, 2))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	var ld struct {
		Graph []struct {
			Type     string `json:"@type"`
			Headline string
			Items    []struct{ Item string } `json:"itemListElement"`
		} `json:"@graph"`
	}
	for _, e := range pageElements(t, page) {
		switch {
		case e.tag == "title" && got["title"] == "": // drawings have their own
			got["title"] = e.text
		case e.tag == "h1":
			got["h1"] = e.text
		case e.tag == "link":
			got[e.attr["rel"]+" "+e.attr["type"]] = e.attr["href"]
		case e.tag == "meta":
			got[e.attr["property"]] = e.attr["content"]
		case e.tag == "script" && e.attr["type"] != "" && e.text != "":
			if err := json.Unmarshal([]byte(e.text), &ld); err != nil {
				t.Fatal(err)
			}
		}
	}
	for k, want := range map[string]string{
		"title":                          "MIP-3: A `B` </script> & <C> | Example proposals",
		"h1":                             "MIP-3 A B </script> & <C>",
		"og:title":                       "MIP-3: A `B` </script> & <C>",
		"og:url":                         "https://example.org/p/mip/3/",
		"canonical ":                     "https://example.org/p/mip/3/",
		"alternate text/markdown":        "/p/mip/3.md",
		"alternate application/json":     "/p/api/v1/mips/3",
		"alternate application/rss+xml":  "/p/feed.xml",
		"alternate application/atom+xml": "/p/feed.atom",
	} {
		if got[k] != want {
			t.Errorf("%s: got %q, want %q", k, got[k], want)
		}
	}
	if len(ld.Graph) != 2 || ld.Graph[0].Type != "TechArticle" || ld.Graph[0].Headline != got["og:title"] || len(ld.Graph[1].Items) != 2 {
		t.Errorf("structured data: got %+v", ld)
	}
	if bytes.Contains(page, []byte(all[2].ContentHash)) {
		t.Error("the page holds the content hash")
	}
}

func TestPagesSameBytes(t *testing.T) {
	all := pageSummaries()
	want := renderAll(t, newTestPages(t, pageInfo("https://example.org"), pageForks()), all)
	p := newTestPages(t, pageInfo("https://example.org"), pageForks())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range all {
				got, err := p.Proposal(proposalPage(p, all, i))
				if route := fmt.Sprintf("/mip/%d/", all[i].Number); err != nil || !bytes.Equal(got, want[route]) {
					t.Errorf("%s: differs from the first rendering (error %v)", route, err)
				}
			}
		})
	}
	wg.Wait()
	for route, page := range renderAll(t, p, all) {
		if !bytes.Equal(page, want[route]) {
			t.Errorf("%s: differs from the first rendering", route)
		}
	}
}

func TestPagesEmptySite(t *testing.T) {
	p := newTestPages(t, mip.SiteInfo{Title: "T", Prefix: "MIP", BaseURL: "https://example.org"}, nil)
	for route, page := range renderAll(t, p, nil) {
		for _, f := range pageFaults(t, page) {
			t.Errorf("%s: %s", route, f)
		}
	}
}

func TestNewPagesBaseURL(t *testing.T) {
	for _, base := range []string{"", "example.org", "ftp://example.org", "https://", "https://%zz"} {
		if _, err := NewPages(mip.SiteInfo{BaseURL: base}, nil, nil, ""); err == nil {
			t.Errorf("NewPages(%q): no error, want one", base)
		}
	}
}

// TestAssets holds each page to one script beside that of the theme, and both to 4 KB packed.
func TestAssets(t *testing.T) {
	p := newTestPages(t, pageInfo("https://example.org"), pageForks())
	byRoute, loaded := map[string]Asset{}, map[string]bool{}
	for _, a := range p.Assets() {
		byRoute[a.Route] = a
	}
	asked := map[string]bool{} // what only a click loads
	for route, page := range renderAll(t, p, pageSummaries()) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		scripts := 0
		for _, e := range pageElements(t, page) {
			if run := e.attr["data-run"]; run != "" {
				asked[run] = true
			}
			src := e.attr["src"] + e.attr["href"]
			a, ok := byRoute[src]
			if !ok {
				continue
			}
			loaded[src] = true
			if e.tag == "script" {
				scripts++
				if _, err := z.Write(a.Body); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if limit := 4 << 10; scripts != 2 || packed.Len() > limit {
			t.Errorf("%s: %d scripts of %d bytes packed, want 2 of %d at most", route, scripts, packed.Len(), limit)
		}
	}
	for by := range maps.Clone(asked) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		for route, a := range byRoute {
			if route != by && !bytes.Contains(byRoute[by].Body, []byte(`from "./`+path.Base(route)+`"`)) {
				continue
			}
			asked[route] = true // what it imports, too
			if _, err := z.Write(a.Body); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if limit := 8 << 10; packed.Len() > limit {
			t.Errorf("%s, which a click loads: %d bytes packed, want %d at most", by, packed.Len(), limit)
		}
	}
	for route := range byRoute {
		if loaded[route] == asked[route] {
			t.Errorf("%s: loaded with a page %t, by a click %t", route, loaded[route], asked[route])
		}
	}
	files, err := fs.Glob(embedded, "assets/*")
	used := map[string]bool{}
	for _, f := range assetFiles() {
		for _, part := range f[1:] {
			used["assets/"+part] = true
		}
	}
	if err != nil || len(files) != len(used) {
		t.Errorf("assets: %d files, %d of them used (error %v)", len(files), len(used), err)
	}
}
