package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// feedFormats are the three writers; version is feedparser's name of the format.
func feedFormats() []struct {
	file, version string
	write         func(mip.SiteInfo, []mip.Summary) ([]byte, error)
} {
	return []struct {
		file, version string
		write         func(mip.SiteInfo, []mip.Summary) ([]byte, error)
	}{{"feed.xml", "rss20", RSS}, {"feed.atom", "atom10", Atom}, {"feed.json", "", JSONFeed}}
}

// feedCases are the lists that every rule is held against.
func feedCases() []struct {
	name string
	info mip.SiteInfo
	all  []mip.Summary
} {
	many := []mip.Summary{}
	for n := range 3 * feedLimit {
		many = append(many, sampleSummary(n+1, fmt.Sprintf("Number %d", n+1), func(s *mip.Summary) {
			at := mip.NewTime(time.Date(2026, time.January, 1, n%50, 0, 0, 0, time.UTC))
			s.Updated = &at
		}))
	}
	undated := sampleSummary(1, "Undated", func(s *mip.Summary) { s.Updated, s.Created, s.Authors = nil, mip.Date{}, []mip.Author{{}} })
	return []struct {
		name string
		info mip.SiteInfo
		all  []mip.Summary
	}{
		{"sample", sampleInfo(), sampleSummaries()},
		{"empty", sampleInfo(), nil},
		{"bare", mip.SiteInfo{Title: "T", BaseURL: "https://example.org", Prefix: "MIP"}, []mip.Summary{undated}},
		{"many", sampleInfo(), many},
		{"hostile", hostileInfo("<b>&lt;\n]]></title>"), hostileSummaries()},
	}
}

func TestFeedOrder(t *testing.T) {
	all := sampleSummaries() // 6 and 7 changed at the same moment, 3 before, 4 at no known time
	var got []string
	for _, s := range newest(all) {
		got = append(got, s.ID)
	}
	if want := []string{"MIP-7", "MIP-6", "MIP-3", "MIP-4"}; !slices.Equal(got, want) {
		t.Errorf("newest = %v, want %v", got, want)
	}
	if all[0].Number != 3 || all[3].Number != 7 {
		t.Errorf("newest changed the order of its argument: %d … %d", all[0].Number, all[3].Number)
	}
}

// A change of one proposal leaves the others' entries as they were, those of the same second too.
func TestAtomTimesAreStable(t *testing.T) {
	read := func(all []mip.Summary) map[string]string {
		var feed parsedAtom
		strictXML(t, must[[]byte](t)(Atom(sampleInfo(), all)), &feed)
		out := map[string]string{}
		for _, e := range feed.Entries {
			out[e.ID[0]] = e.Updated[0]
		}
		return out
	}
	all := sampleSummaries()
	before := read(all)
	later := mip.NewTime(all[3].Updated.UTC().Add(time.Hour))
	all[2].Updated = &later // 6, which had the same second as 7
	after := read(all)
	if before[all[2].URL] == after[all[2].URL] {
		t.Errorf("%s kept %s after a change", all[2].ID, before[all[2].URL])
	}
	delete(before, all[2].URL)
	delete(after, all[2].URL)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("times of others changed (-before +after):\n%s", diff)
	}
}

// What an author writes comes back from every feed, escaped exactly once.
func TestFeedEscaping(t *testing.T) {
	for i, h := range hostileTexts() {
		t.Run(h.name, func(t *testing.T) {
			info, all := hostileInfo(h.in), []mip.Summary{hostileSummaries()[i]}
			title := all[0].ID + ": " + h.want
			var rss parsedRSS
			strictXML(t, must[[]byte](t)(RSS(info, all)), &rss)
			c := rss.Channel[0]
			same(t, "RSS channel title", c.Title[0], h.want)
			same(t, "RSS channel description", c.Description[0], h.want)
			same(t, "RSS title", c.Items[0].Title[0], title)
			same(t, "RSS creator", c.Items[0].Creator[0], h.want)
			if !slices.Contains(c.Items[0].Category, h.want) {
				t.Errorf("RSS categories %q, want one %q", c.Items[0].Category, h.want)
			}
			text := html.UnescapeString(c.Items[0].Description[0])
			if !strings.HasPrefix(text, h.want) || strings.ContainsAny(c.Items[0].Description[0], "<>") {
				t.Errorf("RSS description %q, want the HTML of %q", c.Items[0].Description[0], h.want)
			}

			var atom parsedAtom
			strictXML(t, must[[]byte](t)(Atom(info, all)), &atom)
			same(t, "Atom feed title", atom.Title[0].Text, h.want)
			same(t, "Atom subtitle", atom.Subtitle[0].Text, h.want)
			same(t, "Atom title", atom.Entries[0].Title[0].Text, title)
			same(t, "Atom author", atom.Entries[0].Authors[0].Name[0], h.want)
			same(t, "Atom summary", atom.Entries[0].Summary[0].Text, text)
			if !slices.ContainsFunc(atom.Entries[0].Categories, func(c struct {
				Term string `xml:"term,attr"`
				Text string `xml:",chardata"`
			}) bool {
				return c.Term == h.want
			}) {
				t.Errorf("Atom categories %q, want one %q", atom.Entries[0].Categories, h.want)
			}

			feed := readJSONFeed(t, must[[]byte](t)(JSONFeed(info, all)))
			same(t, "JSON Feed title", feed.Title, h.want)
			same(t, "JSON Feed item", feed.Items[0].Title, title)
			same(t, "JSON Feed summary", feed.Items[0].Summary, h.want)
			same(t, "JSON Feed content", feed.Items[0].ContentText, text)
			same(t, "JSON Feed author", feed.Items[0].Authors[0].Name, h.want)
		})
	}
}

