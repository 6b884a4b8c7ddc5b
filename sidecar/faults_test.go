package sidecar_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar"
)

// took returns how long f takes on the bubble's clock.
func took(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// silence gives every host the same fault. Nil mends them.
func (w *world) silence(f demo.Fault) {
	w.forum.Always(f)
	w.main.Always(f)
	w.test.Always(f)
}

// Whichever way the hosts fail, a cold mip-watch answers in time, with its static parts and the
// errors.
func TestColdMIPWatchWhileAllFails(t *testing.T) {
	for name, f := range map[string]demo.Fault{
		"hang": demo.Hang(), "500": demo.Answer(500, nil, "broken"),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.silence(f)
				var got api.MIPWatch
				if d := took(func() {
					got = read[api.MIPWatch](w, w.get("/api/mip-watch"))
				}); d > 3*time.Second {
					t.Errorf("answered after %v", d)
				}
				if len(got.MIPs) != 3 || len(got.HardForks) != 1 || got.Errors["forum"] == "" ||
					got.Errors["networks"] == "" || len(got.Forum) != 0 ||
					got.Networks["mainnet"].Status != api.NetworkUnavailable {
					t.Errorf("mip-watch %+v", got)
				}
				if got.HardForks[0].Status != "active on testnet" ||
					got.Freshness.HardForks == nil || got.Freshness.Forum != nil ||
					got.Freshness.Networks != nil {
					t.Errorf("forks %+v, freshness %+v", got.HardForks, got.Freshness)
				}
				if log := w.log.String(); strings.Contains(log, "A-KEY") {
					t.Errorf("the log holds a key: %s", log)
				}
			})
		})
	}
}

// Without a cached topic the caller gets a coded problem, with one the topic, marked stale.
func TestForumFails(t *testing.T) {
	for name, c := range map[string]struct {
		fault demo.Fault
		cold  api.Code
		gone  bool // nothing older is served
	}{
		"504": {fault: demo.Hang(), cold: api.UpstreamTimeout},
		"502": {fault: demo.Answer(502,
			map[string][]string{"Content-Type": {"text/html"}}, "<html>secret words</html>"),
			cold: api.UpstreamUnavailable},
		"502, Retry-After": {fault: demo.Answer(429, map[string][]string{"Retry-After": {"15"}},
			`{"errors":["secret words"],"error_type":"rate_limit"}`),
			cold: api.UpstreamUnavailable},
		"404": {fault: demo.Answer(410, nil, `{"errors":["secret words"]}`),
			cold: api.NotFound, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.forum.Always(c.fault)
				var a *reply
				if d := took(func() {
					a = w.get("/api/forum-activity?topicId=399")
				}); d > 3*time.Second {
					t.Errorf("cold: answered after %v", d)
				}
				a.want(w, c.cold.Status()).problem(w, c.cold)
				if strings.Contains(string(a.body), "secret") {
					t.Errorf("the forum's words reached the caller: %s", a.body)
				}
				// The code stays the same however often the forum fails, also when the breaker is
				// open.
				for i := range 8 {
					w.get(fmt.Sprint("/api/forum-activity?topicId=",
						[]int{400, 401, 500}[i%3])).want(w, c.cold.Status())
					time.Sleep(11 * time.Second)
				}
				w.forum.Always(nil)
				time.Sleep(11 * time.Minute)
				w.get("/api/forum-activity?topicId=399").want(w, 200)
				w.forum.Always(c.fault)
				time.Sleep(6 * time.Minute)
				if d := took(func() {
					a = w.get("/api/forum-activity?topicId=399")
				}); d > 3*time.Second {
					t.Errorf("warm: answered after %v", d)
				}
				if c.gone {
					a.want(w, 404)
					return
				}
				got := read[api.ForumActivity](w, a)
				if !got.Stale || time.Since(got.FetchedAt.UTC()) < 6*time.Minute {
					t.Errorf("stale answer %+v", got)
				}
				life := a.Header().Get("Netlify-CDN-Cache-Control")
				if strings.Contains(life, "max-age=300") || strings.Contains(life, "stale-while") {
					t.Errorf("a stale answer may be kept for %q", life)
				}
				time.Sleep(24 * time.Hour)
				w.get("/api/forum-activity?topicId=399").want(w, c.cold.Status())
			})
		})
	}
}

// Retry-After of a 429 is respected: no call before it is over, for ten minutes at most.
func TestForumSaysLater(t *testing.T) {
	bubble(t, func(w *world) {
		w.forum.Always(demo.Answer(429, map[string][]string{"Retry-After": {"86400"}}, ""))
		a := w.get("/api/forum-activity?topicId=399").want(w, 502)
		if a.Header().Get("Retry-After") != "600" {
			t.Errorf("Retry-After %q, want the ten minutes that are respected",
				a.Header().Get("Retry-After"))
		}
		calls := w.forum.Calls()
		for range 9 {
			time.Sleep(time.Minute)
			w.get("/api/forum-activity?topicId=399").want(w, 502)
			w.get("/api/forum-activity?topicId=400").want(w, 502)
			w.get("/api/mip-watch").want(w, 200)
		}
		if w.forum.Calls() != calls {
			t.Errorf("%d calls before the time was up", w.forum.Calls()-calls)
		}
		w.forum.Always(nil)
		time.Sleep(61 * time.Second)
		w.get("/api/forum-activity?topicId=399").want(w, 200)
	})
}

