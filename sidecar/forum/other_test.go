package forum_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// most is the greatest number of calls in any minute.
func most(calls []call) int {
	n := 0
	for i, c := range calls {
		end := i
		for end < len(calls) && calls[end].at.Sub(c.at) <= time.Minute {
			end++
		}
		n = max(n, end-i)
	}
	return n
}

// TestEnumeration asks for many topics within minutes, in bursts and one by one, while what proposals link to is looked
// at all the time.
func TestEnumeration(t *testing.T) {
	tests := map[string]demo.Fault{
		"well": nil, "hangs": demo.Hang(), "500": demo.Answer(500, nil, ""),
		"redirects": func(w http.ResponseWriter, r *http.Request, h http.Handler) {
			if strings.Contains(r.URL.Path, "/t/x/") {
				demo.Answer(404, nil, "{}")(w, r, h)
			} else {
				demo.Redirect("/t/x/"+strings.TrimPrefix(r.URL.Path, "/t/"))(w, r, h)
			}
		},
	}
	for name, fault := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, true)
				w.script.Always(func(rw http.ResponseWriter, r *http.Request, h http.Handler) {
					id, _ := strconv.Atoi(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1 : len(r.URL.Path)-len(".json")])
					if id > 20 && fault != nil {
						fault(rw, r, h)
						return
					}
					h.ServeHTTP(rw, r)
				})
				r := rand.New(rand.NewPCG(1, 2))
				var all sync.WaitGroup
				stop := make(chan struct{})
				all.Go(func() { // the linked topics
					for {
						for id := range 20 {
							start := time.Now()
							a, err := w.Linked(t.Context(), id+1)
							if d := time.Since(start); err != nil || a.Stale || d > answerMost {
								t.Errorf("linked topic %d: %v, stale %t, after %v", id+1, err, a.Stale, d)
							}
						}
						select {
						case <-stop:
							return
						case <-time.After(10 * time.Second):
						}
					}
				})
				const topics = 2_000
				kinds := map[string]int{}
				var mu sync.Mutex
				for id := 1000; id < 1000+topics; {
					burst := 1 << r.IntN(10)
					for range min(burst, 1000+topics-id) {
						id++
						topic := id
						all.Go(func() {
							start := time.Now()
							ctx, cancel := context.WithTimeout(t.Context(), timing.Ask)
							defer cancel()
							_, err := w.Other(ctx, topic)
							if d := time.Since(start); d > answerMost {
								t.Errorf("topic %d: an answer after %v", topic, d)
							}
							if busy, ok := errors.AsType[*api.HTTPError](err); ok && errors.Is(err, forum.ErrBusy) && (busy.RetryAfter <= 0 || busy.RetryAfter > time.Minute) {
								t.Errorf("topic %d: again in %v", topic, busy.RetryAfter)
							}
							mu.Lock()
							defer mu.Unlock()
							kinds[kindOf(t, err)]++
						})
					}
					time.Sleep(time.Duration(r.Int64N(int64(time.Duration(burst) * 120 * time.Millisecond))))
				}
				time.Sleep(10 * time.Second)
				close(stop)
				all.Wait()

				calls := w.asked()
				others := slices.DeleteFunc(calls, func(c call) bool {
					id, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(c.path, "/t/"), ".json"))
					return id != 0 && id <= 20
				})
				if n := most(others); n > 20 || n < 15 && name == "well" {
					t.Errorf("%d calls in some minute, want 20 at most", n)
				}
				if kinds["busy"] < topics*9/10 && name == "well" {
					t.Errorf("outcomes %v", kinds)
				}
				t.Logf("%d calls for %d topics, at most %d in a minute; outcomes %v", len(others), topics, most(others), kinds)
			})
		})
	}
}

