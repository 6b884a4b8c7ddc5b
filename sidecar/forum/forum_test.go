package forum_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/upstreamtest"
	"github.com/mipwatch/mipwatch/sidecar/api"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

const host = "forum.example"

// answerMost is how long any answer may take.
const answerMost = 3 * time.Second

// world is a forum and what it asks.
type world struct {
	*forum.Forum
	discourse *upstreamtest.Discourse
	script    *upstreamtest.Script
	foreign   *upstreamtest.Script
	network   *upstreamtest.Network
	log       bytes.Buffer

	mu    sync.Mutex
	clock time.Duration // how far the wall clock is set ahead
	calls []call
}

type call struct {
	path string
	at   time.Time
}

// newWorld is to be called in a bubble. There are the topics 1 to 20 and 399.
func newWorld(t *testing.T, detached bool) *world {
	t.Helper()
	w := &world{network: upstreamtest.NewNetwork(), discourse: upstreamtest.NewDiscourse(nil, theTopic())}
	t.Cleanup(w.network.Close)
	for id := range 20 {
		w.discourse.Set(upstreamtest.Topic{ID: id + 1, Title: fmt.Sprintf("Topic %d", id+1), Posts: 1, Participants: 1})
	}
	w.script = upstreamtest.NewScript(w.discourse)
	w.foreign = upstreamtest.NewScript(w.discourse)
	w.network.Serve("elsewhere.example", w.foreign)
	w.network.Serve(host, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.calls = append(w.calls, call{r.URL.Path, time.Now()})
		w.mu.Unlock()
		w.script.ServeHTTP(rw, r)
	}))
	var err error
	w.Forum, err = forum.New(forum.Config{
		BaseURL: "https://" + host, Transport: w.network, UserAgent: "test/1", Detached: detached, Now: w.now,
		Log: slog.New(slog.NewTextHandler(&w.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.clock)
}

// jump sets the wall clock, as freezing and thawing a process does: no timer runs.
func (w *world) jump(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock += d
}

func (w *world) asked() []call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

// wantCalls is how many HTTP requests the forum has got.
func (w *world) wantCalls(t *testing.T, want int) {
	t.Helper()
	if got := w.asked(); len(got) != want {
		t.Errorf("%d calls, want %d: %v", len(got), want, got)
	}
}

// theTopic is what the tests ask for mostly.
func theTopic() upstreamtest.Topic {
	now := time.Now()
	return upstreamtest.Topic{
		ID: 399, Title: "Repricing cold reads", Slug: "repricing-cold-reads", Posts: 12, Participants: 5, Likes: 7, Views: 340,
		Created: now.Add(-14 * 24 * time.Hour), LastPosted: now.Add(-3 * 24 * time.Hour),
	}
}

// kindOf says which of the promised errors it is.
func kindOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	kinds := map[string]error{"not found": forum.ErrNotFound, "busy": forum.ErrBusy, "timeout": upstream.ErrTimeout, "unavailable": upstream.ErrUnavailable}
	maps.DeleteFunc(kinds, func(_ string, e error) bool { return !errors.Is(err, e) })
	if len(kinds) > 1 {
		t.Errorf("%v is %v at once", err, kinds)
	}
	for kind := range kinds {
		return kind
	}
	return err.Error()
}

// linked asks for topic 399, which must not take too long, and gives the kinds of what went wrong.
func (w *world) linked(t *testing.T) (a forum.Answer, err, why string) {
	t.Helper()
	start := time.Now()
	a, e := w.Linked(t.Context(), 399)
	if d := time.Since(start); d > answerMost {
		t.Errorf("the answer took %v", d)
	}
	if e == nil {
		if a.Value.FetchedAt != mip.NewTime(a.At) || a.Value.Stale != a.Stale || a.Stale != (a.Err != nil) {
			t.Errorf("answer with fetchedAt %v and stale %t of an entry with %v, %t and %v", a.Value.FetchedAt, a.Value.Stale, a.At, a.Stale, a.Err)
		}
		if age := w.now().Sub(a.At); age < 0 {
			t.Errorf("answer from the future: %v", age)
		}
	}
	return a, kindOf(t, e), kindOf(t, a.Err)
}

func TestLinked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		start := time.Now()
		a, err, _ := w.linked(t)
		if err != "" {
			t.Fatal(err)
		}
		topic := theTopic()
		want := api.ForumActivity{
			TopicID: 399, Title: topic.Title, URL: "https://forum.example/t/repricing-cold-reads/399", ActivityScore: 49,
			Posts: 12, Replies: 11, Participants: 5, Views: 340, Likes: 7,
			CreatedAt: mip.NewTime(topic.Created), LastPostedAt: new(mip.NewTime(topic.LastPosted)), FetchedAt: mip.NewTime(start),
		}
		if d := cmp.Diff(want, a.Value, cmp.Comparer(func(a, b mip.Time) bool { return a == b })); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if !a.Next.Equal(start.Add(5 * time.Minute)) {
			t.Errorf("next %v, want in 5 min", a.Next)
		}

		topic.Posts = 13
		w.discourse.Set(topic)
		time.Sleep(5*time.Minute - 1)
		if a, _, _ := w.linked(t); a.Value.Posts != 12 || a.Stale {
			t.Errorf("within its lifetime: %d posts, stale %t", a.Value.Posts, a.Stale)
		}
		w.wantCalls(t, 1)
		time.Sleep(1)
		if a, _, _ := w.linked(t); a.Value.Posts != 13 || a.Stale {
			t.Errorf("after its lifetime: %d posts, stale %t", a.Value.Posts, a.Stale)
		}
		w.wantCalls(t, 2)
		for _, id := range []int{0, -1, -1 << 63} {
			if _, err := w.Linked(t.Context(), id); !errors.Is(err, forum.ErrNotFound) {
				t.Errorf("topic %d: %v", id, err)
			}
			if _, err := w.Other(t.Context(), id); !errors.Is(err, forum.ErrNotFound) {
				t.Errorf("topic %d: %v", id, err)
			}
		}
		w.wantCalls(t, 2)
		if got := w.script.Requests()[0]; got != "GET /t/399.json" {
			t.Errorf("asked %s", got)
		}
	})
}

