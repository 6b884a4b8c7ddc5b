package metrics

import (
	"sync/atomic"
	"time"
)

// bounds are the upper ends of the buckets: fine where the promises are, which are 2.5 s for one try at a
// host, 3 s for an answer and 8 s for one that a model makes.
var bounds = [...]time.Duration{
	time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 2500 * time.Millisecond, 3 * time.Second, 5 * time.Second, 8 * time.Second, 10 * time.Second,
}

// Durations is a histogram of times. The zero value is empty and ready. It is safe for concurrent use, and
// counting allocates nothing.
type Durations struct {
	buckets [len(bounds) + 1]atomic.Uint64 // the last one is beyond all bounds
	sum     atomic.Int64                   // nanoseconds
}

// Observe counts a duration. A negative one, which a clock can give, counts as none.
func (d *Durations) Observe(took time.Duration) {
	took = max(0, took)
	i := 0
	for i < len(bounds) && took > bounds[i] {
		i++
	}
	d.buckets[i].Add(1)
	d.sum.Add(int64(took))
}
