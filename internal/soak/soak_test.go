package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/api"
)

// TestSoak asks some thousand times instead of some minutes. How long an answer takes here is the machine's.
func TestSoak(t *testing.T) {
	o := options{root: "../..", requests: 4000, turns: 6, callers: 48, settled: 64, aiTimeout: time.Second}
	r, err := soak(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	r.print(&text)
	t.Log(text.String())
	for _, b := range r.broken {
		t.Errorf("broken: %s", b)
	}
	answers, met := 0, map[string]int{}
	for what, n := range r.counts {
		if strings.HasPrefix(what, "status ") || what == "broken off by the caller" {
			answers += n
		}
	}
	for _, m := range r.met {
		if m.n > 0 && !strings.HasPrefix(m.fault, "well") {
			met[m.host]++
		}
	}
	if answers != o.requests || met["forum"] < 2 || met["chain"] < 2 || met["model"] < 2 || r.counts["status 200"] < o.requests/5 || r.counts["site loaded"] <= o.turns {
		t.Errorf("%d answers to %d questions, %v faults were met, %d answers are 200, the site was loaded %d times", answers, o.requests, met, r.counts["status 200"], r.counts["site loaded"])
	}
}

// TestCheck has the checker judge answers that a sidecar must not give.
func TestCheck(t *testing.T) {
	w, err := newWorld(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	problem := func(c api.Code, status int) string {
		p := api.NewProblem("https://mips.example.org", c, "/api/network-info", "Words.")
		p.Status, p.RequestID = status, "id"
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const plain, isProblem, isJSON = "text/plain", "application/problem+json", "application/json"
	for _, tt := range []struct {
		name, method, path string
		status             int
		mediaType, body    string
		want               string // in what is broken; empty: nothing
	}{
		{"well", "GET", "/api/network-info", 200, isJSON, `{"networks":{}}`, ""},
		{"a member less", "GET", "/api/network-info", 200, isJSON, `{}`, "networks"},
		{"no JSON", "GET", "/api/network-info", 200, isJSON, `{"networks":`, "/api/network-info"},
		{"a page", "GET", "/api/network-info", 502, plain, "Bad gateway", "it is no problem"},
		{"status that is not documented", "GET", "/api/network-info", 204, "", "", "does not know status 204"},
		{"a problem", "GET", "/api/network-info", 503, isProblem, problem(api.NotReady, 503), ""},
		{"another status", "GET", "/api/network-info", 502, isProblem, problem(api.NotReady, 502), `the code "not_ready" does not belong to it`},
		{"unknown code", "GET", "/nowhere", 500, isProblem, problem("broken", 500), `the code "broken" does not belong to it`},
		{"our own failure", "GET", "/nowhere", 500, isProblem, problem(api.Internal, 500), "something failed on our side"},
		{"too many", "GET", "/nowhere", 429, isProblem, problem(api.RateLimited, 429), ""},
		{"a secret", "GET", "/api/network-info", 200, isJSON, `{"networks":{},"x":"` + rpcKey + `"}`, rpcKey},
		{"what a host said", "GET", "/healthz", 200, isJSON, `{"status":"` + leak + `"}`, leak},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newReport(options{})
			c, err := newChecker(w, r)
			if err != nil {
				t.Fatal(err)
			}
			h := http.Header{"Content-Type": {tt.mediaType}, "X-Request-Id": {"id"}, "Retry-After": {"1"}, "Etag": {`"x"`}, "Cache-Control": {"no-store"},
				"Ratelimit": {"x"}, "Ratelimit-Policy": {"x"}, "Allow": {"GET"}}
			c.check(question{method: tt.method, path: tt.path}, &http.Response{StatusCode: tt.status, Status: http.StatusText(tt.status), Header: h}, []byte(tt.body))
			if got := strings.Join(r.broken, "\n"); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("broken: %q, want %q", got, tt.want)
			}
		})
	}
}

// TestJudge has the report judge numbers.
func TestJudge(t *testing.T) {
	level := func(n int, resident float64) (all []sample) {
		for range n {
			all = append(all, sample{resident: resident, files: 30})
		}
		return all
	}
	met := []meeting{{"forum", "hang", 3}}
	for _, tt := range []struct {
		name    string
		samples []sample
		times   map[string][]time.Duration
		met     []meeting
		want    string // in what is broken; empty: nothing
	}{
		{"level", level(80, 50<<20), map[string][]time.Duration{"/api/network-info": {time.Second, 2 * time.Second}, "/api/ai-summary": {7 * time.Second}}, met, ""},
		{"begins small", append(level(20, 10<<20), level(60, 80<<20)...), nil, met, ""},
		{"grows", append(level(40, 50<<20), level(40, 80<<20)...), nil, met, "memory: it grows from 50 to 80 MiB"},
		{"large", level(80, 600<<20), nil, met, "memory: 600 MiB"},
		{"files", append(level(80, 1), sample{files: 601}), nil, met, "files: 601"},
		{"one is late", level(80, 1), map[string][]time.Duration{"/api/mip-watch": append(make([]time.Duration, 200), 5*time.Second)}, met, "time: /api/mip-watch takes 0s at p99 and 5s at most, want 3s"},
		{"many are late", level(80, 1), map[string][]time.Duration{"/api/ai-translate": {8100 * time.Millisecond, 8100 * time.Millisecond}}, met, "want 8s"},
		{"not met", level(80, 1), nil, []meeting{{"model", "refusal", 0}}, `nothing met the fault "refusal" of the model`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newReport(options{duration: whole, budgets: true})
			r.samples, r.times, r.met = tt.samples, tt.times, tt.met
			if tt.times == nil {
				r.times = map[string][]time.Duration{}
			}
			r.judge()
			if got := strings.Join(r.broken, "\n"); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("broken: %q, want %q", got, tt.want)
			}
			r.print(io.Discard)
		})
	}
}

// TestUsage ends before anything is begun.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-duration", "1s"}, {"-duration", "soon"}, {"-rate", "0"}, {"-x"}} {
		var out bytes.Buffer
		if code := run(t.Context(), args, io.Discard, &out); code != exitUnable || out.Len() == 0 {
			t.Errorf("%v: exit code %d, %q, want %d and why", args, code, &out, exitUnable)
		}
	}
}
