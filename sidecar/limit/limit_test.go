package limit

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

// A clock that was once wrong shuts a caller out for a window at most.
func TestLimitAfterClockJump(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		jump time.Duration
		ok   bool
		left time.Duration
	}{
		"in this window":   {30 * time.Second, false, 30 * time.Second},
		"in the next one":  {Window, true, Window},
		"far ahead":        {1000 * time.Hour, true, Window},
		"set back":         {-time.Second, true, Window},
		"far back":         {-1000 * time.Hour, true, Window},
		"beyond all dates": {1 << 62, true, Window},
	} {
		now := began
		l := New(Config{Now: func() time.Time { return now }, PerWindow: 10})
		caller := netip.MustParseAddr("192.0.2.1")
		for range 10 {
			l.takeOwn(caller)
		}
		now = began.Add(c.jump)
		remaining, left, ok := l.takeOwn(caller)
		if ok != c.ok || left != c.left || ok && remaining != 9 {
			t.Errorf("%s: %d left for %v, %t, want %v, %t", name, remaining, left, ok, c.left, c.ok)
		}
	}
}

// The memory for callers is bounded, however many there are, and each still has its limit.
func TestLimitOfManyCallers(t *testing.T) {
	l := New(Config{Now: time.Now, PerWindow: 120})
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	r := httptest.NewRequest("GET", "/", nil)
	take := func(a netip.Addr) bool { return l.Take(discard{}, r, a) == nil }
	first := netip.MustParseAddr("192.0.2.1")
	for range 120 {
		take(first)
	}
	before := heap()
	for i := range 300_000 {
		if !take(netip.AddrFrom16([16]byte{0x20, 1, byte(i >> 16), byte(i >> 8), byte(i)})) {
			t.Fatalf("caller %d is refused at its first request", i)
		}
	}
	if grown := heap() - before; grown > 24<<20 {
		t.Errorf("300,000 callers take %d MiB", grown>>20)
	}
	if take(first) {
		t.Error("the first caller is let through again")
	}
}

// discard is an answer that nobody reads.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
