package feed

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// rssCase is a feed, and what it has to say of itself.
type rssCase struct {
	name, page string
	out        []byte
	changed    *mip.Time
	items      int

	version string          // feedparser's name of the format
	of      []*mip.Metadata // its entries, where a test looks at them
}

// rssCases are every kind of RSS feed over every list.
func rssCases(t *testing.T) []rssCase {
	t.Helper()
	var out []rssCase
	for _, tt := range rendertest.Sites() {
		n := min(len(tt.All), feedLimit)
		out = append(out, rssCase{name: tt.Name, page: tt.Info.BaseURL + "/", out: rendertest.Must[[]byte](t)(RSS(tt.Info, tt.All)), changed: latest(tt.All), items: n})
		for _, l := range []plain.Listing{
			{Kind: "status", Value: "Last Call", Slug: "last-call"}, {Kind: "category", Value: rendertest.HostileTexts()[0].In, Slug: "ядро-層"},
			{Kind: "type", Slug: "other"}, {Kind: "author", Value: rendertest.HostileTexts()[1].In, Slug: "ada"}, {Kind: "upgrade", Value: "Été", Slug: "été"},
		} {
			l.Metadata = tt.All
			page := (&url.URL{Path: "/" + l.Kind + "/" + l.Slug + "/"}).EscapedPath()
			out = append(out, rssCase{name: tt.Name + " " + l.Kind, page: tt.Info.BaseURL + page, out: rendertest.Must[[]byte](t)(List(tt.Info, l)), changed: latest(tt.All), items: n})
		}
		for _, m := range tt.All[:min(len(tt.All), 5)] {
			page := tt.Info.BaseURL + m.ID.Page()
			out = append(out, rssCase{name: tt.Name + " " + m.ID.String(), page: page, out: rendertest.Must[[]byte](t)(History(tt.Info, m, nil)), changed: m.Updated, items: 1})
			changes := sampleChanges(m)
			out = append(out, rssCase{name: tt.Name + " changes of " + m.ID.String(), page: page, out: rendertest.Must[[]byte](t)(History(tt.Info, m, changes)), changed: &changes[0].When, items: len(changes)})
		}
	}
	return out
}

// sampleChanges are two commits of one second, one with a subject that means harm, and an older one that says nothing.
func sampleChanges(m mip.Metadata) []Change {
	at := func(day int) mip.Time { return mip.NewTime(time.Date(2026, time.March, day, 9, 0, 0, 0, time.UTC)) }
	return []Change{
		{strings.Repeat("a", 40), at(3), rendertest.HostileTexts()[0].In, "https://git.example.org/blob/" + strings.Repeat("a", 40) + "/MIP.md"},
		{strings.Repeat("b", 40), at(3), "Move " + m.ID.String() + " to Review", ""},
		{strings.Repeat("c", 40), at(2), "", ""},
	}
}

// The rules of the W3C feed validator (validator.w3.org/feed) that a feed of this kind can break.
func TestRSSRules(t *testing.T) {
	for _, tt := range rssCases(t) {
		t.Run(tt.name, func(t *testing.T) {
			out := tt.out
			var feed parsedRSS
			rendertest.StrictXML(t, out, &feed)
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
			if len(self) != 1 || self[0].Rel != "self" || self[0].Type != "application/rss+xml" || self[0].Href != tt.page+"feed.xml" {
				t.Errorf("self links %+v, want one to %sfeed.xml", self, tt.page)
			}
			if len(home) != 1 || home[0].Text != tt.page {
				t.Errorf("links %+v, want one to %s", home, tt.page)
			}
			rendertest.CheckTimes(t, "lastBuildDate", c.Built, time.RFC1123Z, tt.changed)
			seen := map[string]bool{}
			previous := time.Unix(1<<40, 0)
			for _, item := range c.Items {
				once(t, "item title", item.Title)
				once(t, "item link", item.Link)
				once(t, "item description", item.Description)
				if len(item.GUID) != 1 || (item.GUID[0].Permalink == "true") != (item.GUID[0].ID == item.Link[0]) {
					t.Fatalf("guid %+v, want one, a permalink when it is the link %q", item.GUID, item.Link)
				}
				rendertest.Absolute(t, item.Link[0])
				rendertest.Absolute(t, item.GUID[0].ID)
				if seen[item.GUID[0].ID] {
					t.Errorf("guid %q twice", item.GUID[0].ID)
				}
				seen[item.GUID[0].ID] = true
				if len(item.Author) != 0 {
					t.Errorf("author %q: RSS wants an e-mail address there", item.Author)
				}
				previous = notNewer(t, item.PubDate, time.RFC1123Z, previous)
			}
			if len(c.Items) != tt.items {
				t.Errorf("%d items, want %d", len(c.Items), tt.items)
			}
		})
	}
}

