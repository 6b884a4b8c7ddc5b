package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/sidecar/follow"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

// TestFollowing holds when a function without a snapshot looks at its site: beside a request and never after
// its answer, each time until it knows something, and then once a minute, whatever the process has slept.
func TestFollowing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		const takes = 100 * time.Millisecond
		var looks []time.Duration
		away := true
		f := &following{
			next: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
			follow: follow.Follower{
				Log:  slog.New(slog.DiscardHandler),
				Know: func(*knowledge.Knowledge) error { return nil },
				Load: func(context.Context) (*knowledge.Knowledge, error) {
					looks = append(looks, time.Since(began))
					time.Sleep(takes)
					if away {
						return nil, errors.New("away")
					}
					return &knowledge.Knowledge{}, nil
				},
			},
		}
		var answered []time.Duration
		ask := func(after time.Duration) {
			time.Sleep(after)
			f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			answered = append(answered, time.Since(began))
		}
		ask(0)
		ask(time.Second)
		away = false
		ask(time.Second)
		ask(time.Second)
		ask(lookEvery - time.Second - time.Millisecond)
		away = true
		ask(time.Millisecond)
		ask(time.Second)
		ask(time.Hour)
		want := []time.Duration{0, 1100 * time.Millisecond, 2200 * time.Millisecond, 62300 * time.Millisecond, 3663400 * time.Millisecond}
		if diff := cmp.Diff(want, looks); diff != "" {
			t.Errorf("looked at (-want +got):\n%s", diff)
		}
		if last := answered[len(answered)-1]; last != looks[len(looks)-1]+takes {
			t.Errorf("answered at %v, before the look of %v was over", last, looks[len(looks)-1])
		}
	})
}
