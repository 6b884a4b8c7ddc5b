package metrics_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/sidecar/metrics"
)

// TestWriter writes what needs escapes, and numbers of every form.
func TestWriter(t *testing.T) {
	var d metrics.Durations
	for _, took := range []time.Duration{-time.Second, time.Millisecond, time.Millisecond + 1, 3 * time.Second, time.Minute} {
		d.Observe(took)
	}
	var w metrics.Writer
	w.Family(metrics.Gauge, "a_gauge", "One line,\nand \\ another.")
	w.Sample(1)
	w.Sample(-2.5, "label", "a \"b\" \\ c\nd\xff", "none", "", "last", "ü")
	w.Sample(math.Inf(1), "none", "")
	w.Sample(1e15)
	w.Sample(1e21)
	w.Family(metrics.Histogram, "took_seconds", "Time.")
	w.Durations(&d, "route", "/x")
	const want = `# HELP a_gauge One line,\nand \\ another.
# TYPE a_gauge gauge
a_gauge 1
a_gauge{label="a \"b\" \\ c\nd�",last="ü"} -2.5
a_gauge +Inf
a_gauge 1000000000000000
a_gauge 1e+21
# HELP took_seconds Time.
# TYPE took_seconds histogram
took_seconds_bucket{route="/x",le="0.001"} 2
took_seconds_bucket{route="/x",le="0.005"} 3
took_seconds_bucket{route="/x",le="0.025"} 3
took_seconds_bucket{route="/x",le="0.1"} 3
took_seconds_bucket{route="/x",le="0.25"} 3
took_seconds_bucket{route="/x",le="0.5"} 3
took_seconds_bucket{route="/x",le="1"} 3
took_seconds_bucket{route="/x",le="2"} 3
took_seconds_bucket{route="/x",le="2.5"} 3
took_seconds_bucket{route="/x",le="3"} 4
took_seconds_bucket{route="/x",le="5"} 4
took_seconds_bucket{route="/x",le="8"} 4
took_seconds_bucket{route="/x",le="10"} 4
took_seconds_bucket{route="/x",le="+Inf"} 5
took_seconds_sum{route="/x"} 63.002000001
took_seconds_count{route="/x"} 5
`
	if diff := cmp.Diff(want, string(w.Bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestObserveIsFree holds that counting on the way of every request allocates nothing.
func TestObserveIsFree(t *testing.T) {
	var d metrics.Durations
	if n := testing.AllocsPerRun(100, func() { d.Observe(time.Second) }); n != 0 {
		t.Errorf("Observe allocates %v times", n)
	}
}
