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
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// most returns the greatest number of calls in any minute.
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

// TestEnumeration requests many topics within minutes, in bursts and one by one, while linked
// topics are requested all the time. The budget counts outgoing requests, whatever the forum
// answers.
func TestEnumeration(t *testing.T) {
	redirects := func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		if strings.Contains(r.URL.Path, "/t/x/") {
			demo.Answer(404, nil, "{}")(w, r, nil)
			return
		}
		demo.Redirect("/t/x/"+strings.TrimPrefix(r.URL.Path, "/t/"))(w, r, nil)
	}
	for name, fault := range map[string]demo.Fault{"well": nil, "hangs": demo.Hang(),
		"500": demo.Answer(500, nil, ""), "redirects": redirects} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, true)
				w.script.Always(func(rw http.ResponseWriter, r *http.Request, h http.Handler) {
					if linked(r.URL.Path) || fault == nil {
						h.ServeHTTP(rw, r)
						return
					}
					fault(rw, r, h)
				})
				r := rand.New(rand.NewPCG(1, 2))
				var all sync.WaitGroup
				busy := atomic.Int32{}
				const first, topics = 1000, 2000
				for id := first; id < first+topics; {
					burst := 1 << r.IntN(10)
					for range min(burst, first+topics-id) {
						id++
						topic := id
						all.Go(func() {
							ctx, cancel := context.WithTimeout(t.Context(), timing.Ask)
							defer cancel()
							_, err := w.Other(ctx, topic)
							if kindOf(t, err) != "busy" {
								return
							}
							busy.Add(1)
							e, _ := errors.AsType[*api.HTTPError](err)
							if e.RetryAfter <= 0 || e.RetryAfter > time.Minute {
								t.Errorf("topic %d: again in %v", topic, e.RetryAfter)
							}
						})
					}
					for id := range 20 {
						if a, err := w.Linked(t.Context(), id+1); err != nil || a.Stale {
							t.Errorf("linked topic %d: %v, stale %t", id+1, err, a.Stale)
						}
					}
					time.Sleep(
						time.Duration(
							r.Int64N(int64(time.Duration(burst) * 120 * time.Millisecond))))
				}
				all.Wait()
				others := slices.DeleteFunc(w.asked(), func(c call) bool { return linked(c.path) })
				if n := most(others); n > 20 || n < 15 && name == "well" {
					t.Errorf("%d calls in some minute, want 20 at most", n)
				}
				if n := busy.Load(); n < topics*9/10 && name == "well" {
					t.Errorf("%d of %d topics were refused", n, topics)
				}
			})
		})
	}
}

// linked reports whether a path is of a topic from 1 to 20.
func linked(path string) bool {
	id, err := strconv.Atoi(strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ".json"))
	return err == nil && id <= 20
}

// TestOther checks that a cached answer is returned when the budget is used up, and that a refusal
// is not cached.
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
		time.Sleep(busy.RetryAfter - time.Nanosecond)
		if _, err := w.Other(t.Context(), 399); kindOf(t, err) != "busy" {
			t.Errorf("before the time is up: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if a, err := w.Other(t.Context(), 399); err != nil || a.Value.Posts != 12 {
			t.Errorf("when the time is up: %v", err)
		}
		w.wantCalls(t, 22)

		// everything is old, and the first 20 requests use up the budget
		time.Sleep(5 * time.Minute)
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

// TestOtherKept checks that enumerating topics while the forum is paused does not evict cached
// answers.
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
		a, err := w.Other(t.Context(), 399)
		if err != nil || !a.Value.Stale || kindOf(t, a.Err) != "unavailable" {
			t.Errorf("%v, stale %t because of %v, want the older one", err, a.Value.Stale, a.Err)
		}
	})
}

// TestOtherWaiting checks that enumerating topics of a slow forum is refused at once when as many
// calls wait as the budget allows, and does not evict cached answers.
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
				_, err := w.Other(t.Context(), 1000+id)
				if kindOf(t, err) == "busy" && time.Since(start) == 0 {
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

// TestLanes checks that other topics neither delay nor block requests for linked ones.
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
		_, err := w.Other(t.Context(), 1)
		if kindOf(t, err) != "timeout" || !strings.Contains(err.Error(), "in a row") {
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
				_, err := w.Linked(t.Context(), id+1)
				if kindOf(t, err) != "timeout" && kindOf(t, err) != "unavailable" {
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
