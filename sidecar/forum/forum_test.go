package forum_test

import (
	"context"
	"errors"
	"slices"
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
			TopicID: 399, Title: topic.Title,
			URL: "https://forum.example/t/repricing-cold-reads/399", ActivityScore: 49,
			Posts: 12, Replies: 11, Participants: 5, Views: 340, Likes: 7,
			CreatedAt: mip.NewTime(topic.Created), LastPostedAt: new(mip.NewTime(topic.LastPosted)),
			FetchedAt: mip.NewTime(start),
		}
		if d := cmp.Diff(want, a.Value, cmp.Comparer(func(a, b mip.Time) bool {
			return a == b
		})); d != "" {
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

// TestFunction checks that nothing runs after the answer without Background.
func TestFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		w.script.Always(demo.Hang())
		w.linked(t)
		w.Close() // waits for nothing: the bubble would report it
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

// TestScoreAges checks that a topic's score falls with the wall clock from fetch to fetch.
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
	for _, base := range []string{"", "forum.example", "ftp://forum.example", "https://",
		"https://me:s@forum.example", "https://forum.example?a=b", "https://forum.example/#a",
		"https://%zz"} {
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
	want := "http://forum.example/talk/t/repricing-cold-reads/399"
	if err != nil || a.Value.URL != want {
		t.Errorf("%v, address %s, want %s", err, a.Value.URL, want)
	}
}
