package feed

import (
	"slices"
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

// Atom is the newest changes as Atom (RFC 4287), newest first, [feedLimit] at most. Ids are
// addresses: the feed's own, and each proposal's page. The feed's author is the site, for proposals
// that name none.
//
// The format wants a different time for each entry, but one commit gives all its files the same
// second. So the time of an entry holds the proposal's number as microseconds, which no other
// proposal's change can alter. It wants a time of every entry, too: a proposal without one has the
// second before the oldest that is known, which keeps it last, and the epoch where none is known.
func Atom(info mip.SiteInfo, all []mip.Summary) ([]byte, error) {
	sorted := newest(all)
	self, updated := info.BaseURL+"/feed.atom", atomTime(undated(sorted), 0)
	if len(sorted) > 0 {
		updated = entryTime(sorted, 0)
	}
	feed := &atomXML{
		Xmlns: "http://www.w3.org/2005/Atom",
		Lang:  "en",
		Links: []feeds.AtomLink{
			{Href: self, Rel: "self", Type: TypeAtom},
			{Href: info.BaseURL + "/", Rel: "alternate", Type: "text/html"},
		},
		AtomFeed: feeds.AtomFeed{
			Title: plain.SiteTitle(info), Id: self, Updated: updated, Subtitle: feedDescription(info),
			Author: &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: plain.SiteTitle(info), Uri: info.BaseURL + "/"}},
		},
		Entries: make([]*atomEntry, 0, len(sorted)),
	}
	for i, s := range sorted {
		feed.Entries = append(feed.Entries, newAtomEntry(info, s, entryTime(sorted, i)))
	}
	return writeXML(feed)
}

func newAtomEntry(info mip.SiteInfo, s mip.Summary, updated string) *atomEntry {
	entry := &atomEntry{
		Links: []feeds.AtomLink{{Href: s.URL, Rel: "alternate", Type: "text/html"}},
		AtomEntry: feeds.AtomEntry{
			Title: plain.ProposalTitle(s), Id: s.URL, Updated: updated,
			Summary: &feeds.AtomSummary{Content: plain.Facts(info, s), Type: "text"},
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

// entryTime is the time of the i-th entry.
func entryTime(sorted []mip.Summary, i int) string {
	t := undated(sorted)
	if sorted[i].Updated != nil {
		t = sorted[i].Updated.UTC()
	}
	return atomTime(t, sorted[i].Number)
}

// undated is the time of entries that have none.
func undated(sorted []mip.Summary) time.Time {
	for _, s := range slices.Backward(sorted) {
		if s.Updated != nil {
			return s.Updated.UTC().Add(-time.Second)
		}
	}
	return time.Unix(0, 0).UTC()
}

func atomTime(t time.Time, number int) string {
	const microseconds = 1_000_000 // in a second
	return t.Add(time.Duration(number%microseconds) * time.Microsecond).Format(time.RFC3339Nano)
}
