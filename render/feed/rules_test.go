package feed

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// tagURI matches the tags that the W3C feed validator accepts (RFC 4151).
var tagURI = regexp.MustCompile(`^tag:[a-z0-9.-]+,[0-9]{4}:[0-9a-zA-Z;/?:@&=+$._!~*'()%,#-]*$`)

// feedCase is a feed with the addresses of its folder and its page.
type feedCase struct {
	name, folder, page string
	info               mip.Site
	feed               Feed
}

// feedCases are feeds of several sites and pages.
func feedCases() []feedCase {
	info := rendertest.SampleInfo()
	at := func(minute, place int) time.Time {
		return time.Date(2026, time.March, 3, 9, minute, 0, place*1000, time.UTC)
	}
	home := info.BaseURL + "/"
	items := []Item{
		{"mip-8-status-2", "MIP-8 left Last Call for Review: Opcode", home + "mip/8/history/#v-2",
			"Back to review.", "Ada Sample", mip.EventStatus, at(2, 1)},
		{"mip-8-title-2", "MIP-8 was renamed", home + "mip/8/", "Words.", "Ada Sample",
			mip.EventTitle, at(2, 0)},
		{"mip-8-status-1", "MIP-8 entered Last Call: Opcode", home + "mip/8/history/#v-1", "Words.",
			"", mip.EventStatus, at(1, 0)},
		{"mip-4-created", "MIP-4 was created", home + "mip/4/", "Words.", "", mip.EventCreated,
			time.Unix(0, 1000).UTC()},
	}
	out := []feedCase{
		{"sample", home, home, info, Feed{"Sample", "What happened.", "/", "/", items}},
		{"changes", home + "changes/", home, info,
			Feed{"Sample: all changes", "What happened.", "/changes/", "/", items}},
		{"empty", home + "category/%D1%8F%D0%B4%D1%80%D0%BE/",
			home + "category/%D1%8F%D0%B4%D1%80%D0%BE/", info,
			Feed{"Ядро", "What happened.", "/category/ядро/",
				"/category/%D1%8F%D0%B4%D1%80%D0%BE/", nil}},
		{"undated", "https://localhost:8080/", "https://localhost:8080/",
			mip.Site{BaseURL: "https://localhost:8080"},
			Feed{"Sample", "What happened.", "/", "/",
				[]Item{{"mip-4-created", "T", "https://localhost:8080/mip/4/", "W", "",
					mip.EventCreated, time.Unix(0, 0)}}}},
	}
	for i, h := range rendertest.HostileTexts() {
		text := mip.OneLine(h.In)
		hostile := items[0]
		hostile.Title, hostile.Text, hostile.Author = text, text, text
		info := rendertest.HostileInfo(h.In)
		page := fmt.Sprintf("mip/%d/", i)
		out = append(out,
			feedCase{"hostile " + h.Name, home + page, home + page, info,
				Feed{text, text, "/" + page, "/" + page, []Item{hostile}}})
	}
	return out
}

// The rules of the W3C feed validator (validator.w3.org/feed) that such a feed can break.
func TestRSSRules(t *testing.T) {
	for _, tt := range feedCases() {
		t.Run(tt.name, func(t *testing.T) {
			var feed parsedRSS
			rendertest.StrictXML(t, rendertest.Must[[]byte](t)(RSS(tt.info, tt.feed)), &feed)
			if feed.Version != "2.0" || len(feed.Channel) != 1 {
				t.Fatalf("version %q with %d channels, want 2.0 with one",
					feed.Version, len(feed.Channel))
			}
			c := feed.Channel[0]
			once(t, "channel title", c.Title)
			once(t, "channel description", c.Description)
			once(t, "language", c.Language)
			once(t, "docs", c.Docs)
			if len(c.TTL) != 0 {
				t.Errorf("ttl %q, want none", c.TTL)
			}
			var self, page []parsedLink
			for _, l := range c.Links {
				if l.XMLName.Space == "http://www.w3.org/2005/Atom" {
					self = append(self, l)
				} else {
					page = append(page, l)
				}
			}
			if len(self) != 1 || self[0].Rel != "self" || self[0].Type != "application/rss+xml" ||
				self[0].Href != tt.folder+"feed.xml" {
				t.Errorf("self links %+v, want one to %sfeed.xml", self, tt.folder)
			}
			if len(page) != 1 || page[0].Text != tt.page {
				t.Errorf("links %+v, want one to %s", page, tt.page)
			}
			if len(c.Items) != len(tt.feed.Items) {
				t.Fatalf("%d items, want %d", len(c.Items), len(tt.feed.Items))
			}
			built := []string(nil)
			for i, item := range c.Items {
				want := tt.feed.Items[i]
				once(t, "item title", item.Title)
				once(t, "item link", item.Link)
				once(t, "item description", item.Description)
				if len(item.GUID) != 1 || item.GUID[0].Permalink != "false" ||
					!tagURI.MatchString(item.GUID[0].ID) ||
					!strings.HasSuffix(item.GUID[0].ID, want.ID) {
					t.Errorf("guid %+v, want a tag that ends with %s and is no permalink",
						item.GUID, want.ID)
				}
				rendertest.Absolute(t, item.Link[0])
				if len(item.Author) != 0 {
					t.Errorf("author %q: RSS wants an e-mail address there", item.Author)
				}
				var date []string
				if want.dated() {
					date = []string{want.When.Format(time.RFC1123Z)}
				}
				same(t, "pubDate", item.PubDate, date)
				if i == 0 {
					built = date
				}
				same(t, "creator", item.Creator, some(want.Author))
				same(t, "category", item.Category, []string{string(want.Kind)})
			}
			same(t, "lastBuildDate", c.Built, built)
		})
	}
}

