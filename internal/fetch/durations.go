package fetch

import (
	"sync/atomic"
	"time"
)

// bounds are the upper bounds of the buckets. They lie close around the time limits: 2.5 s for one try at a host, 3 s
// for a GET and 8 s for an answer that a model makes.
var bounds = [...]time.Duration{
	time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	500 * time.Millisecond, time.Second, 2 * time.Second, 2500 * time.Millisecond, 3 * time.Second, 5 * time.Second,
	8 * time.Second, 10 * time.Second,
}

// Durations is a histogram. The zero value is empty and ready. It is safe for concurrent use.
type Durations struct {
	// buckets do not add up; the last one is beyond all bounds.
	buckets [len(bounds) + 1]atomic.Uint64
	sum     atomic.Int64 // nanoseconds
}

// Observe counts a duration. A negative one, which a clock can give, counts as zero.
func (d *Durations) Observe(took time.Duration) {
	took = max(0, took)
	i := 0
	for i < len(bounds) && took > bounds[i] {
		i++
	}
	d.buckets[i].Add(1)
	d.sum.Add(int64(took))
}

// Histogram returns the number of durations, their sum in seconds, and for each bound in seconds the number of
// durations up to it.
func (d *Durations) Histogram() (count uint64, sum float64, buckets map[float64]uint64) {
	buckets = make(map[float64]uint64, len(bounds))
	for i, bound := range bounds {
		count += d.buckets[i].Load()
		buckets[bound.Seconds()] = count
	}
	count += d.buckets[len(bounds)].Load()
	return count, time.Duration(d.sum.Load()).Seconds(), buckets
}
