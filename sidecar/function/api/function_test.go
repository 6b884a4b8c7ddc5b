//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/internal/test/webtest"
)

// gateways are the functions that turn a request into an event, by platform.
var gateways = map[string]func(*http.Request, []byte) map[string]any{"Netlify": netlifyEvent,
	"function URL": functionURLEvent}

// unlimited lets one caller send all the requests of a test.
var unlimited = []string{"SITE_ID=1", "REQUESTS_PER_MINUTE=100000", "AI_REQUESTS_PER_MINUTE=100000"}

// TestWeb runs the request scripts of the live routes against the program, with each kind of event.
func TestWeb(t *testing.T) {
	for name, describe := range gateways {
		t.Run(name, func(t *testing.T) {
			p := startFunction(t, built(t, shared.carrying), unlimited...)
			target := webtest.Handler(t, buildtest.Host(shared.files, p.Gateway(t, describe)))
			for _, script := range []string{"live", "requests", "ai", "ids"} {
				webtest.Run(t, "../../testdata/web/"+script+".web", target)
			}
			// Start a new process with the default limits of the AI routes.
			p = startFunction(t, built(t, shared.carrying), unlimited[:2]...)
			target = webtest.Handler(t, buildtest.Host(shared.files, p.Gateway(t, describe)))
			webtest.Run(t, "../../testdata/web/contract.web", target)
			if strings.Contains(p.Log(), "secret") {
				t.Errorf("the log shows an RPC address:\n%s", p.Log())
			}
		})
	}
}

// ask is a Netlify event.
func ask(method, path, query string, more ...string) string {
	return fmt.Sprintf(`{"path":%q,"httpMethod":%q,"rawQuery":%q%s}`, path, method, query,
		strings.Join(more, ""))
}

// post is a Netlify event of a POST of JSON from a client address.
func post(path, body, client string) string {
	return ask("POST", path, "",
		fmt.Sprintf(`,"headers":{"content-type":"application/json","x-nf-client-connection-ip":%q},"body":%q`, client, body))
}

// wantProblem checks that the answer is a problem with a code.
func wantProblem(t *testing.T, p *process, payload string, code api.Code) api.Problem {
	t.Helper()
	a := p.Invoke(t, payload).Answer(t)
	var problem api.Problem
	err := json.Unmarshal([]byte(a.Body), &problem)
	if err != nil || a.StatusCode != code.Status() || problem.Code != code {
		t.Errorf("%s: %d %s, want %s", payload, a.StatusCode, a.Body, code)
	}
	if a.Headers["Cache-Control"] != "no-store" || a.Headers["Netlify-Cdn-Cache-Control"] != "" {
		t.Errorf("%s: a cache may keep the problem: %v", payload, a.Headers)
	}
	return problem
}

// TestAnswers checks the CDN fields of an answer, the parts of the site that the function carries,
// and the answer to an event that no server would pass on.
func TestAnswers(t *testing.T) {
	p := startFunction(t, built(t, shared.carrying), "SITE_ID=1", "URL=http://127.0.0.1:1")
	a := p.Invoke(t, ask("GET", "/api/mip-watch", "")).Answer(t)
	cdn := a.Headers["Netlify-Cdn-Cache-Control"]
	if a.StatusCode != 200 || !strings.Contains(a.Body, `"title":"Topic 401"`) ||
		a.Headers["Netlify-Vary"] != "query=parts" ||
		a.Headers["Strict-Transport-Security"] == "" ||
		!strings.HasPrefix(cdn, "public, durable, max-age=") {
		t.Errorf("%d %v %.300s, want one that a CDN keeps", a.StatusCode, a.Headers, a.Body)
	}
	// The function also carries committed translations.
	translate := post("/api/ai-translate", `{"mipNumber":5,"locale":"ja"}`, "203.0.113.1")
	a = p.Invoke(t, translate).Answer(t)
	if a.StatusCode != 200 || !strings.Contains(a.Body, `"locale":"ja"`) {
		t.Errorf("%s: %d %.300s", translate, a.StatusCode, a.Body)
	}
	const bad = `,"headers":{"content-type":"application/json"},
		"isBase64Encoded":true,"body":"not base64!"`
	wantProblem(t, p, ask("POST", "/api/ai-summary", "", bad), api.BadRequest)
	r := p.Invoke(t, `{"Records":[]}`)
	if !r.Failed || !strings.Contains(string(r.Payload), "the event is no HTTP request") {
		t.Errorf("an event that is no request: %+v %s", r, r.Payload)
	}
}

