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

// liveView is the part of the dashboard that changes without the proposals. It holds the figures of the snapshot, or
// places for those that a script asks for.
type liveView struct {
	Filled   bool // with figures
	Sources  []source
	Networks []networkTile
	Hot      []hotRow
	Disagree []string
	Next     *nextUpgrade
}

// source says how old the figures of a forum or a network are. State is then (of the snapshot's moment), down or empty.
type source struct {
	Key, Name, State, Text string
	At                     *mip.Time
}

// networkTile is the head of a network. Texts that are not known are dashes, which the script replaces.
type networkTile struct {
	Source            source
	Height, Finalized string
	Block             *mip.Time
	Note, Class       string
	Line, Area, Pace  string // of the block times, empty: too few heads are known
}

// hotRow is a topic of the forum, or a place for one.
type hotRow struct {
	Path          string // empty: a place for a topic
	Label         template.HTML
	Replies, Last string
	Heat          heat
}

// nextUpgrade is the upgrade that comes next, or else the latest one.
type nextUpgrade struct {
	upgrade
	Heading string
	Steps   []upgradeStep
}

// upgradeStep is a network on the way of an upgrade.
type upgradeStep struct {
	ID, Name, Class string
	Now             bool
	When            string
}

// Texts that the script of the page has as well.
const (
	agreement = "Nothing: texts and chains agree."
	notAsked  = "not asked"
	noAnswer  = "no answer"
)

// live gathers the live part of the dashboard. all must be in the order of ids; upgrades are those of upgradesNow.
func (p *Pages) live(all []mip.Summary, upgrades []upgrade) liveView {
	v := liveView{Filled: p.snapshot != nil, Hot: p.hot(all), Next: p.next(all, upgrades)}
	if len(v.Hot) > 0 {
		v.Sources = append(v.Sources, p.forumSource())
	}
	// Networks stand in the order of the site, whether the snapshot has them or not.
	for _, n := range p.info.Networks {
		tile := p.network(n)
		v.Networks, v.Sources = append(v.Networks, tile), append(v.Sources, tile.Source)
	}
	if p.snapshot != nil {
		for _, d := range p.snapshot.Discrepancies {
			v.Disagree = append(v.Disagree, d.Message)
		}
		if len(v.Disagree) == 0 && p.snapshot.Disagreed {
			v.Disagree = []string{agreement}
		}
	}
	return v
}

// forumSource is the forum as the snapshot has it.
func (p *Pages) forumSource() source {
	s := source{Key: "forum", Name: "Forum", Text: notAsked}
	switch at := p.snapshot.ForumAt(); {
	case at != nil:
		s.State, s.Text, s.At = "then", "as of "+clock(at), at
	case p.snapshot != nil && p.snapshot.ForumFailed:
		s.State, s.Text = "down", noAnswer
	}
	return s
}

// network is a network as the snapshot has it.
func (p *Pages) network(n mip.Network) networkTile {
	t := networkTile{
		Source: source{Key: n.ID, Name: n.Name, Text: notAsked},
		Height: "–", Finalized: "–", Note: "Not asked", Class: "s-none",
	}
	head := p.snapshot.Network(n.ID)
	switch {
	case head == nil:
		return t
	case head.FetchedAt == nil || head.BlockHeight == nil:
		t.Source.State, t.Source.Text, t.Note = "down", noAnswer, "Unknown"
		return t
	}
	t.Source.State, t.Source.Text, t.Source.At = "then", "as of "+clock(head.FetchedAt), head.FetchedAt
	t.Height, t.Block = counted(*head.BlockHeight), head.BlockTime
	if head.FinalizedHeight != nil {
		t.Finalized = counted(*head.FinalizedHeight)
	}
	t.Note, t.Class = health(*head)
	t.Line, t.Area, t.Pace = spark(head.Recent)
	return t
}

// Measures of the drawing of block times; the script has the same. A chain's times are whole seconds, so each block time
// is taken between heads that are some apart.
const (
	sparkApart, sparkMost = 4, 40
	sparkWidth, sparkLow  = 300.0, 36.0 // in the drawing's units, the second from above
	sparkHigh, sparkFloor = 4.0, 40
)

// spark draws milliseconds per block as a line and the area below it, with a sentence about them. All are empty when
// there are too few heads.
func spark(recent []api.Head) (line, area, pace string) {
	// The newest heads are the last ones.
	recent = recent[max(0, len(recent)-sparkMost):]
	var ms []float64
	for i := sparkApart; i < len(recent); i++ {
		from, to := recent[i-sparkApart], recent[i]
		// A file of figures may be wrong; heights that fall have no block time.
		if to.BlockHeight <= from.BlockHeight {
			return "", "", ""
		}
		took := to.BlockTime.UTC().Sub(from.BlockTime.UTC()).Milliseconds()
		ms = append(ms, float64(took)/float64(to.BlockHeight-from.BlockHeight))
	}
	if len(ms) < 2 {
		return "", "", ""
	}
	low, high := slices.Min(ms), slices.Max(ms)
	var b strings.Builder
	for i, v := range ms {
		y := (sparkLow + sparkHigh) / 2
		if high > low {
			y = sparkLow - (sparkLow-sparkHigh)*(v-low)/(high-low)
		}
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], sparkWidth*float64(i)/float64(len(ms)-1), y)
	}
	// The sentence says over which time the line goes.
	minutes := recent[len(recent)-1].BlockTime.UTC().Sub(recent[0].BlockTime.UTC()).Minutes()
	pace = fmt.Sprintf("Block time, last %.0f min: %.0f", max(1, math.Round(minutes)), low)
	if low < high {
		pace += fmt.Sprintf(" to %.0f", high)
	}
	return b.String(), fmt.Sprintf("%sL%.0f %dL0 %dZ", b.String(), sparkWidth, sparkFloor, sparkFloor), pace + " ms"
}

