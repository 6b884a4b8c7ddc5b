package fetch_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/fetch"
)

// TestUnasked checks which failures report that nothing reached the host; TestAnswers has the
// others.
func TestUnasked(t *testing.T) {
	for name, c := range map[string]struct {
		base    string
		prepare func(*world)
		late    bool // the caller has no time left
	}{
		"paused": {address, func(w *world) { w.host.Pause(time.Minute) }, false},
		"breaker open": {address, func(w *world) {
			w.ours.Next(slicesRepeat(demo.Disconnect(), 5)...)
			for range 5 {
				w.host.Do(context.Background(), fetch.Request{})
			}
		}, false},
		"nobody listens": {"http://nobody.example", func(*world) {}, false},
		"too late":       {address, func(*world) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, c.base)
				c.prepare(w)
				calls := w.ours.Calls()
				left := time.Minute
				if c.late {
					left = -1
				}
				ctx, cancel := context.WithTimeout(t.Context(), left)
				defer cancel()
				_, err := w.host.Do(ctx, fetch.Request{})
				e, ok := errors.AsType[*fetch.Error](err)
				if !ok || !e.Unasked || w.ours.Calls() != calls {
					t.Errorf("Do: %v, want it unasked", err)
				}
			})
		})
	}
}