// A reader in Go that many programs use sees what we meant.
func TestFeedsByGofeed(t *testing.T) {
	for _, tt := range feedCases() {
		for _, format := range feedFormats() {
			t.Run(tt.name+" "+format.file, func(t *testing.T) {
				out := must[[]byte](t)(format.write(tt.info, tt.all))
				feed, err := gofeed.NewParser().Parse(bytes.NewReader(out))
				if err != nil {
					t.Fatalf("%v in %s", err, out)
				}
				want := newest(tt.all)
				if len(feed.Items) != len(want) {
					t.Fatalf("%d items, want %d", len(feed.Items), len(want))
				}
				for i, item := range feed.Items {
					if item.GUID != want[i].URL || item.Link != want[i].URL {
						t.Errorf("item %d: id %q, link %q, want %q", i, item.GUID, item.Link, want[i].URL)
					}
					if tt.name != "hostile" && item.Title != entryTitle(want[i]) {
						t.Errorf("item %d: title %q, want %q", i, item.Title, entryTitle(want[i]))
					}
				}
			})
		}
	}
}

// feedparser is the reader of most Python programs; bozo is its word for a feed that it had to mend.
func TestFeedsByFeedparser(t *testing.T) {
	python := feedparser(t)
	const script = `import sys, json, feedparser
d = feedparser.parse(sys.stdin.buffer.read())
print(json.dumps({"bozo": bool(d.bozo), "why": str(d.get("bozo_exception", "")), "version": d.version, "ids": [e.id for e in d.entries], "titles": [e.title for e in d.entries]}))`
	type read struct {
		Bozo         bool
		Why, Version string
		IDs, Titles  []string
	}
	parse := func(t *testing.T, feed []byte) (got read) {
		t.Helper()
		cmd := exec.Command(python, "-c", script)
		cmd.Stdin = bytes.NewReader(feed)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("feedparser: %v", err)
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("feedparser wrote %q: %v", out, err)
		}
		return got
	}
	for _, tt := range rssCases(t) {
		if got := parse(t, tt.out); got.Bozo || got.Version != "rss20" || len(got.IDs) != tt.items {
			t.Errorf("%s: bozo %t (%s), version %q, %d entries, want false, rss20 and %d", tt.name, got.Bozo, got.Why, got.Version, len(got.IDs), tt.items)
		}
	}
	for _, tt := range feedCases() {
		for _, format := range feedFormats()[:2] {
			t.Run(tt.name+" "+format.version, func(t *testing.T) {
				got := parse(t, must[[]byte](t)(format.write(tt.info, tt.all)))
				if got.Bozo || got.Version != format.version {
					t.Errorf("bozo %t (%s), version %q, want false and %q", got.Bozo, got.Why, got.Version, format.version)
				}
				for i, s := range newest(tt.all) {
					if got.IDs[i] != s.URL || tt.name != "hostile" && got.Titles[i] != entryTitle(s) {
						t.Errorf("entry %d: %q %q, want %q %q", i, got.IDs[i], got.Titles[i], s.URL, entryTitle(s))
					}
				}
			})
		}
	}
}

func TestFeedGolden(t *testing.T) {
	for _, format := range feedFormats() {
		golden(t, "testdata/feeds.txtar", format.file, must[[]byte](t)(format.write(sampleInfo(), sampleSummaries())))
	}
	all := sampleSummaries()
	list := Listing{Kind: "category", Value: "Ядро", Slug: "ядро", Summaries: all[:1]}
	golden(t, "testdata/feeds.txtar", "category/feed.xml", must[[]byte](t)(ListRSS(sampleInfo(), list)))
	golden(t, "testdata/feeds.txtar", "mip/3/feed.xml", must[[]byte](t)(HistoryRSS(sampleInfo(), all[0], sampleChanges(all[0]))))
}
