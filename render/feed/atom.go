package feed

import (
	"time"

	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
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

// Atom is the newest changes as Atom (RFC 4287), newest first, [feedLimit] at most. Ids are addresses: the feed's own,
// and each proposal's page. The feed's author is the site, for proposals that name none.
//
// The format wants a different time for each entry, but one commit gives all its files the same second. So the time of
// an entry holds the proposal's number as microseconds, which no other proposal's change can alter. The format wants a
// time of every entry, too: a proposal without one has the second before the oldest that is known, which keeps it last,
// and the epoch where none is known.
func Atom(info mip.Site, all []mip.Metadata) ([]byte, error) {
	sorted := newest(all)
	undated := time.Unix(0, 0).UTC()
	// The oldest time comes last.
	for _, m := range sorted {
		if m.Updated != nil {
			undated = m.Updated.UTC().Add(-time.Second)
		}
	}
	self, home := info.BaseURL+"/feed.atom", info.BaseURL+"/"
	feed := &atomXML{
		Xmlns: "http://www.w3.org/2005/Atom",
		Lang:  "en",
		Links: []feeds.AtomLink{{Href: self, Rel: "self", Type: TypeAtom}, {Href: home, Rel: "alternate", Type: "text/html"}},
		AtomFeed: feeds.AtomFeed{
			Title: plain.SiteTitle(info), Id: self, Updated: atomTime(undated, 0), Subtitle: feedDescription(info),
			Author: &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: plain.SiteTitle(info), Uri: home}},
		},
	}
	for i, m := range sorted {
		updated, published := undated, ""
		if m.Updated != nil {
			updated = m.Updated.UTC()
			if t := firstDay(m); t != nil {
				published = t.Format(time.RFC3339)
			}
		}
		entry := &atomEntry{
			Links: []feeds.AtomLink{{Href: m.URL, Rel: "alternate", Type: "text/html"}},
			AtomEntry: feeds.AtomEntry{
				Title: plain.ProposalTitle(*m), Id: m.URL, Updated: atomTime(updated, m.Number), Published: published,
				Summary: &feeds.AtomSummary{Content: plain.Facts(info, *m), Type: "text"},
			},
		}
		for _, a := range authors(m) {
			entry.Authors = append(entry.Authors, &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: a.name, Uri: a.url}})
		}
		for _, word := range labels(m) {
			entry.Categories = append(entry.Categories, atomCategory{word})
		}
		feed.Entries = append(feed.Entries, entry)
		if i == 0 {
			feed.Updated = entry.Updated
		}
	}
	return writeXML(feed)
}

// atomTime is t with the number as microseconds, so that entries of one second differ.
func atomTime(t time.Time, number int) string {
	const microseconds = 1_000_000 // in a second
	return t.Add(time.Duration(number%microseconds) * time.Microsecond).Format(time.RFC3339Nano)
}
