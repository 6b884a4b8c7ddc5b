package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// parsedRSS and parsedAtom are what the tests read feeds back into: by namespace, as a reader does,
// and every element as a list, so that a repetition shows.
type (
	parsedRSS struct {
		XMLName xml.Name `xml:"rss"`
		Version string   `xml:"version,attr"`
		Channel []struct {
			Title       []string     `xml:"title"`
			Links       []parsedLink `xml:"link"` // without a namespace and Atom's: see split
			Description []string     `xml:"description"`
			Language    []string     `xml:"language"`
			Docs        []string     `xml:"docs"`
			Built       []string     `xml:"lastBuildDate"`
			TTL         []string     `xml:"ttl"`
			Items       []struct {
				Title       []string `xml:"title"`
				Link        []string `xml:"link"`
				Description []string `xml:"description"`
				Author      []string `xml:"author"`
				Creator     []string `xml:"http://purl.org/dc/elements/1.1/ creator"`
				Category    []string `xml:"category"`
				PubDate     []string `xml:"pubDate"`
				GUID        []struct {
					Permalink string `xml:"isPermaLink,attr"`
					ID        string `xml:",chardata"`
				} `xml:"guid"`
			} `xml:"item"`
		} `xml:"channel"`
	}
	parsedLink struct {
		XMLName xml.Name
		Rel     string `xml:"rel,attr"`
		Type    string `xml:"type,attr"`
		Href    string `xml:"href,attr"`
		Text    string `xml:",chardata"`
	}
	parsedText struct {
		Type string `xml:"type,attr"`
		Text string `xml:",chardata"`
	}
	parsedPerson struct {
		Name []string `xml:"name"`
		URI  []string `xml:"uri"`
	}
	parsedAtom struct {
		XMLName  xml.Name       `xml:"http://www.w3.org/2005/Atom feed"`
		Title    []parsedText   `xml:"title"`
		Subtitle []parsedText   `xml:"subtitle"`
		ID       []string       `xml:"id"`
		Updated  []string       `xml:"updated"`
		Authors  []parsedPerson `xml:"author"`
		Links    []parsedLink   `xml:"link"`
		Rights   []string       `xml:"rights"`
		Entries  []struct {
			Title      []parsedText   `xml:"title"`
			ID         []string       `xml:"id"`
			Updated    []string       `xml:"updated"`
			Published  []string       `xml:"published"`
			Authors    []parsedPerson `xml:"author"`
			Summary    []parsedText   `xml:"summary"`
			Links      []parsedLink   `xml:"link"`
			Categories []struct {
				Term string `xml:"term,attr"`
				Text string `xml:",chardata"`
			} `xml:"category"`
		} `xml:"entry"`
	}
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
	for n := range 3 * FeedLimit {
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

// The rules of the W3C feed validator (validator.w3.org/feed) that a feed of this kind can break.
func TestRSSRules(t *testing.T) {
	for _, tt := range feedCases() {
		t.Run(tt.name, func(t *testing.T) {
			out := must[[]byte](t)(RSS(tt.info, tt.all))
			var feed parsedRSS
			strictXML(t, out, &feed)
			if feed.Version != "2.0" || len(feed.Channel) != 1 {
				t.Fatalf("version %q with %d channels, want 2.0 with one", feed.Version, len(feed.Channel))
			}
			c := feed.Channel[0]
			once(t, "channel title", c.Title)
			once(t, "channel description", c.Description)
			once(t, "language", c.Language)
			once(t, "docs", c.Docs)
			if len(c.TTL) != 0 {
				t.Errorf("ttl %q, want none", c.TTL)
			}
			var self, home []parsedLink
			for _, l := range c.Links {
				if l.XMLName.Space == "http://www.w3.org/2005/Atom" {
					self = append(self, l)
				} else {
					home = append(home, l)
				}
			}
			if len(self) != 1 || self[0].Rel != "self" || self[0].Type != "application/rss+xml" || self[0].Href != tt.info.BaseURL+"/feed.xml" {
				t.Errorf("self links %+v, want one to %s/feed.xml", self, tt.info.BaseURL)
			}
			if len(home) != 1 || home[0].Text != tt.info.BaseURL+"/" {
				t.Errorf("links %+v, want one to %s/", home, tt.info.BaseURL)
			}
			checkTimes(t, "lastBuildDate", c.Built, time.RFC1123Z, latest(tt.all))
			seen := map[string]bool{}
			previous := time.Unix(1<<40, 0)
			for _, item := range c.Items {
				once(t, "item title", item.Title)
				once(t, "item link", item.Link)
				once(t, "item description", item.Description)
				if len(item.GUID) != 1 || item.GUID[0].Permalink != "true" || item.GUID[0].ID != item.Link[0] {
					t.Errorf("guid %+v, want a permalink equal to the link %q", item.GUID, item.Link)
				}
				absolute(t, item.Link[0])
				if seen[item.Link[0]] {
					t.Errorf("guid %q twice", item.Link[0])
				}
				seen[item.Link[0]] = true
				if len(item.Author) != 0 {
					t.Errorf("author %q: RSS wants an e-mail address there", item.Author)
				}
				previous = notNewer(t, item.PubDate, time.RFC1123Z, previous)
			}
			if want := min(len(tt.all), FeedLimit); len(c.Items) != want {
				t.Errorf("%d items, want %d", len(c.Items), want)
			}
		})
	}
}

func TestAtomRules(t *testing.T) {
	for _, tt := range feedCases() {
		t.Run(tt.name, func(t *testing.T) {
			out := must[[]byte](t)(Atom(tt.info, tt.all))
			var feed parsedAtom
			strictXML(t, out, &feed)
			if len(feed.Title) != 1 || feed.Title[0].Text == "" || feed.Title[0].Type != "" || len(feed.Subtitle) != 1 {
				t.Errorf("title %+v, subtitle %+v, want one of plain text each", feed.Title, feed.Subtitle)
			}
			self := tt.info.BaseURL + "/feed.atom"
			if len(feed.ID) != 1 || feed.ID[0] != self {
				t.Errorf("id %q, want %q", feed.ID, self)
			}
			if len(feed.Links) != 2 || feed.Links[0].Rel != "self" || feed.Links[0].Href != self || feed.Links[1].Rel != "alternate" || feed.Links[1].Href != tt.info.BaseURL+"/" {
				t.Errorf("links %+v, want self %s, then alternate", feed.Links, self)
			}
			if len(feed.Authors) != 1 || len(feed.Authors[0].Name) != 1 || feed.Authors[0].Name[0] == "" {
				t.Errorf("authors %+v, want one with a name: entries without an author need it", feed.Authors)
			}
			if len(feed.Rights) != 0 {
				t.Errorf("rights %q, want none", feed.Rights)
			}
			want := latest(tt.all)
			if want == nil {
				epoch := mip.NewTime(time.Unix(0, 0))
				want = &epoch
			}
			if len(feed.Updated) != 1 || !instant(t, feed.Updated[0]).Truncate(time.Second).Equal(want.UTC()) {
				t.Errorf("updated %q, want one within the second %v", feed.Updated, want)
			}
			seen := map[string]bool{self: true}
			previous := time.Unix(1<<40, 0)
			for _, e := range feed.Entries {
				if len(e.Title) != 1 || e.Title[0].Text == "" || len(e.ID) != 1 || len(e.Updated) != 1 || len(e.Published) > 1 {
					t.Fatalf("entry %+v, want one title, id, updated and at most one published", e)
				}
				absolute(t, e.ID[0])
				if seen[e.ID[0]] {
					t.Errorf("id %q twice", e.ID[0])
				}
				seen[e.ID[0]] = true
				if len(e.Links) != 1 || e.Links[0].Rel != "alternate" || e.Links[0].Href != e.ID[0] {
					t.Errorf("links %+v, want one alternate to %s", e.Links, e.ID[0])
				}
				if len(e.Summary) != 1 || e.Summary[0].Type != "text" || e.Summary[0].Text == "" {
					t.Errorf("summary %+v, want one of type text", e.Summary)
				}
				for _, p := range e.Published {
					if instant(t, p).After(instant(t, e.Updated[0])) {
						t.Errorf("published %q, want a time not after updated %q", p, e.Updated[0])
					}
				}
				for _, a := range e.Authors {
					if len(a.Name) != 1 || a.Name[0] == "" || len(a.URI) > 1 {
						t.Errorf("author %+v, want one name and at most one uri", a)
					}
					for _, u := range a.URI {
						absolute(t, u)
					}
				}
				for _, c := range e.Categories {
					if c.Term == "" || c.Text != "" {
						t.Errorf("category %+v, want a term and no text", c)
					}
				}
				if at := instant(t, e.Updated[0]); at.Equal(previous) {
					t.Errorf("%s: updated %v is that of the entry before", e.ID[0], at)
				}
				previous = notNewer(t, e.Updated, time.RFC3339, previous)
			}
		})
	}
}

// jsonFeed11 is the format of jsonfeed.org/version/1.1 as far as we use it; other members are refused.
type jsonFeed11 struct {
	Version     string `json:"version"`
	Title       string `json:"title"`
	HomePageURL string `json:"home_page_url"`
	FeedURL     string `json:"feed_url"`
	Description string `json:"description"`
	Language    string `json:"language"`
	Items       []struct {
		ID          string     `json:"id"`
		URL         string     `json:"url"`
		Title       string     `json:"title"`
		ContentText string     `json:"content_text"`
		Summary     string     `json:"summary"`
		Published   *time.Time `json:"date_published"`
		Modified    *time.Time `json:"date_modified"`
		Authors     []struct {
			Name string `json:"name"`
			URL  string `json:"url"`
		} `json:"authors"`
		Tags []string `json:"tags"`
	} `json:"items"`
}

func TestJSONFeedRules(t *testing.T) {
	for _, tt := range feedCases() {
		t.Run(tt.name, func(t *testing.T) {
			feed := readJSONFeed(t, must[[]byte](t)(JSONFeed(tt.info, tt.all)))
			if feed.Version != "https://jsonfeed.org/version/1.1" || feed.Title == "" || feed.Language != "en" {
				t.Errorf("version %q, title %q, language %q", feed.Version, feed.Title, feed.Language)
			}
			if feed.FeedURL != tt.info.BaseURL+"/feed.json" || feed.HomePageURL != tt.info.BaseURL+"/" {
				t.Errorf("feed_url %q, home_page_url %q, want those below %s", feed.FeedURL, feed.HomePageURL, tt.info.BaseURL)
			}
			if feed.Items == nil || len(feed.Items) != min(len(tt.all), FeedLimit) {
				t.Errorf("%d items (nil %t), want %d", len(feed.Items), feed.Items == nil, min(len(tt.all), FeedLimit))
			}
			seen := map[string]bool{}
			for _, i := range feed.Items {
				if i.ID == "" || i.ID != i.URL || seen[i.ID] || i.Title == "" || i.ContentText == "" {
					t.Errorf("item %+v, want a unique id equal to url, a title and content", i)
				}
				seen[i.ID] = true
				absolute(t, i.URL)
				if i.Published != nil && i.Modified != nil && i.Published.After(*i.Modified) {
					t.Errorf("%s: published %v after modified %v", i.ID, i.Published, i.Modified)
				}
			}
		})
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
	for _, tt := range feedCases() {
		for _, format := range feedFormats()[:2] {
			t.Run(tt.name+" "+format.version, func(t *testing.T) {
				cmd := exec.Command(python, "-c", script)
				cmd.Stdin = bytes.NewReader(must[[]byte](t)(format.write(tt.info, tt.all)))
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("feedparser: %v", err)
				}
				var got struct {
					Bozo         bool
					Why, Version string
					IDs, Titles  []string
				}
				if err := json.Unmarshal(out, &got); err != nil {
					t.Fatalf("feedparser wrote %q: %v", out, err)
				}
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
}

// feedparser finds a Python that has it, and skips the test where none does.
func feedparser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import feedparser").Run() == nil {
			return name
		}
	}
	t.Skip("no python3 with feedparser (Debian: python3-feedparser)")
	return ""
}

func readJSONFeed(t *testing.T, b []byte) jsonFeed11 {
	t.Helper()
	var feed jsonFeed11
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&feed); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return feed
}

// strictXML decodes a whole document and fails on what the decoder lets pass: characters that XML
// 1.0 excludes and text after the end.
func strictXML(t *testing.T, b []byte, v any) {
	t.Helper()
	if !bytes.HasPrefix(b, []byte(`<?xml version="1.0" encoding="UTF-8"?>`)) {
		t.Errorf("no XML declaration in %.60q", b)
	}
	if err := xml.Unmarshal(b, v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	if i := bytes.IndexFunc(b, func(r rune) bool { return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff }); i >= 0 {
		t.Errorf("control character at byte %d: %q", i, b[max(0, i-20):min(len(b), i+20)])
	}
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

func once(t *testing.T, what string, values []string) {
	t.Helper()
	if len(values) != 1 || values[0] == "" {
		t.Errorf("%s %q, want exactly one, not empty", what, values)
	}
}

func absolute(t *testing.T, s string) {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(s, " <>\"") {
		t.Errorf("%q (%v), want an absolute address", s, err)
	}
}

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	return must[time.Time](t)(time.Parse(time.RFC3339, s))
}

func latest(all []mip.Summary) *mip.Time {
	var out *mip.Time
	for _, s := range all {
		if s.Updated != nil && (out == nil || s.Updated.UTC().After(out.UTC())) {
			out = s.Updated
		}
	}
	return out
}

func checkTimes(t *testing.T, what string, got []string, layout string, want *mip.Time) {
	t.Helper()
	if want == nil {
		if len(got) != 0 {
			t.Errorf("%s %q, want none", what, got)
		}
		return
	}
	if len(got) != 1 || got[0] != want.UTC().Format(layout) {
		t.Errorf("%s %q, want %q", what, got, want.UTC().Format(layout))
	}
}

// notNewer checks the times of one entry against the entry before and returns what the next one
// has to be held against. An entry without a time may only be followed by such.
func notNewer(t *testing.T, times []string, layout string, previous time.Time) time.Time {
	t.Helper()
	if len(times) == 0 {
		return time.Time{}
	}
	at, err := time.Parse(layout, times[0])
	if err != nil || len(times) != 1 || at.After(previous) {
		t.Errorf("times %q (%v), want one, not after %v", times, err, previous)
	}
	return at
}
