package model

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/mipwatch/mipwatch/internal/upstreamtest"
)

func TestLazy(t *testing.T) {
	n := upstreamtest.NewNetwork()
	defer n.Close()
	server := upstreamtest.NewModel(nil)
	n.Serve("model.example", server)
	l := NewLazy(config("openai", n))
	if l.Err() != nil || l.Name() != "large-1" || l.built.Load() != nil {
		t.Errorf("before it is asked: %v, %q, built %t", l.Err(), l.Name(), l.built.Load() != nil)
	}
	l.Close() // closes nothing
	var all sync.WaitGroup
	var mu sync.Mutex
	models := map[*Model]bool{}
	for range 20 {
		all.Go(func() {
			reply, err := l.Ask(t.Context(), prompt())
			if err != nil || reply.Text != "{}" || reply.Model != "large-1" {
				t.Errorf("Ask: %+v, %v", reply, err)
			}
			mu.Lock()
			defer mu.Unlock()
			models[l.built.Load()] = true
		})
	}
	all.Wait()
	if len(models) != 1 || len(server.Requests()) != 20 {
		t.Errorf("%d models were made, %d questions came", len(models), len(server.Requests()))
	}
	l.Close()
}

// TestLazyWrong holds that a wrong configuration is told as New tells it, and that nothing is asked.
func TestLazyWrong(t *testing.T) {
	for _, c := range []Config{
		{},
		{Provider: "openai", Name: "m"},
		{Provider: "anthropic", Key: "ä", BaseURL: "ftp://example.org"},
	} {
		c.Transport = untouched{t}
		_, want := New(c)
		l := NewLazy(c)
		if l.Err() == nil || l.Err().Error() != want.Error() {
			t.Errorf("Err of %+v = %v, want %v", c, l.Err(), want)
		}
		_, err := l.Ask(t.Context(), prompt())
		e, ok := errors.AsType[*Error](err)
		if !ok || !errors.Is(err, ErrUnavailable) || !e.Unasked() || !e.Free() {
			t.Errorf("Ask of %+v: %v", c, err)
		}
		l.Close()
	}
	_, err := NewLazy(Config{Provider: "openai"}).Ask(t.Context(), prompt())
	if want := "the model is unavailable: AI_MODEL is not set, OPENAI_API_KEY is not set"; err == nil || err.Error() != want {
		t.Errorf("Ask: %v, want %s", err, want)
	}
}

// TestCost holds what errors say of the bill.
func TestCost(t *testing.T) {
	const asked, free, unasked = "asked", "free", "unasked"
	for _, c := range []struct {
		name   string
		faults []upstreamtest.Fault
		want   string
	}{
		{"401", []upstreamtest.Fault{answerWith(401, "", refusal)}, free},
		{"404", []upstreamtest.Fault{answerWith(404, "", refusal)}, free},
		{"429", []upstreamtest.Fault{answerWith(429, "30", refusal)}, free},
		{"400", []upstreamtest.Fault{answerWith(400, "", refusal)}, asked},
		{"a filter", []upstreamtest.Fault{answerWith(403, "", `{"error":{"code":"content_filter"}}`)}, asked},
		{"500", []upstreamtest.Fault{answerWith(500, "", ""), answerWith(500, "", "")}, asked},
		{"hangs up", []upstreamtest.Fault{upstreamtest.Disconnect()}, asked},
		{"no JSON", []upstreamtest.Fault{upstreamtest.HTML()}, asked},
		{"paused", nil, unasked},
		{"nobody listens", nil, unasked},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := upstreamtest.NewNetwork()
			defer n.Close()
			s := upstreamtest.NewScript(upstreamtest.NewModel(nil))
			if c.name != "nobody listens" {
				n.Serve("model.example", s)
			}
			m := newModel(t, config("openai", n))
			if c.name == "paused" {
				s.Next(answerWith(http.StatusTooManyRequests, "30", refusal))
				m.Ask(t.Context(), prompt())
			}
			s.Next(c.faults...)
			_, err := m.Ask(t.Context(), prompt())
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("Ask: %v", err)
			}
			got := asked
			switch {
			case e.Unasked():
				got = unasked
			case e.Free():
				got = free
			}
			if got != c.want || e.Unasked() && !e.Free() || e.Wait() != e.RetryAfter {
				t.Errorf("%v: %s, free %t, want %s; again in %v or %v", err, got, e.Free(), c.want, e.Wait(), e.RetryAfter)
			}
		})
	}
}