// faults are the ways of a forum to misbehave, with what becomes of a caller.
func faults() map[string]struct {
	fault upstreamtest.Fault
	want  string
} {
	type row = struct {
		fault upstreamtest.Fault
		want  string
	}
	answer := upstreamtest.Answer
	page := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	topic := `{"id":399,"title":"T","posts_count":1,"views":1,"created_at":"2026-01-01T00:00:00Z"}`
	return map[string]row{
		"hangs":             {upstreamtest.Hang(), "timeout"},
		"drips":             {upstreamtest.Drip(topic, time.Second), "timeout"},
		"late":              {upstreamtest.Delay(10 * time.Second), "timeout"},
		"500":               {answer(500, nil, `{"status":500,"error":"Internal Server Error"}`), "unavailable"},
		"500 late":          {slow(2*time.Second, answer(500, nil, "")), "timeout"},
		"502 page":          {answer(502, page, "<html><head><title>502 Bad Gateway</title></head></html>"), "unavailable"},
		"503 read only":     {answer(503, nil, `{"errors":["The site is in read only mode."],"error_type":"read_only"}`), "unavailable"},
		"429":               {answer(429, nil, ""), "unavailable"},
		"page":              {upstreamtest.HTML(), "unavailable"},
		"challenge":         {answer(403, page, "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"), "unavailable"},
		"challenge as 200":  {answer(200, page, "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"), "unavailable"},
		"401":               {answer(401, nil, `{"errors":[]}`), "unavailable"},
		"418":               {answer(418, nil, `{}`), "unavailable"},
		"cut JSON":          {answer(200, nil, topic[:40]), "unavailable"},
		"truncated":         {upstreamtest.Truncated(), "unavailable"},
		"disconnects":       {upstreamtest.Disconnect(), "unavailable"},
		"wrong types":       {answer(200, nil, strings.Replace(topic, "399", `"399"`, 1)), "unavailable"},
		"another topic":     {answer(200, nil, strings.Replace(topic, "399", "400", 1)), "unavailable"},
		"two topics":        {answer(200, nil, topic+topic), "unavailable"},
		"null":              {answer(200, nil, "null"), "unavailable"},
		"nothing":           {answer(204, nil, ""), "unavailable"},
		"gzip bomb":         {upstreamtest.GzipBomb(), "unavailable"},
		"100 MB":            {upstreamtest.Huge(100 << 20), "unavailable"},
		"foreign redirect":  {upstreamtest.Redirect("https://elsewhere.example/t/399.json"), "unavailable"},
		"redirect from TLS": {upstreamtest.Redirect("http://forum.example/t/399.json"), "unavailable"},
		"redirect loop":     {upstreamtest.Loop(), "unavailable"},
		"redirect circle": {func(w http.ResponseWriter, r *http.Request, h http.Handler) {
			to := "/t/a/399.json"
			if r.URL.Path == to {
				to = "/t/399.json"
			}
			upstreamtest.Redirect(to)(w, r, h)
		}, "unavailable"},
		"404":        {answer(404, nil, `{"errors":["nothing"],"error_type":"not_found"}`), "not found"},
		"404 page":   {answer(404, page, "<html>"), "not found"},
		"410":        {answer(410, nil, `{"errors":["nothing"],"error_type":"not_found","extras":{"title":"Oops","html":"<div>","group":null}}`), "not found"},
		"403":        {answer(403, nil, `{"errors":["not for you"],"error_type":"invalid_access"}`), "not found"},
		"login only": {answer(403, nil, `{"errors":["log in"],"error_type":"not_logged_in"}`), "not found"},
		"a message":  {answer(200, nil, `{"archetype":"private_message"}`), "not found"},
	}
}

