package render

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"
)

// homeView is the first page.
type homeView struct {
	Head       head
	Facts      siteFacts
	Statuses   []choice // that occur
	Tiles      []choice
	Categories []choice
	LastCalls  limited[lastCall]
	Table      table
	HeatAt     *mip.Time // the moment of the heat that the page holds, nil: it holds none
}

// siteFacts say how much a site holds, and as of when.
type siteFacts struct {
	Count  int
	Commit string    // short, empty: not known
	Newest *mip.Time // change of a proposal, nil: not known
}

// facts counts the proposals of a site and dates them.
func (p *Pages) facts(all []mip.Summary) siteFacts {
	f := siteFacts{Count: len(all), Newest: newestChange(all)}
	if p.info.Commit != nil {
		f.Commit = (*p.info.Commit)[:min(len(*p.info.Commit), shortHash)]
	}
	return f
}

// listingView is the page of the proposals that share a value.
type listingView struct {
	Head    head
	Heading string
	Meaning string
	Status  mip.Status // of a list by status
	IsLife  bool       // it is one
	Author  string     // login, of a list by author
	GitHub  string     // address of the author's profile
	Feed    string
	Table   table
	HeatAt  *mip.Time // of the heat in the table, nil: there is none
}

// noticeLimit is how many open last calls the first page announces one by one.
const noticeLimit = 5

// Home renders the first page. All must be ascending by number.
func (p *Pages) Home(all []mip.Summary) ([]byte, error) {
	description := p.info.Description
	if description == "" {
		description = "Every published proposal: what it says, where it stands and what it depends on."
	}
	calls, _ := lastCalls(all)
	return p.execute("home", homeView{
		Head:       p.head(head{Section: "/", Description: description, Route: "/", Script: listScript}),
		Facts:      p.facts(all),
		Statuses:   statusChoices(all),
		Tiles:      statusTiles(all),
		Categories: choicesOf(all, category),
		LastCalls:  limit(calls, noticeLimit),
		Table:      p.table(all, true),
		HeatAt:     p.snapshot.ForumAt(),
	})
}

// Listing renders /status/{s}/, /category/{c}/, /type/{t}/ or /author/{login}/.
func (p *Pages) Listing(l plain.Listing) ([]byte, error) {
	heading, meaning := plain.Explain(l.Kind, l.Value)
	v := listingView{
		Head: p.head(head{
			Section: "/", Title: heading, Route: l.Route(),
			Description: fmt.Sprintf("%s of %s. %s", heading, p.info.Title, meaning),
			Alternates:  []alternate{p.feedOf(l.Route(), heading)},
		}),
		Heading: heading, Meaning: meaning, Feed: p.path(l.Route() + "feed.xml"), Table: p.table(l.Summaries, false),
	}
	if v.Table.Heat != "" {
		v.HeatAt = p.snapshot.ForumAt()
	}
	switch l.Kind {
	case "status":
		v.Status, v.IsLife = mip.Status(l.Value), true
	case "author":
		v.Author, v.GitHub = l.Slug, plain.Profile(l.Slug)
	}
	return p.execute("listing", v)
}

// feedOf is the feed of the page at route.
func (p *Pages) feedOf(route, title string) alternate {
	return alternate{Type: feed.TypeRSS, Title: title + " (RSS)", Href: p.path(route + "feed.xml")}
}

// lastCall is a proposal whose last call has a deadline. Over is known without a clock: some proposal
// has changed after the deadline, so that it lies in the past for every reader.
type lastCall struct {
	mip.Summary
	Over bool
}

// lastCalls are sorted by deadline, those that are over apart from the others.
func lastCalls(all []mip.Summary) (open, over []lastCall) {
	latest := newestChange(all)
	for _, s := range all {
		if s.Status != mip.LastCall || s.LastCallDeadline.IsZero() {
			continue
		}
		// No clock is asked: the page would differ from one build to the next.
		if latest != nil && latest.Date().Time().After(s.LastCallDeadline.Time()) {
			over = append(over, lastCall{s, true})
		} else {
			open = append(open, lastCall{s, false})
		}
	}
	byDeadline := func(a, b lastCall) int { return a.LastCallDeadline.Time().Compare(b.LastCallDeadline.Time()) }
	slices.SortStableFunc(open, byDeadline)
	slices.SortStableFunc(over, byDeadline)
	return open, over
}

// proposalPath is a link to a proposal's page.
func (p *Pages) proposalPath(id mip.ID) string { return p.path(id.Page()) }

// slugPath is the page of a value: kind is status, category, type, author or upgrade.
func (p *Pages) slugPath(kind, slug string) string {
	return p.path("/" + kind + "/" + url.PathEscape(slug) + "/")
}
