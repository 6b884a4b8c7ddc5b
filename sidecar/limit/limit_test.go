package limit

import (
	"context"
	"errors"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/sethvargo/go-limiter"

	"github.com/mipwatch/mipwatch/internal/api"
)

// fakeStore refuses until a given time, as a store does after the clock was set.
type fakeStore struct {
	limiter.Store
	end uint64
	set int
}

func (f *fakeStore) Take(
	context.Context, string,
) (tokens, remaining, end uint64, ok bool, err error) {
	if f.set > 0 {
		return 10, 9, uint64(time.Now().Add(Window).UnixNano()), true, nil
	}
	return 10, 0, f.end, false, nil
}

func (f *fakeStore) Set(context.Context, string, uint64, time.Duration) error {
	f.set++
	return nil
}

// A wrong clock shuts a caller out for at most a window.
func TestLimitAfterClockJump(t *testing.T) {
	at := func(d time.Duration) uint64 { return uint64(time.Now().Add(d).UnixNano()) }
	for name, c := range map[string]struct {
		end   uint64
		again bool
	}{
		"in this window":   {at(30 * time.Second), false},
		"far ahead":        {at(time.Hour), true},
		"long past":        {at(-time.Hour), true},
		"beyond all dates": {1 << 63, true},
		"never":            {0, true},
	} {
		f := &fakeStore{end: c.end}
		l := &Limit{Config: Config{PerWindow: 10}, store: f}
		room, err := l.Take(t.Context(), netip.Addr{}, "")
		left := room.Left
		if refused, is := errors.AsType[*api.HTTPError](err); is {
			left = refused.RetryAfter
		}
		if (f.set == 1) != c.again || (err == nil) != c.again || left <= 0 || left > Window ||
			c.again && room.Remaining != 9 {
			t.Errorf("%s: %+v, %v after %d resets", name, room, err, f.set)
		}
	}
}

// The third of two requests is refused. A closed limit refuses nobody.
func TestLimit(t *testing.T) {
	l := New(Config{Name: "default", PerWindow: 2})
	take := func(caller string) error {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = caller
		_, err := l.Take(t.Context(), l.Caller(r), "")
		return err
	}
	for i, ok := range []bool{true, true, false, false} {
		err := take("192.0.2.1")
		if (err == nil) != ok {
			t.Errorf("request %d: %v, want ok %t", i, err, ok)
		}
		e, is := errors.AsType[*api.HTTPError](err)
		if !ok && (!is || e.Code != api.RateLimited || e.RetryAfter <= 0 || e.RetryAfter > Window) {
			t.Errorf("request %d: %+v", i, err)
		}
	}
	if err := take("192.0.2.2"); err != nil {
		t.Errorf("another caller: %v", err)
	}
	l.Close()
	l.Close()
	if err := take("192.0.2.1"); err != nil {
		t.Errorf("a closed limit: %v", err)
	}
}

// The memory for callers is bounded, however many there are: callers of one bucket share its limit.
func TestLimitOfManyCallers(t *testing.T) {
	l := New(Config{PerWindow: 1})
	defer l.Close()
	r := httptest.NewRequest("GET", "/", nil)
	admitted := 0
	for i := range 100_000 {
		caller := [16]byte{0x20, 1, byte(i >> 16), byte(i >> 8), byte(i)}
		r.RemoteAddr = netip.AddrFrom16(caller).String()
		if _, err := l.Take(t.Context(), l.Caller(r), ""); err == nil {
			admitted++
		}
	}
	// with so many callers about one bucket in five is empty
	if admitted > buckets || admitted < buckets*7/10 {
		t.Errorf("%d callers were let through once, want about one for each of %d buckets",
			admitted, buckets)
	}
}