// slow is a fault that takes its time.
func slow(d time.Duration, f upstreamtest.Fault) upstreamtest.Fault {
	return func(w http.ResponseWriter, r *http.Request, h http.Handler) {
		upstreamtest.Delay(d)(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(w, r, h) }))
	}
}

// TestFaults asks a forum that misbehaves, with nothing at hand and with an older answer, as a server
// and as a function.
func TestFaults(t *testing.T) {
	for name, tt := range faults() {
		for _, detached := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, detached %t", name, detached), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, detached)
					w.script.Always(tt.fault)
					if _, err, _ := w.linked(t); err != tt.want {
						t.Errorf("cold: %q, want %q", err, tt.want)
					}
					time.Sleep(5 * time.Minute) // pauses are over, and breakers closed

					w.script.Always(nil)
					if _, err, _ := w.linked(t); err != "" {
						t.Fatalf("when all is well: %s", err)
					}
					then := w.now()
					time.Sleep(5 * time.Minute)
					w.script.Always(tt.fault)
					for range 3 {
						a, err, why := w.linked(t)
						switch {
						case tt.want == "not found":
							if err != tt.want || a.Value.TopicID != 0 {
								t.Errorf("gone: %q and topic %d, want it to be gone", err, a.Value.TopicID)
							}
						case err != "" || !a.Value.Stale || a.Value.Posts != 12 || why != tt.want && why != "unavailable" || !a.At.Equal(then):
							t.Errorf("%q with %+v because of %q, want the older one because of %q", err, a.Value, why, tt.want)
						}
						time.Sleep(time.Second)
					}
					if got := w.foreign.Calls(); got != 0 {
						t.Errorf("%d calls to a foreign host", got)
					}
					if strings.Contains(w.log.String(), "errors") || strings.Contains(w.log.String(), "<") {
						t.Errorf("log has what the forum said: %s", w.log.String())
					}
				})
			})
		}
	}
}

