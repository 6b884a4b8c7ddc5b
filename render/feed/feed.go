// Package feed writes the newest changes of proposals as RSS, Atom and JSON Feed. It knows neither which lists a
// site has nor where their feeds are published.
package feed

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// Media types of feeds, without parameters.
const (
	TypeRSS  = "application/rss+xml"
	TypeAtom = "application/atom+xml"
)

const (
	// feedLimit is the number of entries of a feed: the newest ones. A reader who was away for longer finds the rest in
	// /api/v1/mips.
	feedLimit = 100
	// authorLimit is the number of authors of an entry: each author's feed names all of them.
	authorLimit = 10
)

// newest returns the proposals that changed last, newest first; of one moment the higher number first; those without a
// time last.
func newest(all []mip.Metadata) []*mip.Metadata {
	sorted := make([]*mip.Metadata, len(all))
	for i := range all {
		sorted[i] = &all[i]
	}
	slices.SortStableFunc(sorted, func(a, b *mip.Metadata) int {
		return cmp.Or(cmp.Compare(unix(b.Updated), unix(a.Updated)), cmp.Compare(b.Number, a.Number))
	})
	return sorted[:min(len(sorted), feedLimit)]
}

// unix is a time in seconds. No time is before all others.
func unix(t *mip.Time) int64 {
	if t == nil {
		return math.MinInt64
	}
	return t.UTC().Unix()
}

// writeXML encodes a feed by the library's writer and ends it with a newline.
func writeXML(feed feeds.XmlFeed) ([]byte, error) {
	var b bytes.Buffer
	if err := feeds.WriteXML(feed, &b); err != nil {
		return nil, fmt.Errorf("encode feed: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// feedDescription is never empty: RSS requires one.
func feedDescription(info mip.Site) string {
	return cmp.Or(mip.OneLine(info.Description), "The newest changes of the proposals at "+info.BaseURL+"/")
}

// labels are the words that a reader of feeds can filter by: status, type, category, each once.
func labels(m *mip.Metadata) []string {
	// JSON Feed has a list, even of none.
	out := []string{}
	for _, word := range []string{string(m.Status), mip.Deref(m.Type), mip.Deref(m.Category)} {
		// A word in two fields is one label.
		if word = mip.OneLine(word); word != "" && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// author is an author as feeds show one. E-mail addresses are left out: a feed is read by more machines than people.
type author struct {
	name string
	// url is a profile, empty when there is none.
	url string
}

// authors are the first authors. The last one says how many others there are.
func authors(m *mip.Metadata) []author {
	var out []author
	for i, a := range m.Authors {
		if others := len(m.Authors) - i; len(out) == authorLimit && others > 1 {
			return append(out, author{name: fmt.Sprintf("and %d others", others)})
		}
		v := author{name: cmp.Or(mip.OneLine(mip.Deref(a.Name)), mip.OneLine(mip.Deref(a.GitHub)))}
		if login := mip.Deref(a.GitHub); login != "" {
			v.url = plain.Profile(login)
		}
		if v.name != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// firstDay is the day of creation as a moment. It is nil when it is unknown or, by a mistake in the header, later than
// the last change.
func firstDay(m *mip.Metadata) *time.Time {
	t := m.Created.Time()
	if m.Created.IsZero() || m.Updated != nil && t.After(m.Updated.UTC()) {
		return nil
	}
	return &t
}

// jsonFeed is the library's struct with items that are written even when there are none: the format
// requires the member.
type jsonFeed struct {
	feeds.JSONFeed
	Items []*feeds.JSONItem `json:"items"`
}

// JSONFeed is the newest changes as JSON Feed 1.1 (jsonfeed.org), newest first, [feedLimit] at most.
// All text is plain text. date_published is the header's creation date, date_modified the last change where it is known.
func JSONFeed(info mip.Site, all []mip.Metadata) ([]byte, error) {
	feed := jsonFeed{
		JSONFeed: feeds.JSONFeed{
			Version: "https://jsonfeed.org/version/1.1", Title: plain.SiteTitle(info), Language: "en",
			HomePageUrl: info.BaseURL + "/", FeedUrl: info.BaseURL + "/feed.json", Description: feedDescription(info),
		},
		Items: []*feeds.JSONItem{},
	}
	for _, m := range newest(all) {
		item := &feeds.JSONItem{
			Id: m.URL, Url: m.URL, Title: plain.ProposalTitle(*m),
			ContentText: plain.Facts(info, *m), Summary: plain.Description(*m), PublishedDate: firstDay(m), Tags: labels(m),
		}
		if changed := m.Changed(); changed != nil {
			item.ModifiedDate = new(changed.UTC())
		}
		for _, a := range authors(m) {
			item.Authors = append(item.Authors, &feeds.JSONAuthor{Name: a.name, Url: a.url})
		}
		feed.Items = append(feed.Items, item)
	}
	return api.JSON(feed)
}
