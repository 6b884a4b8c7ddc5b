package forum_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/demo"
)

// faults are the ways of a forum to misbehave, with what becomes of a caller.
func faults() map[string]struct {
	fault demo.Fault
	want  string
} {
	type row = struct {
		fault demo.Fault
		want  string
	}
	answer := demo.Answer
	page := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	topic := `{"id":399,"title":"T","posts_count":1,"views":1,"created_at":"2026-01-01T00:00:00Z"}`
	return map[string]row{
		"hangs":             {demo.Hang(), "timeout"},
		"drips":             {demo.Drip(topic, time.Second), "timeout"},
		"late":              {demo.Delay(10 * time.Second), "timeout"},
		"500":               {answer(500, nil, `{"status":500,"error":"Internal Server Error"}`), "unavailable"},
		"500 late":          {slow(2*time.Second, answer(500, nil, "")), "timeout"},
		"502 page":          {answer(502, page, "<html><head><title>502 Bad Gateway</title></head></html>"), "unavailable"},
		"503 read only":     {answer(503, nil, `{"errors":["The site is in read only mode."],"error_type":"read_only"}`), "unavailable"},
		"429":               {answer(429, nil, ""), "unavailable"},
		"page":              {demo.HTML(), "unavailable"},
		"challenge":         {answer(403, page, "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"), "unavailable"},
		"challenge as 200":  {answer(200, page, "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"), "unavailable"},
		"401":               {answer(401, nil, `{"errors":[]}`), "unavailable"},
		"418":               {answer(418, nil, `{}`), "unavailable"},
		"cut JSON":          {answer(200, nil, topic[:40]), "unavailable"},
		"truncated":         {demo.Truncated(), "unavailable"},
		"disconnects":       {demo.Disconnect(), "unavailable"},
		"wrong types":       {answer(200, nil, strings.Replace(topic, "399", `"399"`, 1)), "unavailable"},
		"another topic":     {answer(200, nil, strings.Replace(topic, "399", "400", 1)), "unavailable"},
		"two topics":        {answer(200, nil, topic+topic), "unavailable"},
		"null":              {answer(200, nil, "null"), "unavailable"},
		"nothing":           {answer(204, nil, ""), "unavailable"},
		"gzip bomb":         {demo.GzipBomb(), "unavailable"},
		"100 MB":            {demo.Huge(100 << 20), "unavailable"},
		"foreign redirect":  {demo.Redirect("https://elsewhere.example/t/399.json"), "unavailable"},
		"redirect from TLS": {demo.Redirect("http://forum.example/t/399.json"), "unavailable"},
		"redirect loop":     {demo.Loop(), "unavailable"},
		"redirect circle": {func(w http.ResponseWriter, r *http.Request, h http.Handler) {
			to := "/t/a/399.json"
			if r.URL.Path == to {
				to = "/t/399.json"
			}
			demo.Redirect(to)(w, r, h)
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
func slow(d time.Duration, f demo.Fault) demo.Fault {
	return func(w http.ResponseWriter, r *http.Request, h http.Handler) {
		demo.Delay(d)(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(w, r, h) }))
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
	tests := []struct {
		name   string
		header http.Header
		body   string
		want   time.Duration
	}{
		{"JSON", after("15"), `{"errors":["Too many. Wait 15 seconds."],"error_type":"rate_limit","extras":{"wait_seconds":15}}`, 15 * time.Second},
		{"text", http.Header{"Content-Type": {"text/plain"}, "Retry-After": {"4"}}, "Please retry again in 4 seconds.", 4 * time.Second},
		{"an hour", after("3600"), "", 10 * time.Minute},
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
					w.script.Next(demo.Answer(429, tt.header, tt.body))
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
	changes := map[string]func(*demo.Topic){
		"410": func(t *demo.Topic) { t.Deleted = true },
		"403": func(t *demo.Topic) { t.Private = true },
		"404": func(t *demo.Topic) { t.ID = 400 },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, true)
				w.linked(t)
				time.Sleep(5 * time.Minute)
				topic := theTopic()
				change(&topic)
				w.discourse = demo.NewDiscourse(nil, topic)
				w.script.Always(func(rw http.ResponseWriter, r *http.Request, _ http.Handler) { w.discourse.ServeHTTP(rw, r) })
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
		w.script.Always(demo.Truncated())
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
