package sidecar

import (
	"fmt"
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// The codes of a discrepancy.
const (
	activeNotFinal  = "active-not-final"
	finalNotActive  = "final-not-active"
	lastCallOverdue = "last-call-overdue"
)

// chainClock has the time of each network: that of its latest block if the head is fresh, else the wall clock's.
type chainClock struct {
	wall time.Time
	// blocks has the latest block by network id. Networks whose head is not fresh have none.
	blocks map[string]block
}

// block is the latest one of a network.
type block struct {
	time time.Time
	// stands says that the head stands still.
	stands bool
}

// newChainClock takes the times of fresh heads. A time ahead of wall counts as wall.
func newChainClock(heads map[string]api.NetworkStatus, wall time.Time) chainClock {
	c := chainClock{wall, map[string]block{}}
	for id, h := range heads {
		if h.BlockTime == nil || h.Error != nil || h.BlockTime.UTC().Unix() <= 0 {
			continue
		}
		b := block{h.BlockTime.UTC(), h.Stale}
		// A node whose clock is ahead must not activate a fork early.
		if wall.Before(b.time) {
			b.time = wall
		}
		c.blocks[id] = b
	}
	return c
}

// now returns the time at which the forks of a network are judged.
func (c chainClock) now(network string) time.Time {
	if b, ok := c.blocks[network]; ok {
		return b.time
	}
	return c.wall
}

// oldest returns the earliest time of a network.
func (c chainClock) oldest() time.Time {
	t := c.wall
	for _, b := range c.blocks {
		if b.time.Before(t) {
			t = b.time
		}
	}
	return t
}

// source says where a network's time comes from, for the message of a discrepancy.
func (c chainClock) source(network string) string {
	b, ok := c.blocks[network]
	switch {
	case !ok:
		return "judged by the clock at " + mip.NewTime(c.wall).String() + ", since it says no block now"
	case b.stands:
		return "its head stands still at a block of " + mip.NewTime(b.time).String()
	}
	return "its latest block is of " + mip.NewTime(b.time).String()
}

// discrepancies lists where the texts and the chains disagree: a fork that is active while a proposal that it bundles
// is not Final, a proposal that is Final before its fork is active, and a last call whose deadline has passed.
// Activation counts on the main network, the first of the site, since test networks switch first. They are sorted by
// proposal, then in the order of the forks.
func discrepancies(x *index.Index, clock chainClock, now time.Time) []api.Discrepancy {
	out := []api.Discrepancy{}
	for _, m := range x.List.MIPs {
		if d, ok := overdue(m, now); ok {
			out = append(out, d)
		}
	}
	// A site without networks has no chain to disagree with.
	if len(x.Site.Networks) > 0 {
		main := x.Site.Networks[0]
		for _, f := range x.HardForks {
			for _, n := range f.BundledMIPs {
				if m, ok := mip.Find(x.List.MIPs, mip.ID{Kind: x.Site.Prefix, Number: n}); ok {
					if d, ok := disagree(m, f, main, clock); ok {
						out = append(out, d)
					}
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b api.Discrepancy) int { return *a.MIP - *b.MIP })
	return out
}

// overdue reports a last call whose last day is over in UTC.
func overdue(m mip.Summary, now time.Time) (api.Discrepancy, bool) {
	last := m.LastCallDeadline
	if m.Status != mip.LastCall || last.IsZero() || now.Before(last.Time().AddDate(0, 0, 1)) {
		return api.Discrepancy{}, false
	}
	return api.Discrepancy{MIP: &m.Number, Code: lastCallOverdue,
		Message: fmt.Sprintf("%s is in Last Call, and its deadline %s has passed.", m.ID, last)}, true
}

// disagree compares a proposal's status with its fork's on one network. A Living proposal may stay so in an active fork.
func disagree(m mip.Summary, f mip.HardFork, n mip.Network, clock chainClock) (api.Discrepancy, bool) {
	activation := f.Activation[n.ID]
	active := activation.Reached(clock.now(n.ID))
	d := api.Discrepancy{MIP: &m.Number, Hardfork: &f.Name, Network: &n.ID}
	switch {
	case active && m.Status != mip.Final && m.Status != mip.Living:
		status := "has no status"
		if m.Status != "" {
			status = "is " + m.Status.String()
		}
		d.Code = activeNotFinal
		const message = "%s is active on %s %s (%s), and %s, which it bundles, %s."
		d.Message = fmt.Sprintf(message, f.Name, n.ID, since(activation), clock.source(n.ID), m.ID, status)
	case !active && m.Status == mip.Final:
		when := "has no activation time"
		if activation.Time != nil {
			when = "activates at " + activation.Time.String()
		}
		d.Code = finalNotActive
		const message = "%s is Final, and %s, which bundles it, %s on %s (%s)."
		d.Message = fmt.Sprintf(message, m.ID, f.Name, when, n.ID, clock.source(n.ID))
	default:
		return api.Discrepancy{}, false
	}
	return d, true
}

// since says when a fork was activated.
func since(a mip.Activation) string {
	if *a.Timestamp == 0 || a.Time == nil {
		return "from the first block"
	}
	return "since " + a.Time.String()
}