// TestCallers checks which address identifies a caller on each platform.
func TestCallers(t *testing.T) {
	const body = `{"mipNumber":7}`
	aws := func(source, field string) string {
		return fmt.Sprintf(`{"rawPath":"/api/ai-summary",
			"requestContext":{"http":{"method":"POST","sourceIp":%q}},
			"headers":{"content-type":"application/json","x-nf-client-connection-ip":%q},
			"body":%q}`, source, field, body)
	}
	for name, tt := range map[string]struct {
		variable string
		same     func(i int) string // requests of one caller
		other    string
	}{
		"Netlify": {"SITE_ID=1",
			func(int) string { return post("/api/ai-summary", body, "203.0.113.1") },
			post("/api/ai-summary", body, "203.0.113.2")},
		"function URL, forged field": {"SITE_ID=",
			func(i int) string { return aws("198.51.100.1", fmt.Sprint("203.0.113.", i)) },
			aws("198.51.100.2", "203.0.113.1")},
	} {
		t.Run(name, func(t *testing.T) {
			p := startFunction(t, built(t, shared.carrying), tt.variable, "REQUESTS_PER_MINUTE=10")
			for i := range 10 {
				if a := p.Invoke(t, tt.same(i)).Answer(t); a.StatusCode != 200 {
					t.Fatalf("request %d: %d %s", i, a.StatusCode, a.Body)
				}
			}
			wantProblem(t, p, tt.same(10), api.RateLimited)
			if a := p.Invoke(t, tt.other).Answer(t); a.StatusCode != 200 {
				t.Errorf("another: %d %s", a.StatusCode, a.Body)
			}
		})
	}
}

// TestConfiguration checks that a misconfigured function reports the problem in its log and in
// every answer, and keeps running.
func TestConfiguration(t *testing.T) {
	for name, tt := range map[string]struct {
		program   func() (string, error)
		variables []string
		log       []string
	}{
		"bad variables": {shared.carrying,
			[]string{"LOG_LEVEL=loud", "REQUESTS_PER_MINUTE=0", "TRUSTED_PROXIES=x"},
			[]string{`LOG_LEVEL: want debug, info, warn or error, got \"loud\"`,
				"REQUESTS_PER_MINUTE: want a number", "TRUSTED_PROXIES: "}},
		"no site": {shared.bare, nil,
			[]string{"no site: the function was built without mipwatch build --snapshot"}},
		"bad snapshot": {shared.torn, []string{"URL=" + shared.published.URL},
			[]string{"read api/v1/site.json: ",
				"the snapshot that this function carries cannot be used"}},
		"bad site": {shared.bare, []string{"URL=ftp://x"}, []string{"URL: site ftp://x: "}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "bad snapshot" {
				testenv.Long(t, "another build of the program")
			}
			p := startFunction(t, built(t, tt.program), tt.variables...)
			for range 2 {
				problem := wantProblem(t, p, ask("GET", "/api/mip-watch", ""), api.Internal)
				if !strings.Contains(problem.Detail, "misconfigured") {
					t.Errorf("%q", problem.Detail)
				}
			}
			for _, want := range tt.log {
				if strings.Count(p.Log(), want) != 1 {
					t.Errorf("the log does not hold %q once:\n%s", want, p.Log())
				}
			}
		})
	}
}

// TestSiteAtAddress reads the site from the address that Netlify names, which is down at first.
func TestSiteAtAddress(t *testing.T) {
	var here atomic.Bool
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !here.Load() {
			http.Error(w, "away", http.StatusServiceUnavailable)
			return
		}
		shared.published.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(site.Close)
	p := startFunction(t, built(t, shared.bare), "URL="+site.URL)
	wantProblem(t, p, ask("GET", "/api/mip-watch", ""), api.NotReady)
	here.Store(true)
	a := p.Invoke(t, ask("GET", "/api/mip-watch", "")).Answer(t)
	if a.StatusCode != 200 || !strings.Contains(a.Body, `"title":"Topic 401"`) {
		t.Errorf("%d %.300s", a.StatusCode, a.Body)
	}
}
