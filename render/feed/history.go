package feed

import (
	"cmp"
	"html"
	"time"

	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

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
	about := rssAbout{title, "Changes of " + s.ID + ", " + plain.SiteTitle(info), plain.PageRoute(s.Number)}
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
