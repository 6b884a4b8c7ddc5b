package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// writtenTags name the texts of a site that others than its operator may write, and the texts of
// the settings.
func writtenTags() []string {
	return strings.Fields(`site-title site-description network fork-name title description type category author login email id
		status subject line translated translated-description source tldr change impact quote related`)
}

// writtenSite renders every page of a site whose texts are made from their tags.
func writtenSite(t *testing.T, text func(tag string) string) map[string][]byte {
	t.Helper()
	info, forks, all := pageInfo("https://example.org"), pageForks(), pageList()
	info.Locales = []string{"ja"}
	written := func(tag string) *string { s := text(tag); return &s }
	info.Title, info.Description = text("site-title"), text("site-description")
	info.Networks[0].Name = text("network")
	forks[1].Name = text("fork-name")
	m := &all[2]
	m.Title, m.Description, m.Type, m.Category = text("title"), written("description"),
		written("type"), written("category")
	m.Authors = []mip.Author{{Name: written("author"), GitHub: written("login")},
		{Email: written("email")}}
	m.Hardfork = &forks[1].Name
	m.Requires = []int{1, 4}
	all[3].Title, all[3].Requires = text("related"), []int{1, 77}
	all[7].Standing = mip.Standing{Status: mip.Status(text("status"))}
	bad := "javascript:alert(1)"
	all[0].DiscussionsTo, all[0].SourceURL = &bad, &bad
	p := newTestPages(t, info, forks)
	pages := renderAll(t, p, all)

	when := mip.NewTime(time.Date(2026, 9, 1, 2, 3, 0, 0, time.UTC))
	links := []mip.Translation{{Locale: "ja",
		URL: "https://example.org/api/v1/mips/3/translations/ja"}}
	v := proposalPage(p, all, 2)
	v.Translations, v.History = links, true
	v.Summary = &api.Summary{
		MIPNumber: 3, TLDR: text("tldr"), WhatsChanging: []string{text("change")},
		GeneratedAt: when, Locale: "en", Source: text("source"),
		Developers: api.Axis{Impact: text("impact"), Severity: api.High,
			Evidence: []api.Evidence{{Section: "s-abstract", Quote: text("quote")}}},
	}
	for route, make := range map[string]func() ([]byte, error){
		"/mip/3/": func() ([]byte, error) { return p.Proposal(v) },
		"/mip/3/ja/": func() ([]byte, error) {
			return p.Translation(TranslationPage{ProposalPage: v, Text: &api.PublishedTranslation{
				MIPNumber: 3, Locale: "ja", Title: text("translated"),
				Description: written("translated-description"), Sections: pageSections(),
				GeneratedAt: when, Source: text("source"),
			}})
		},
		"/mip/3/history/": func() ([]byte, error) {
			return p.History(HistoryPage{Metadata: *m, Texts: make([]VersionText, 2),
				History: mip.History{
					Before: "nothing",
					Versions: []mip.Version{version("b", text("subject"), "", text("line")+"\n"),
						version("a", "first", "", "")},
				}})
		},
	} {
		page, err := make()
		if err != nil {
			t.Fatalf("%s: %v", route, err)
		}
		pages[route] = page
	}
	return pages
}

// TestPagesHostileText compares each page with the page of a site with harmless words: it has the
// same elements and attributes, and each hostile text appears, whole, in place of its word. Sizes
// in drawings depend on the texts and differ.
func TestPagesHostileText(t *testing.T) {
	// lists have the same addresses
	word := func(tag string) string { return mip.Slug(pageHostile(tag)) }
	var pairs []string
	for _, tag := range writtenTags() {
		// As such, as TeX, as part of an address of another site, and as the short title in other
		// pages.
		short := func(s string) string { return mip.Metadata{Title: s}.ShortTitle() }
		for _, form := range []func(string) string{func(s string) string { return s }, texText,
			url.PathEscape, short} {
			pairs = append(pairs, form(pageHostile(tag)), word(tag))
		}
	}
	calm := strings.NewReplacer(pairs...)
	harmless := writtenSite(t, word)
	for route, page := range writtenSite(t, pageHostile) {
		for _, f := range pageFaults(t, page) {
			t.Errorf("%s: %s", route, f)
		}
		want, got := pageShape(t, harmless[route], strings.NewReplacer()), pageShape(t, page, calm)
		for i := range max(len(want), len(got)) {
			if i >= len(want) || i >= len(got) || want[i] != got[i] {
				t.Errorf("%s: %q, want %q", route, got[min(i, len(got)):min(i+2, len(got))],
					want[min(i, len(want)):min(i+2, len(want))])
				break
			}
		}
	}
}

// cardHash matches the end of the address of a share card, which changes with its texts.
var cardHash = regexp.MustCompile(`/og\.[0-9a-f]{8}\.png$`)

// pageShape returns the elements of a page with their attributes, and its texts.
func pageShape(t *testing.T, page []byte, calm *strings.Replacer) []string {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for n := range doc.Descendants() {
		text := n.Data
		var data any // JSON-LD, CSL
		if n.Type == html.TextNode && json.Unmarshal([]byte(n.Data), &data) == nil {
			text = fmt.Sprint(data) // fmt prints maps in the order of their keys
		}
		if n.Type == html.ElementNode {
			attr := map[string]string{}
			for _, a := range n.Attr {
				a.Val = cardHash.ReplaceAllString(a.Val, "/og.png")
				if attr[a.Key] = a.Val; n.Namespace == "svg" &&
					slices.Contains(strings.Fields("d x y width height viewBox transform"), a.Key) {
					attr[a.Key] = ""
				}
			}
			text = fmt.Sprintf("<%s %v>", n.Data, attr)
		}
		out = append(out, calm.Replace(text))
	}
	return out
}
