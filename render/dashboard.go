package render

import (
	"cmp"
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// DashboardPage is the content of /dashboard/ about the proposals.
type DashboardPage struct {
	Metadata []mip.Metadata // of all proposals, in ascending order of number
	// in the order of the list: proposals whose committed summary is of an older text
	Outdated []mip.Metadata
	Changes  []Change // newest first
}

// dashboardView is the dashboard: places for live figures, which the page's script fills, and lists
// of proposals. The lists are complete. The template shows the beginning and the number of the
// rest.
type dashboardView struct {
	DashboardPage
	Topics   int       // rows for topics of the forum
	Next     []upgrade // one of them comes next, by the reader's clock
	Statuses []choice
	Bars     []bar
	Recent   []recentChange
	Calls    []mip.Metadata // last calls with a deadline
	Stagnant []mip.Metadata
	Broken   []brokenRequires
	Upgrades []upgrade
	Compared mip.Compared
	// Disagreements are between texts and chains, now or at another time.
	Disagreements []mip.Disagreement
}

// brokenRequires is a proposal that requires unpublished ones.
type brokenRequires struct {
	mip.Metadata
	Missing []ref
}

// hotLimit is the number of discussions on the dashboard.
const hotLimit = 7

// Dashboard renders the state of the proposals.
func (p *Pages) Dashboard(d DashboardPage) ([]byte, error) {
	all, upgrades := d.Metadata, p.upgrades(p.forks, d.Metadata)
	v := dashboardView{
		DashboardPage: d, Next: p.ahead(all, upgrades), Statuses: p.statusChoices(all),
		Recent: recentChanges(all, d.Changes), Upgrades: upgrades,
	}
	v.Compared, v.Disagreements = p.compare(all)
	// A topic of several proposals has one row.
	topics := map[int]bool{}
	for _, m := range all {
		if p.discussed(m) {
			topics[*m.ForumTopicID] = true
		}
	}
	v.Topics = min(len(topics), hotLimit)
	v.Bars = bars(v.Statuses, len(all))
	open, over := p.lastCalls(all)
	v.Calls = append(over, open...)
	for _, m := range all {
		if m.Status == mip.Stagnant {
			v.Stagnant = append(v.Stagnant, m)
		}
		missing := slices.DeleteFunc(refs(all, m.ID, m.Requires), func(r ref) bool {
			return r.Published
		})
		if len(missing) > 0 {
			v.Broken = append(v.Broken, brokenRequires{m, missing})
		}
	}
	// The newest come first: they are the most likely to be resumed.
	slices.SortStableFunc(v.Stagnant, newestFirst)
	return p.page("dashboard", head{
		Section: "/dashboard/", Title: "Dashboard", Route: "/dashboard/", Script: liveScript,
		Description: "Proposals by status, recent changes, what needs attention and the network " +
			"upgrades of " +
			p.info.Title + ".",
	}, v)
}

// newestFirst sorts by change, newest first and unknown ones last.
func newestFirst(a, b mip.Metadata) int {
	changed := func(m mip.Metadata) time.Time {
		if m.Changed() == nil {
			return time.Time{}
		}
		return m.Updated.UTC()
	}
	return changed(b).Compare(changed(a))
}

// recent returns the last changed proposals, at most eight, newest change first. At equal times the
// higher number comes first. Proposals with an unknown last change are left out.
func recent(all []mip.Metadata) []mip.Metadata {
	out := slices.DeleteFunc(slices.Clone(all), func(m mip.Metadata) bool {
		return m.Changed() == nil
	})
	slices.SortFunc(out, func(a, b mip.Metadata) int {
		return cmp.Or(newestFirst(a, b), cmp.Compare(b.Number, a.Number))
	})
	return out[:min(len(out), 8)]
}

// recentChange is a recently changed proposal with the last change, or nothing if that is unknown.
type recentChange struct {
	mip.Metadata
	Did occasion
}

// recentChanges returns the last changed proposals with their changes.
func recentChanges(all []mip.Metadata, changes []Change) (out []recentChange) {
	did := map[mip.ID]occasion{}
	for _, o := range slices.Backward(occasions(changes)) {
		did[o[0].MIP] = o
	}
	for _, m := range recent(all) {
		x := recentChange{Metadata: m}
		// An event from before the last change does not describe it: a header may state a later
		// change.
		if o := did[m.ID]; o != nil && !o[0].Time.UTC().Before(m.Updated.UTC()) {
			x.Did = o
		}
		out = append(out, x)
	}
	return out
}

// bar is one status in the bar of all. X and Width are in thousandths.
type bar struct {
	Class    string
	X, Width int
}

// bars lays out the shares side by side in a drawing of fixed width, without gaps from rounding.
// The smallest stays visible.
func bars(statuses []choice, total int) []bar {
	const units, gap, least = 1000, 3, 4
	out := make([]bar, 0, len(statuses))
	sum := 0
	// Round the ends and not the widths, so that all add up.
	for _, c := range statuses {
		x := sum * units / total
		sum += c.Count
		width := sum*units/total - x
		if width > gap+least {
			width -= gap
		}
		out = append(out, bar{c.Class, x, max(width, least)})
	}
	return out
}