// health is a network's state in words; the script has the same.
func health(n api.NetworkStatus) (note, class string) {
	switch {
	case n.Regressed:
		return "Lower than before", "s-last-call"
	case n.Status == api.NetworkOK:
		return "Producing", "s-final"
	case n.Status == api.NetworkStale && n.Error == nil:
		return "Stands still", "s-last-call"
	case n.Status == api.NetworkStale:
		return "Last known", "s-last-call"
	}
	return "Unknown", "s-none"
}

// counted groups the digits of a height.
func counted(n uint64) string { return thousands(int(min(n, math.MaxInt64))) }

// hotLimit is how many discussions the dashboard shows.
const hotLimit = 7

// hot are the liveliest discussions, and places for as many as there can be.
func (p *Pages) hot(all []mip.Summary) []hotRow {
	var out []hotRow
	if p.snapshot != nil {
		for _, t := range p.snapshot.Topics[:min(len(p.snapshot.Topics), hotLimit)] {
			s, ok := mip.Find(all, t.Proposals[0])
			if !ok {
				continue
			}
			last := dayOf(cmp.Or(t.LastPostedAt, &t.CreatedAt))
			out = append(out, hotRow{p.proposalPath(s.ID), namedHTML(s.ID, s.Title), thousands(t.Replies), last, heat{t.ActivityScore, true}})
		}
	}
	// The script fills the other rows.
	for range len(p.discussed(all)) - len(out) {
		out = append(out, hotRow{Replies: "–", Last: "–"})
	}
	return out
}

// discussed are the proposals with a discussion on the site's forum, hotLimit at most and each topic once: as many as
// the sidecar can have rows for.
func (p *Pages) discussed(all []mip.Summary) []mip.Summary {
	var out []mip.Summary
	seen := map[int]bool{}
	for _, s := range all {
		if p.info.Forum != nil && s.ForumTopicID != nil && !seen[*s.ForumTopicID] && len(out) < hotLimit {
			seen[*s.ForumTopicID] = true
			out = append(out, s)
		}
	}
	return out
}

// now is the time of a network that upgrades are compared with: that of the snapshot or that of the newest change of a
// proposal, whichever is later, since a fork that was active then is active.
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
func (p *Pages) upgradesNow(all []mip.Summary) []upgrade {
	out := p.upgrades(all)
	for i, u := range out {
		if p.snapshot != nil && u.Fork.Status != "active" {
			out[i].Fork.Status = u.Fork.StatusAt(p.info.Networks, p.now(all))
		}
	}
	return out
}

// next is the upgrade whose next activation comes first, those without a time last; when all are over it is the latest.
// It is nil when there is none.
func (p *Pages) next(all []mip.Summary, upgrades []upgrade) *nextUpgrade {
	if len(upgrades) == 0 {
		return nil
	}
	now := p.now(all)
	heading, best, soonest := "Latest upgrade", upgrades[0], int64(math.MaxInt64)
	for _, u := range slices.Backward(upgrades) {
		if u.Fork.Status == "active" {
			continue
		}
		// The first activation that has not come; none counts as later than all times.
		first := int64(math.MaxInt64)
		for id, a := range u.Fork.Activation {
			if a.Timestamp != nil && !a.Reached(now(id)) {
				first = min(first, *a.Timestamp)
			}
		}
		if heading == "Latest upgrade" || first < soonest {
			heading, best, soonest = "Next upgrade", u, first
		}
	}
	return &nextUpgrade{best, heading, p.upgradeSteps(best.Fork, now)}
}

// upgradeSteps are the networks in the order in which they switch: by time, those without one last, and of those the
// first of the site, which is the main network, after the others.
func (p *Pages) upgradeSteps(f mip.HardFork, now func(network string) time.Time) []upgradeStep {
	at := func(n mip.Network) int64 {
		if t := f.Activation[n.ID].Timestamp; t != nil {
			return *t
		}
		return math.MaxInt64
	}
	networks := slices.Clone(p.info.Networks)
	slices.Reverse(networks)
	slices.SortStableFunc(networks, func(a, b mip.Network) int { return cmp.Compare(at(a), at(b)) })
	out := make([]upgradeStep, 0, len(networks))
	open := true // no step before was yet to come
	for _, n := range networks {
		s := upgradeStep{ID: n.ID, Name: n.Name, Class: "s-draft", When: "to be set"}
		a := f.Activation[n.ID]
		switch {
		case a.Timestamp == nil:
		case *a.Timestamp == 0:
			s.When = "from the start"
		default:
			s.When = dayOf(new(mip.NewTime(time.Unix(*a.Timestamp, 0))))
		}
		if a.Reached(now(n.ID)) {
			s.Class = "s-final done"
		} else if open {
			s.Class, s.Now, open = "s-last-call now", true, false
		}
		out = append(out, s)
	}
	return out
}
