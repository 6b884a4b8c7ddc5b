package chain

import (
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// A head counts as stalled after stalledAfter or stalledBlocks block times, whichever is
	// longer.
	stalledAfter  = 30 * time.Second
	stalledBlocks = 3

	// remember is the time for which an earlier height is remembered.
	remember = 24 * time.Hour
	// maxRecent bounds the heads kept for a chart: some minutes under constant requests.
	maxRecent = 40
)

// seen is a head compared with earlier ones.
type seen struct {
	head
	// stalled reports that the height does not change, or that the block is old.
	stalled bool
	// regressed reports that the chain was higher within 24 h: it was reset, or an endpoint is
	// behind.
	regressed bool
	// recent are the latest heads, this one last. Callers share the list and must not change it.
	recent []api.Head
}

// history records the heads seen earlier.
type history struct {
	blockTime time.Duration // between blocks; 0 means unknown
	height    uint64
	since     time.Time // when height was first seen; zero before the first head
	peak      uint64    // the highest height of the last 24 h
	peakAt    time.Time // when peak was last seen
	recent    []api.Head
}

// add compares a head with earlier ones, and records it. The head has stalled if its height has not
// changed for a while, or if its block is older than that. It has regressed if a higher one was
// seen within 24 h. Only the wall time of now counts; if the clock was set back, the period
// restarts.
func (h *history) add(new head, now time.Time) seen {
	now = now.Round(0)
	if h.since.IsZero() || h.height != new.height || now.Before(h.since) {
		h.height, h.since = new.height, now
	}
	while := max(stalledAfter, stalledBlocks*h.blockTime)
	stalled := now.Sub(h.since) >= while || now.Sub(new.time) > while

	regressed := new.height < h.peak && now.Sub(h.peakAt) <= remember
	if !regressed {
		h.peak, h.peakAt = new.height, now
	}
	h.recent = h.nextRecent(new)
	return seen{new, stalled, regressed, h.recent}
}

// nextRecent returns a new list of the recent heads with one more: others may still read the old
// list. A chain that fell back starts a new list.
func (h *history) nextRecent(new head) []api.Head {
	next := api.Head{BlockHeight: new.height, BlockTime: mip.NewTime(new.time)}
	switch n := len(h.recent); {
	case n > 0 && h.recent[n-1].BlockHeight == next.BlockHeight:
		return h.recent
	case n > 0 && h.recent[n-1].BlockHeight > next.BlockHeight:
		return []api.Head{next}
	}
	return append(slices.Clone(h.recent[max(0, len(h.recent)-maxRecent+1):]), next)
}
