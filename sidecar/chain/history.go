package chain

import (
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// stalledAfter and stalledBlocks are when a head counts as stalled, whichever is longer.
	stalledAfter  = 30 * time.Second
	stalledBlocks = 3

	// remember is how long a height counts as one seen before.
	remember = 24 * time.Hour
	// maxRecent is how many heads are kept for drawing: some minutes of them while somebody asks all the time.
	maxRecent = 40
)

// seen is a head compared with the ones before it.
type seen struct {
	head
	// stalled reports that the head does not move, or is old.
	stalled bool
	// regressed reports that the chain was higher within 24 h: it was reset, or an endpoint is behind.
	regressed bool
	// recent are the latest heads, this one last. Callers share the list and do not change it.
	recent []api.Head
}

// history is the heads that were seen before.
type history struct {
	blockTime time.Duration // between blocks; 0 means unknown
	height    uint64
	since     time.Time // when height was first seen; zero before the first head
	peak      uint64    // the highest of the last 24 h
	peakAt    time.Time // when peak was seen last
	recent    []api.Head
}

// add compares a head with the ones before it, and remembers it. It has stalled when its height has been the same for a
// while as seen from here, or its block is older than that. It has regressed when a higher one was seen within 24 h.
// Only the wall time of now counts; when the clock was set back, the while begins anew.
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

// nextRecent returns the recent heads with one more, in a list of its own: others may still read the old one. A chain
// that fell back begins anew.
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