// TestKept holds that an old answer stands in for a day and no longer.
func TestKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.linked(t)
		w.network.Down(host, true)
		for range 47 {
			time.Sleep(30 * time.Minute)
			if a, err, why := w.linked(t); err != "" || why != "unavailable" || !a.Value.Stale {
				t.Errorf("within a day: %q because of %q", err, why)
			}
		}
		time.Sleep(30 * time.Minute)
		if _, err, _ := w.linked(t); err != "unavailable" {
			t.Errorf("after a day: %q", err)
		}
		time.Sleep(time.Minute)
		w.network.Down(host, false)
		if a, err, _ := w.linked(t); err != "" || a.Stale {
			t.Errorf("when it is back: %q, stale %t", err, a.Stale)
		}
	})
}

// TestWait holds that a forum which asks for a pause is not asked before it is over, for no topic.
func TestWait(t *testing.T) {
	after := func(s string) http.Header { return http.Header{"Retry-After": {s}} }
	text := http.Header{"Content-Type": {"text/plain"}}
	tests := []struct {
		name   string
		header http.Header
		body   string
		want   time.Duration
	}{
		{"JSON", nil, `{"errors":["Too many. Wait 15 seconds."],"error_type":"rate_limit","extras":{"wait_seconds":15,"time_left":"15 seconds"}}`, 15 * time.Second},
		{"Chinese JSON", nil, `{"errors":["请等待 15 秒后再试。"],"error_type":"rate_limit","extras":{"wait_seconds":15,"time_left":"15 秒"}}`, 15 * time.Second},
		{"JSON and field", after("40"), `{"extras":{"wait_seconds":15}}`, 40 * time.Second},
		{"text", text, "Slow down, you're making too many requests.\nPlease retry again in 4 seconds.\nError code: ip_10_secs_limit.\n", 4 * time.Second},
		{"text for a second", text, "Please retry again in 1 second.", time.Second},
		{"text and field", http.Header{"Content-Type": {"text/plain"}, "Retry-After": {"9"}}, "Please retry again in 4 seconds.", 9 * time.Second},
		{"an hour", after("3600"), "", 10 * time.Minute},
		{"a day in JSON", nil, `{"extras":{"wait_seconds":86400}}`, 10 * time.Minute},
		{"for ever in JSON", nil, `{"extras":{"wait_seconds":1e300}}`, 10 * time.Minute},
		{"a fraction", nil, `{"extras":{"wait_seconds":12.2}}`, 13 * time.Second},
		{"below zero", nil, `{"extras":{"wait_seconds":-12}}`, 10 * time.Second},
		{"no figure", nil, `{"extras":{"wait_seconds":"15"}}`, 10 * time.Second},
		{"page", http.Header{"Content-Type": {"text/html"}}, "<h1>429</h1>", 10 * time.Second},
		{"nothing", nil, "", 10 * time.Second},
	}
	for _, tt := range tests {
		for _, lane := range []string{"linked", "other"} {
			t.Run(tt.name+", "+lane, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, true)
					w.linked(t)
					time.Sleep(5 * time.Minute)
					w.script.Next(upstreamtest.Answer(429, tt.header, tt.body))
					if lane == "linked" {
						a, err, why := w.linked(t)
						if err != "" || !a.Value.Stale || why != "unavailable" || a.Next.Sub(w.now()) != tt.want {
							t.Errorf("%q, %q, next in %v, want an older answer and the next in %v", err, why, a.Next.Sub(w.now()), tt.want)
						}
					} else if a, err := w.Other(t.Context(), 1); kindOf(t, err) != "unavailable" || a.Next.Sub(w.now()) != tt.want {
						t.Errorf("%v, next in %v, want unavailable and %v", err, a.Next.Sub(w.now()), tt.want)
					}
					w.wantCalls(t, 2)
					time.Sleep(tt.want - time.Nanosecond)
					w.linked(t)
					w.Linked(t.Context(), 2)
					w.Other(t.Context(), 1)
					w.Other(t.Context(), 3)
					w.Resolve(t.Context(), "topic-4")
					w.wantCalls(t, 2)
					time.Sleep(time.Nanosecond)
					if a, err, _ := w.linked(t); err != "" || a.Stale {
						t.Errorf("when the time is up: %q, stale %t", err, a.Stale)
					}
					if _, err := w.Other(t.Context(), 1); err != nil {
						t.Errorf("when the time is up: %v", err)
					}
					w.wantCalls(t, 4)
				})
			})
		}
	}
}

