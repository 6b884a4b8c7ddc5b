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

// table is a list of proposals, in the order in which it is shown.
type table struct {
	All     []mip.Metadata
	Heat    bool // a column has places for heat, which the page's script fills
	Closing bool // of last calls: what is closed goes to the end
	Sorts   bool // the page's script sorts by the columns
	Changes bool // the last change of one is known; of the others the date of creation is shown
	Ready   bool // a column has whether the text is final before the networks switch
	Chain   bool // a column has what the chain says, beside what the author says
}

// column is the head of a column, and the key by which the script sorts it.
type column struct{ Key, Label, Class string }

// Columns are those of the table, in order.
func (t table) Columns() []column {
	status := "Status"
	if t.Chain {
		status = "Author says"
	}
	updated := "Updated"
	if !t.Changes {
		updated = "Created"
	}
	out := []column{{"number", "Number", ""}, {"title", "Proposal", ""}, {"status", status, ""}}
	if t.Ready {
		out = append(out, column{"ready", "Ready?", ""})
	}
	if t.Chain {
		out = append(out, column{"chain", "Chain says", ""})
	}
	out = append(out, column{"updated", updated, "r"})
	if t.Heat {
		out = append(out, column{"heat", "Forum heat", "r he"})
	}
	return out
}

// newTable makes a list that shows statuses and no heat and, on a site with hard forks, what the chain says.
func (p *Pages) newTable(all []mip.Metadata) table {
	changes := slices.ContainsFunc(all, func(m mip.Metadata) bool { return m.Changed() != nil })
	return table{All: mip.ActiveFirst(all), Changes: changes, Chain: len(p.forks) > 0}
}

// rowKey is what the row of a proposal depends on within one site.
type rowKey struct {
	id                 mip.ID
	heat, chain, ready bool
}

// row renders a row of a table, once for all the lists that a proposal is on.
func (p *Pages) row(m *mip.Metadata, t table) (template.HTML, error) {
	// Two workers may render the same row at once, with the same bytes.
	key := rowKey{m.ID, t.Heat, t.Chain, t.Ready}
	if row, ok := p.rows.Load(key); ok {
		return row.(template.HTML), nil
	}
	out, err := p.fragment("row", row{m, t.Heat, t.Chain, t.Ready})
	if err == nil {
		p.rows.Store(key, out)
	}
	return out, err
}

// discussed reports whether a proposal has a discussion on the site's forum.
func (p *Pages) discussed(m mip.Metadata) bool { return p.info.Forum != nil && m.ForumTopicID != nil }

// ref is a mention of a proposal. One that is not published has an id alone: a header may name any
// number. It is a copy, so that a page holds no more of another proposal than it shows.
type ref struct {
	ID    mip.ID
	Title string
	mip.Standing
	CommentsUntil *mip.Date // as of [mip.Metadata]
	Published     bool
	Superseded    bool
}

// Class is the CSS class of its status.
func (r ref) Class() string { return badgeClass(r.Standing, r.Superseded) }

// refTo mentions a published proposal.
func refTo(m mip.Metadata) ref {
	return ref{m.ID, m.ShortTitle(), m.Standing, m.CommentsUntil(), true, m.Superseded()}
}

// refs mention the proposals of the same kind with these numbers. all must be in the order of ids.
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
}

// choices counts the values of a field by slug, in the order of their labels. The least label of a
// slug stands for it. The slug is empty for a proposal without a value.
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

// choicesOf counts a field that a header may lack. Values that differ in letter case or punctuation
// have one slug, and so one page.
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

// kindChoices counts the kinds; none where the site has one alone. They are in the order of the site.
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

// upgradeChoices are the hard forks, uncounted. Those whose names have one slug share a page, that
// of the first.
func (p *Pages) upgradeChoices() (out []choice) {
	for _, f := range p.forks {
		slug := mip.Slug(f.Name)
		if !slices.ContainsFunc(out, func(c choice) bool { return c.Slug == slug }) {
			out = append(out, choice{Slug: slug, Label: f.Name})
		}
	}
	return out
}