// A caller that enumerates all topics cannot load the forum through the sidecar, and linked topics
// stay fresh.
func TestEnumeration(t *testing.T) {
	bubble(t, func(w *world) {
		var mu sync.Mutex
		var calls []time.Time // for unlinked topics
		w.forum.Always(func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
			if !strings.HasPrefix(r.URL.Path, "/t/399.") && !strings.Contains(r.URL.Path,
				"topic-401") && !strings.HasPrefix(r.URL.Path, "/t/401.") {
				mu.Lock()
				calls = append(calls, time.Now())
				mu.Unlock()
			}
			next.ServeHTTP(rw, r)
		})
		refused, linked := 0, 0
		for i := range 2_000 {
			w.from = fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255)
			a := w.get(fmt.Sprintf("/api/forum-activity?topicId=%d", 1000+i))
			if a.Code == 429 {
				refused++
				if a.Header().Get("Retry-After") == "" {
					t.Fatal("429 without Retry-After")
				}
				a.problem(w, api.RateLimited)
			}
			if i%100 == 0 {
				got := read[api.ForumActivity](w, w.get("/api/forum-activity?topicId=399"))
				if got.Stale {
					t.Fatalf("request %d: the linked topic is stale", i)
				}
				linked++
			}
			time.Sleep(60 * time.Millisecond) // two minutes in all
		}
		if refused < 1900 || linked != 20 {
			t.Errorf("%d refused, %d linked", refused, linked)
		}
		for i, at := range calls {
			if i >= 20 && at.Sub(calls[i-20]) < time.Minute {
				t.Fatalf("21 calls within %v", at.Sub(calls[i-20]))
			}
		}
		if len(calls) < 36 || len(calls) > 60 {
			t.Errorf("%d calls in two minutes, want about 40", len(calls))
		}
	})
}

// 500 callers miss one key, and the first one cancels.
func TestManyCallersOneCall(t *testing.T) {
	bubble(t, func(w *world) {
		w.silence(demo.Delay(time.Second))
		first, hangUp := context.WithCancel(w.Context())
		var wg sync.WaitGroup
		good := make(chan int, 500)
		for i := range 500 {
			wg.Go(func() {
				r := httptest.NewRequest("GET", "/api/mip-watch", nil)
				r.RemoteAddr = fmt.Sprintf("10.0.%d.%d:1", i>>8, i&255)
				if i == 0 {
					r = r.WithContext(first)
				}
				rec := httptest.NewRecorder()
				w.sidecar.ServeHTTP(rec, r)
				if i != 0 {
					good <- rec.Code
				}
			})
		}
		synctest.Wait()
		hangUp()
		wg.Wait()
		close(good)
		for code := range good {
			if code != 200 {
				t.Fatalf("a caller got %d", code)
			}
		}
		for _, s := range []*demo.Script{w.forum, w.main.Script, w.test.Script} {
			seen := map[string]int{}
			for _, r := range s.Requests() {
				seen[r]++
			}
			for r, n := range seen {
				if s == w.forum && n > 1 || n > 3 { // a head takes three calls
					t.Errorf("%s was asked %d times", r, n)
				}
			}
		}
	})
}

// A falling height is shown as given. A head that does not advance is stale.
func TestHeads(t *testing.T) {
	bubble(t, func(w *world) {
		head := func() api.NetworkStatus {
			return read[api.NetworkInfo](w, w.get("/api/network-info")).Networks["mainnet"]
		}
		if h := head(); h.Regressed || *h.BlockHeight != 1000 {
			t.Errorf("head %+v", h)
		}
		w.main.chain.Reset(10)
		time.Sleep(6 * time.Second)
		if h := head(); !h.Regressed || *h.BlockHeight > 100 || h.Status != api.NetworkOK {
			t.Errorf("after a reset: %+v", h)
		}
		w.main.chain.Stall()
		for range 4 {
			time.Sleep(10 * time.Second)
			head()
		}
		if h := head(); !h.Stale || h.Status != api.NetworkStale {
			t.Errorf("standing still: %+v", h)
		}
	})
}

// A sidecar that is frozen and thawed, or whose clock jumps, reports right ages and asks again.
func TestClock(t *testing.T) {
	offset := time.Duration(0)
	bubble(t, func(w *world) {
		one := func() api.ForumActivity {
			return read[api.ForumActivity](w, w.get("/api/forum-activity?topicId=399"))
		}
		one()
		offset = time.Hour // thawed
		if got := one(); got.Stale || got.FetchedAt != mip.NewTime(time.Now().Add(offset)) ||
			w.forum.Calls() != 2 {
			t.Errorf("an hour later: %+v after %d calls", got, w.forum.Calls())
		}
		offset = -time.Hour
		if got := one(); got.Stale || got.FetchedAt.UTC().After(time.Now().Add(offset)) {
			t.Errorf("back by two hours: %+v", got)
		}
	}, func(c *sidecar.Config) { c.Now = func() time.Time { return time.Now().Add(offset) } })
}

// A function does nothing after its answer.
func TestFunctionEndsWithItsAnswer(t *testing.T) {
	bubble(t, func(w *world) {
		w.silence(demo.Hang())
		w.get("/api/mip-watch").want(w, 200)
		w.get("/api/forum-activity?topicId=400").want(w, 504)
		before := w.forum.Calls() + w.main.Calls() + w.test.Calls()
		time.Sleep(time.Hour)
		if after := w.forum.Calls() + w.main.Calls() + w.test.Calls(); after != before {
			t.Errorf("%d calls while frozen", after-before)
		}
	}, func(c *sidecar.Config) { c.Function = true })
}
