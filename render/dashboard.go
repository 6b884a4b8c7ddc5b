package render

import (
	"cmp"
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// DashboardPage is what /dashboard/ shows of the proposals themselves.
type DashboardPage struct {
	Metadata []mip.Metadata // of all proposals, ascending by number
	Outdated []mip.Metadata // in the order of the list: those whose committed summary speaks of an older text
	Changes  []Change       // newest first
}

// dashboardView is the dashboard: places for live figures, which the page's script fills, and the lists that follow
// from the proposals. It holds whole lists; the template shows the beginning and the number of the rest.
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
	// Disagreements are those of texts and chains, whether they hold now or at another time.
	Disagreements []mip.Disagreement
}

// brokenRequires is a proposal that depends on some that are not published.
type brokenRequires struct {
	mip.Metadata
	Missing []ref
}

// hotLimit is how many discussions the dashboard shows.
const hotLimit = 7

// Dashboard renders the state of the proposals.
func (p *Pages) Dashboard(d DashboardPage) ([]byte, error) {
	all, upgrades := d.Metadata, p.upgrades(d.Metadata)
	v := dashboardView{
		DashboardPage: d, Next: ahead(all, upgrades), Statuses: p.statusChoices(all), Recent: recentChanges(all, d.Changes), Upgrades: upgrades,
	}
	v.Compared, v.Disagreements = p.compare(all)
	// A topic that several proposals link to has one row.
	topics := map[int]bool{}
	for _, m := range all {
		if p.discussed(m) {
			topics[*m.ForumTopicID] = true
		}
	}
	v.Topics = min(len(topics), hotLimit)
	v.Bars = bars(v.Statuses, len(all))
	open, over := lastCalls(all)
	v.Calls = append(over, open...)
	for _, m := range all {
		if m.Status == mip.Stagnant {
			v.Stagnant = append(v.Stagnant, m)
		}
		missing := slices.DeleteFunc(refs(all, m.ID, m.Requires), func(r ref) bool { return r.Published })
		if len(missing) > 0 {
			v.Broken = append(v.Broken, brokenRequires{m, missing})
		}
	}
	// The newest come first: they are the likeliest to be taken up again.
	slices.SortStableFunc(v.Stagnant, newestFirst)
	return p.page("dashboard", head{
		Section: "/dashboard/", Title: "Dashboard", Route: "/dashboard/", Script: liveScript,
		Description: "Proposals by status, recent changes, what needs attention and the network upgrades of " +
			p.info.Title + ".",
	}, v)
}

// newestFirst orders by change, the newest first, unknown ones last.
func newestFirst(a, b mip.Metadata) int {
	changed := func(m mip.Metadata) time.Time {
		if m.Changed() == nil {
			return time.Time{}
		}
		return m.Updated.UTC()
	}
	return changed(b).Compare(changed(a))
}

// recent is the proposals that changed last, eight at most, the newest change first; of two at the
// same moment the higher number comes first. Those whose last change is unknown are left out.
func recent(all []mip.Metadata) []mip.Metadata {
	out := slices.DeleteFunc(slices.Clone(all), func(m mip.Metadata) bool { return m.Changed() == nil })
	slices.SortFunc(out, func(a, b mip.Metadata) int { return cmp.Or(newestFirst(a, b), cmp.Compare(b.Number, a.Number)) })
	return out[:min(len(out), 8)]
}

// recentChange is a proposal that changed last, with what the change did; nothing where nobody knows.
type recentChange struct {
	mip.Metadata
	Did occasion
}

// recentChanges are those of the proposals that changed last.
func recentChanges(all []mip.Metadata, changes []Change) (out []recentChange) {
	did := map[mip.ID]occasion{}
	for _, o := range slices.Backward(occasions(changes)) {
		did[o[0].MIP] = o
	}
	for _, m := range recent(all) {
		x := recentChange{Metadata: m}
		// What happened before the last change is not what that did: a header may state a later one.
		if o := did[m.ID]; o != nil && !o[0].Time.UTC().Before(m.Updated.UTC()) {
			x.Did = o
		}
		out = append(out, x)
	}
	return out
}

// bar is one status in the bar of all: X and Width in thousandths.
type bar struct {
	Class    string
	X, Width int
}

// bars lays the shares side by side in a drawing of fixed width, without gaps from rounding. The least is still to be
// seen.
func bars(statuses []choice, total int) []bar {
	const units, gap, least = 1000, 3, 4
	out := make([]bar, 0, len(statuses))
	sum := 0
	// The ends are rounded, not the widths, so that all of them add up.
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
