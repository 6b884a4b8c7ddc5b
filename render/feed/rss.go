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

// RSS is the newest changes as RSS 2.0 (rssboard.org), newest first, [feedLimit] at most. An item's
// pubDate is its last change; a proposal without a time has none. The items' descriptions are HTML, as
// readers expect, all other text is plain. The time of the feed is that of the newest change, never the clock's.
func RSS(info mip.SiteInfo, all []mip.Summary) ([]byte, error) {
	return listRSS(info, rssAbout{plain.SiteTitle(info), feedDescription(info), "/"}, all)
}

// List is [RSS] for the proposals of one list, whose page lies where [Pages.Listing] or
// [Pages.Upgrade] say; the feed is feed.xml below it.
func List(info mip.SiteInfo, l plain.Listing) ([]byte, error) {
	heading, meaning := plain.Explain(l.Kind, l.Value)
	return listRSS(info, rssAbout{plain.SiteTitle(info) + ": " + plain.OneLine(heading), plain.OneLine(meaning), l.Route()}, l.Summaries)
}

// rssAbout is what a feed is about: plain text without line ends, and the route of its page.
type rssAbout struct{ title, description, page string }

func listRSS(info mip.SiteInfo, about rssAbout, all []mip.Summary) ([]byte, error) {
	sorted := newest(all)
	items := make([]*rssItem, 0, len(sorted))
	for _, s := range sorted {
		items = append(items, newRSSItem(info, s))
	}
	return writeRSS(info, about, feedChange(sorted), items)
}

// writeRSS encodes a feed. A nil time is left out.
func writeRSS(info mip.SiteInfo, about rssAbout, changed *mip.Time, items []*rssItem) ([]byte, error) {
	channel := &rssChannel{
		Self: &atomSelf{Href: plain.Address(info, about.page+"feed.xml"), Rel: "self", Type: TypeRSS},
		RssFeed: feeds.RssFeed{
			Title: about.title, Link: plain.Address(info, about.page), Description: about.description,
			Language: "en", Docs: rssDocs,
		},
		Items: items,
	}
	if changed != nil {
		channel.LastBuildDate = changed.UTC().Format(time.RFC1123Z)
	}
	return writeXML(&rssXML{
		Version: "2.0", Atom: "http://www.w3.org/2005/Atom", DC: "http://purl.org/dc/elements/1.1/", Channel: channel,
	})
}

func newRSSItem(info mip.SiteInfo, s mip.Summary) *rssItem {
	item := &rssItem{
		RssItem: feeds.RssItem{
			Title: plain.ProposalTitle(s), Link: s.URL, Description: html.EscapeString(plain.Facts(info, s)),
			Guid: &feeds.RssGuid{Id: s.URL, IsPermaLink: "true"},
		},
		Categories: labels(s),
	}
	if u, err := url.Parse(plain.Deref(s.DiscussionsTo)); err == nil {
		item.Comments = u.String() // percent-encodes what an address may not hold
	}
	if s.Updated != nil {
		item.PubDate = s.Updated.UTC().Format(time.RFC1123Z)
	}
	for _, c := range credits(s) {
		item.Creators = append(item.Creators, c.name)
	}
	return item
}

// Change is one change of a proposal's file.
type Change struct {
	Commit  string // hash
	When    mip.Time
	Subject string // first line of the commit's message, as written
	URL     string // the file as of the commit; empty: nowhere to be read
}

// History is one proposal's changes as RSS 2.0, in the order given, [feedLimit] at most: an item says
// what the commit says and leads to the file as of then. Without changes the proposal itself is the only
// item, as in [RSS].
func History(info mip.SiteInfo, s mip.Summary, changes []Change) ([]byte, error) {
	title := plain.ProposalTitle(s)
	about := rssAbout{title, "Changes of " + s.ID.String() + ", " + plain.SiteTitle(info), s.ID.Page()}
	if len(changes) == 0 {
		return listRSS(info, about, []mip.Summary{s})
	}
	changes = changes[:min(len(changes), feedLimit)]
	items := make([]*rssItem, 0, len(changes))
	for _, c := range changes {
		items = append(items, &rssItem{RssItem: feeds.RssItem{
			Title: cmp.Or(plain.OneLine(c.Subject), "Changed on "+c.When.UTC().Format("2 January 2006")), Link: cmp.Or(c.URL, s.URL),
			Description: html.EscapeString(plain.Sentence(title) + " Commit " + c.Commit + "."),
			// The hash alone is no address, and one commit changes several proposals.
			Guid:    &feeds.RssGuid{Id: s.URL + "#" + c.Commit, IsPermaLink: "false"},
			PubDate: c.When.UTC().Format(time.RFC1123Z),
		}})
	}
	return writeRSS(info, about, &changes[0].When, items)
}