// TestGone holds that what is not there is asked for once a minute, and an older answer dropped.
func TestGone(t *testing.T) {
	changes := map[string]func(*upstreamtest.Topic){
		"410": func(t *upstreamtest.Topic) { t.Deleted = true },
		"403": func(t *upstreamtest.Topic) { t.Private = true },
		"404": func(t *upstreamtest.Topic) { t.ID = 400 },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, true)
				w.linked(t)
				time.Sleep(5 * time.Minute)
				topic := theTopic()
				change(&topic)
				w.discourse = upstreamtest.NewDiscourse(nil, topic)
				w.script.Always(func(rw http.ResponseWriter, r *http.Request, _ http.Handler) { w.discourse.ServeHTTP(rw, r) })
				for range 60 {
					if _, err, _ := w.linked(t); err != "not found" {
						t.Errorf("%q", err)
					}
					time.Sleep(time.Second - time.Nanosecond)
				}
				w.wantCalls(t, 2)
				w.script.Always(upstreamtest.Answer(500, nil, ""))
				time.Sleep(time.Second)
				if _, err, _ := w.linked(t); err != "unavailable" {
					t.Errorf("then the forum is down: %q, want no figures of a topic that is gone", err)
				}
				time.Sleep(time.Minute)
				w.script.Always(nil)
				if a, err, _ := w.linked(t); err != "" || a.Stale {
					t.Errorf("it is there again: %q", err)
				}
			})
		})
	}
}

// TestFailuresStand holds how often a forum that fails is asked.
func TestFailuresStand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.script.Always(upstreamtest.Answer(404, http.Header{}, ""))
		w.script.Always(upstreamtest.Truncated())
		for range 10 {
			if _, err, _ := w.linked(t); err != "unavailable" {
				t.Errorf("%q", err)
			}
			time.Sleep(time.Second)
		}
		w.wantCalls(t, 1)
		if got := strings.Count(w.log.String(), "\n"); got != 1 || !strings.Contains(w.log.String(), "/t/399.json") {
			t.Errorf("log has %d lines, want one with the path: %s", got, w.log.String())
		}
		w.linked(t)
		w.wantCalls(t, 2)
	})
}

// TestOneCall holds that 500 callers of one topic make one call, whoever leaves.
func TestOneCall(t *testing.T) {
	for _, detached := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, detached)
			w.script.Always(upstreamtest.Delay(time.Second))
			first, leave := context.WithCancel(t.Context())
			var all sync.WaitGroup
			all.Go(func() {
				if _, err := w.Linked(first, 399); !errors.Is(err, context.Canceled) {
					t.Errorf("the one who left: %v", err)
				}
			})
			synctest.Wait()
			for i := range 499 {
				all.Go(func() {
					start := time.Now()
					a, err := w.Linked(t.Context(), 399)
					if err != nil || a.Value.Posts != 12 || time.Since(start) != time.Second {
						t.Errorf("caller %d: %d posts, %v", i, a.Value.Posts, err)
					}
				})
			}
			synctest.Wait()
			leave()
			all.Wait()
			w.wantCalls(t, 1)
		})
	}
}

// TestFunction holds that nothing runs after the answer where nothing may.
func TestFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		w.script.Next(upstreamtest.Answer(500, nil, ""), upstreamtest.Hang())
		w.script.Always(slow(2*time.Second, upstreamtest.Answer(500, nil, "")))
		w.linked(t)
		w.Close() // waits for nothing: the bubble would tell
		if _, err, _ := w.linked(t); err != "unavailable" {
			t.Errorf("after Close: %q", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		w.script.Always(upstreamtest.Hang())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.Linked(ctx, 399); kindOf(t, err) != "timeout" {
			t.Errorf("a caller with less time: %v", err)
		}
		time.Sleep(time.Nanosecond)
		w.script.Always(nil)
		if a, err, _ := w.linked(t); err != "" || a.Stale {
			t.Errorf("the next caller: %q, want no failure left by who went away", err)
		}
	})
}

