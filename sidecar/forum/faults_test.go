package forum_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/demo"
)

// TestFaults covers the ways in which a forum reports that there is no topic, with and without an
// older answer. Package fetch tests the faults that any host can have.
func TestFaults(t *testing.T) {
	answer := demo.Answer
	page := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	for name, tt := range map[string]struct {
		fault demo.Fault
		want  string
	}{
		"hangs": {demo.Hang(), "timeout"},
		"503 read only": {answer(503, nil,
			`{"errors":["The site is in read only mode."],"error_type":"read_only"}`),
			"unavailable"},
		"challenge": {answer(403, page,
			"<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"),
			"unavailable"},
		"challenge as 200": {answer(200, page,
			"<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"),
			"unavailable"},
		"401":     {answer(401, nil, `{"errors":[]}`), "unavailable"},
		"418":     {answer(418, nil, `{}`), "unavailable"},
		"nothing": {answer(204, nil, ""), "unavailable"},
		"another topic": {answer(200, nil,
			`{"id":400,"title":"T","posts_count":1,"views":1,"created_at":"2026-01-01T00:00:00Z"}`),
			"unavailable"},
		"foreign redirect": {demo.Redirect("https://elsewhere.example/t/399.json"), "unavailable"},
		"404": {answer(404, nil, `{"errors":["nothing"],"error_type":"not_found"}`),
			"not found"},
		"404 page": {answer(404, page, "<html>"), "not found"},
		"410": {answer(410, nil,
			`{"errors":["nothing"],"error_type":"not_found",`+
				`"extras":{"title":"Oops","html":"<div>","group":null}}`),
			"not found"},
		"403": {answer(403, nil,
			` {"errors":["not for you"],"error_type":"invalid_access"}`), "not found"},
		"login only": {answer(403, nil, `{"errors":["log in"],"error_type":"not_logged_in"}`),
			"not found"},
		"a message": {answer(200, nil, `{"archetype":"private_message"}`), "not found"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, true)
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
							t.Errorf("gone: %q and topic %d, want it to be gone", err,
								a.Value.TopicID)
						}
					case err != "" || !a.Value.Stale || a.Value.Posts != 12 || why != tt.want ||
						!a.At.Equal(then):
						t.Errorf("%q with %+v because of %q, want the older one because of %q", err,
							a.Value, why, tt.want)
					}
					time.Sleep(time.Second)
				}
				if got := w.foreign.Calls(); got != 0 {
					t.Errorf("%d calls to a foreign host", got)
				}
				if strings.Contains(w.log.String(), "errors") ||
					strings.Contains(w.log.String(), "<") {
					t.Errorf("log has what the forum said: %s", w.log.String())
				}
			})
		})
	}
}

// TestWait checks that a forum which requests a pause gets no request before it is over, for no
// topic and from neither client.
func TestWait(t *testing.T) {
	for _, lane := range []string{"linked", "other"} {
		t.Run(lane, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const pause = 15 * time.Second
				w := newWorld(t, true)
				w.linked(t)
				time.Sleep(5 * time.Minute)
				w.script.Next(demo.Answer(429, http.Header{"Retry-After": {"15"}},
					`{"error_type":"rate_limit","extras":{"wait_seconds":15}}`))
				if lane == "linked" {
					a, err, why := w.linked(t)
					if err != "" || !a.Value.Stale || why != "unavailable" ||
						a.Next.Sub(w.now()) != pause {
						t.Errorf("%q, %q, next in %v, want an older answer and the next in %v", err,
							why, a.Next.Sub(w.now()), pause)
					}
				} else if a, err := w.Other(t.Context(), 1); kindOf(t, err) != "unavailable" ||
					a.Next.Sub(w.now()) != pause {
					t.Errorf("%v, next in %v, want unavailable and %v", err, a.Next.Sub(w.now()),
						pause)
				}
				w.wantCalls(t, 2)
				time.Sleep(pause - time.Nanosecond)
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

// TestGone checks that a missing topic is requested once a minute, and that an older answer is
// dropped.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.linked(t)
		time.Sleep(5 * time.Minute)
		topic := theTopic()
		topic.Deleted = true
		w.discourse.Set(topic)
		for range 60 {
			if _, err, _ := w.linked(t); err != "not found" {
				t.Errorf("%q", err)
			}
			time.Sleep(time.Second - time.Nanosecond)
		}
		w.wantCalls(t, 2)
		w.script.Always(demo.Answer(500, nil, ""))
		time.Sleep(time.Second)
		if _, err, _ := w.linked(t); err != "unavailable" {
			t.Errorf("then the forum is down: %q, want no figures of a topic that is gone", err)
		}
		time.Sleep(time.Minute)
		w.discourse.Set(theTopic())
		w.script.Always(nil)
		if a, err, _ := w.linked(t); err != "" || a.Stale {
			t.Errorf("it is there again: %q", err)
		}
	})
}

// TestFailuresStand checks how often a failing forum is asked.
func TestFailuresStand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		w.script.Always(demo.Truncated())
		for range 10 {
			if _, err, _ := w.linked(t); err != "unavailable" {
				t.Errorf("%q", err)
			}
			time.Sleep(time.Second)
		}
		w.wantCalls(t, 1)
		got := strings.Count(w.log.String(), "\n")
		if got != 1 || !strings.Contains(w.log.String(), "/t/399.json") {
			t.Errorf("log has %d lines, want one with the path: %s", got, w.log.String())
		}
		w.linked(t)
		w.wantCalls(t, 2)
	})
}
