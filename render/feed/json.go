package feed

import (
	"time"

	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// jsonFeed is the library's struct, but writes the items even if there are none: the format
// requires the member.
type jsonFeed struct {
	feeds.JSONFeed
	Items []*feeds.JSONItem `json:"items"`
}

// JSON is a feed as JSON Feed 1.1 (jsonfeed.org).
func JSON(info mip.Site, f Feed) ([]byte, error) {
	out := jsonFeed{
		JSONFeed: feeds.JSONFeed{
			Version: "https://jsonfeed.org/version/1.1", Title: f.Title, Language: "en",
			HomePageUrl: f.page(info),
			FeedUrl:     f.self(info, "feed.json"), Description: f.Description,
		},
		Items: []*feeds.JSONItem{},
	}
	for _, i := range f.Items {
		item := &feeds.JSONItem{Id: i.tag(info), Url: i.URL, Title: i.Title, ContentText: i.Text,
			Tags: []string{string(i.Kind)}}
		if i.dated() {
			item.PublishedDate = new(i.When.Truncate(time.Second))
		}
		if i.Author != "" {
			item.Authors = []*feeds.JSONAuthor{{Name: i.Author}}
		}
		out.Items = append(out.Items, item)
	}
	return api.JSON(out)
}
