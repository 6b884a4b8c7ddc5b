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
func RSS(info mip.SiteInfo, all []mip.Summary) ([]byte, error) {
	return writeRSS(info, newChannel(plain.SiteTitle(info), feedDescription(info)), "/", all)
}

// List is [RSS] for the proposals of one list. The feed is feed.xml below the list's page.
func List(info mip.SiteInfo, l plain.Listing) ([]byte, error) {
	heading, meaning := plain.Explain(l.Kind, l.Value)
	channel := newChannel(plain.SiteTitle(info)+": "+plain.OneLine(heading), plain.OneLine(meaning))
	return writeRSS(info, channel, l.Route(), l.Summaries)
}

// newChannel is a feed without items. The texts are plain and without line ends.
func newChannel(title, description string) *rssChannel {
	return &rssChannel{RssFeed: feeds.RssFeed{Title: title, Description: description, Language: "en", Docs: rssDocs}}
}

// add appends an item. The time of the newest one, which is the first, is that of the feed.
func (c *rssChannel) add(item *rssItem, changed *mip.Time) {
	if changed != nil {
		item.PubDate = changed.UTC().Format(time.RFC1123Z)
	}
	if len(c.Items) == 0 {
		c.LastBuildDate = item.PubDate
	}
	c.Items = append(c.Items, item)
}

// writeRSS encodes the feed of the page at this route. Proposals are added to its items.
func writeRSS(info mip.SiteInfo, channel *rssChannel, page string, all []mip.Summary) ([]byte, error) {
	// Feed readers find a feed that was moved by its own address.
	channel.Self = &atomSelf{Href: plain.Address(info, page+"feed.xml"), Rel: "self", Type: TypeRSS}
	channel.Link = plain.Address(info, page)
	for _, s := range newest(all) {
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
		for _, a := range authors(s) {
			item.Creators = append(item.Creators, a.name)
		}
		channel.add(item, s.Updated)
	}
	return writeXML(&rssXML{
		Version: "2.0", Atom: "http://www.w3.org/2005/Atom", DC: "http://purl.org/dc/elements/1.1/", Channel: channel,
	})
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
	title, page := plain.ProposalTitle(s), s.ID.Page()
	channel := newChannel(title, "Changes of "+s.ID.String()+", "+plain.SiteTitle(info))
	if len(changes) == 0 {
		return writeRSS(info, channel, page, []mip.Summary{s})
	}
	for _, c := range changes[:min(len(changes), feedLimit)] {
		channel.add(&rssItem{RssItem: feeds.RssItem{
			Title:       cmp.Or(plain.OneLine(c.Subject), "Changed on "+c.When.UTC().Format("2 January 2006")),
			Link:        cmp.Or(c.URL, s.URL),
			Description: html.EscapeString(plain.Sentence(title) + " Commit " + c.Commit + "."),
			// The hash alone is no address, and one commit changes several proposals.
			Guid: &feeds.RssGuid{Id: s.URL + "#" + c.Commit, IsPermaLink: "false"},
		}}, &c.When)
	}
	return writeRSS(info, channel, page, nil)
}
