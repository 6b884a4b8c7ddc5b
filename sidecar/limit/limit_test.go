package limit

import (
	"errors"
	"net/http/httptest"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

// The third of two requests is refused, until the window ends.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Name: "default", PerWindow: 2})
		take := func(caller string) (Room, error) {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = caller
			return l.Take(t.Context(), l.Caller(r), "")
		}
		for range 2 {
			for i, ok := range []bool{true, true, false, false} {
				room, err := take("192.0.2.1")
				if (err == nil) != ok || ok && room != (Room{"default", "q=2;w=60", int64(1 - i), Window - time.Duration(i)*time.Second}) {
					t.Errorf("request %d: %+v, %v, want ok %t", i, room, err, ok)
				}
				e, is := errors.AsType[*api.HTTPError](err)
				if !ok && (!is || e.Code != api.RateLimited || e.RetryAfter != Window-time.Duration(i)*time.Second) {
					t.Errorf("request %d: %+v", i, err)
				}
				time.Sleep(time.Second)
			}
			if _, err := take("192.0.2.2"); err != nil {
				t.Errorf("another caller: %v", err)
			}
			time.Sleep(Window - 4*time.Second)
		}
	})
}

// A clock that was once wrong shuts a caller out for a window at most.
func TestLimitAfterClockJump(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for jump, again := range map[time.Duration]bool{
		-time.Second: true, -time.Hour: true, 0: false, Window - time.Second: false, Window: true, time.Hour: true,
	} {
		now := noon
		l := New(Config{PerWindow: 1, Now: func() time.Time { return now }})
		for range 2 {
			l.Take(t.Context(), netip.Addr{}, "")
		}
		now = noon.Add(jump)
		if _, err := l.Take(t.Context(), netip.Addr{}, ""); (err == nil) != again {
			t.Errorf("%s later: %v, want a new window: %t", jump, err, again)
		}
	}
}

// The memory for callers is bounded, however many there are: those of a bucket share its limit.
func TestLimitOfManyCallers(t *testing.T) {
	l := New(Config{PerWindow: 1})
	r := httptest.NewRequest("GET", "/", nil)
	admitted := 0
	for i := range 100_000 {
		r.RemoteAddr = netip.AddrFrom16([16]byte{0x20, 1, byte(i >> 16), byte(i >> 8), byte(i)}).String()
		if _, err := l.Take(t.Context(), l.Caller(r), ""); err == nil {
			admitted++
		}
	}
	if admitted > buckets || admitted < buckets*7/10 { // so many callers leave one bucket of five empty
		t.Errorf("%d callers were let through once, want about one for each of %d buckets", admitted, buckets)
	}
}
