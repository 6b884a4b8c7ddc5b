package chain

import "time"

const (
	// standsAfter is when a head counts as standing still.
	standsAfter = 30 * time.Second
	// standsBlocks is the same in blocks, for a chain of long block times.
	standsBlocks = 3

	// remember is how long a height counts as one seen before.
	remember = 24 * time.Hour
	// peaksMost bounds the memory of a chain that only falls.
	peaksMost = 64
)

// history is what was seen of a chain before. The zero value has seen nothing.
type history struct {
	height uint64
	since  time.Time // when height was first seen; zero: nothing was
	peaks  []sight   // each lower than the one before and seen later
}

// sight is a height that was seen.
type sight struct {
	height uint64
	at     time.Time
}

// add judges a head by what was seen before, and remembers it. It stands still when its height has
// been the same for a while as seen from here, or its block is older than that: 30 s or three block
// times, whichever is longer. It has regressed when a higher one was seen within 24 h. Times are wall
// times; when the clock was set back, the while begins anew.
func (h *history) add(seen head, now time.Time, blockTime time.Duration) head {
	if h.since.IsZero() || h.height != seen.height || now.Before(h.since) {
		h.height, h.since = seen.height, now
	}
	while := max(standsAfter, standsBlocks*blockTime)
	seen.stands = now.Sub(h.since) >= while || now.Sub(seen.time) > while

	for len(h.peaks) > 0 && h.peaks[len(h.peaks)-1].height <= seen.height {
		h.peaks = h.peaks[:len(h.peaks)-1]
	}
	for len(h.peaks) > 0 && now.Sub(h.peaks[0].at) > remember {
		h.peaks = h.peaks[1:]
	}
	seen.regressed = len(h.peaks) > 0
	if len(h.peaks) == peaksMost {
		h.peaks = h.peaks[:peaksMost-1]
	}
	h.peaks = append(h.peaks, sight{seen.height, now})
	return seen
}
