package render

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Listing is a page of the proposals that share one value of a field.
type Listing struct {
	Kind      string // status, category or type
	Value     string // as written; empty: the proposals that have none
	Slug      string // its path segment
	Summaries []mip.Summary
}

type homeView struct {
	page
	Count      int
	Commit     string
	Newest     *mip.Time
	Statuses   []choice
	Categories []choice
	LastCalls  []lastCall
	MoreCalls  int
	Rows       template.HTML
}

type listingView struct {
	page
	Listing
	Status  mip.Status
	Heading string
	Meaning string
	Count   int
	Rows    template.HTML
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
	v := homeView{
		page:       p.frame("/", page{Description: description, Route: "/"}),
		Count:      len(all),
		Commit:     p.commit(),
		Newest:     newestChange(all),
		Statuses:   statusChoices(all),
		Categories: categoryChoices(all),
		LastCalls:  calls[:min(len(calls), noticeLimit)],
		MoreCalls:  max(0, len(calls)-noticeLimit),
		Rows:       p.rows(all),
	}
	return p.execute("home", len(v.Rows), v)
}

// Listing renders /status/{s}/, /category/{c}/ or /type/{t}/.
func (p *Pages) Listing(v Listing) ([]byte, error) {
	heading, meaning := explain(v.Kind, v.Value)
	w := listingView{
		page: p.frame("/", page{
			Title:       heading,
			Description: fmt.Sprintf("%s of %s. %s", heading, p.info.Title, meaning),
			Route:       "/" + v.Kind + "/" + url.PathEscape(v.Slug) + "/",
		}),
		Listing: v,
		Status:  mip.Status(v.Value),
		Heading: heading,
		Meaning: meaning,
		Count:   len(v.Summaries),
		Rows:    p.rows(v.Summaries),
	}
	return p.execute("listing", len(w.Rows), w)
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

func (p *Pages) id(n int) string { return p.info.Prefix + "-" + strconv.Itoa(n) }

func (p *Pages) proposalPath(n int) string { return p.path("/mip/" + strconv.Itoa(n) + "/") }

// slugPath is the page of a value: kind is status, category, type or upgrade.
func (p *Pages) slugPath(kind, slug string) string {
	return p.path("/" + kind + "/" + url.PathEscape(slug) + "/")
}
