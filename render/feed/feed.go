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

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// Media types of feeds, without parameters.
const (
	TypeRSS  = "application/rss+xml"
	TypeAtom = "application/atom+xml"
)

// feedLimit is how many entries a feed holds at most: the newest ones. A reader who was away for
// longer finds the rest in /api/v1/mips.
const feedLimit = 100

// newest returns the proposals that changed last, newest first; of one moment the higher number
// first; those without a time last. It leaves its argument as it is.
func newest(all []mip.Summary) []mip.Summary {
	order := make([]int, len(all)) // a summary is long: what is sorted is where they are
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &all[i], &all[j]
		return cmp.Or(cmp.Compare(unix(b.Updated), unix(a.Updated)), cmp.Compare(b.Number, a.Number))
	})
	sorted := make([]mip.Summary, min(len(order), feedLimit))
	for k := range sorted {
		sorted[k] = all[order[k]]
	}
	return sorted
}

func unix(t *mip.Time) int64 {
	if t == nil {
		return math.MinInt64
	}
	return t.UTC().Unix()
}

// feedChange is the newest change of a list that is sorted newest first, nil when nothing has a time.
func feedChange(sorted []mip.Summary) *mip.Time {
	if len(sorted) == 0 {
		return nil
	}
	return sorted[0].Updated
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
func feedDescription(info mip.SiteInfo) string {
	return cmp.Or(plain.OneLine(info.Description), "The newest changes of the proposals at "+info.BaseURL+"/")
}

// labels are the words that a reader of feeds can filter by: status, type, category, each once.
func labels(s mip.Summary) []string {
	out := []string{}
	for _, word := range []string{string(s.Status), plain.Deref(s.Type), plain.Deref(s.Category)} {
		if word = plain.OneLine(word); word != "" && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// credit is an author as feeds can show one. E-mail addresses are left out: a feed is read by more
// machines than people.
type credit struct{ name, url string }

// creditLimit is how many authors an item of a feed names: every author's feed names all of an item's.
const creditLimit = 10

// credits are the first authors, and as the last one how many others there are.
func credits(s mip.Summary) []credit {
	var out []credit
	for i, a := range s.Authors {
		if len(out) == creditLimit && len(s.Authors)-i > 1 {
			return append(out, credit{name: fmt.Sprintf("and %d others", len(s.Authors)-i)})
		}
		c := credit{name: cmp.Or(plain.OneLine(plain.Deref(a.Name)), plain.OneLine(plain.Deref(a.GitHub)))}
		if login := plain.Deref(a.GitHub); login != "" {
			c.url = plain.Profile(login)
		}
		if c.name != "" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// firstDay is the day of creation as a moment, nil when it is unknown or, by a mistake in the
// header, later than the last change.
func firstDay(s mip.Summary) *time.Time {
	if s.Created.IsZero() {
		return nil
	}
	t := s.Created.Time()
	if s.Updated != nil && t.After(s.Updated.UTC()) {
		return nil
	}
	return &t
}