// statusChoices counts the statuses that occur: those of the process in the order of life, then the others by name. No
// status comes last.
func (p *Pages) statusChoices(all []mip.Metadata) []choice {
	out := choices(all, func(m mip.Metadata) (string, string) { return m.Status.Slug(), m.Status.String() })
	// Statuses of the process have their place in its order; the others share the place after it.
	process, none := p.info.Statuses.Known(), mip.Status("").Slug()
	rank := func(c choice) int {
		if c.Slug == none {
			return len(process) + 1
		}
		if i := slices.IndexFunc(process, func(s mip.Standing) bool { return s.Status.Slug() == c.Slug }); i >= 0 {
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

// lastCalls are the proposals whose last call has a deadline, by deadline. A deadline is over when some proposal
// changed after it. No clock is asked: with one, builds of the same input would differ.
func lastCalls(all []mip.Metadata) (open, over []mip.Metadata) {
	latest := mip.NewestChange(all)
	for _, m := range all {
		switch {
		case m.CommentsUntil() == nil:
		case latest != nil && latest.Date().Time().After(m.LastCallDeadline.Time()):
			over = append(over, m)
		default:
			open = append(open, m)
		}
	}
	slices.SortStableFunc(open, byDeadline)
	slices.SortStableFunc(over, byDeadline)
	return open, over
}

// byDeadline orders last calls, the soonest first and those without a deadline last.
func byDeadline(a, b mip.Metadata) int {
	if x, y := a.LastCallDeadline.IsZero(), b.LastCallDeadline.IsZero(); x != y {
		return map[bool]int{true: 1, false: -1}[x]
	}
	return a.LastCallDeadline.Time().Compare(b.LastCallDeadline.Time())
}

// Listing renders /status/{status}/, /category/{category}/, /type/{type}/ or /author/{login}/. A status of the
// process may have no proposal; the page says so.
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

// calendarOf is the calendar of the page at route, which ends with a slash, for the head of that page.
func (p *Pages) calendarOf(route, title string) alternate {
	return alternate{Type: calendar.Type, Title: title + " (calendar)", Href: p.path(route + "calendar.ics")}
}

// feedGroup is the feeds of the lists by one field.
type feedGroup struct {
	Name, Kind string
	Lists      []choice
}

// Feeds renders the page of everything that can be subscribed to and read by programs. all must be
// in the order of ids.
func (p *Pages) Feeds(all []mip.Metadata) ([]byte, error) {
	return p.page("feeds", head{
		Section: "/feeds/", Title: "Feeds", Route: "/feeds/",
		Description: "Feeds of " + p.info.Title + ", and everything else that programs and agents can read.",
	}, slices.DeleteFunc([]feedGroup{
		{"Status", "status", p.statusChoices(all)},
		{"Kind", "kind", p.kindChoices(all)},
		{"Category", "category", categories(all)},
		{"Type", "type", types(all)},
		{"Network upgrade", "upgrade", p.upgradeChoices()},
	}, func(g feedGroup) bool { return g.Lists == nil }))
}

// About renders a page about the site itself: /about/, /about/ai/ or /accessibility/. The route is
// the name of its template, too. Texts that hold for every site stand there; only the title and the
// statuses that readers are told of come from values.
func (p *Pages) About(route string, statuses []mip.Standing) ([]byte, error) {
	title := "About"
	description := "What %s offers, how heat is computed, how fresh its figures are and what the statuses mean."
	switch route {
	case "/about/ai/":
		title = "How AI is used"
		description = "How summaries and translations of %s are made and checked, and why the English text is authoritative."
	case "/accessibility/":
		title = "Accessibility"
		description = "How accessible %s is meant to be, what was checked and what is known to be missing."
	}
	h := head{Title: title, Route: route, Description: fmt.Sprintf(description, p.info.Title)}
	return p.page(route, h, struct {
		Statuses []mip.Standing
		Way      string
	}{statuses, way(p.info.Statuses, statuses)})
}

// Search renders the page for searching all texts.
func (p *Pages) Search() ([]byte, error) {
	return p.page("search", head{
		Title: "Search", Route: "/search/", Script: searchScript, Description: fmt.Sprintf("Every word of every text of %s.", p.info.Title),
	}, nil)
}

// NotFound renders the answer to an address that leads nowhere. It has no canonical address and is
// not to be indexed, since a host serves it at any address.
func (p *Pages) NotFound() ([]byte, error) {
	return p.page("notfound", head{
		Title: "Page not found", Description: "There is no page at this address.", Script: lostScript,
	}, nil)
}
