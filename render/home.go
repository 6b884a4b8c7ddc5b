package render

import (
	"cmp"
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// rowsOfPage is how many proposals a page of the list has.
const rowsOfPage = 50

// callsOfPage is how many last calls the first page names.
const callsOfPage = 3

// homeView is the first page. It says what is so now: the page holds dates, and scripts choose by the reader's clock.
type homeView struct {
	Description string
	All         []mip.Metadata
	// Live are the upgrades of the main network of which one is in force when the page is read, the oldest first: that
	// was in force at the newest change. Next are those that come after.
	Live, Next []upgrade
	// Calls are the open last calls that end first, and More counts the others. When all of them
	// are over, and without any, the page shows Open: what else is under discussion, the latest
	// change first.
	Calls, Open []mip.Metadata
	More        []moreCalls
	Statuses    []choice
	// Happened is what happened last, but for texts.
	Happened    []entry
	Filters     []filter
	Table       table
	Size, Pages int
	Blank       *row
}

// Home renders the first page: what is so now, and the beginning of the list of all proposals, which works without
// scripts, and for readers with them the filters, which find the others. All must be ascending by number, and changes the
// newest first.
func (p *Pages) Home(all []mip.Metadata, changes []Change) ([]byte, error) {
	v := homeView{
		Description: cmp.Or(p.info.Description,
			"Every published proposal: what it says, where it stands and what it depends on."),
		All: all, Statuses: p.statusChoices(all), Table: p.newTable(all), Size: rowsOfPage,
		Pages: (len(all) + rowsOfPage - 1) / rowsOfPage,
	}
	v.Table.Sorts = true
	v.Table.Heat = slices.ContainsFunc(all, p.discussed)
	v.Blank = p.blank(v.Table)
	v.Open = slices.DeleteFunc(slices.Clone(v.Table.All), func(m mip.Metadata) bool {
		return !m.UnderDiscussion() || m.CommentsUntil() != nil
	})
	v.Table.All = v.Table.All[:min(rowsOfPage, len(all))]
	v.Filters = slices.DeleteFunc([]filter{
		{"kind", "Kind", p.kindChoices(all)},
		{"category", "Category", categories(all)},
		{"type", "Type", types(all)},
		{"upgrade", "Upgrade", p.upgradeChoices()},
	}, func(f filter) bool { return len(f.Choices) == 0 })
	// A deadline that has passed asks nothing of readers here; the dashboard lists it.
	open, _ := lastCalls(all)
	v.Calls = open[:min(callsOfPage, len(open))]
	v.More = p.moreCalls(open[len(v.Calls):])
	v.Live, v.Next = p.now(all)
	v.Happened = latest(changes)
	return p.page("home", head{Section: "/", Description: v.Description, Route: "/", Script: listScript}, v)
}

// moreCalls counts open last calls of one status: a process may have several for its last call.
// Until is the latest of their deadlines.
type moreCalls struct {
	choice
	Until mip.Date
}

// moreCalls counts last calls, which are in the order of their deadlines.
func (p *Pages) moreCalls(calls []mip.Metadata) (out []moreCalls) {
	for _, c := range p.statusChoices(calls) {
		more := moreCalls{choice: c}
		for _, m := range calls {
			if m.Status.Slug() == c.Slug {
				more.Until = m.LastCallDeadline
			}
		}
		out = append(out, more)
	}
	return out
}

// now are the upgrades of which one is in force on the main network, and those that come after.
func (p *Pages) now(all []mip.Metadata) (live, next []upgrade) {
	if len(p.info.Networks) == 0 {
		return nil, nil
	}
	var now time.Time
	if newest := mip.NewestChange(all); newest != nil {
		now = newest.UTC()
	}
	forks, main := p.upgrades(all), func(u upgrade) mip.Activation { return u.Activation[p.info.Networks[0].ID] }
	next = slices.DeleteFunc(ahead(all, forks), func(u upgrade) bool { return !u.pending(now) })
	live = slices.DeleteFunc(forks, func(u upgrade) bool { return main(u).Timestamp == nil })
	slices.SortStableFunc(live, func(a, b upgrade) int { return cmp.Compare(*main(b).Timestamp, *main(a).Timestamp) })
	if i := slices.IndexFunc(live, func(u upgrade) bool { return main(u).Reached(now) }); i >= 0 {
		live = live[:i+1]
	}
	slices.Reverse(live)
	for i := range live {
		live[i].Times = live[i].Times[:1]
	}
	return live, next
}

// filter is a field of which a reader chooses one value.
type filter struct {
	Kind, Label string
	Choices     []choice
}

// row is what its template needs.
type row struct {
	Metadata           *mip.Metadata
	Heat, Chain, Ready bool
}

// blank is a row that has everything that a row can show: the script fills copies of it.
func (p *Pages) blank(t table) *row {
	if len(t.All) == 0 {
		return nil
	}
	m, word := t.All[0], t.All[0].ID.String()
	m.Description, m.Category, m.Hardfork = cmp.Or(m.Description, &word), cmp.Or(m.Category, &word), &word
	m.Stage, m.LastCallDeadline = mip.StageLastCall, mip.Date{Year: 1, Month: 1, Day: 1}
	m.Updated, m.ForumTopicID = cmp.Or(m.Updated, &mip.Time{}), cmp.Or(m.ForumTopicID, new(int))
	if len(p.forks) > 0 {
		m.Hardfork = &p.forks[0].Name
	}
	return &row{Metadata: &m, Heat: t.Heat, Chain: t.Chain}
}
