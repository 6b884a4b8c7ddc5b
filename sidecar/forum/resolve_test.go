package forum_test

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/demo"
)

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
		w.discourse.Set(demo.Topic{ID: 50, Title: "提案", Slug: "提案", Posts: 1})
		want := func(slug, want string, calls int) {
			t.Helper()
			if got := resolve(t, w, slug); got != want {
				t.Errorf("%q: %s, want %s", slug, got, want)
			}
			w.wantCalls(t, calls)
		}
		want("repricing-cold-reads", "399", 2)
		d := cmp.Diff([]string{"GET /t/repricing-cold-reads.json",
			"GET /t/repricing-cold-reads/399.json"}, w.script.Requests())
		if d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		want("repricing-cold-reads", "399", 2)
		want("提案", "50", 4)
		want("%E6%8F%90%E6%A1%88", "50", 4)
		want("nothing-here", "not found", 5)
		for _, bad := range []string{"", "12", "a/b", "..", ".", "a%2Fb", "%zz", "a?b", "a b",
			strings.Repeat("a", 256)} {
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
		want("repricing-cold-reads", "399", 6) // the cached one is returned
		w.network.Down(host, false)
		time.Sleep(time.Minute)
		want("repricing-cold-reads", "399", 8)
		time.Sleep(24 * time.Hour)
		topic := theTopic()
		topic.Private = true
		w.discourse.Set(topic)
		want("repricing-cold-reads", "not found", 9)
	})
}
