package feed

import (
	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// jsonFeed is the library's struct with items that are written even when there are none: the format
// requires the member.
type jsonFeed struct {
	feeds.JSONFeed
	Items []*feeds.JSONItem `json:"items"`
}

// JSONFeed is the newest changes as JSON Feed 1.1 (jsonfeed.org), newest first, [feedLimit] at most.
// All text is plain text. date_published is the header's creation date, date_modified the last change.
func JSONFeed(info mip.SiteInfo, all []mip.Summary) ([]byte, error) {
	feed := jsonFeed{
		JSONFeed: feeds.JSONFeed{
			Version: "https://jsonfeed.org/version/1.1", Title: plain.SiteTitle(info), Language: "en",
			HomePageUrl: info.BaseURL + "/", FeedUrl: info.BaseURL + "/feed.json", Description: feedDescription(info),
		},
		Items: []*feeds.JSONItem{},
	}
	for _, s := range newest(all) {
		item := &feeds.JSONItem{
			Id: s.URL, Url: s.URL, Title: plain.ProposalTitle(s), ContentText: plain.Facts(info, s), Summary: plain.Description(s),
			PublishedDate: firstDay(s), Tags: labels(s),
		}
		if s.Updated != nil {
			item.ModifiedDate = new(s.Updated.UTC())
		}
		for _, a := range authors(s) {
			item.Authors = append(item.Authors, &feeds.JSONAuthor{Name: a.name, Url: a.url})
		}
		feed.Items = append(feed.Items, item)
	}
	return api.JSON(feed)
}