// TestOther holds that what is at hand is given when the budget is used up, and that a refusal leaves
// nothing behind.
func TestOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		for id := range 20 {
			if _, err := w.Other(t.Context(), id+1); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		_, err := w.Other(t.Context(), 399)
		busy, ok := errors.AsType[*api.HTTPError](err)
		if !ok || busy.RetryAfter != 40*time.Second+1 || kindOf(t, err) != "busy" {
			t.Errorf("the 21st: %v, want busy for 40 s", err)
		}
		if a, err := w.Other(t.Context(), 1); err != nil || a.Stale {
			t.Errorf("one at hand: %v, stale %t", err, a.Stale)
		}
		if _, err, _ := w.linked(t); err != "" {
			t.Errorf("the same one, linked: %q", err)
		}
		time.Sleep(busy.RetryAfter)
		if a, err := w.Other(t.Context(), 399); err != nil || a.Value.Posts != 12 {
			t.Errorf("when the time is up: %v", err)
		}
		w.wantCalls(t, 22)

		time.Sleep(5 * time.Minute) // everything is old, and the first 20 use the budget up
		for id := range 20 {
			w.Other(t.Context(), 1000+id)
		}
		a, err := w.Other(t.Context(), 399)
		if err != nil || !a.Value.Stale || kindOf(t, a.Err) != "busy" {
			t.Errorf("an old one: %v, stale %t because of %v", err, a.Value.Stale, a.Err)
		}
		time.Sleep(time.Minute + time.Nanosecond)
		if _, err := w.Other(t.Context(), 2000); kindOf(t, err) != "not found" {
			t.Errorf("a minute later: %v", err)
		}
	})
}

// TestOtherKept holds that whoever enumerates topics while the forum is paused does not push out what
// is at hand.
func TestOtherKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.Other(t.Context(), 399)
		time.Sleep(5 * time.Minute)
		w.script.Next(demo.Answer(429, http.Header{"Retry-After": {"60"}}, ""))
		for id := range 3000 {
			if _, err := w.Other(t.Context(), 1000+id); kindOf(t, err) != "unavailable" {
				t.Fatalf("topic %d: %v", 1000+id, err)
			}
		}
		w.wantCalls(t, 2)
		if a, err := w.Other(t.Context(), 399); err != nil || !a.Value.Stale || kindOf(t, a.Err) != "unavailable" {
			t.Errorf("%v, stale %t because of %v, want the older one", err, a.Value.Stale, a.Err)
		}
	})
}

// TestOtherWaiting holds that whoever enumerates topics of a slow forum is refused at once when as many wait as the
// budget has, and does not push out what is at hand.
func TestOtherWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.Other(t.Context(), 399)
		time.Sleep(5 * time.Minute)
		w.script.Always(demo.Delay(2400 * time.Millisecond))
		var all sync.WaitGroup
		var refused atomic.Int32
		start := time.Now()
		for id := range 3000 {
			all.Go(func() {
				if _, err := w.Other(t.Context(), 1000+id); kindOf(t, err) == "busy" && time.Since(start) == 0 {
					refused.Add(1)
				}
			})
		}
		all.Wait()
		if n := refused.Load(); n != 2980 {
			t.Errorf("%d of 3000 were refused at once, want 2980", n)
		}
		if a, err := w.Other(t.Context(), 399); err != nil || a.Value.Posts != 12 {
			t.Errorf("what was at hand: %v", err)
		}
	})
}

// TestLanes holds that other topics keep linked ones neither waiting nor from being asked for.
func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.script.Always(func(rw http.ResponseWriter, r *http.Request, h http.Handler) {
			if r.URL.Path != "/t/399.json" {
				demo.Hang()(rw, r, h)
			}
			h.ServeHTTP(rw, r)
		})
		var all sync.WaitGroup
		for id := range 20 {
			all.Go(func() { w.Other(t.Context(), 1000+id) })
		}
		synctest.Wait()
		w.wantCalls(t, 2)
		start := time.Now()
		if _, err, _ := w.linked(t); err != "" || time.Since(start) != 0 {
			t.Errorf("while others hang: %q after %v", err, time.Since(start))
		}
		all.Wait()
		time.Sleep(8 * time.Second)
		if _, err := w.Other(t.Context(), 1); kindOf(t, err) != "timeout" || !strings.Contains(err.Error(), "in a row") {
			t.Errorf("%v, want the others' breaker open", err)
		}
		calls := len(w.asked())
		w.jump(5 * time.Minute)
		if a, err, _ := w.linked(t); err != "" || a.Stale {
			t.Errorf("after they failed: %q, stale %t", err, a.Stale)
		}
		w.wantCalls(t, calls+1)
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.script.Always(demo.Hang())
		var all sync.WaitGroup
		for id := range 20 {
			all.Go(func() {
				if _, err := w.Linked(t.Context(), id+1); kindOf(t, err) != "timeout" && kindOf(t, err) != "unavailable" {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		w.wantCalls(t, 4)
		all.Wait()
		time.Sleep(10 * time.Second)
		w.wantCalls(t, 8) // the breaker opened
	})
}
