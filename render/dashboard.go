package render

import (
	"cmp"
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// DashboardPage is what /dashboard/ shows of the proposals themselves.
type DashboardPage struct {
	Summaries []mip.Summary       // of all proposals, ascending by number
	Outdated  []mip.ID            // in the order of the list: those whose committed summary speaks of an older text
	Revised   map[mip.ID]Revision // of those that [Recent] returns: their newest change, as far as it is known
}

// Revision is how one commit changed a proposal's file.
type Revision struct {
	Before, After []byte // the texts; nil: not to be had
	Was, Is       mip.Status
	First         bool // there was nothing before
}

// words says in a few words what was done; empty when that is not known.
func (r Revision) words() string {
	switch {
	case r.First && r.Is == "":
		return "new"
	case r.First:
		return "new, as " + plain.OneLine(string(r.Is))
	case r.Before == nil || r.After == nil:
		return ""
	case r.Was != r.Is:
		return "from " + cmp.Or(plain.OneLine(string(r.Was)), "no status") + " to " + cmp.Or(plain.OneLine(string(r.Is)), "no status")
	}
	switch d := diffLines(r.Before, r.After); {
	case d.removed == 0 && d.added == 0:
		return ""
	case d.removed == 0:
		return lines(d.added) + " added"
	case d.added == 0:
		return lines(d.removed) + " removed"
	default:
		return lines(d.added) + " added, " + thousands(d.removed) + " removed"
	}
}

// recentChange is a row of the newest changes. What may be empty.
type recentChange struct {
	mip.Summary
	What string
}

// dashboardView is the dashboard: the live part and the lists that follow from the proposals.
type dashboardView struct {
	Head      head
	Live      liveView
	Facts     siteFacts
	Statuses  []choice
	Bars      []bar
	Recent    []recentChange
	LastCalls []lastCall
	Stagnant  limited[mip.Summary]
	Outdated  limited[mip.Summary] // their summaries speak of an older text
	Broken    limited[brokenRequires]
	Upgrades  limited[upgrade]
}

// limited is the first elements of a list.
type limited[T any] struct {
	First []T
	More  int // that are left out
}

// limit keeps the first elements, most at the most.
func limit[T any](all []T, most int) limited[T] {
	n := min(len(all), most)
	return limited[T]{all[:n], len(all) - n}
}

// bar is one status in the bar of all: X and Width in thousandths.
type bar struct {
	Class    string
	X, Width int
}

// brokenRequires is a proposal that depends on some that are not published.
type brokenRequires struct {
	S       mip.Summary
	Missing []ref
}

// Lengths of the lists, and the width of the bar of statuses.
const (
	recentLimit    = 10
	attentionLimit = 5
	upgradeLimit   = 5
	barUnits       = 1000
)

// Dashboard renders the state of the proposals, with the live figures of the snapshot.
func (p *Pages) Dashboard(d DashboardPage) ([]byte, error) {
	all, upgrades := d.Summaries, p.upgradesNow(d.Summaries)
	statuses := statusChoices(all)
	var stagnant, outdated []mip.Summary
	var broken []brokenRequires
	for _, s := range all {
		if s.Status == mip.Stagnant {
			stagnant = append(stagnant, s)
		}
		if _, ok := slices.BinarySearchFunc(d.Outdated, s.ID, mip.ID.Compare); ok {
			outdated = append(outdated, s)
		}
		missing := slices.DeleteFunc(p.refs(all, s.ID, s.Requires), func(r ref) bool { return r.Published })
		if len(missing) > 0 {
			broken = append(broken, brokenRequires{s, missing})
		}
	}
	slices.SortStableFunc(stagnant, newestFirst)
	// Deadlines that have passed come after those to come.
	open, over := lastCalls(all)
	v := dashboardView{
		Head: p.head(head{
			Section: "/dashboard/", Title: "Dashboard", Route: "/dashboard/", Script: liveScript,
			Description: "Proposals by status, recent changes, what needs attention and the network upgrades of " + p.info.Title + ".",
		}),
		Live:      p.live(all, upgrades),
		Facts:     p.facts(all),
		Statuses:  statuses,
		Bars:      bars(statuses, len(all)),
		LastCalls: append(open, over...),
		Stagnant:  limit(stagnant, attentionLimit),
		Outdated:  limit(outdated, attentionLimit),
		Broken:    limit(broken, attentionLimit),
		Upgrades:  limit(upgrades, upgradeLimit),
	}
	for _, s := range Recent(all) {
		v.Recent = append(v.Recent, recentChange{s, d.Revised[s.ID].words()})
	}
	return p.execute("dashboard", v)
}

// newestFirst orders by change, the newest first, undated ones last.
func newestFirst(a, b mip.Summary) int {
	changed := func(s mip.Summary) time.Time {
		if s.Updated == nil {
			return time.Time{}
		}
		return s.Updated.UTC()
	}
	return changed(b).Compare(changed(a))
}

// Recent is the proposals that changed last, ten at most, the newest change first; of two at the same moment
// the higher number comes first. Those without a time are left out.
func Recent(all []mip.Summary) []mip.Summary {
	out := slices.DeleteFunc(slices.Clone(all), func(s mip.Summary) bool { return s.Updated == nil })
	slices.SortFunc(out, func(a, b mip.Summary) int { return cmp.Or(newestFirst(a, b), cmp.Compare(b.Number, a.Number)) })
	return out[:min(len(out), recentLimit)]
}

// bars lays the shares side by side without gaps from rounding; the least is still to be seen.
func bars(statuses []choice, total int) []bar {
	const gap, least = 3, 4
	out := make([]bar, 0, len(statuses))
	sum := 0
	// The ends are rounded, not the widths, so that all of them add up.
	for _, c := range statuses {
		x := sum * barUnits / total
		sum += c.Count
		width := sum*barUnits/total - x
		if width > gap+least {
			width -= gap
		}
		out = append(out, bar{c.Class, x, max(width, least)})
	}
	return out
}
