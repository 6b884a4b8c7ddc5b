package cache_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/cache"
)

// stubborn is a memory that has the same to say each time, whatever was seen or left.
type stubborn struct {
	*memory
	turns []cache.Turn // one after another, again and again
	n     int
}

func (s *stubborn) Claim(context.Context, string, cache.Claim) (cache.Turn, error) {
	s.n++
	return s.turns[(s.n-1)%len(s.turns)], nil
}

// TestShareUseless has a memory give records that are of no use again and again. The host is asked soon.
func TestShareUseless(t *testing.T) {
	record := func(age time.Duration, body string) cache.Turn {
		return cache.Turn{Record: fmt.Appendf(nil, "%016d%s", time.Now().Add(-age).UnixMilli(), body)}
	}
	for name, turns := range map[string]func() []cache.Turn{
		"unreadable": func() []cache.Turn { return []cache.Turn{{Record: []byte("x")}} },
		"empty":      func() []cache.Turn { return []cache.Turn{{Record: []byte{}}} },
		"not JSON":   func() []cache.Turn { return []cache.Turn{record(0, "{")} },
		"refused":    func() []cache.Turn { return []cache.Turn{record(0, `"bad"`)} },
		"old":        func() []cache.Turn { return []cache.Turn{record(time.Minute, `"v"`)} },
		"too old":    func() []cache.Turn { return []cache.Turn{record(48*time.Hour, `"v"`)} },
		"other each time": func() []cache.Turn {
			return []cache.Turn{{Record: []byte("x")}, record(time.Minute, `"v"`), record(0, "{")}
		},
		"now and then none": func() []cache.Turn { return []cache.Turn{{Record: []byte("x")}, {}, {}} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &stubborn{memory: newMemory(), turns: turns()}
				c := processes(t, 1, m)[0]
				for i := range 3 {
					asked := m.n
					var calls atomic.Int32
					e, err := c.Get(t.Context(), "k", fetched(&calls, 0, nil))
					if err != nil || e.Value != "value 1" || e.Stale || calls.Load() != 1 {
						t.Errorf("time %d: got %+v, %v, with %d calls; want the host's answer", i, e, err, calls.Load())
					}
					if n := m.n - asked; n > 10 {
						t.Errorf("time %d: the memory was asked %d times, want a few", i, n)
					}
					time.Sleep(20 * time.Second)
				}
			})
		})
	}
}
