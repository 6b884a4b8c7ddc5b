package render

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/calendar"
	"github.com/mipwatch/mipwatch/render/feed"
	"github.com/mipwatch/mipwatch/render/plain"
)

// table is a list of proposals, in display order.
type table struct {
	All     []mip.Metadata
	Heat    bool // it has a column for heat, which the page's script fills
	Closing bool // of last calls: closed ones move to the end
	Sorts   bool // the page's script sorts by the columns
	Changes bool // some last change is known; others show the date of creation
	Chain   bool // it has a column for the hard fork, with its state on the chain if that is known
	Live    bool // the state of some hard fork on the chain is known
}

// column is the head of a column, and the key by which the script sorts it.
type column struct{ Key, Label, Class string }

// Columns are the table's columns, in order.
func (t table) Columns() []column {
	status, chain := "Status", "Upgrade"
	if t.Chain && t.Live {
		status, chain = "Author says", "Chain says"
	}
	updated := "Changed"
	if !t.Changes {
		updated = "Created"
	}
	out := []column{{"number", "Number", ""}, {"title", "Proposal", ""}, {"status", status, ""}}
	if t.Chain {
		out = append(out, column{"chain", chain, ""})
	}
	out = append(out, column{"updated", updated, "r"})
	if t.Heat {
		out = append(out, column{"heat", "Heat", "r he"})
	}
	return out
}

// newTable makes a list with statuses and without heat and, on a site with hard forks, with the
// chain's state.
func (p *Pages) newTable(all []mip.Metadata) table {
	changes := slices.ContainsFunc(all, func(m mip.Metadata) bool { return m.Changed() != nil })
	return table{All: mip.ActiveFirst(all), Changes: changes, Chain: len(p.forks) > 0,
		Live: slices.ContainsFunc(p.forks, mip.HardFork.HasNetworks)}
}

// rowKey is everything on which the row of a proposal depends within one site.
type rowKey struct {
	id          mip.ID
	heat, chain bool
}

// row renders a row of a table, once for all lists with the proposal.
func (p *Pages) row(m *mip.Metadata, t table) (template.HTML, error) {
	// Two workers may render the same row concurrently, with the same bytes.
	key := rowKey{m.ID, t.Heat, t.Chain}
	if row, ok := p.rows.Load(key); ok {
		return row.(template.HTML), nil
	}
	out, err := p.fragment("row", row{m, t.Heat, t.Chain})
	if err == nil {
		p.rows.Store(key, out)
	}
	return out, err
}

// discussed reports whether a proposal has a discussion on the site's forum.
func (p *Pages) discussed(m mip.Metadata) bool {
	return p.info.Forum != nil && m.ForumTopicID != nil
}

// ref is a mention of a proposal. An unpublished one has only an id: a header may name any number.
// It is a copy, so that a page keeps no more of another proposal than it shows.
type ref struct {
	ID    mip.ID
	Title string
	mip.Standing
	CommentsUntil *mip.Date // as in [mip.Metadata]
	Published     bool
	Superseded    bool
}

// Class is the CSS class of its status.
func (r ref) Class() string { return badgeClass(r.Standing, r.Superseded) }

// refTo mentions a published proposal.
func refTo(m mip.Metadata) ref {
	return ref{m.ID, m.ShortTitle(), m.Standing, m.CommentsUntil(), true, m.Superseded()}
}

// refs mentions the proposals of the same kind with these numbers. all must be sorted by id.
func refs(all []mip.Metadata, of mip.ID, numbers []int) []ref {
	out := make([]ref, 0, len(numbers))
	for _, id := range of.Siblings(numbers) {
		if i, ok := mip.Search(all, id); ok {
			out = append(out, refTo(all[i]))
		} else {
			out = append(out, ref{ID: id})
		}
	}
	return out
}

// choice is one value of a field, for a link, a filter or a count.
type choice struct {
	Slug, Label string
	Class       string // of a status
	Count       int
	Undated     bool // a hard fork without any known activation
}

