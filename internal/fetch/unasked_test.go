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

// TestUnasked holds which failures say that nothing got to the host.
func TestUnasked(t *testing.T) {
	bad := demo.Answer(500, nil, "")
	for _, c := range []struct {
		name    string
		prepare func(*world)
		want    bool
	}{
		{"500", func(w *world) { w.ours.Always(bad) }, false},
		{"429", func(w *world) { w.ours.Always(demo.Answer(429, nil, "")) }, false},
		{"hangs up", func(w *world) { w.ours.Always(demo.Disconnect()) }, false},
		{"hangs", func(w *world) { w.ours.Always(demo.Hang()) }, false},
		{"paused", func(w *world) { w.host.Pause(time.Minute) }, true},
		{"breaker open", func(w *world) {
			w.ours.Next(slicesRepeat(demo.Disconnect(), 5)...)
			for range 5 {
				w.host.Do(context.Background(), fetch.Request{})
			}
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, address)
				c.prepare(w)
				_, err := w.host.Do(t.Context(), fetch.Request{})
				if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Unasked != c.want {
					t.Errorf("Do: %v, want unasked %t", err, c.want)
				}
			})
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, "http://nobody.example")
			_, err := w.host.Do(t.Context(), fetch.Request{})
			if e, ok := errors.AsType[*fetch.Error](err); !ok || !e.Unasked {
				t.Errorf("Do: %v, want it unasked", err)
			}
		})
	})
	t.Run("too late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, address)
			ctx, cancel := context.WithTimeout(t.Context(), -1)
			defer cancel()
			_, err := w.host.Do(ctx, fetch.Request{})
			if e, ok := errors.AsType[*fetch.Error](err); !ok || !e.Unasked || w.ours.Calls() != 0 {
				t.Errorf("Do: %v, want it unasked", err)
			}
		})
	})
}
