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
	sorted := newest(all)
	feed := jsonFeed{
		JSONFeed: feeds.JSONFeed{
			Version: "https://jsonfeed.org/version/1.1", Title: plain.SiteTitle(info), Language: "en",
			HomePageUrl: info.BaseURL + "/", FeedUrl: info.BaseURL + "/feed.json", Description: feedDescription(info),
		},
		Items: make([]*feeds.JSONItem, 0, len(sorted)),
	}
	for _, s := range sorted {
		feed.Items = append(feed.Items, newJSONItem(info, s))
	}
	return api.JSON(feed)
}

func newJSONItem(info mip.SiteInfo, s mip.Summary) *feeds.JSONItem {
	item := &feeds.JSONItem{
		Id: s.URL, Url: s.URL, Title: plain.ProposalTitle(s), ContentText: plain.Facts(info, s), Summary: plain.Description(s),
		PublishedDate: firstDay(s), Tags: labels(s),
	}
	if s.Updated != nil {
		t := s.Updated.UTC()
		item.ModifiedDate = &t
	}
	for _, c := range credits(s) {
		item.Authors = append(item.Authors, &feeds.JSONAuthor{Name: c.name, Url: c.url})
	}
	return item
}
