package render

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"
)

type homeView struct {
	page
	Count      int
	Commit     string
	Newest     *mip.Time
	Statuses   []choice
	Tiles      []choice // Statuses, with those of the process that nothing has now
	Categories []choice
	Discussed  bool // some proposal has a topic in the site's forum
	LastCalls  []lastCall
	MoreCalls  int
	Table      table
	HeatAt     *mip.Time // the moment of the heat that the page holds, nil: it holds none
}

type listingView struct {
	page
	plain.Listing
	Status  mip.Status
	Heading string
	Meaning string
	GitHub  string // address of an author's profile
	Feed    string
	Count   int
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
	statuses := statusChoices(all)
	v := homeView{
		page:       p.frame("/", page{Description: description, Route: "/", Script: listScript}),
		Count:      len(all),
		Commit:     p.commit(),
		Newest:     newestChange(all),
		Statuses:   statuses,
		Tiles:      tiles(statuses),
		Categories: choicesOf(all, func(s mip.Summary) *string { return s.Category }),
		Discussed:  p.heatColumn(all, true) != noHeat,
		LastCalls:  calls[:min(len(calls), noticeLimit)],
		MoreCalls:  max(0, len(calls)-noticeLimit),
		Table:      p.table(all, true),
		HeatAt:     p.figures.ForumAt(),
	}
	return p.execute("home", v)
}

// Listing is /status/{s}/, /category/{c}/, /type/{t}/ or /author/{login}/.
func (p *Pages) Listing(v plain.Listing) ([]byte, error) {
	heading, meaning := plain.Explain(v.Kind, v.Value)
	w := listingView{
		page: p.frame("/", page{
			Title:       heading,
			Description: fmt.Sprintf("%s of %s. %s", heading, p.info.Title, meaning),
			Route:       v.Route(),
			Alternates:  []alternate{p.feedOf(v.Route(), heading)},
		}),
		Listing: v,
		Status:  mip.Status(v.Value),
		Heading: heading,
		Meaning: meaning,
		Feed:    p.path(v.Route() + "feed.xml"),
		Count:   len(v.Summaries),
		Table:   p.table(v.Summaries, false),
	}
	if w.Table.Heat != "" {
		w.HeatAt = p.figures.ForumAt()
	}
	if v.Kind == "author" {
		w.GitHub = plain.Profile(v.Slug)
	}
	return p.execute("listing", w)
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

// commitDigits is how much of a commit's hash people are shown.
const commitDigits = 7

func (p *Pages) commit() string {
	if p.info.Commit == nil {
		return ""
	}
	return (*p.info.Commit)[:min(len(*p.info.Commit), commitDigits)]
}

func (p *Pages) proposalPath(id mip.ID) string { return p.path(id.Page()) }

// slugPath is the page of a value: kind is status, category, type, author or upgrade.
func (p *Pages) slugPath(kind, slug string) string {
	return p.path("/" + kind + "/" + url.PathEscape(slug) + "/")
}
