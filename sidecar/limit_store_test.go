package sidecar

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/sethvargo/go-limiter"
)

// fakeStore refuses with a moment that a clock which jumped would leave behind.
type fakeStore struct {
	limiter.Store
	reset uint64
	set   int
	err   error
}

func (f *fakeStore) Take(context.Context, string) (tokens, remaining, reset uint64, ok bool, err error) {
	if f.set > 0 {
		return 10, 9, uint64(time.Now().Add(limitWindow).UnixNano()), true, f.err
	}
	return 10, 0, f.reset, false, f.err
}

func (f *fakeStore) Set(context.Context, string, uint64, time.Duration) error {
	f.set++
	return nil
}

// A bucket whose window never comes is begun anew: without that a clock that was once wrong would shut
// a caller out for ever.
func TestLimitAfterClockJump(t *testing.T) {
	at := func(d time.Duration) uint64 { return uint64(time.Now().Add(d).UnixNano()) }
	for name, c := range map[string]struct {
		reset uint64
		again bool
	}{
		"in this window":  {at(30 * time.Second), false},
		"far ahead":       {at(time.Hour), true},
		"long past":       {at(-time.Hour), true},
		"beyond all time": {1 << 63, true},
		"never":           {0, true},
	} {
		f := &fakeStore{reset: c.reset}
		l := &limit{store: f, tokens: 10}
		remaining, reset, ok, err := l.count(t.Context(), "k")
		if err != nil || (f.set == 1) != c.again || ok != c.again || reset < 1 || reset > 60 || c.again && remaining != 9 {
			t.Errorf("%s: %d left, %d s, %t, %v after %d resets", name, remaining, reset, ok, err, f.set)
		}
	}
}

// The memory for callers is bounded, however many there are, and each still has its limit.
func TestLimitOfManyCallers(t *testing.T) {
	l, err := new(Sidecar).newLimit("default", requestsPerMinute)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	r := httptest.NewRequest("GET", "/", nil)
	take := func(a netip.Addr) bool { return l.take(discard{}, r, a) }
	first := netip.MustParseAddr("192.0.2.1")
	for range requestsPerMinute {
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
