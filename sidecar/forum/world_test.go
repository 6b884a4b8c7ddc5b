package forum_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const host = "forum.example"

// answerMost bounds the time of any answer.
const answerMost = 3 * time.Second

// world is a forum and its client under test.
type world struct {
	*forum.Forum
	discourse *demo.Discourse
	script    *demo.Script
	foreign   *demo.Script
	network   *demo.Network
	log       bytes.Buffer

	mu    sync.Mutex
	clock time.Duration // how far the wall clock is set ahead
	calls []call
}

type call struct {
	path string
	at   time.Time
}

// newWorld must be called in a synctest bubble. The topics are 1 to 20 and 399.
func newWorld(t *testing.T, background bool) *world {
	t.Helper()
	w := &world{network: demo.NewNetwork(), discourse: demo.NewDiscourse(nil, theTopic())}
	t.Cleanup(w.network.Close)
	for id := range 20 {
		w.discourse.Set(demo.Topic{ID: id + 1, Title: fmt.Sprintf("Topic %d", id+1), Posts: 1,
			Participants: 1})
	}
	w.script = demo.NewScript(w.discourse)
	w.foreign = demo.NewScript(w.discourse)
	w.network.Serve("elsewhere.example", w.foreign)
	w.network.Serve(host, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.calls = append(w.calls, call{r.URL.Path, time.Now()})
		w.mu.Unlock()
		w.script.ServeHTTP(rw, r)
	}))
	var err error
	w.Forum, err = forum.New(forum.Config{
		BaseURL: "https://" + host, Transport: w.network, UserAgent: "test/1",
		Background: background, Now: w.now,
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

// wantCalls checks the number of HTTP requests to the forum.
func (w *world) wantCalls(t *testing.T, want int) {
	t.Helper()
	if got := w.asked(); len(got) != want {
		t.Errorf("%d calls, want %d: %v", len(got), want, got)
	}
}

// theTopic is the topic of most tests.
func theTopic() demo.Topic {
	now := time.Now()
	return demo.Topic{
		ID: 399, Title: "Repricing cold reads", Slug: "repricing-cold-reads", Posts: 12,
		Participants: 5, Likes: 7, Views: 340,
		Created: now.Add(-14 * 24 * time.Hour), LastPosted: now.Add(-3 * 24 * time.Hour),
	}
}

// kindOf returns which of the documented errors err is.
func kindOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*api.HTTPError](err)
	if !ok {
		t.Fatalf("%v is no api.HTTPError", err)
	}
	if errors.Is(err, forum.ErrNotFound) != (e.Code == api.NotFound) ||
		errors.Is(err, forum.ErrBusy) != (e.Code == api.RateLimited) {
		t.Errorf("%v has the code %s", err, e.Code)
	}
	kinds := map[api.Code]string{
		api.NotFound: "not found", api.RateLimited: "busy", api.UpstreamTimeout: "timeout",
		api.UpstreamUnavailable: "unavailable",
	}
	return kinds[e.Code]
}

// linked requests topic 399, which must not take too long, and returns the kinds of its errors.
func (w *world) linked(t *testing.T) (a forum.Answer, err, why string) {
	t.Helper()
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), timing.Ask)
	defer cancel()
	a, e := w.Linked(ctx, 399)
	if d := time.Since(start); d > answerMost {
		t.Errorf("the answer took %v", d)
	}
	if e == nil {
		if a.Value.FetchedAt != mip.NewTime(a.At) || a.Value.Stale != a.Stale ||
			a.Stale != (a.Err != nil) {
			t.Errorf("answer with fetchedAt %v and stale %t of an entry with %v, %t and %v",
				a.Value.FetchedAt, a.Value.Stale, a.At, a.Stale, a.Err)
		}
		if age := w.now().Sub(a.At); age < 0 {
			t.Errorf("answer from the future: %v", age)
		}
	}
	return a, kindOf(t, e), kindOf(t, a.Err)
}
