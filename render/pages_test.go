package render

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"testing"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// pageElement is a parsed element in the form for the tests.
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

// pageFaults returns how a page breaks the rules for all pages.
func pageFaults(t testing.TB, page []byte) []string {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return rendertest.PageFaults(doc)
}

// The rules for pages can fail. Package build applies them to every page of every site.
func TestPagesRules(t *testing.T) {
	for _, bad := range []string{`<p style="a">`, `<p onclick="a">`, `<script>a</script>`,
		`<i id="a"></i><b id="a"></b>`, `<a href="#x">x</a>`, `<nav></nav>`, `<h2></h2>`,
		`<h1>x</h1>`, `<a href=" JavaScript:x">x</a>`} {
		got := pageFaults(t, []byte("<!doctype html><title>x</title><h1>x</h1>"+bad))
		if len(got) != 1 {
			t.Errorf("pageFaults(%q) = %q, want one", bad, got)
		}
	}
}

func TestProposalHead(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org/p"), pageForks()), pageList()
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
		"title":                          "MIP-3: A B </script> & <C> | Example proposals",
		"h1":                             "MIP-3 A B </script> & <C>",
		"og:title":                       "MIP-3: A B </script> & <C>",
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
	if len(ld.Graph) != 2 || ld.Graph[0].Type != "TechArticle" ||
		ld.Graph[0].Headline != got["og:title"] || len(ld.Graph[1].Items) != 2 {
		t.Errorf("structured data: got %+v", ld)
	}
	if bytes.Contains(page, []byte(all[2].ContentHash)) {
		t.Error("the page holds the content hash")
	}
}

func TestPagesEmptySite(t *testing.T) {
	p := newTestPages(t,
		mip.SiteInfo{Site: mip.Site{Title: "T", Prefix: "MIP", BaseURL: "https://example.org"}},
		nil)
	for route, page := range renderAll(t, p, nil) {
		for _, f := range pageFaults(t, page) {
			t.Errorf("%s: %s", route, f)
		}
	}
}

func TestNewPagesBaseURL(t *testing.T) {
	for _, base := range []string{"", "example.org", "ftp://example.org", "https://",
		"https://%zz"} {
		_, err := NewPages(mip.SiteInfo{Site: mip.Site{BaseURL: base}}, nil, Brand{}, "")
		if err == nil {
			t.Errorf("NewPages(%q): no error, want one", base)
		}
	}
}

// TestAssets checks that each page has one script beside the theme's, and that both have at most 4
// KB compressed.
func TestAssets(t *testing.T) {
	p := newTestPages(t, pageInfo("https://example.org"), pageForks())
	byRoute, loaded := map[string]Asset{}, map[string]bool{}
	for _, a := range p.Assets() {
		byRoute[a.Route] = a
	}
	asked := map[string]bool{} // loaded only by a click
	for route, page := range renderAll(t, p, pageList()) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		scripts := 0
		for _, e := range pageElements(t, page) {
			if run := e.attr["data-run"] + e.attr["data-sheet"]; run != "" {
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
			t.Errorf("%s: %d scripts of %d bytes packed, want 2 of %d at most",
				route, scripts, packed.Len(), limit)
		}
	}
	for by := range maps.Clone(asked) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		for route, a := range byRoute {
			if route != by && !bytes.Contains(byRoute[by].Body,
				[]byte(`from "./`+path.Base(route)+`"`)) {
				continue
			}
			asked[route] = true // also its imports
			if _, err := z.Write(a.Body); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		limit := 8 << 10
		if path.Base(by)[:7] == "search." {
			limit = 6 << 10
		}
		if packed.Len() > limit {
			t.Errorf("%s, which a click or scrolling loads: %d bytes packed, want %d at most",
				by, packed.Len(), limit)
		}
	}
	for route := range byRoute {
		if loaded[route] == asked[route] {
			t.Errorf("%s: loaded with a page %t, by a click or scrolling %t",
				route, loaded[route], asked[route])
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
