package render

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// rowsOfPage is the number of proposals on a page of the list.
const rowsOfPage = 50

// callsOfPage is the number of last calls on the first page.
const callsOfPage = 3

// homeView is the first page, about the present: the page contains dates, and scripts choose by the
// reader's clock.
type homeView struct {
	Description string
	All         []mip.Metadata
	Roles       []string // the groups whose pages have something
	// Live are the upgrades of the main network of which one is in force at the time of reading,
	// oldest first. The first was in force at the newest change. Next are the upgrades after these.
	Live, Next []upgrade
	// Calls are the open last calls that end first. If all of them are over, or there are none, the
	// page shows Open: the other proposals under discussion, by status.
	Calls []mip.Metadata
	Open  []choice
	// Statuses have a chip each in one row, as far as these fit. Rarer are the others.
	Statuses, Rarer []choice
	// Happened are the last changes, without changes of texts.
	Happened    []entry
	Filters     []filter
	Table       table
	Size, Pages int
	Blank       *row
}

// Home renders the first page: the present state, and the beginning of the list of all proposals,
// which works without scripts. With scripts it has filters to find the others. all is in ascending
// order of number, changes newest first, and roles are the groups whose pages have something.
func (p *Pages) Home(all []mip.Metadata, changes []Change, roles []string) ([]byte, error) {
	v := homeView{
		Description: cmp.Or(p.info.Description,
			"Every published proposal: what it says, where it stands and what it depends on."),
		All: all, Roles: roles, Table: p.newTable(all),
		Size:  rowsOfPage,
		Pages: (len(all) + rowsOfPage - 1) / rowsOfPage,
	}
	v.Table.Sorts = true
	v.Table.Heat = slices.ContainsFunc(all, p.discussed)
	v.Blank = p.blank(v.Table)
	v.Statuses = p.statusChoices(all)
	fitting := chipsOfRow(v.Statuses)
	v.Statuses, v.Rarer = v.Statuses[:fitting], v.Statuses[fitting:]
	v.Open = p.statusChoices(slices.DeleteFunc(slices.Clone(all), func(m mip.Metadata) bool {
		return !m.UnderDiscussion() || m.CommentsUntil() != nil
	}))
	v.Table.All = v.Table.All[:min(rowsOfPage, len(all))]
	v.Filters = slices.DeleteFunc([]filter{
		{"kind", "Kind", p.kindChoices(all)},
		{"category", "Category", categories(all)},
		{"type", "Type", types(all)},
		{"upgrade", "Upgrade", p.upgradeChoices()},
	}, func(f filter) bool { return len(f.Choices) == 0 })
	// A passed deadline needs nothing of readers here. The dashboard lists it.
	calls, _ := p.lastCalls(all)
	v.Calls = calls[:min(callsOfPage, len(calls))]
	v.Live, v.Next = p.now(all)
	v.Happened = latest(changes)
	return p.page("home",
		head{Section: "/", Description: v.Description, Route: "/", Script: listScript}, v)
}

// chipsOfRow is the number of statuses whose chips fit into one row of the widest page.
func chipsOfRow(statuses []choice) int {
	// The units are letters. A chip has a glyph, gaps and a border beside its words, and "All" and
	// "More filters" take the rest of the row.
	const row, frame = 115, 6
	width := 0
	for i, c := range statuses {
		width += utf8.RuneCountInString(c.Label) + len(plain.Thousands(c.Count)) + frame
		if width > row {
			return i
		}
	}
	return len(statuses)
}

// now returns the upgrades of which one is in force on the main network, and the upgrades after
// these.
func (p *Pages) now(all []mip.Metadata) (live, next []upgrade) {
	if len(p.info.Networks) == 0 {
		return nil, nil
	}
	now := p.present(all).UTC()
	forks, main := p.upgrades(p.forks, all), func(u upgrade) mip.Activation {
		return u.Activation[p.info.Networks[0].ID]
	}
	next = slices.DeleteFunc(p.ahead(all, forks), func(u upgrade) bool { return !u.Pending(now) })
	live = slices.DeleteFunc(forks, func(u upgrade) bool { return main(u).Timestamp == nil })
	slices.SortStableFunc(live, func(a, b upgrade) int {
		return cmp.Compare(*main(b).Timestamp, *main(a).Timestamp)
	})
	if i := slices.IndexFunc(live, func(u upgrade) bool { return main(u).Reached(now) }); i >= 0 {
		live = live[:i+1]
	}
	slices.Reverse(live)
	for i := range live {
		live[i].Times = live[i].Times[:1]
	}
	return live, next
}

// filter is a field with values to choose from.
type filter struct {
	Kind, Label string
	Choices     []choice
}

// row is the input of the row template.
type row struct {
	Metadata    *mip.Metadata
	Heat, Chain bool
}

// blank is a row with everything that a row can show. The script fills copies of it.
func (p *Pages) blank(t table) *row {
	if len(t.All) == 0 {
		return nil
	}
	m, word := t.All[0], t.All[0].ID.String()
	m.Description, m.Category, m.Hardfork = cmp.Or(m.Description, &word),
		cmp.Or(m.Category, &word), &word
	m.Stage, m.LastCallDeadline = mip.StageLastCall, mip.Date{Year: 1, Month: 1, Day: 1}
	m.Updated, m.ForumTopicID = cmp.Or(m.Updated, &mip.Time{}), cmp.Or(m.ForumTopicID, new(int))
	for _, f := range p.forks { // one with an activation, if there is one
		if m.Hardfork == &word || f.HasNetworks() {
			m.Hardfork = &f.Name
		}
	}
	return &row{Metadata: &m, Heat: t.Heat, Chain: t.Chain}
}
