package feed

import (
	"time"

	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// These types extend the library's: several links, the self link first, authors and categories as
// elements with attributes. An outer field hides the inner one of the same element.
type (
	atomXML struct {
		XMLName struct{}         `xml:"feed"`
		Xmlns   string           `xml:"xmlns,attr"`
		Lang    string           `xml:"xml:lang,attr"`
		Links   []feeds.AtomLink `xml:"link"`
		feeds.AtomFeed
		Entries []*atomEntry `xml:"entry"`
	}
	atomEntry struct {
		Links []feeds.AtomLink `xml:"link"`
		feeds.AtomEntry
		Category atomCategory `xml:"category"`
	}
	atomCategory struct {
		Term string `xml:"term,attr"`
	}
)

// FeedXml makes it a feed that the library can write.
func (a *atomXML) FeedXml() any { return a }

// Atom is a feed as Atom (RFC 4287). Its author is the site, for items without one. The feed's time
// is the time of its newest item, or the epoch without items.
func Atom(info mip.Site, f Feed) ([]byte, error) {
	self, page, changed := f.self(info, "feed.atom"), f.page(info), time.Unix(0, 0)
	if len(f.Items) > 0 {
		changed = f.Items[0].When
	}
	out := &atomXML{
		Xmlns: "http://www.w3.org/2005/Atom",
		Lang:  "en",
		Links: []feeds.AtomLink{{Href: self, Rel: "self", Type: TypeAtom},
			{Href: page, Rel: "alternate", Type: "text/html"}},
		AtomFeed: feeds.AtomFeed{
			Title: f.Title, Id: self, Updated: atomTime(changed), Subtitle: f.Description,
			Author: &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: plain.SiteTitle(info),
				Uri: info.BaseURL + "/"}},
		},
	}
	for _, i := range f.Items {
		entry := &atomEntry{
			Links: []feeds.AtomLink{{Href: i.URL, Rel: "alternate", Type: "text/html"}},
			AtomEntry: feeds.AtomEntry{
				Title: i.Title, Id: i.tag(info), Updated: atomTime(i.When),
				Summary: &feeds.AtomSummary{Content: i.Text, Type: "text"},
			},
			Category: atomCategory{string(i.Kind)},
		}
		if i.Author != "" {
			entry.Author = &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: i.Author}}
		}
		out.Entries = append(out.Entries, entry)
	}
	return writeXML(out)
}

func atomTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
