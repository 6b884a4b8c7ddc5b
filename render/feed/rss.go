package feed

import (
	"html"
	"time"

	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// rssDocs is the address of the specification, the required value of the docs element.
const rssDocs = "https://www.rssboard.org/rss-specification"

// These types add what the library's lack for a valid feed: the address of the feed itself, and an
// author without an e-mail address. They embed the library's. A field of the outer struct hides the
// inner one of the same element.
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
		Creator string `xml:"dc:creator,omitempty"`
	}
	atomSelf struct {
		Href string `xml:"href,attr"`
		Rel  string `xml:"rel,attr"`
		Type string `xml:"type,attr"`
	}
)

// FeedXml makes it a feed that the library can write.
func (r *rssXML) FeedXml() any { return r }

// RSS is a feed as RSS 2.0 (rssboard.org). The items' descriptions are HTML, as readers expect, and
// all other text is plain. The feed's time is the time of its newest item, not the current time.
func RSS(info mip.Site, f Feed) ([]byte, error) {
	channel := &rssChannel{
		// Feed readers find a moved feed by its own address.
		Self: &atomSelf{Href: f.self(info, "feed.xml"), Rel: "self", Type: TypeRSS},
		RssFeed: feeds.RssFeed{
			Title: f.Title, Description: f.Description, Link: f.page(info), Language: "en",
			Docs: rssDocs,
		},
	}
	if len(f.Items) > 0 {
		channel.LastBuildDate = rssTime(f.Items[0])
	}
	for _, i := range f.Items {
		channel.Items = append(channel.Items, &rssItem{
			RssItem: feeds.RssItem{
				Title: i.Title, Link: i.URL, Description: html.EscapeString(i.Text),
				Category: string(i.Kind), PubDate: rssTime(i),
				Guid: &feeds.RssGuid{Id: i.tag(info), IsPermaLink: "false"},
			},
			Creator: i.Author,
		})
	}
	return writeXML(&rssXML{
		Version: "2.0", Atom: "http://www.w3.org/2005/Atom", DC: "http://purl.org/dc/elements/1.1/",
		Channel: channel,
	})
}

func rssTime(i Item) string {
	if !i.dated() {
		return ""
	}
	return i.When.UTC().Format(time.RFC1123Z)
}
