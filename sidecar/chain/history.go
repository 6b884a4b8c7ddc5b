package chain

import (
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// standsAfter is when a head counts as standing still.
	standsAfter = 30 * time.Second
	// standsBlocks is the same in blocks, for a chain of long block times.
	standsBlocks = 3

	// remember is how long a height counts as one seen before.
	remember = 24 * time.Hour
	// peaksMost bounds the memory of a chain that only falls.
	peaksMost = 64
	// recentMost is how many heads are kept for drawing: some minutes of them, where somebody looks all
	// the time.
	recentMost = 40
)

// history is what was seen of a chain before. The zero value has seen nothing.
type history struct {
	height uint64
	since  time.Time // when height was first seen; zero: nothing was
	peaks  []sight   // each lower than the one before and seen later
	recent []api.Head
}

// sight is a height that was seen.
type sight struct {
	height uint64
	at     time.Time
}

// view is a head as it looks after those that were seen before.
type view struct {
	stands    bool
	regressed bool
	recent    []api.Head // not to be changed: others may read it
}

// add judges a head by what was seen before, and remembers it. It stands still when its height has
// been the same for a while as seen from here, or its block is older than that: 30 s or three block
// times, whichever is longer. It has regressed when a higher one was seen within 24 h. Times are wall
// times; when the clock was set back, the while begins anew.
func (h *history) add(seen head, now time.Time, blockTime time.Duration) view {
	if h.since.IsZero() || h.height != seen.height || now.Before(h.since) {
		h.height, h.since = seen.height, now
	}
	while := max(standsAfter, standsBlocks*blockTime)
	v := view{stands: now.Sub(h.since) >= while || now.Sub(seen.time) > while}

	for len(h.peaks) > 0 && h.peaks[len(h.peaks)-1].height <= seen.height {
		h.peaks = h.peaks[:len(h.peaks)-1]
	}
	for len(h.peaks) > 0 && now.Sub(h.peaks[0].at) > remember {
		h.peaks = h.peaks[1:]
	}
	v.regressed = len(h.peaks) > 0
	if len(h.peaks) == peaksMost {
		h.peaks = h.peaks[:peaksMost-1]
	}
	h.peaks = append(h.peaks, sight{seen.height, now})
	h.recent = h.follow(seen)
	v.recent = h.recent
	return v
}

// follow returns the recent heads with one more, in a list of its own: others may still read the old one. A
// chain that fell back begins anew.
func (h *history) follow(seen head) []api.Head {
	next := api.Head{BlockHeight: seen.height, BlockTime: mip.NewTime(seen.time)}
	switch n := len(h.recent); {
	case n > 0 && h.recent[n-1].BlockHeight == next.BlockHeight:
		return h.recent
	case n > 0 && h.recent[n-1].BlockHeight > next.BlockHeight:
		return []api.Head{next}
	}
	return append(slices.Clone(h.recent[max(0, len(h.recent)-recentMost+1):]), next)
}
