package render

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// liveView is the part of the dashboard that changes without the proposals. It holds the figures of
// the snapshot, or places for those that a script asks for.
type liveView struct {
	Filled   bool // with figures
	Forum    *source
	Networks []networkTile
	Hot      []hotRow
	// Compared is true when it is known where texts and chains disagree, which Disagree says.
	Compared bool
	Disagree []api.Discrepancy
	Next     *nextUpgrade
}

// source says how old the figures of a forum or a network are. Key is the name by which the page's
// script finds it: the id of a network, or "forum".
type source struct {
	Key, Name string
	At        *mip.Time // nil: there are none
	Failed    bool      // it was asked
}

// networkTile is the head of a network. The template has a dash for each figure that is not known,
// which the script replaces.
type networkTile struct {
	source
	Head  *api.NetworkStatus // nil unless there is a time for it
	Spark spark
}

// hotRow is a topic of the forum, or a place for one. Places have the size of rows, so that nothing
// on the page moves when the script fills them.
type hotRow struct {
	Path  string // empty: a place for a topic
	Label template.HTML
	Topic *api.ForumActivity
	Last  *mip.Time // of its newest post, or else of its beginning
}

// hotLimit is how many discussions the dashboard shows.
const hotLimit = 7

// live gathers the live part of the dashboard. all must be in the order of ids; upgrades are those
// of upgradesNow.
func (p *Pages) live(all []mip.Summary, upgrades []upgrade) liveView {
	v := liveView{Filled: p.snapshot != nil, Hot: p.hot(all), Next: p.next(all, upgrades)}
	if len(v.Hot) > 0 {
		failed := p.snapshot != nil && p.snapshot.ForumFailed
		v.Forum = &source{Key: "forum", Name: "Forum", At: p.snapshot.ForumAt(), Failed: failed}
	}
	// Networks stand in the order of the site, whether the snapshot has them or not.
	for _, n := range p.info.Networks {
		t := networkTile{source: source{Key: n.ID, Name: n.Name}}
		if h := p.snapshot.Network(n.ID); h != nil && h.FetchedAt != nil && h.BlockHeight != nil {
			t.At, t.Head, t.Spark = h.FetchedAt, h, sparkOf(h.Recent)
		} else {
			t.Failed = h != nil
		}
		v.Networks = append(v.Networks, t)
	}
	if p.snapshot != nil {
		v.Compared, v.Disagree = p.snapshot.ComparedAt != nil, p.snapshot.Discrepancies
	}
	return v
}

// hot are the liveliest discussions, and places for as many as the sidecar can have rows for: the
// topics that proposals link to.
func (p *Pages) hot(all []mip.Summary) []hotRow {
	var out []hotRow
	if p.snapshot != nil {
		for _, t := range p.snapshot.Topics[:min(len(p.snapshot.Topics), hotLimit)] {
			if s, ok := mip.Find(all, t.Proposals[0]); ok {
				last := cmp.Or(t.LastPostedAt, &t.CreatedAt)
				out = append(out, hotRow{p.proposalPath(s.ID), namedHTML(s.ID, s.Title), &t.ForumActivity, last})
			}
		}
	}
	// A topic that several proposals link to has one row.
	topics := map[int]bool{}
	for i, s := range all {
		if p.discussed(&all[i]) {
			topics[*s.ForumTopicID] = true
		}
	}
	for len(out) < min(len(topics), hotLimit) {
		out = append(out, hotRow{})
	}
	return out
}

// spark is a drawing of block times: a line, the area below it and a sentence. All are empty when
// there are too few heads.
type spark struct{ Line, Area, Pace string }

