package forum_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/forum"
)

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
		time.Sleep(time.Nanosecond)
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

// TestOneCall holds that 500 callers of one topic make one call, whoever leaves.
func TestOneCall(t *testing.T) {
	for _, detached := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, detached)
			w.script.Always(demo.Delay(time.Second))
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
		w.script.Next(demo.Answer(500, nil, ""), demo.Hang())
		w.script.Always(slow(2*time.Second, demo.Answer(500, nil, "")))
		w.linked(t)
		w.Close() // waits for nothing: the bubble would tell
		if _, err, _ := w.linked(t); err != "unavailable" {
			t.Errorf("after Close: %q", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		w.script.Always(demo.Hang())
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

func TestConfig(t *testing.T) {
	for _, base := range []string{"", "forum.example", "ftp://forum.example", "https://", "https://me:s@forum.example", "https://forum.example?a=b", "https://forum.example/#a", "https://%zz"} {
		if _, err := forum.New(forum.Config{BaseURL: base}); err == nil {
			t.Errorf("New(%q): no error", base)
		}
	}
	n := demo.NewNetwork()
	defer n.Close()
	n.Serve(host, demo.NewDiscourse(nil, theTopic()))
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
