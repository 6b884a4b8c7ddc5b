package browsertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func head(t *testing.T, r *served) {
	p := r.one(t, "/api/v1/mips/4")
	tab := r.tab(t, View{})
	tab.Go("/mip/4/")
	got := Ask[map[string]string](tab, `Object.fromEntries([
		["title", document.title],
		...[...document.querySelectorAll("meta[content]")].map(m => [m.getAttribute("property") ?? m.name, m.content]),
		...[...document.querySelectorAll("link[rel=canonical]")].map(l => ["canonical", l.href]),
	])`)
	for k, want := range map[string]string{
		"canonical": p.URL, "og:url": p.URL, "description": *p.Description, "og:description": *p.Description,
		"og:image:width": "1200", "og:image:height": "630", "og:type": "article", "twitter:card": "summary_large_image",
	} {
		if got[k] != want {
			t.Errorf("%s: %q, want %q", k, got[k], want)
		}
	}
	for _, k := range []string{"title", "og:title"} {
		if !strings.HasPrefix(got[k], "MIP-4: "+p.Title) {
			t.Errorf("%s: %q", k, got[k])
		}
	}
	picture := strings.TrimPrefix(got["og:image"], p.URL)
	if !regexp.MustCompile(`^og\.[0-9a-f]{8}\.png$`).MatchString(picture) {
		t.Errorf("og:image: %q, want one below %s", got["og:image"], p.URL)
	}
	image, mediaType := r.get(t, "/mip/4/"+picture)
	if size, err := png.DecodeConfig(bytes.NewReader(image)); err != nil || size.Width != 1200 || size.Height != 630 || mediaType != "image/png" {
		t.Errorf("picture: %v, %+v, %s", err, size, mediaType)
	}
	var ld map[string]any
	if err := json.Unmarshal([]byte(Ask[string](tab, `document.querySelector("script[type='application/ld+json']").textContent`)), &ld); err != nil || ld["@context"] != "https://schema.org" {
		t.Errorf("structured data: %v, %v", err, ld["@context"])
	}
	seen := map[string]bool{}
	for _, l := range Ask[[]struct{ Type, Path string }](tab, `[...document.querySelectorAll("link[rel=alternate]")].map(l => ({Type: l.type, Path: l.pathname ?? new URL(l.href).pathname}))`) {
		if _, mediaType := r.get(t, l.Path); !strings.HasPrefix(mediaType, l.Type) {
			t.Errorf("%s is %s, the page says %s", l.Path, mediaType, l.Type)
		}
		seen[l.Type] = true
	}
	for _, want := range []string{"text/markdown", "application/json", "application/rss+xml", "application/atom+xml", "application/feed+json"} {
		if !seen[want] {
			t.Errorf("no alternate of type %s", want)
		}
	}
}

func badges(t *testing.T, r *served) {
	tab := r.tab(t, View{Width: 390})
	for _, m := range r.proposals(t) {
		tab.Go(fmt.Sprintf("/mip/%d/", m.Number))
		got := Ask[[]string](tab, `[...document.querySelectorAll(".phead .row > *")].map(e => e.textContent)`)
		want := []string{"No status"}
		if s, ok := m.Frontmatter["status"].(string); ok {
			want[0] = s
		}
		if m.Superseded() {
			want = append(want, "Superseded")
		}
		// A type and a category of one name are one badge.
		for _, v := range []*string{m.Type, m.Category} {
			if v != nil && !slices.Contains(want, *v) {
				want = append(want, *v)
			}
		}
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%s: badges %q, want %q", m.ID, got, want)
		}
	}
}

func contents(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	for _, m := range r.proposals(t) {
		tab.Go(fmt.Sprintf("/mip/%d/", m.Number))
		if lost := Ask[[]string](tab, `[...document.querySelectorAll("a[href^='#']")].filter(a => !document.getElementById(decodeURIComponent(a.hash.slice(1)))).map(a => a.hash)`); len(lost) > 0 {
			t.Errorf("%s: links to nowhere: %q", m.ID, lost)
		}
	}
	tab.Go("/mip/4/")
	for _, n := range []int{2, 4, 3} {
		entry := fmt.Sprintf(".toc > ol > li:nth-child(%d) > a", n)
		tab.Click(entry)
		link := fmt.Sprintf("document.querySelector(%q)", entry)
		heading := "document.getElementById(decodeURIComponent(" + link + ".hash.slice(1)))"
		tab.Wait(`location.hash === ` + link + `.hash && ` + link + `.getAttribute("aria-current") === "true"`)
		tab.Wait(`(h => h.top >= document.querySelector("header.top").getBoundingClientRect().bottom && h.bottom < innerHeight)(` + heading + `.getBoundingClientRect())`)
	}
	if n := Ask[int](tab, `document.querySelectorAll(".toc [aria-current]").length`); n != 1 {
		t.Errorf("%d entries are current", n)
	}
	phone := r.tab(t, View{Width: 390, NoScript: true})
	phone.Go("/mip/4/")
	phone.Click("details.mob summary")
	phone.Click(".mtoc li:nth-child(3) > a")
	if !Ask[bool](phone, `location.hash === document.querySelector(".mtoc li:nth-child(3) > a").hash`) {
		t.Error("the folded table of contents leads nowhere")
	}
	phone.Wait(`(h => h.top >= Math.max(0, document.querySelector("header.top").getBoundingClientRect().bottom) && h.bottom < innerHeight)(document.querySelector(location.hash).getBoundingClientRect())`)
}

