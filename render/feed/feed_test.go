package feed

import (
	"bytes"
	"encoding/json"
	"html"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
	"github.com/mipwatch/mipwatch/render/rendertest"
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

func TestFeedOrder(t *testing.T) {
	all := rendertest.SampleSummaries() // 6 and 7 changed at the same moment, 3 before, 4 at no known time
	var got []string
	for _, s := range newest(all) {
		got = append(got, s.ID.String())
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
		rendertest.StrictXML(t, rendertest.Must[[]byte](t)(Atom(rendertest.SampleInfo(), all)), &feed)
		out := map[string]string{}
		for _, e := range feed.Entries {
			out[e.ID[0]] = e.Updated[0]
		}
		return out
	}
	all := rendertest.SampleSummaries()
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
	for i, h := range rendertest.HostileTexts() {
		t.Run(h.Name, func(t *testing.T) {
			info, all := rendertest.HostileInfo(h.In), []mip.Summary{rendertest.HostileSummaries()[i]}
			title := all[0].ID.String() + ": " + h.Want
			var rss parsedRSS
			rendertest.StrictXML(t, rendertest.Must[[]byte](t)(RSS(info, all)), &rss)
			c := rss.Channel[0]
			rendertest.Same(t, "RSS channel title", c.Title[0], h.Want)
			rendertest.Same(t, "RSS channel description", c.Description[0], h.Want)
			rendertest.Same(t, "RSS title", c.Items[0].Title[0], title)
			rendertest.Same(t, "RSS creator", c.Items[0].Creator[0], h.Want)
			if !slices.Contains(c.Items[0].Category, h.Want) {
				t.Errorf("RSS categories %q, want one %q", c.Items[0].Category, h.Want)
			}
			text := html.UnescapeString(c.Items[0].Description[0])
			if !strings.HasPrefix(text, h.Want) || strings.ContainsAny(c.Items[0].Description[0], "<>") {
				t.Errorf("RSS description %q, want the HTML of %q", c.Items[0].Description[0], h.Want)
			}

			var atom parsedAtom
			rendertest.StrictXML(t, rendertest.Must[[]byte](t)(Atom(info, all)), &atom)
			rendertest.Same(t, "Atom feed title", atom.Title[0].Text, h.Want)
			rendertest.Same(t, "Atom subtitle", atom.Subtitle[0].Text, h.Want)
			rendertest.Same(t, "Atom title", atom.Entries[0].Title[0].Text, title)
			rendertest.Same(t, "Atom author", atom.Entries[0].Authors[0].Name[0], h.Want)
			rendertest.Same(t, "Atom summary", atom.Entries[0].Summary[0].Text, text)
			if !slices.ContainsFunc(atom.Entries[0].Categories, func(c struct {
				Term string `xml:"term,attr"`
				Text string `xml:",chardata"`
			}) bool {
				return c.Term == h.Want
			}) {
				t.Errorf("Atom categories %q, want one %q", atom.Entries[0].Categories, h.Want)
			}

			feed := readJSONFeed(t, rendertest.Must[[]byte](t)(JSONFeed(info, all)))
			rendertest.Same(t, "JSON Feed title", feed.Title, h.Want)
			rendertest.Same(t, "JSON Feed item", feed.Items[0].Title, title)
			rendertest.Same(t, "JSON Feed summary", feed.Items[0].Summary, h.Want)
			rendertest.Same(t, "JSON Feed content", feed.Items[0].ContentText, text)
			rendertest.Same(t, "JSON Feed author", feed.Items[0].Authors[0].Name, h.Want)
		})
	}
}

// A reader in Go that many programs use sees what we meant.
func TestFeedsByGofeed(t *testing.T) {
	for _, tt := range rendertest.Sites() {
		for _, format := range feedFormats() {
			t.Run(tt.Name+" "+format.file, func(t *testing.T) {
				out := rendertest.Must[[]byte](t)(format.write(tt.Info, tt.All))
				feed, err := gofeed.NewParser().Parse(bytes.NewReader(out))
				if err != nil {
					t.Fatalf("%v in %s", err, out)
				}
				want := newest(tt.All)
				if len(feed.Items) != len(want) {
					t.Fatalf("%d items, want %d", len(feed.Items), len(want))
				}
				for i, item := range feed.Items {
					if item.GUID != want[i].URL || item.Link != want[i].URL {
						t.Errorf("item %d: id %q, link %q, want %q", i, item.GUID, item.Link, want[i].URL)
					}
					if tt.Name != "hostile" && item.Title != plain.ProposalTitle(*want[i]) {
						t.Errorf("item %d: title %q, want %q", i, item.Title, plain.ProposalTitle(*want[i]))
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
	for _, tt := range rendertest.Sites() {
		for _, format := range feedFormats()[:2] {
			t.Run(tt.Name+" "+format.version, func(t *testing.T) {
				got := parse(t, rendertest.Must[[]byte](t)(format.write(tt.Info, tt.All)))
				if got.Bozo || got.Version != format.version {
					t.Errorf("bozo %t (%s), version %q, want false and %q", got.Bozo, got.Why, got.Version, format.version)
				}
				for i, s := range newest(tt.All) {
					if got.IDs[i] != s.URL || tt.Name != "hostile" && got.Titles[i] != plain.ProposalTitle(*s) {
						t.Errorf("entry %d: %q %q, want %q %q", i, got.IDs[i], got.Titles[i], s.URL, plain.ProposalTitle(*s))
					}
				}
			})
		}
	}
}

func TestFeedGolden(t *testing.T) {
	for _, format := range feedFormats() {
		rendertest.Golden(t, "testdata/feeds.txtar", format.file, rendertest.Must[[]byte](t)(format.write(rendertest.SampleInfo(), rendertest.SampleSummaries())))
	}
	all := rendertest.SampleSummaries()
	list := plain.Listing{Kind: "category", Value: "Ядро", Slug: "ядро", Summaries: all[:1]}
	rendertest.Golden(t, "testdata/feeds.txtar", "category/feed.xml", rendertest.Must[[]byte](t)(List(rendertest.SampleInfo(), list)))
	rendertest.Golden(t, "testdata/feeds.txtar", "mip/3/feed.xml", rendertest.Must[[]byte](t)(History(rendertest.SampleInfo(), all[0], sampleChanges(all[0]))))
}
