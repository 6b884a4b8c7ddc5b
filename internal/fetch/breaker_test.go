package fetch_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/fetch"
)

// ask makes one call and returns the kind of its error and the RetryAfter of that error.
func (w *world) ask(t *testing.T) (string, time.Duration) {
	t.Helper()
	_, err := w.host.Do(t.Context(), fetch.Request{Once: true})
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		return kind(t, err), 0
	}
	return kind(t, err), e.RetryAfter
}

func TestPause(t *testing.T) {
	in := func(d time.Duration) func() http.Header {
		return func() http.Header {
			return http.Header{"Retry-After": {time.Now().Add(d).UTC().Format(http.TimeFormat)}}
		}
	}
	text := func(s string) func() http.Header {
		return func() http.Header { return http.Header{"Retry-After": {s}} }
	}
	tests := []struct {
		name       string
		status     int
		header     func() http.Header
		retryAfter time.Duration // RetryAfter of the error
		lasts      time.Duration
	}{
		{"seconds", 429, text("15"), 15 * time.Second, 15 * time.Second},
		{"a date", 429, in(90 * time.Second), 90 * time.Second, 90 * time.Second},
		{"an hour", 429, text("3600"), 10 * time.Minute, 10 * time.Minute},
		{"a date in a year", 429, in(365 * 24 * time.Hour), 10 * time.Minute, 10 * time.Minute},
		{"nothing", 429, text(""), 10 * time.Second, 10 * time.Second},
		{"now", 429, text("0"), 0, time.Second},
		{"twenty digits", 429, text("99999999999999999999"), 10 * time.Second, 10 * time.Second},
		{"words", 429, text("soon"), 10 * time.Second, 10 * time.Second},
		{"negative", 429, text("-5"), 10 * time.Second, 10 * time.Second},
		{"a fraction", 429, text("1.5"), 10 * time.Second, 10 * time.Second},
		{"503", 503, text("15"), 15 * time.Second, 15 * time.Second},
		{"503 without", 503, text(""), 0, 0},
		{"500 with", 500, text("15"), 15 * time.Second, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, address)
				w.ours.Next(demo.Answer(tt.status, tt.header(), "words"))
				if got, wait := w.ask(t); got != "unavailable" || wait != tt.retryAfter {
					t.Errorf("%s, again in %v, want unavailable and %v", got, wait, tt.retryAfter)
				}
				if tt.lasts > 0 {
					time.Sleep(tt.lasts - time.Millisecond)
					got, wait := w.ask(t)
					if got != "unavailable" || wait != time.Millisecond || w.ours.Calls() != 1 {
						t.Errorf("before the time is up: %s, again in %v, %d calls", got, wait,
							w.ours.Calls())
					}
					time.Sleep(time.Millisecond)
				}
				if got, _ := w.ask(t); got != "" || w.ours.Calls() != 2 {
					t.Errorf("when the time is up: %q, %d calls", got, w.ours.Calls())
				}
			})
		})
	}
	t.Run("by the caller", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, address)
			for _, d := range []time.Duration{30 * time.Second, 5 * time.Second, -time.Hour} {
				w.host.Pause(d) // the longest one holds
			}
			if got, wait := w.ask(t); got != "unavailable" || wait != 30*time.Second {
				t.Errorf("%s, again in %v", got, wait)
			}
			w.host.Pause(time.Hour)
			if _, wait := w.ask(t); wait != 10*time.Minute {
				t.Errorf("again in %v, want at most 10 min", wait)
			}
			w.clock = -time.Hour
			if _, wait := w.ask(t); wait != 10*time.Minute {
				t.Errorf("clock set back an hour: again in %v, want at most 10 min", wait)
			}
			w.clock = 0
			if got, _ := w.ask(t); got != "" {
				t.Errorf("clock set forth an hour: %s", got)
			}
		})
	})
	// A pause during a call stops its retry, too.
	t.Run("during a retry", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, address)
			w.ours.Next(demo.Answer(500, nil, ""))
			time.AfterFunc(100*time.Millisecond, func() { w.host.Pause(time.Minute) })
			_, err := w.host.Do(t.Context(), fetch.Request{})
			if kind(t, err) != "unavailable" || w.ours.Calls() != 1 {
				t.Errorf("%v, %d calls", err, w.ours.Calls())
			}
		})
	})
}

func TestBreaker(t *testing.T) {
	faults := map[string]demo.Fault{
		"500": demo.Answer(500, nil, ""), "hang": demo.Hang(), "truncated": demo.Truncated(),
		"too large": demo.Huge(1 << 20), "foreign": demo.Redirect("http://foreign.example"),
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, address)
				calls := func(want int) {
					t.Helper()
					if got := w.ours.Calls(); got != want {
						t.Errorf("%d calls, want %d", got, want)
					}
				}
				w.ours.Next(fault, fault, fault, fault, nil)
				for range 5 {
					w.ask(t)
				}
				calls(5) // four failures and a success reset the count
				w.ours.Always(fault)
				for range 5 {
					w.ask(t)
				}
				calls(10)
				// as the failures were
				kind := map[bool]string{true: "timeout", false: "unavailable"}[name == "hang"]
				if got, wait := w.ask(t); got != kind || wait != 30*time.Second {
					t.Errorf("open: %q, again in %v, want %q", got, wait, kind)
				}
				time.Sleep(30*time.Second - time.Nanosecond)
				w.ask(t)
				calls(10)

				// Half open: one of many callers probes the host, without a retry.
				time.Sleep(time.Nanosecond)
				var all sync.WaitGroup
				for range 20 {
					all.Go(func() { w.host.Do(t.Context(), fetch.Request{}) })
				}
				all.Wait()
				calls(11)
				time.Sleep(30*time.Second - time.Nanosecond)
				w.ask(t)
				calls(11)

				time.Sleep(time.Nanosecond)
				w.ours.Always(nil)
				for range 2 {
					if got, _ := w.ask(t); got != "" {
						t.Errorf("well again: %s", got)
					}
				}
				calls(13)
			})
		})
	}
}