// TestClock holds that ages are those of the wall clock, whatever it does.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		w.linked(t)
		w.jump(10 * time.Minute) // frozen and thawed
		a, err, _ := w.linked(t)
		if err != "" || a.Stale || !a.At.Equal(w.now()) {
			t.Errorf("thawed after 10 min: %q, stale %t, fetched at %v", err, a.Stale, a.At)
		}
		w.wantCalls(t, 2)
		w.jump(10 * time.Minute)
		w.network.Down(host, true)
		a, err, why := w.linked(t)
		if age := w.now().Sub(a.At); err != "" || !a.Value.Stale || why != "unavailable" || age < 10*time.Minute || age > 11*time.Minute {
			t.Errorf("thawed without a forum: %q, %q, stale %t, age %v", err, why, a.Stale, age)
		}
		w.jump(24 * time.Hour)
		if _, err, _ := w.linked(t); err != "unavailable" {
			t.Errorf("thawed after a day without a forum: %q", err)
		}
		w.network.Down(host, false)
		w.jump(time.Minute)
		for _, d := range []time.Duration{0, -time.Minute, -time.Hour, -48 * time.Hour, 72 * time.Hour} {
			w.jump(d)
			a, err, _ := w.linked(t)
			if age := w.now().Sub(a.At); err != "" || a.Value.Stale || age < 0 || age >= 5*time.Minute {
				t.Errorf("clock set by %v: %q, stale %t, age %v", d, err, a.Stale, age)
			}
		}
	})
}

// TestScoreAges holds that a topic cools with the wall clock from fetch to fetch.
func TestScoreAges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		var got []int
		for range 4 {
			a, _, _ := w.linked(t)
			got = append(got, a.Value.ActivityScore)
			w.jump(11 * 24 * time.Hour)
		}
		if want := []int{49, 34, 25, 20}; !slices.Equal(got, want) {
			t.Errorf("every 11 days %v, want %v", got, want)
		}
	})
}

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

