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

// nowView is what of the dashboard moves without the proposals: filled with the figures of the build's
// moment, or with places for those that a script asks for.
type nowView struct {
	Filled   bool // with figures
	Sources  []sourcePill
	Networks []networkTile
	Hot      []hotRow
	Disagree []string
	Next     *nextUpgrade
}

// sourcePill tells how old a source's figures are. State is then (of the build's moment), down or empty.
type sourcePill struct {
	Key, Name, State, Text string
	At                     *mip.Time
}

type networkTile struct {
	ID, Name, Height, Finalized string
	Block, At                   *mip.Time
	Note, Class                 string
	Line, Area, Pace            string // of the block times, empty: too few heads are known
}

type hotRow struct {
	Path          string // empty: a place for a topic
	Label         template.HTML
	Replies, Last string
	Heat          heat
}

// nextUpgrade is the upgrade that comes next, or else the latest one.
type nextUpgrade struct {
	upgradeView
	Heading string
	Steps   []upgradeStep
}

// upgradeStep is a network on the way of an upgrade.
type upgradeStep struct {
	ID, Name, Class string
	Now             bool
	When            string
}

// now gathers the moving part. all must be ascending by number.
func (p *Pages) now(all []mip.Summary, upgrades []upgradeView) nowView {
	v := nowView{Filled: p.snapshot != nil, Hot: p.hot(all), Next: p.next(upgrades)}
	if len(v.Hot) > 0 {
		v.Sources = append(v.Sources, p.forumPill())
	}
	for _, n := range p.info.Networks {
		tile, pill := p.network(n)
		v.Networks, v.Sources = append(v.Networks, tile), append(v.Sources, pill)
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

// agreement is said where nothing disagrees; the script says the same.
const agreement = "Nothing: texts and chains agree."

const notAsked, noAnswer = "not asked", "no answer"

func (p *Pages) forumPill() sourcePill {
	s := sourcePill{Key: "forum", Name: "Forum", Text: notAsked}
	switch at := p.snapshot.ForumAt(); {
	case at != nil:
		s.State, s.Text, s.At = "then", "as of "+clock(at), at
	case p.snapshot != nil && p.snapshot.ForumFailed:
		s.State, s.Text = "down", noAnswer
	}
	return s
}

func (p *Pages) network(n mip.Network) (networkTile, sourcePill) {
	t := networkTile{ID: n.ID, Name: n.Name, Height: "–", Finalized: "–", Note: "Not asked", Class: "s-none"}
	s := sourcePill{Key: n.ID, Name: n.Name, Text: notAsked}
	head := p.snapshot.Network(n.ID)
	if head == nil {
		return t, s
	}
	if head.FetchedAt == nil || head.BlockHeight == nil {
		s.State, s.Text, t.Note, t.Class = "down", noAnswer, "Unknown", "s-none"
		return t, s
	}
	t.Height, t.Block, t.At = counted(*head.BlockHeight), head.BlockTime, head.FetchedAt
	if head.FinalizedHeight != nil {
		t.Finalized = counted(*head.FinalizedHeight)
	}
	t.Note, t.Class = health(*head)
	t.Line, t.Area, t.Pace = spark(head.Recent)
	s.State, s.Text, s.At = "then", "as of "+clock(head.FetchedAt), head.FetchedAt
	return t, s
}

// How block times are drawn; the script does the same. A chain tells whole seconds, so each is taken
// between heads that are some apart.
const (
	sparkApart, sparkMost = 4, 40
	sparkWidth, sparkLow  = 300.0, 36.0 // in the drawing's units, the second from above
	sparkHigh, sparkFloor = 4.0, 40
)

// spark draws milliseconds per block as a line and the area below it, and says of how long and from what
// to what. All are empty when there are too few heads.
func spark(recent []api.Head) (line, area, pace string) {
	recent = recent[max(0, len(recent)-sparkMost):]
	var ms []float64
	for i := sparkApart; i < len(recent); i++ {
		from, to := recent[i-sparkApart], recent[i]
		if to.BlockHeight <= from.BlockHeight {
			return "", "", ""
		}
		ms = append(ms, float64(to.BlockTime.UTC().Sub(from.BlockTime.UTC()).Milliseconds())/float64(to.BlockHeight-from.BlockHeight))
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
	minutes := recent[len(recent)-1].BlockTime.UTC().Sub(recent[0].BlockTime.UTC()).Minutes()
	pace = fmt.Sprintf("Block time, last %.0f min: %.0f to %.0f ms", max(1, math.Round(minutes)), low, high)
	if low == high {
		pace = fmt.Sprintf("Block time, last %.0f min: %.0f ms", max(1, math.Round(minutes)), low)
	}
	return b.String(), fmt.Sprintf("%sL%.0f %dL0 %dZ", b.String(), sparkWidth, sparkFloor, sparkFloor), pace
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

// clock is a moment where there is little room, beside one that has its year.
func clock(t *mip.Time) string { return t.UTC().Format("2 Jan, 15:04 UTC") }

// counted groups the digits of a height.
func counted(n uint64) string {
	const most = 1<<63 - 1
	return thousands(int(min(n, most)))
}

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
	for range len(p.discussed(all)) - len(out) {
		out = append(out, hotRow{Replies: "–", Last: "–"})
	}
	return out
}

// next is the upgrade whose next activation comes first, those without a time last; when all are over it is
// the latest. nil when there is none. upgrades are the newest first.
func (p *Pages) next(upgrades []upgradeView) *nextUpgrade {
	if len(upgrades) == 0 {
		return nil
	}
	heading, best := "Latest upgrade", upgrades[0]
	var soonest *int64
	for _, u := range slices.Backward(upgrades) {
		if u.Fork.Status == "active" {
			continue
		}
		t := pending(u.Fork, u.reached)
		if heading == "Latest upgrade" || t != nil && (soonest == nil || *t < *soonest) {
			heading, best, soonest = "Next upgrade", u, t
		}
	}
	return &nextUpgrade{best, heading, p.upgradeSteps(best)}
}

// pending is the first time of activation that has not come, nil when none is set.
func pending(f mip.HardFork, reached func(string) bool) *int64 {
	var first *int64
	for id, a := range f.Activation {
		if a.Timestamp != nil && !reached(id) && (first == nil || *a.Timestamp < *first) {
			first = a.Timestamp
		}
	}
	return first
}

// upgradeSteps are the networks in the order in which they switch: by time, those without one last, and
// of those the first of the site, which is the main network, after the others.
func (p *Pages) upgradeSteps(u upgradeView) []upgradeStep {
	networks := slices.Clone(p.info.Networks)
	slices.Reverse(networks)
	slices.SortStableFunc(networks, func(a, b mip.Network) int {
		x, y := u.Fork.Activation[a.ID].Timestamp, u.Fork.Activation[b.ID].Timestamp
		switch {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return 1
		case y == nil:
			return -1
		}
		return cmp.Compare(*x, *y)
	})
	out := make([]upgradeStep, 0, len(networks))
	open := true // no step before was yet to come
	for _, n := range networks {
		s := upgradeStep{ID: n.ID, Name: n.Name, Class: "s-draft", When: "to be set"}
		a := u.Fork.Activation[n.ID]
		if a.Timestamp != nil {
			s.When = dayOf(new(mip.NewTime(time.Unix(*a.Timestamp, 0))))
			if *a.Timestamp == 0 {
				s.When = "from the start"
			}
		}
		if u.reached(n.ID) {
			s.Class = "s-final done"
		} else if open {
			s.Class, s.Now, open = "s-last-call now", true, false
		}
		out = append(out, s)
	}
	return out
}

// judged are the upgrades as they stood at the moment of the figures, or else of the newest change: the
// later of the two, since what was active then is active.
func (p *Pages) judged(all []mip.Summary) []upgradeView {
	newest := newestChange(all)
	at := func(id string) time.Time {
		var t time.Time
		for _, m := range []*mip.Time{newest, p.snapshot.Clock(id)} {
			if m != nil && m.UTC().After(t) {
				t = m.UTC()
			}
		}
		return t
	}
	out := p.upgrades(all)
	for i, u := range out {
		if p.snapshot != nil && u.Fork.Status != "active" {
			out[i].Fork.Status = u.Fork.StatusAt(p.info.Networks, at)
		}
		out[i].reached = func(id string) bool { return u.Fork.Activation[id].Reached(at(id)) }
	}
	return out
}