// TestNoFailure checks which calls do not open the breaker.
func TestNoFailure(t *testing.T) {
	tests := map[string]func(*world, context.Context){
		"404": func(w *world, ctx context.Context) {
			w.ours.Next(demo.Answer(404, nil, ""))
			w.host.Do(ctx, fetch.Request{})
		},
		"429": func(w *world, ctx context.Context) {
			w.ours.Next(demo.Answer(429, nil, ""))
			w.host.Do(ctx, fetch.Request{})
			time.Sleep(10 * time.Second)
		},
		"cancelled before": func(w *world, ctx context.Context) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			w.host.Do(ctx, fetch.Request{})
		},
		"too late before": func(w *world, ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, -1)
			defer cancel()
			w.host.Do(ctx, fetch.Request{})
		},
		"cancelled": func(w *world, ctx context.Context) {
			w.ours.Next(demo.Hang())
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			w.host.Do(ctx, fetch.Request{})
		},
		"cancelled between tries": func(w *world, ctx context.Context) {
			w.ours.Next(demo.Answer(500, nil, ""))
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(100*time.Millisecond, cancel)
			w.host.Do(ctx, fetch.Request{})
		},
	}
	for name, ask := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, address)
				for range 10 {
					ask(w, t.Context())
				}
				if got, _ := w.ask(t); got != "" {
					t.Errorf("the tenth time it is %s", got)
				}
				// Such a call does not decide as the probe, either.
				w.ours.Next(slicesRepeat(demo.Disconnect(), 5)...)
				for range 5 {
					w.ask(t)
				}
				time.Sleep(30 * time.Second)
				ask(w, t.Context())
				if got, _ := w.ask(t); got != "" {
					t.Errorf("after a call that said nothing it is %s", got)
				}
			})
		})
	}
}

func slicesRepeat(f demo.Fault, n int) []demo.Fault {
	all := make([]demo.Fault, n)
	for i := range all {
		all[i] = f
	}
	return all
}

// TestCancel checks whether a call that ended early counts against the host.
func TestCancel(t *testing.T) {
	for name, opens := range map[string]bool{"deadline": true, "overtaken": true, "left": false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, address)
			for range 5 {
				ctx, cancel := context.WithCancel(t.Context())
				switch name {
				case "deadline":
					ctx, cancel = context.WithTimeout(ctx, time.Second)
				case "overtaken":
					overtaken, overtake := context.WithCancelCause(ctx)
					ctx = overtaken
					time.AfterFunc(time.Second, func() { overtake(fetch.ErrTimeout) })
				default:
					time.AfterFunc(time.Second, cancel)
				}
				w.ours.Next(demo.Hang())
				start := time.Now()
				_, err := w.host.Do(ctx, fetch.Request{})
				if errors.Is(err, fetch.ErrTimeout) != opens ||
					errors.Is(err, context.Canceled) == opens || time.Since(start) != time.Second {
					t.Errorf("%s: %v after %v, want it after 1 s", name, err, time.Since(start))
				}
				cancel()
			}
			if got, wait := w.ask(t); (got == "timeout" && wait > 0) != opens {
				t.Errorf("%s: five times: then %q, want the breaker open: %t", name, got, opens)
			}
		})
	}
}

// TestBreakerAndClock checks that a clock which is set back does not keep the breaker open.
func TestBreakerAndClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, address)
		w.ours.Next(slicesRepeat(demo.Disconnect(), 5)...)
		for range 5 {
			w.ask(t)
		}
		w.clock = -24 * time.Hour
		if _, wait := w.ask(t); wait != 30*time.Second {
			t.Errorf("a day back: again in %v, want 30 s", wait)
		}
		time.Sleep(30 * time.Second)
		if got, _ := w.ask(t); got != "" {
			t.Errorf("30 s later: %s", got)
		}
	})
}

// TestBreakerThaws checks that a process which was frozen while the breaker was open asks again.
func TestBreakerThaws(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, address)
		w.ours.Next(slicesRepeat(demo.Disconnect(), 5)...)
		for range 5 {
			w.ask(t)
		}
		w.clock = 30*time.Second - 1 // no timer has run
		if got, wait := w.ask(t); got != "unavailable" || wait != 1 {
			t.Errorf("before the time is up: %q, again in %v", got, wait)
		}
		w.clock = 30 * time.Second
		if got, _ := w.ask(t); got != "" {
			t.Errorf("when the time is up: %s", got)
		}
	})
}

// TestManyFailAtOnce checks that failures of calls under way do not keep the breaker open longer.
func TestManyFailAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, address)
		w.ours.Always(demo.Hang())
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				w.host.Do(t.Context(),
					fetch.Request{Path: "/" + strings.Repeat("x", i), Once: true})
			})
		}
		all.Wait()
		calls := w.ours.Calls()
		w.ours.Always(nil)
		time.Sleep(30*time.Second - time.Nanosecond)
		if got, wait := w.ask(t); got != "timeout" || wait != 1 || w.ours.Calls() != calls {
			t.Errorf("%q, again in %v, %d calls after %d", got, wait, w.ours.Calls(), calls)
		}
		time.Sleep(time.Nanosecond)
		if got, _ := w.ask(t); got != "" {
			t.Errorf("then %s", got)
		}
	})
}