// TestEnumeration asks for 10,000 topics in ten minutes, in bursts and one by one, while what
// proposals link to is looked at all the time.
func TestEnumeration(t *testing.T) {
	tests := map[string]upstreamtest.Fault{
		"well": nil, "hangs": upstreamtest.Hang(), "500": upstreamtest.Answer(500, nil, ""),
		"redirects": func(w http.ResponseWriter, r *http.Request, h http.Handler) {
			if strings.Contains(r.URL.Path, "/t/x/") {
				upstreamtest.Answer(404, nil, "{}")(w, r, h)
			} else {
				upstreamtest.Redirect("/t/x/"+strings.TrimPrefix(r.URL.Path, "/t/"))(w, r, h)
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
				kinds := map[string]int{}
				var mu sync.Mutex
				for id := 1000; id < 11_000; {
					burst := 1 << r.IntN(10)
					for range min(burst, 11_000-id) {
						id++
						topic := id
						all.Go(func() {
							start := time.Now()
							_, err := w.Other(t.Context(), topic)
							if d := time.Since(start); d > answerMost {
								t.Errorf("topic %d: an answer after %v", topic, d)
							}
							if busy, ok := errors.AsType[*forum.BusyError](err); ok && (busy.RetryAfter < time.Second || busy.RetryAfter > time.Minute || busy.RetryAfter%time.Second != 0) {
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
				if kinds["busy"] < 9000 && name == "well" {
					t.Errorf("outcomes %v", kinds)
				}
				t.Logf("%d calls for 10,000 topics, at most %d in a minute; outcomes %v", len(others), most(others), kinds)
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
		busy, ok := errors.AsType[*forum.BusyError](err)
		if !ok || busy.RetryAfter != 41*time.Second || kindOf(t, err) != "busy" {
			t.Errorf("the 21st: %v, want busy for 41 s", err)
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
		w.jump(-time.Hour)
		if _, err := w.Other(t.Context(), 2000); kindOf(t, err) != "busy" {
			t.Errorf("clock set back: %v", err)
		}
		time.Sleep(time.Minute + time.Nanosecond)
		if _, err := w.Other(t.Context(), 2000); kindOf(t, err) != "not found" {
			t.Errorf("a minute later: %v", err)
		}
	})
}

// TestLanes holds that other topics keep linked ones neither waiting nor from being asked for.
func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.script.Always(func(rw http.ResponseWriter, r *http.Request, h http.Handler) {
			if r.URL.Path != "/t/399.json" {
				upstreamtest.Hang()(rw, r, h)
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
		if _, err := w.Other(t.Context(), 1); kindOf(t, err) != "unavailable" {
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
		w.script.Always(upstreamtest.Hang())
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

func TestResolve(t *testing.T) {
	resolve := func(t *testing.T, w *world, slug string) string {
		id, err := w.Resolve(t.Context(), slug)
		if err != nil {
			return kindOf(t, err)
		}
		return strconv.Itoa(id)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.discourse.Set(upstreamtest.Topic{ID: 50, Title: "提案", Slug: "提案", Posts: 1})
		want := func(slug, want string, calls int) {
			t.Helper()
			if got := resolve(t, w, slug); got != want {
				t.Errorf("%q: %s, want %s", slug, got, want)
			}
			w.wantCalls(t, calls)
		}
		want("repricing-cold-reads", "399", 2)
		if d := cmp.Diff([]string{"GET /t/repricing-cold-reads.json", "GET /t/repricing-cold-reads/399.json"}, w.script.Requests()); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		want("repricing-cold-reads", "399", 2)
		want("提案", "50", 4)
		want("%E6%8F%90%E6%A1%88", "50", 4)
		want("nothing-here", "not found", 5)
		for _, bad := range []string{"", "12", "a/b", "..", ".", "a%2Fb", "%zz", "a?b", "a b", strings.Repeat("a", 256)} {
			want(bad, "not found", 5)
		}

		time.Sleep(time.Hour - time.Nanosecond)
		want("nothing-here", "not found", 5)
		time.Sleep(time.Nanosecond)
		want("nothing-here", "not found", 6)

		w.network.Down(host, true)
		time.Sleep(22*time.Hour + 59*time.Minute)
		want("repricing-cold-reads", "399", 6)
		want("elsewhere", "unavailable", 6)
		time.Sleep(time.Minute)
		want("repricing-cold-reads", "399", 6) // the older one stands in
		w.network.Down(host, false)
		time.Sleep(time.Minute)
		want("repricing-cold-reads", "399", 8)
		time.Sleep(24 * time.Hour)
		topic := theTopic()
		topic.Private = true
		w.discourse.Set(topic)
		want("repricing-cold-reads", "not found", 9)
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.script.Next(upstreamtest.Redirect("https://elsewhere.example/t/399.json"))
		if got := resolve(t, w, "moved"); got != "unavailable" || w.foreign.Calls() != 0 {
			t.Errorf("led to a foreign host: %s, %d calls there", got, w.foreign.Calls())
		}
		w.script.Next(upstreamtest.Hang())
		start := time.Now()
		if got := resolve(t, w, "slow"); got != "timeout" || time.Since(start) > answerMost {
			t.Errorf("hangs: %s after %v", got, time.Since(start))
		}
	})
}

func TestConfig(t *testing.T) {
	for _, base := range []string{"", "forum.example", "ftp://forum.example", "https://", "https://me:s@forum.example", "https://forum.example?a=b", "https://forum.example/#a", "https://%zz"} {
		if _, err := forum.New(forum.Config{BaseURL: base}); err == nil {
			t.Errorf("New(%q): no error", base)
		}
	}
	n := upstreamtest.NewNetwork()
	defer n.Close()
	n.Serve(host, upstreamtest.NewDiscourse(nil, theTopic()))
	f, err := forum.New(forum.Config{BaseURL: "http://forum.example/talk//", Transport: n})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := f.Other(t.Context(), 399)
	if want := "http://forum.example/talk/t/repricing-cold-reads/399"; err != nil || a.Value.URL != want {
		t.Errorf("%v, address %s, want %s", err, a.Value.URL, want)
	}
}
