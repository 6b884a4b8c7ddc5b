package render

import (
	"time"

	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// The library's structs with what they lack: several links, the self link first, authors and
// categories as elements with attributes. An outer field hides the inner one of the same element.
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
		Authors    []*feeds.AtomAuthor `xml:"author"`
		Categories []atomCategory      `xml:"category"`
	}
	atomCategory struct {
		Term string `xml:"term,attr"`
	}
)

// FeedXml makes it a feed that the library can write.
func (a *atomXML) FeedXml() any { return a }

// Atom is the newest changes as Atom (RFC 4287), newest first, [FeedLimit] at most. Ids are
// addresses: the feed's own, and each proposal's page. Atom requires a time of every entry: a
// proposal without one gets the epoch, 1970-01-01T00:00:00Z, which sorts it last in every reader;
// so does a feed in which nothing has a time. The feed's author is the site, for proposals that name none.
func Atom(info mip.SiteInfo, all []mip.Summary) ([]byte, error) {
	sorted := newest(all)
	self := info.BaseURL + "/feed.atom"
	feed := &atomXML{
		Xmlns: "http://www.w3.org/2005/Atom",
		Lang:  "en",
		Links: []feeds.AtomLink{
			{Href: self, Rel: "self", Type: typeAtom},
			{Href: info.BaseURL + "/", Rel: "alternate", Type: typeHTML},
		},
		AtomFeed: feeds.AtomFeed{
			Title: feedTitle(info), Id: self, Updated: atomTime(feedChange(sorted)), Subtitle: feedDescription(info),
			Author: &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: feedTitle(info), Uri: info.BaseURL + "/"}},
		},
		Entries: make([]*atomEntry, 0, len(sorted)),
	}
	for _, s := range sorted {
		feed.Entries = append(feed.Entries, newAtomEntry(info, s))
	}
	return writeXML(feed)
}

func newAtomEntry(info mip.SiteInfo, s mip.Summary) *atomEntry {
	entry := &atomEntry{
		Links: []feeds.AtomLink{{Href: s.URL, Rel: "alternate", Type: typeHTML}},
		AtomEntry: feeds.AtomEntry{
			Title: entryTitle(s), Id: s.URL, Updated: atomTime(s.Updated),
			Summary: &feeds.AtomSummary{Content: entryText(info, s), Type: "text"},
		},
	}
	if s.Updated != nil {
		if t := firstDay(s); t != nil {
			entry.Published = t.Format(time.RFC3339)
		}
	}
	for _, c := range credits(s) {
		entry.Authors = append(entry.Authors, &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: c.name, Uri: c.url}})
	}
	for _, word := range labels(s) {
		entry.Categories = append(entry.Categories, atomCategory{word})
	}
	return entry
}

func atomTime(t *mip.Time) string {
	if t == nil {
		return time.Unix(0, 0).UTC().Format(time.RFC3339)
	}
	return t.String()
}
