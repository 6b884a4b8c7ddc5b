package fetch_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/fetch"
)

func TestDurations(t *testing.T) {
	var d fetch.Durations
	for _, took := range []time.Duration{-time.Second, time.Millisecond, time.Millisecond + 1, 3 * time.Second, time.Minute} {
		d.Observe(took)
	}
	count, sum, buckets := d.Histogram()
	want := map[float64]uint64{
		0.001: 2, 0.005: 3, 0.025: 3, 0.1: 3, 0.25: 3, 0.5: 3, 1: 3, 2: 3, 2.5: 3, 3: 4, 5: 4, 8: 4, 10: 4,
	}
	if diff := cmp.Diff(want, buckets); diff != "" || count != 5 || sum != 63.002000001 {
		t.Errorf("%d durations of %v s (-want +got):\n%s", count, sum, diff)
	}
}
