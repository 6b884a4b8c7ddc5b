package render

import (
	"cmp"
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
	LastCalls  []mip.Summary
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

// noticeLimit is how many last calls the first page announces one by one.
const noticeLimit = 5

// Home renders the first page. All must be ascending by number.
func (p *Pages) Home(all []mip.Summary) ([]byte, error) {
	description := p.info.Description
	if description == "" {
		description = "Every published proposal: what it says, where it stands and what it depends on."
	}
	calls := lastCalls(all)
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

// lastCalls are the proposals whose last call has a deadline, the earliest first.
func lastCalls(all []mip.Summary) []mip.Summary {
	var out []mip.Summary
	for _, s := range all {
		if s.Status == mip.LastCall && !s.LastCallDeadline.IsZero() {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b mip.Summary) int {
		return cmp.Compare(a.LastCallDeadline.String(), b.LastCallDeadline.String())
	})
	return out
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
