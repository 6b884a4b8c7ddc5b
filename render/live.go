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
	Waits    bool // a script asks for figures that the page does not hold
	Forum    *source
	Networks []networkTile
	Hot      []hotRow
	Next     []upgrade
}

// source says how old the figures of a forum or a network are. Key is the name by which the page's
// script finds it: the id of a network, or "forum".
type source struct {
	Key, Name string
	At        *mip.Time // nil: there are none
	Failed    bool      // it was asked
}

// networkTile is the head of a network. A figure that is not known has a place that is not drawn before the script fills
// it.
type networkTile struct {
	source
	Head      *api.NetworkStatus // nil unless there is a time for it
	Spark     spark
	BlockTime float64 // seconds, as declared; 0: unknown
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

// live gathers the live part of the dashboard. all must be in the order of ids, and upgrades newest first.
func (p *Pages) live(all []mip.Summary, upgrades []upgrade) liveView {
	v := liveView{Filled: p.snapshot != nil, Hot: p.hot(all), Next: p.ahead(all, upgrades)}
	v.Waits = !v.Filled && len(v.Hot) > 0
	if len(v.Hot) > 0 {
		failed := p.snapshot != nil && p.snapshot.ForumFailed
		v.Forum = &source{Key: "forum", Name: "Forum", At: p.snapshot.ForumAt(), Failed: failed}
	}
	// Networks stand in the order of the site, whether the snapshot has them or not.
	for _, n := range p.info.Networks {
		t := networkTile{source: source{Key: n.ID, Name: n.Name}, BlockTime: n.BlockTime}
		if h := p.snapshot.Network(n.ID); h != nil && h.FetchedAt != nil && h.BlockHeight != nil {
			t.At, t.Head, t.Spark = h.FetchedAt, h, sparkOf(h.Recent, n.BlockTime)
		} else {
			t.Failed = h != nil
		}
		v.Waits = v.Waits || t.Head == nil
		v.Networks = append(v.Networks, t)
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
	// Figures of the moment of the build have no places beside them that nobody may fill.
	for p.snapshot.ForumAt() == nil && len(out) < min(len(topics), hotLimit) {
		out = append(out, hotRow{})
	}
	return out
}

// spark is a drawing of block times: a line, the area below it and a sentence. All are empty when
// there are too few heads.
type spark struct{ Line, Area, Pace string }

// sparkOf draws milliseconds per block; the page's script has the same measures. The drawing goes from 0 to twice the
// declared seconds per block, or twice the mean where none are declared, so that a steady chain is a level line. A
// chain's times are whole seconds, so each block time is taken between heads that are some apart. The newest heads are
// the last ones.
func sparkOf(recent []api.Head, declared float64) spark {
	const apart, most, width, height = 4, 40, 300.0, 40.0
	// The page's script keeps as many heads.
	recent = recent[max(0, len(recent)-most):]
	var ms []float64
	sum := 0.0
	for i := apart; i < len(recent); i++ {
		from, to := recent[i-apart], recent[i]
		// A file of figures may be wrong; heights that fall have no block time.
		if to.BlockHeight <= from.BlockHeight {
			return spark{}
		}
		took := to.BlockTime.UTC().Sub(from.BlockTime.UTC()).Milliseconds()
		ms = append(ms, float64(took)/float64(to.BlockHeight-from.BlockHeight))
		sum += ms[len(ms)-1]
	}
	if len(ms) < 2 {
		return spark{}
	}
	middle := cmp.Or(declared*1000, sum/float64(len(ms)), 1)
	var line strings.Builder
	for i, v := range ms {
		// A block that took longer than the drawing is high is at its upper edge.
		y := height - height/2*min(max(v/middle, 0), 2)
		fmt.Fprintf(&line, "%c%.1f %.1f", "ML"[min(i, 1)], width*float64(i)/float64(len(ms)-1), y)
	}
	// The sentence says over which time the line goes.
	least, greatest := math.Round(slices.Min(ms)), math.Round(slices.Max(ms))
	minutes := recent[len(recent)-1].BlockTime.UTC().Sub(recent[0].BlockTime.UTC()).Minutes()
	pace := fmt.Sprintf("Block time, last %.0f min: %.0f", max(1, math.Round(minutes)), least)
	if greatest > least {
		pace += fmt.Sprintf(" to %.0f", greatest)
	}
	return spark{line.String(), fmt.Sprintf("%sL%.0f %.0fL0 %.0fZ", line.String(), width, height, height), pace + " ms"}
}

// ahead are the upgrades that may come next, the newest first. One is next when the page is made and another when it
// is read, so a page holds all that were not over at the newest change, and always the newest. A script shows the one
// that comes next by then, and without one the newest is shown. Forks come newest first.
func (p *Pages) ahead(all []mip.Summary, forks []upgrade) (out []upgrade) {
	var now time.Time
	if newest := newestChange(all); newest != nil {
		now = newest.UTC()
	}
	for i, u := range forks {
		toCome := slices.ContainsFunc(u.Times, func(a activation) bool { return a.Timestamp != nil && !a.Reached(now) })
		planned := slices.ContainsFunc(u.Times, func(a activation) bool { return !a.Passed(now) }) &&
			!slices.ContainsFunc(u.Times, func(a activation) bool { return a.Timestamp != nil })
		if i == 0 || toCome || planned {
			u.Times = inOrder(u.Times)
			out = append(out, u)
		}
	}
	return out
}

// inOrder has networks in the order in which they switch: by time, and of those without one the first of the site,
// which is the main network, after the others.
func inOrder(networks []activation) []activation {
	startsAt := func(a activation) int64 {
		if a.Timestamp == nil {
			return math.MaxInt64
		}
		return *a.Timestamp
	}
	// The sort is stable: networks at one time stay in this reversed order.
	out := slices.Clone(networks)
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b activation) int { return cmp.Compare(startsAt(a), startsAt(b)) })
	return out
}
