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

	"github.com/mipwatch/mipwatch/sidecar/index"
)

// TestPolling holds when a function without a snapshot reads its site: beside a request and never after
// its answer, each time until it knows something, and then once a minute, whatever the process has slept.
func TestPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		const takes = 100 * time.Millisecond
		var polls []time.Duration
		away := true
		p := &polling{
			next: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
			poller: index.Poller{
				Log:    slog.New(slog.DiscardHandler),
				Update: func(*index.Index) error { return nil },
				Load: func(context.Context) (*index.Index, error) {
					polls = append(polls, time.Since(began))
					time.Sleep(takes)
					if away {
						return nil, errors.New("away")
					}
					return &index.Index{}, nil
				},
			},
		}
		var answered []time.Duration
		ask := func(after time.Duration) {
			time.Sleep(after)
			p.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
			answered = append(answered, time.Since(began))
		}
		ask(0)
		ask(time.Second)
		away = false
		ask(time.Second)
		ask(time.Second)
		ask(pollEvery - time.Second - time.Millisecond)
		away = true
		ask(time.Millisecond)
		ask(time.Second)
		ask(time.Hour)
		want := []time.Duration{0, 1100 * time.Millisecond, 2200 * time.Millisecond, 62300 * time.Millisecond, 3663400 * time.Millisecond}
		if diff := cmp.Diff(want, polls); diff != "" {
			t.Errorf("read at (-want +got):\n%s", diff)
		}
		if last := answered[len(answered)-1]; last != polls[len(polls)-1]+takes {
			t.Errorf("answered at %v, before the reading of %v was over", last, polls[len(polls)-1])
		}
	})
}