func TestAtomRules(t *testing.T) {
	for _, tt := range rendertest.Sites() {
		t.Run(tt.Name, func(t *testing.T) {
			out := rendertest.Must[[]byte](t)(Atom(tt.Info, tt.All))
			var feed parsedAtom
			rendertest.StrictXML(t, out, &feed)
			if len(feed.Title) != 1 || feed.Title[0].Text == "" || feed.Title[0].Type != "" || len(feed.Subtitle) != 1 {
				t.Errorf("title %+v, subtitle %+v, want one of plain text each", feed.Title, feed.Subtitle)
			}
			self := tt.Info.BaseURL + "/feed.atom"
			if len(feed.ID) != 1 || feed.ID[0] != self {
				t.Errorf("id %q, want %q", feed.ID, self)
			}
			if len(feed.Links) != 2 || feed.Links[0].Rel != "self" || feed.Links[0].Href != self || feed.Links[1].Rel != "alternate" || feed.Links[1].Href != tt.Info.BaseURL+"/" {
				t.Errorf("links %+v, want self %s, then alternate", feed.Links, self)
			}
			if len(feed.Authors) != 1 || len(feed.Authors[0].Name) != 1 || feed.Authors[0].Name[0] == "" {
				t.Errorf("authors %+v, want one with a name: entries without an author need it", feed.Authors)
			}
			if len(feed.Rights) != 0 {
				t.Errorf("rights %q, want none", feed.Rights)
			}
			want := latest(tt.All)
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
				rendertest.Absolute(t, e.ID[0])
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
						rendertest.Absolute(t, u)
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

func TestJSONFeedRules(t *testing.T) {
	for _, tt := range rendertest.Sites() {
		t.Run(tt.Name, func(t *testing.T) {
			feed := readJSONFeed(t, rendertest.Must[[]byte](t)(JSONFeed(tt.Info, tt.All)))
			if feed.Version != "https://jsonfeed.org/version/1.1" || feed.Title == "" || feed.Language != "en" {
				t.Errorf("version %q, title %q, language %q", feed.Version, feed.Title, feed.Language)
			}
			if feed.FeedURL != tt.Info.BaseURL+"/feed.json" || feed.HomePageURL != tt.Info.BaseURL+"/" {
				t.Errorf("feed_url %q, home_page_url %q, want those below %s", feed.FeedURL, feed.HomePageURL, tt.Info.BaseURL)
			}
			if feed.Items == nil || len(feed.Items) != min(len(tt.All), feedLimit) {
				t.Errorf("%d items (nil %t), want %d", len(feed.Items), feed.Items == nil, min(len(tt.All), feedLimit))
			}
			seen := map[string]bool{}
			for _, i := range feed.Items {
				if i.ID == "" || i.ID != i.URL || seen[i.ID] || i.Title == "" || i.ContentText == "" {
					t.Errorf("item %+v, want a unique id equal to url, a title and content", i)
				}
				seen[i.ID] = true
				rendertest.Absolute(t, i.URL)
				if i.Published != nil && i.Modified != nil && i.Published.After(*i.Modified) {
					t.Errorf("%s: published %v after modified %v", i.ID, i.Published, i.Modified)
				}
			}
		})
	}
}