func TestAtomRules(t *testing.T) {
	for _, tt := range feedCases() {
		t.Run(tt.name, func(t *testing.T) {
			var feed parsedAtom
			rendertest.StrictXML(t, rendertest.Must[[]byte](t)(Atom(tt.info, tt.feed)), &feed)
			if len(feed.Title) != 1 || feed.Title[0].Text == "" || feed.Title[0].Type != "" ||
				len(feed.Subtitle) != 1 {
				t.Errorf("title %+v, subtitle %+v, want one of plain text each",
					feed.Title, feed.Subtitle)
			}
			self := tt.folder + "feed.atom"
			same(t, "id", feed.ID, []string{self})
			if len(feed.Links) != 2 || feed.Links[0].Rel != "self" || feed.Links[0].Href != self ||
				feed.Links[1].Rel != "alternate" || feed.Links[1].Href != tt.page {
				t.Errorf("links %+v, want self %s, then alternate %s", feed.Links, self, tt.page)
			}
			if len(feed.Authors) != 1 || len(feed.Authors[0].Name) != 1 ||
				feed.Authors[0].Name[0] == "" {
				t.Errorf("authors %+v, want one with a name: entries without an author need it",
					feed.Authors)
			}
			if len(feed.Rights) != 0 {
				t.Errorf("rights %q, want none", feed.Rights)
			}
			want := "1970-01-01T00:00:00Z"
			if len(feed.Entries) > 0 {
				want = feed.Entries[0].Updated[0]
			}
			same(t, "updated", feed.Updated, []string{want})
			seen, previous := map[string]bool{self: true}, time.Unix(1<<40, 0)
			for _, e := range feed.Entries {
				if len(e.Title) != 1 || e.Title[0].Text == "" || len(e.ID) != 1 ||
					len(e.Updated) != 1 || len(e.Published) != 0 {
					t.Fatalf("entry %+v, want one title, id and updated, and no published", e)
				}
				if seen[e.ID[0]] || !tagURI.MatchString(e.ID[0]) {
					t.Errorf("id %q, want a tag that is there once", e.ID[0])
				}
				seen[e.ID[0]] = true
				if len(e.Links) != 1 || e.Links[0].Rel != "alternate" {
					t.Fatalf("links %+v, want one alternate", e.Links)
				}
				rendertest.Absolute(t, e.Links[0].Href)
				if len(e.Summary) != 1 || e.Summary[0].Type != "text" || e.Summary[0].Text == "" {
					t.Errorf("summary %+v, want one of type text", e.Summary)
				}
				for _, a := range e.Authors {
					if len(a.Name) != 1 || a.Name[0] == "" || len(a.URI) != 0 {
						t.Errorf("author %+v, want one name", a)
					}
				}
				for _, c := range e.Categories {
					if c.Term == "" || c.Text != "" {
						t.Errorf("category %+v, want a term and no text", c)
					}
				}
				at := rendertest.Must[time.Time](t)(time.Parse(time.RFC3339, e.Updated[0]))
				if !at.Before(previous) {
					t.Errorf("%s: updated %v, want a time before that of the entry above",
						e.ID[0], at)
				}
				previous = at
			}
			if len(feed.Entries) != len(tt.feed.Items) {
				t.Errorf("%d entries, want %d", len(feed.Entries), len(tt.feed.Items))
			}
		})
	}
}

func TestJSONFeedRules(t *testing.T) {
	for _, tt := range feedCases() {
		t.Run(tt.name, func(t *testing.T) {
			feed := readJSONFeed(t, rendertest.Must[[]byte](t)(JSON(tt.info, tt.feed)))
			if feed.Version != "https://jsonfeed.org/version/1.1" || feed.Title != tt.feed.Title ||
				feed.Language != "en" {
				t.Errorf("version %q, title %q, language %q",
					feed.Version, feed.Title, feed.Language)
			}
			if feed.FeedURL != tt.folder+"feed.json" || feed.HomePageURL != tt.page {
				t.Errorf("feed_url %q, home_page_url %q, want feed.json below %s, and %s",
					feed.FeedURL, feed.HomePageURL, tt.folder, tt.page)
			}
			if feed.Items == nil || len(feed.Items) != len(tt.feed.Items) {
				t.Fatalf("%d items (nil %t), want %d",
					len(feed.Items), feed.Items == nil, len(tt.feed.Items))
			}
			for i, item := range feed.Items {
				want := tt.feed.Items[i]
				if !strings.HasSuffix(item.ID, want.ID) || item.Title != want.Title ||
					item.ContentText != want.Text || (item.Published != nil) != want.dated() {
					t.Errorf("item %+v, want %+v", item, want)
				}
				rendertest.Absolute(t, item.URL)
			}
		})
	}
}