// choices counts the values of a field by slug, sorted by label. The smallest label of a slug
// represents it. The slug is empty for a proposal without a value.
func choices(all []mip.Metadata, value func(mip.Metadata) (slug, label string)) []choice {
	bySlug := map[string]choice{}
	for _, m := range all {
		if slug, label := value(m); slug != "" {
			c := bySlug[slug]
			if c.Count == 0 || label < c.Label {
				c.Slug, c.Label = slug, label
			}
			c.Count++
			bySlug[slug] = c
		}
	}
	return slices.SortedFunc(maps.Values(bySlug), func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Slug, b.Slug))
	})
}

// choicesOf counts the values of an optional field. Values that differ only in letter case or
// punctuation share a slug, and so a page.
func choicesOf(all []mip.Metadata, field func(mip.Metadata) *string) []choice {
	return choices(all, func(m mip.Metadata) (string, string) {
		if v := field(m); v != nil {
			return mip.Slug(*v), *v
		}
		return "", ""
	})
}

// categories counts the categories.
func categories(all []mip.Metadata) []choice {
	return choicesOf(all, func(m mip.Metadata) *string { return m.Category })
}

// kindChoices counts the kinds in the order of the site, or returns none if there is only one.
func (p *Pages) kindChoices(all []mip.Metadata) (out []choice) {
	if !p.info.Several() {
		return nil
	}
	for _, k := range p.info.Kinds {
		c := choice{Slug: strings.ToLower(k.Prefix), Label: k.Name}
		for _, m := range all {
			if m.ID.Kind == k.Prefix {
				c.Count++
			}
		}
		out = append(out, c)
	}
	return out
}

// types counts the types.
func types(all []mip.Metadata) []choice {
	return choicesOf(all, func(m mip.Metadata) *string { return m.Type })
}

// upgradeChoices are the hard forks, without counts. Names with the same slug share the page of the
// first.
func (p *Pages) upgradeChoices() (out []choice) {
	for _, f := range p.forks {
		slug := mip.Slug(f.Name)
		if !slices.ContainsFunc(out, func(c choice) bool { return c.Slug == slug }) {
			out = append(out, choice{Slug: slug, Label: f.Name, Undated: !f.HasNetworks()})
		}
	}
	return out
}

// statusChoices counts the statuses that occur: the process's statuses in the order of life, then
// the others by name, and no status last.
func (p *Pages) statusChoices(all []mip.Metadata) []choice {
	out := choices(all, func(m mip.Metadata) (string, string) {
		return m.Status.Slug(), m.Status.String()
	})
	// Statuses of the process are in its order, and the others share the place after it.
	process, none := p.info.Statuses.Known(), mip.Status("").Slug()
	rank := func(c choice) int {
		if c.Slug == none {
			return len(process) + 1
		}
		if i := slices.IndexFunc(process, func(s mip.Standing) bool {
			return s.Status.Slug() == c.Slug
		}); i >= 0 {
			return i
		}
		return len(process)
	}
	slices.SortStableFunc(out, func(a, b choice) int { return cmp.Compare(rank(a), rank(b)) })
	for i, c := range out {
		out[i].Class = statusClass(p.info.Statuses.Parse(c.Label))
		if c.Slug == none {
			out[i].Class = statusClass(mip.Standing{})
		}
	}
	return out
}

// present returns the time of the newest change, or the zero time: pages have no other clock.
func (p *Pages) present(all []mip.Metadata) mip.Time {
	return *cmp.Or(mip.NewestChange(all, p.info.CommittedAt), &mip.Time{})
}

