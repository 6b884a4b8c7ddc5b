package feed

import (
	"cmp"
	"html"
	"net/url"
	"time"

	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// rssDocs is where the format is specified: the value that the docs element is meant to have.
const rssDocs = "https://www.rssboard.org/rss-specification"

// The library's structs lack what makes a feed valid: the address of the feed itself, more than one
// category, an author without an e-mail address. These embed them; a field of the outer struct
// hides the inner one of the same element.
type (
	rssXML struct {
		XMLName struct{}    `xml:"rss"`
		Version string      `xml:"version,attr"`
		Atom    string      `xml:"xmlns:atom,attr"`
		DC      string      `xml:"xmlns:dc,attr"`
		Channel *rssChannel `xml:"channel"`
	}
	rssChannel struct {
		Self *atomSelf `xml:"atom:link"`
		feeds.RssFeed
		Items []*rssItem `xml:"item"`
	}
	rssItem struct {
		feeds.RssItem
		Creators   []string `xml:"dc:creator"`
		Categories []string `xml:"category"`
	}
	atomSelf struct {
		Href string `xml:"href,attr"`
		Rel  string `xml:"rel,attr"`
		Type string `xml:"type,attr"`
	}
)

// FeedXml makes it a feed that the library can write.
func (r *rssXML) FeedXml() any { return r }

// RSS is the newest changes as RSS 2.0 (rssboard.org), newest first, [feedLimit] at most. An item's pubDate is its last
// change; a proposal without a time has none. The items' descriptions are HTML, as readers expect, all other text is
// plain. The time of the feed is that of the newest change, never the clock's.
func RSS(info mip.Site, all []mip.Metadata) ([]byte, error) {
	return writeRSS(info, plain.SiteTitle(info), feedDescription(info), "/", items(info, all))
}

// List is [RSS] for the proposals of one list. The feed is feed.xml below the list's page.
func List(info mip.Site, l plain.Listing) ([]byte, error) {
	heading, meaning := l.Explain()
	title := plain.SiteTitle(info) + ": " + mip.OneLine(heading)
	return writeRSS(info, title, mip.OneLine(meaning), l.Route(), items(info, l.Metadata))
}

// items are those of the newest changes.
func items(info mip.Site, all []mip.Metadata) []*rssItem {
	var out []*rssItem
	for _, m := range newest(all) {
		item := newItem(plain.ProposalTitle(*m), m.URL, plain.Facts(info, *m), m.Updated)
		item.Guid, item.Categories = &feeds.RssGuid{Id: m.URL, IsPermaLink: "true"}, labels(m)
		if u, err := url.Parse(mip.Deref(m.DiscussionsTo)); err == nil {
			item.Comments = u.String() // percent-encodes what an address may not hold
		}
		for _, a := range authors(m) {
			item.Creators = append(item.Creators, a.name)
		}
		out = append(out, item)
	}
	return out
}

// newItem is an item without an id. All texts are plain.
func newItem(title, link, description string, changed *mip.Time) *rssItem {
	item := &rssItem{RssItem: feeds.RssItem{Title: title, Link: link, Description: html.EscapeString(description)}}
	if changed != nil {
		item.PubDate = changed.UTC().Format(time.RFC1123Z)
	}
	return item
}

// writeRSS encodes the feed of the page at a route. The time of the newest item, which is the first, is that of the
// feed. The texts are plain and without line ends.
func writeRSS(info mip.Site, title, description, page string, items []*rssItem) ([]byte, error) {
	channel := &rssChannel{
		// Feed readers find a feed that was moved by its own address.
		Self: &atomSelf{Href: plain.Address(info, page+"feed.xml"), Rel: "self", Type: TypeRSS},
		RssFeed: feeds.RssFeed{
			Title: title, Description: description, Link: plain.Address(info, page), Language: "en", Docs: rssDocs,
		},
		Items: items,
	}
	if len(items) > 0 {
		channel.LastBuildDate = items[0].PubDate
	}
	return writeXML(&rssXML{
		Version: "2.0", Atom: "http://www.w3.org/2005/Atom", DC: "http://purl.org/dc/elements/1.1/", Channel: channel,
	})
}

// Change is one change of a proposal's file.
type Change struct {
	// Commit is a hash.
	Commit string
	When   mip.Time
	// Subject is the first line of the commit's message, as written.
	Subject string
	// URL is the file as of the commit. Empty means that it can be read nowhere.
	URL string
}

// History is one proposal's changes as RSS 2.0, in the order given, [feedLimit] at most: an item says
// what the commit says and leads to the file as of then. Without changes the proposal itself is the only
// item, as in [RSS].
func History(info mip.Site, m mip.Metadata, changes []Change) ([]byte, error) {
	title := plain.ProposalTitle(m)
	var out []*rssItem
	for _, c := range changes[:min(len(changes), feedLimit)] {
		subject := cmp.Or(mip.OneLine(c.Subject), "Changed on "+c.When.UTC().Format("2 January 2006"))
		item := newItem(subject, cmp.Or(c.URL, m.URL), mip.Sentence(title)+" Commit "+c.Commit+".", &c.When)
		// The hash alone is no address, and one commit changes several proposals.
		item.Guid = &feeds.RssGuid{Id: m.URL + "#" + c.Commit, IsPermaLink: "false"}
		out = append(out, item)
	}
	// Without git there are no changes.
	if len(changes) == 0 {
		out = items(info, []mip.Metadata{m})
	}
	return writeRSS(info, title, "Changes of "+m.ID.String()+", "+plain.SiteTitle(info), m.ID.Page(), out)
}