func headingLink(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	tab.Go("/mip/4/")
	tab.Click(".prose h2[id] a.h")
	tab.Wait(`location.hash === "#" + document.querySelector(".prose h2[id]").id`)
	clipboard.Lock()
	defer clipboard.Unlock()
	tab.Click(".prose h2[id] ~ h2[id] [data-copy]")
	tab.Wait(`document.querySelector("#live").textContent === "Copied"`)
	want := Ask[string](tab, `location.href.split("#")[0] + "#" + document.querySelector(".prose h2[id] ~ h2[id]").id`)
	if got := Ask[string](tab, `navigator.clipboard.readText()`); got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
}

func relations(t *testing.T, r *served) {
	all := r.proposals(t)
	// related are the proposals that a page names beside a word of its details.
	related := func(tab *Tab, word string) []string {
		return Ask[[]string](tab, `[...document.querySelectorAll(".side dl > div")].filter(d => d.querySelector("dt")?.textContent === `+fmt.Sprintf("%q", word)+`).flatMap(d => [...d.querySelectorAll("dd a")].map(a => a.pathname))`)
	}
	tab := r.tab(t, View{NoScript: true})
	pairs := 0
	for _, m := range all {
		tab.Go(fmt.Sprintf("/mip/%d/", m.Number))
		requires, requiredBy := related(tab, "Requires"), related(tab, "Required by")
		for _, n := range m.Requires {
			pairs++
			if !slices.Contains(requires, fmt.Sprintf("/mip/%d/", n)) {
				t.Errorf("%s requires %d, its page names %q", m.ID, n, requires)
			}
		}
		for _, n := range m.RequiredBy {
			pairs--
			if !slices.Contains(requiredBy, fmt.Sprintf("/mip/%d/", n)) {
				t.Errorf("%s is required by %d, its page names %q", m.ID, n, requiredBy)
			}
		}
		if left := Ask[[]string](tab, `[...document.querySelectorAll(".prose a[href]")].filter(a => a.origin === location.origin && a.pathname.endsWith(".md")).map(a => a.href)`); len(left) > 0 {
			t.Errorf("%s: links to files: %q", m.ID, left)
		}
	}
	if pairs != 0 {
		t.Errorf("requires and required by differ by %d", pairs)
	}
	tab.Go("/mip/900/")
	if got := Ask[[]string](tab, `[...document.querySelectorAll(".prose p a")].map(a => a.pathname + a.hash).slice(0, 2)`); !slices.Equal(got, []string{"/mip/4/#s-specification", "/mip/5/"}) {
		t.Errorf("links of the text lead to %q", got)
	}
}

func authors(t *testing.T, r *served) {
	tab := r.tab(t, View{})
	tab.Go("/mip/900/")
	author := Ask[string](tab, `document.querySelector("main a[href^='/author/']").pathname`)
	tab.Go(author)
	if got := Ask[string](tab, `document.querySelector(".hero a[href^='https://github.com/']").href`); got != "https://github.com/"+strings.Trim(strings.TrimPrefix(author, "/author/"), "/") {
		t.Errorf("%s leads to %s", author, got)
	}
	for _, path := range pages() {
		tab.Go(path)
		if bare := Ask[[]string](tab, `[...document.querySelectorAll("a[href^=http]")].filter(a => a.origin !== location.origin && !a.closest(".prose") && !/\bnoopener\b/.test(a.rel)).map(a => a.href)`); len(bare) > 0 {
			t.Errorf("%s: links to other sites without rel=noopener: %q", path, bare)
		}
	}
}

func code(t *testing.T, r *served) {
	p := r.one(t, "/api/v1/mips/900")
	tab := r.tab(t, View{Width: 320})
	tab.Go("/mip/900/")
	clipboard.Lock()
	defer clipboard.Unlock()
	tab.Click("figure.code [data-copy]")
	tab.Wait(`document.querySelector("#live").textContent === "Copied"`)
	got := Ask[string](tab, `navigator.clipboard.readText()`)
	if !strings.Contains(p.RawMarkdown, "```text\n"+strings.TrimSuffix(got, "\n")+"\n```") {
		t.Errorf("copied %q, which is not the source", got)
	}
	Ask[bool](tab, `(document.querySelector("figure.code pre").focus(), true)`)
	tab.Press(kb.ArrowRight)
	tab.Wait(`document.querySelector("figure.code pre").scrollLeft > 0`)
}

func wide(t *testing.T, r *served) {
	tab := r.tab(t, View{Width: 320})
	tab.Go("/mip/900/")
	if !Ask[bool](tab, `(e => e.scrollWidth > e.clientWidth && e.tabIndex === 0)(document.querySelector(".prose .scroll"))`) {
		t.Error("the table does not scroll in a box of its own that takes the focus")
	}
	Ask[bool](tab, `(document.querySelector(".prose .scroll").focus(), true)`)
	tab.Press(kb.ArrowRight)
	tab.Wait(`document.querySelector(".prose .scroll").scrollLeft > 0`)
}