// sparkOf draws milliseconds per block; the page's script has the same measures. A chain's times
// are whole seconds, so each block time is taken between heads that are some apart. The newest
// heads are the last ones.
func sparkOf(recent []api.Head) spark {
	const apart, most, width, low, high, floor = 4, 40, 300.0, 36.0, 4.0, 40 // the drawing's units are from above
	// The page's script keeps as many heads.
	recent = recent[max(0, len(recent)-most):]
	var ms []float64
	for i := apart; i < len(recent); i++ {
		from, to := recent[i-apart], recent[i]
		// A file of figures may be wrong; heights that fall have no block time.
		if to.BlockHeight <= from.BlockHeight {
			return spark{}
		}
		took := to.BlockTime.UTC().Sub(from.BlockTime.UTC()).Milliseconds()
		ms = append(ms, float64(took)/float64(to.BlockHeight-from.BlockHeight))
	}
	if len(ms) < 2 {
		return spark{}
	}
	least, span := slices.Min(ms), slices.Max(ms)-slices.Min(ms)
	var line strings.Builder
	for i, v := range ms {
		y := (low + high) / 2
		if span > 0 {
			y = low - (low-high)*(v-least)/span
		}
		fmt.Fprintf(&line, "%c%.1f %.1f", "ML"[min(i, 1)], width*float64(i)/float64(len(ms)-1), y)
	}
	// The sentence says over which time the line goes.
	minutes := recent[len(recent)-1].BlockTime.UTC().Sub(recent[0].BlockTime.UTC()).Minutes()
	pace := fmt.Sprintf("Block time, last %.0f min: %.0f", max(1, math.Round(minutes)), least)
	if span > 0 {
		pace += fmt.Sprintf(" to %.0f", least+span)
	}
	return spark{line.String(), fmt.Sprintf("%sL%.0f %dL0 %dZ", line.String(), width, floor, floor), pace + " ms"}
}

// nextUpgrade is the upgrade that comes next, or else the latest one. The script updates its status
// and its steps, and leaves the heading as it is.
type nextUpgrade struct {
	upgrade
	Over  bool // it is the latest one
	Steps []upgradeStep
}

// upgradeStep is a network on the way of an upgrade.
type upgradeStep struct {
	mip.Network
	mip.Activation
	Done bool
	Now  bool // it is the next one
}

// now is the time of a network that upgrades are compared with: that of the snapshot or that of the
// newest change of a proposal, whichever is later, since a fork that was active then is active.
func (p *Pages) now(all []mip.Summary) func(network string) time.Time {
	newest := newestChange(all)
	return func(network string) time.Time {
		var t time.Time
		for _, m := range []*mip.Time{newest, p.snapshot.Clock(network)} {
			if m != nil && m.UTC().After(t) {
				t = m.UTC()
			}
		}
		return t
	}
}

// upgradesNow are the upgrades with their status at the moment of the snapshot, the newest first.
// Without a snapshot it is that of the site. An upgrade that was active once stays so, whatever the
// file of figures says.
func (p *Pages) upgradesNow(all []mip.Summary) []upgrade {
	out := p.upgrades(all)
	for i, u := range out {
		if p.snapshot != nil && u.Status != "active" {
			out[i].Status = u.StatusAt(p.info.Networks, p.now(all))
		}
	}
	return out
}

// startsAt is the time of an activation, for comparisons; one without a time is later than all
// others.
func startsAt(a mip.Activation) int64 {
	if a.Timestamp == nil {
		return math.MaxInt64
	}
	return *a.Timestamp
}

// next is the upgrade whose next activation comes first, those without a time last; when all are
// over it is the latest. It is nil when there is none. Networks stand in the order in which they
// switch: by time, and of those without one the first of the site, which is the main network, after
// the others.
func (p *Pages) next(all []mip.Summary, upgrades []upgrade) *nextUpgrade {
	if len(upgrades) == 0 {
		return nil
	}
	now := p.now(all)
	// The oldest come first, so that of two at one time the older one is the next.
	best := &nextUpgrade{upgrade: upgrades[0], Over: true}
	soonest := int64(math.MaxInt64)
	for _, u := range slices.Backward(upgrades) {
		if u.Status == "active" {
			continue
		}
		first := int64(math.MaxInt64)
		for id, a := range u.Activation {
			if !a.Reached(now(id)) {
				first = min(first, startsAt(a))
			}
		}
		if best.Over || first < soonest {
			best, soonest = &nextUpgrade{upgrade: u}, first
		}
	}
	// The sort is stable: networks at one time stay in this reversed order.
	networks := slices.Clone(p.info.Networks)
	slices.Reverse(networks)
	slices.SortStableFunc(networks, func(a, b mip.Network) int {
		return cmp.Compare(startsAt(best.Activation[a.ID]), startsAt(best.Activation[b.ID]))
	})
	open := true // no step before was yet to come
	for _, n := range networks {
		a := best.Activation[n.ID]
		s := upgradeStep{Network: n, Activation: a, Done: a.Reached(now(n.ID))}
		s.Now = open && !s.Done
		open = open && !s.Now
		best.Steps = append(best.Steps, s)
	}
	return best
}