// lastCalls returns the proposals whose last call has a deadline, by deadline. A deadline is over
// if some proposal changed after it. It does not use the clock: otherwise builds of the same input
// would differ.
func (p *Pages) lastCalls(all []mip.Metadata) (open, over []mip.Metadata) {
	today := p.present(all).Date().Time()
	for _, m := range all {
		switch {
		case m.CommentsUntil() == nil:
		case today.After(m.LastCallDeadline.Time()):
			over = append(over, m)
		default:
			open = append(open, m)
		}
	}
	slices.SortStableFunc(open, byDeadline)
	slices.SortStableFunc(over, byDeadline)
	return open, over
}

// byDeadline sorts last calls, soonest first and those without a deadline last.
func byDeadline(a, b mip.Metadata) int {
	if x, y := a.LastCallDeadline.IsZero(), b.LastCallDeadline.IsZero(); x != y {
		return map[bool]int{true: 1, false: -1}[x]
	}
	return a.LastCallDeadline.Time().Compare(b.LastCallDeadline.Time())
}

// Listing renders /status/{status}/, /category/{category}/, /type/{type}/ or /author/{login}/. A
// status of the process may have no proposal, which the page states.
func (p *Pages) Listing(l plain.Listing) ([]byte, error) {
	heading, meaning := l.Explain()
	t := p.newTable(l.Metadata)
	if t.Closing = l.Stage == mip.StageLastCall; t.Closing {
		slices.SortStableFunc(t.All, byDeadline)
	}
	script := siteScript
	if t.Chain {
		script = forksScript
	}
	return p.page("listing", head{
		Section: "/", Title: heading, Route: l.Route(), Script: script,
		Description: fmt.Sprintf("%s of %s. %s", heading, p.info.Title, meaning),
		Alternates:  []alternate{p.feedOf(l.Route(), heading)},
	}, struct {
		Heading, Meaning string
		Standing         mip.Standing // of a list by status
		List             plain.Listing
		Table            table
	}{heading, meaning, mip.Standing{Status: mip.Status(l.Value), Stage: l.Stage}, l, t})
}

// feedOf is the feed of the page at route, which ends with a slash, for the head of that page.
func (p *Pages) feedOf(route, title string) alternate {
	f := feed.ListFormat()
	return alternate{Type: f.Type, Title: title + " (" + f.Name + ")", Href: p.path(route + f.File)}
}

// calendarOf is the calendar of the page at route, which ends with a slash, for the head of that
// page.
func (p *Pages) calendarOf(route, title string) alternate {
	return alternate{Type: calendar.Type, Title: title + " (calendar)",
		Href: p.path(route + "calendar.ics")}
}

// About renders a page about the site itself: /about/, /about/ai/ or /accessibility/. The route is
// also the name of its template. The texts are the same for every site, except for the title and
// the statuses.
func (p *Pages) About(route string, statuses []mip.Standing) ([]byte, error) {
	title := "About"
	description := "What %s offers, how heat is computed, how fresh its figures are and what the " +
		"statuses mean."
	switch route {
	case "/about/ai/":
		title = "How AI is used"
		description = "How summaries and translations of %s are made and checked, and why the " +
			"English text is authoritative."
	case "/accessibility/":
		title = "Accessibility"
		description = "How accessible %s is meant to be, what was checked and what is known to " +
			"be missing."
	}
	h := head{Title: title, Route: route, Description: fmt.Sprintf(description, p.info.Title)}
	return p.page(route, h, struct {
		Statuses []mip.Standing
		Way      string
	}{statuses, plain.Way(p.info.Site, statuses)})
}

// Search renders the search page.
func (p *Pages) Search() ([]byte, error) {
	return p.page("search", head{
		Title: "Search", Route: "/search/", Script: searchScript,
		Description: fmt.Sprintf("Every word of every text of %s.", p.info.Title),
	}, nil)
}

// NotFound renders the answer to an unknown address. It has no canonical address and must not be
// indexed, since a host serves it at any address.
func (p *Pages) NotFound() ([]byte, error) {
	return p.page("notfound", head{
		Title: "Page not found", Description: "There is no page at this address.",
		Script: lostScript,
	}, nil)
}
