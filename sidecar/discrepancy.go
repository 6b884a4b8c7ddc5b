package sidecar

import (
	"fmt"
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// chainClock has the time of each network: the time of its latest block if the head is fresh, else
// the wall clock.
type chainClock struct {
	wall  time.Time
	heads map[string]api.NetworkStatus
}

// block returns the time of the latest block of a network. ok is false if the head is not fresh.
func (c chainClock) block(network string) (t time.Time, ok bool) {
	h := c.heads[network]
	if h.BlockTime == nil || h.Error != nil || h.BlockTime.UTC().Unix() <= 0 {
		return c.wall, false
	}
	// A node whose clock is ahead must not activate a fork early.
	if t = h.BlockTime.UTC(); c.wall.Before(t) {
		t = c.wall
	}
	return t, true
}

// now returns the time at which the forks of a network are judged.
func (c chainClock) now(network string) time.Time {
	t, _ := c.block(network)
	return t
}

// minute is the format of a time in the message of a discrepancy, in UTC.
const minute = "2 Jan 2006, 15:04 UTC"

// source describes the source of a network's time, for the message of a discrepancy.
func (c chainClock) source(network string) string {
	t, ok := c.block(network)
	at := t.UTC().Format(minute)
	switch {
	case !ok:
		return "judged by the clock at " + at + ", since its head is not known"
	case c.heads[network].Stale:
		return "its head has not advanced since a block of " + at
	}
	return "its latest block is of " + at
}

// compare lists the present disagreements between texts and chains, sorted by proposal and then in
// the order of the forks, and counts what was compared; see [mip.Compare]. An overdue last call,
// whose last day is over in UTC, comes before the other discrepancies of its proposal.
func compare(c *catalog.Catalog, clock chainClock) ([]api.Discrepancy, *mip.Compared) {
	out := []api.Discrepancy{}
	for _, m := range c.List.MIPs {
		last := m.CommentsUntil()
		if last != nil && !clock.wall.Before(last.Time().AddDate(0, 0, 1)) {
			const text = "%s is in %s, and its deadline %s has passed."
			out = append(out, api.Discrepancy{
				ID: m.ID, MIP: mainNumber(c, m.ID), Code: "last-call-overdue",
				Message: fmt.Sprintf(text, m.ID, m.Status, last),
			})
		}
	}
	compared, found := mip.Compare(c.List.MIPs, mip.ID{Kind: c.Site.Prefix}, c.HardForks,
		c.Site.Networks)
	for _, d := range found {
		// A fork without an activation time on the network is not active there.
		if !d.Holds(d.Activation.Reached(clock.now(d.Network.ID))) {
			continue
		}
		now := api.Discrepancy{ID: d.ID, MIP: mainNumber(c, d.ID), Hardfork: &d.Fork, Code: d.Code,
			Message: clock.message(d)}
		if d.Network.ID != "" {
			now.Network = &d.Network.ID
		}
		out = append(out, now)
	}
	// A stable sort keeps the order of the forks of a proposal.
	slices.SortStableFunc(out, func(a, b api.Discrepancy) int { return a.ID.Compare(b.ID) })
	return out, &compared
}

// mainNumber is the number of a proposal of the main kind. It is nil for another kind, whose number
// would identify another proposal.
func mainNumber(c *catalog.Catalog, id mip.ID) *int {
	if id.Kind != c.Site.Prefix {
		return nil
	}
	return &id.Number
}

// message describes a disagreement with its evidence.
func (c chainClock) message(d mip.Disagreement) string {
	a, network, source := d.Activation, d.Network.ID, c.source(d.Network.ID)
	since := "from the first block"
	when := "has no activation time"
	if a.Time != nil {
		when = "activates on " + a.Time.UTC().Format(minute)
		if *a.Timestamp != 0 {
			since = "since " + a.Time.UTC().Format(minute)
		}
	}
	switch d.Code {
	case mip.ActiveNotFinal:
		return fmt.Sprintf("%s is active on %s %s (%s), and %s, which it bundles, is %s.",
			d.Fork, network, since, source, d.ID, d.Status)
	case mip.ActiveWithoutStatus:
		return fmt.Sprintf("%s is active on %s %s (%s), and %s, which it bundles, states "+
			"no status.",
			d.Fork, network, since, source, d.ID)
	case mip.FinalNotActive:
		return fmt.Sprintf("%s is %s, and %s, which bundles it, %s on %s (%s).",
			d.ID, d.Status, d.Fork, when, network, source)
	case mip.BundledNotPublished:
		return fmt.Sprintf("%s bundles %s, which is not published here.", d.Fork, d.ID)
	}
	return fmt.Sprintf("The text of %s says %q for %s, where %s %s.",
		d.ID, d.Stated, network, d.Fork, when)
}
