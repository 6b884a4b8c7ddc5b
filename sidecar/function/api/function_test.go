//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/internal/test/webtest"
)

// gateways are the events by which requests can come.
var gateways = map[string]func(*http.Request, []byte) map[string]any{"Netlify": netlifyEvent, "function URL": functionURLEvent}

// unlimited lets one caller send all the requests of a test.
var unlimited = []string{"SITE_ID=1", "REQUESTS_PER_MINUTE=100000", "AI_REQUESTS_PER_MINUTE=100000"}

// TestWeb runs the request scripts of the live routes against the program, by way of each kind of event.
func TestWeb(t *testing.T) {
	for name, describe := range gateways {
		t.Run(name, func(t *testing.T) {
			p := startFunction(t, built(t, shared.carrying), unlimited...)
			target := webtest.Handler(t, buildtest.Host(shared.files, p.Gateway(t, describe)))
			for _, script := range []string{"live", "requests", "ai", "ids"} {
				webtest.Run(t, "../../testdata/web/"+script+".web", target)
			}
			// A process of its own has the usual limits of the AI routes.
			p = startFunction(t, built(t, shared.carrying), unlimited[:2]...)
			target = webtest.Handler(t, buildtest.Host(shared.files, p.Gateway(t, describe)))
			webtest.Run(t, "../../testdata/web/contract.web", target)
			if strings.Contains(p.Log(), "secret") {
				t.Errorf("the log shows an RPC address:\n%s", p.Log())
			}
		})
	}
}

// ask is a request by an event of Netlify.
func ask(method, path, query string, more ...string) string {
	return fmt.Sprintf(`{"path":%q,"httpMethod":%q,"rawQuery":%q%s}`, path, method, query, strings.Join(more, ""))
}

// post is a POST of JSON from an address that Netlify names.
func post(path, body, client string) string {
	return ask("POST", path, "", fmt.Sprintf(`,"headers":{"content-type":"application/json","x-nf-client-connection-ip":%q},"body":%q`, client, body))
}

// wantProblem wants a problem of that code.
func wantProblem(t *testing.T, p *process, payload string, code api.Code) api.Problem {
	t.Helper()
	a := p.Invoke(t, payload).Answer(t)
	var problem api.Problem
	if err := json.Unmarshal([]byte(a.Body), &problem); err != nil || a.StatusCode != code.Status() || problem.Code != code {
		t.Errorf("%s: %d %s, want %s", payload, a.StatusCode, a.Body, code)
	}
	if a.Headers["Cache-Control"] != "no-store" || a.Headers["Netlify-Cdn-Cache-Control"] != "" {
		t.Errorf("%s: a cache may keep the problem: %v", payload, a.Headers)
	}
	return problem
}

// TestAnswers holds what a gateway is told: by which fields a CDN keeps an answer, what the function carries, and what an
// event says wrongly.
func TestAnswers(t *testing.T) {
	p := startFunction(t, built(t, shared.carrying), "SITE_ID=1", "URL=http://127.0.0.1:1")
	for _, tt := range []struct{ event, vary, holds string }{
		{ask("GET", "/api/mip-watch", ""), "query=parts", `"title":"Topic 401"`},
		{`{"path":"/api/forum-activity","httpMethod":"GET","rawQuery":"topicId=401"}`, "query=topicId", `"title":"Topic 401"`},
		{`{"rawPath":"/api/network-info","requestContext":{"http":{"method":"GET"}}}`, "query=topicId", `"status":"ok"`},
	} {
		a := p.Invoke(t, tt.event).Answer(t)
		cdn := a.Headers["Netlify-Cdn-Cache-Control"]
		if a.StatusCode != 200 || !strings.Contains(a.Body, tt.holds) || a.Headers["Netlify-Vary"] != tt.vary ||
			!strings.HasPrefix(cdn, "public, durable, max-age=") || a.Headers["Strict-Transport-Security"] == "" {
			t.Errorf("%s: %d %v %.300s, want %s, kept by %s", tt.event, a.StatusCode, a.Headers, a.Body, tt.holds, tt.vary)
		}
	}
	// What is committed beside the proposals is carried too.
	for payload, holds := range map[string]string{
		post("/api/ai-summary", `{"mipNumber":5}`, "203.0.113.1"):                 `"stale":false`,
		post("/api/ai-translate", `{"mipNumber":5,"locale":"ja"}`, "203.0.113.1"): `"locale":"ja"`,
	} {
		if a := p.Invoke(t, payload).Answer(t); a.StatusCode != 200 || !strings.Contains(a.Body, holds) {
			t.Errorf("%s: %d %.300s, want %s", payload, a.StatusCode, a.Body, holds)
		}
	}
	const inBase64 = `,"headers":{"content-type":"application/json"},"isBase64Encoded":true,"body":`
	wantProblem(t, p, ask("POST", "/api/ai-summary", "", inBase64+`"not base64!"`), api.BadRequest)
	wantProblem(t, p, ask("POST", "/api/ai-summary", "", inBase64+`"`+strings.Repeat("AAAA", 22<<10)+`"`), api.TooLarge)
	wantProblem(t, p, ask("GET", "/.netlify/functions/api/api/network-info", ""), api.NotFound)
	if r := p.Invoke(t, `{"Records":[]}`); !r.Failed || !strings.Contains(string(r.Payload), "the event is no HTTP request") {
		t.Errorf("an event that is no request: %+v %s", r, r.Payload)
	}
	p.Allowed = 2 * time.Second // less than the forum may take
	shared.forum.Always(demo.Hang())
	t.Cleanup(func() { shared.forum.Always(nil) })
	wantProblem(t, p, ask("GET", "/api/forum-activity", "topicId=77"), api.UpstreamTimeout)
}

// TestCallers holds by what callers are told apart where the limit of each counts.
func TestCallers(t *testing.T) {
	const body = `{"mipNumber":7}`
	url := func(source, field string) string {
		return fmt.Sprintf(`{"rawPath":"/api/ai-summary","requestContext":{"http":{"method":"POST","sourceIp":%q}},"headers":{"content-type":"application/json","x-nf-client-connection-ip":%q},"body":%q}`, source, field, body)
	}
	for name, tt := range map[string]struct {
		variables []string
		same      func(i int) string // the same caller each time
		other     string             // another one, if callers can be told apart
	}{
		"Netlify": {[]string{"SITE_ID=1"},
			func(int) string { return post("/api/ai-summary", body, "203.0.113.1") }, post("/api/ai-summary", body, "203.0.113.2")},
		"Netlify, no address": {[]string{"SITE_ID=1"},
			func(int) string { return post("/api/ai-summary", body, "") }, post("/api/ai-summary", body, "203.0.113.2")},
		"function URL, forged field": {nil,
			func(i int) string { return url("198.51.100.1", fmt.Sprint("203.0.113.", i)) }, url("198.51.100.2", "203.0.113.1")},
		"elsewhere, no address": {nil,
			func(i int) string { return post("/api/ai-summary", body, fmt.Sprint("203.0.113.", i)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := startFunction(t, built(t, shared.carrying), append(tt.variables, "REQUESTS_PER_MINUTE=10")...)
			for i := range 10 {
				if a := p.Invoke(t, tt.same(i)).Answer(t); a.StatusCode != 200 {
					t.Fatalf("request %d: %d %s", i, a.StatusCode, a.Body)
				}
			}
			wantProblem(t, p, tt.same(10), api.RateLimited)
			if tt.other == "" {
				return
			}
			if a := p.Invoke(t, tt.other).Answer(t); a.StatusCode != 200 {
				t.Errorf("another: %d %s", a.StatusCode, a.Body)
			}
		})
	}
}

// TestConfiguration holds that a function that is not configured well says so in its log and in every
// answer, and goes on.
func TestConfiguration(t *testing.T) {
	for name, tt := range map[string]struct {
		program   func() (string, error)
		variables []string
		log       []string
	}{
		"bad variables": {shared.carrying, []string{"LOG_LEVEL=loud", "REQUESTS_PER_MINUTE=0", "TRUSTED_PROXIES=x"},
			[]string{`LOG_LEVEL: want debug, info, warn or error, got \"loud\"`, "REQUESTS_PER_MINUTE: want a number", "TRUSTED_PROXIES: "}},
		"no site":      {shared.bare, nil, []string{"no site: the function was built without mipwatch build --snapshot"}},
		"bad snapshot": {shared.torn, []string{"URL=" + shared.published.URL}, []string{"read api/v1/site.json: ", "the snapshot that this function carries cannot be used"}},
		"bad site":     {shared.bare, []string{"URL=ftp://x"}, []string{"URL: site ftp://x: "}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "bad snapshot" {
				testenv.Long(t, "another build of the program")
			}
			p := startFunction(t, built(t, tt.program), tt.variables...)
			for range 2 {
				for _, payload := range []string{ask("GET", "/api/mip-watch", ""), `{"rawPath":"/api/ai-summary","requestContext":{"http":{"method":"POST"}}}`} {
					if problem := wantProblem(t, p, payload, api.Internal); !strings.Contains(problem.Detail, "not configured") {
						t.Errorf("%s: %q", payload, problem.Detail)
					}
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

// TestPartsOfIt holds that what is wrong with a network or with the model keeps nothing else from working.
func TestPartsOfIt(t *testing.T) {
	p := startFunction(t, built(t, shared.carrying), "RPC_TEST_NET=wss://secret", "AI_PROVIDER=openai", "AI_MODEL=m")
	if a := p.Invoke(t, ask("GET", "/api/network-info", "")).Answer(t); !strings.Contains(a.Body, `"status":"ok"`) { // by the addresses that it carries
		t.Errorf("network-info: %s", a.Body)
	}
	a := p.Invoke(t, post("/api/ai-summary", `{"mipNumber":7}`, "")).Answer(t)
	var sum api.Summary
	if err := json.Unmarshal([]byte(a.Body), &sum); err != nil || sum.Fallback == nil || !strings.Contains(sum.Fallback.Detail, "OPENAI_API_KEY is not set") {
		t.Errorf("ai-summary: %s", a.Body)
	}
	if log := p.Log(); !strings.Contains(log, "RPC_TEST_NET: address 1 of 1") || !strings.Contains(log, "no language model") || strings.Contains(log, "wss://secret") {
		t.Errorf("log:\n%s", log)
	}
}

// TestSiteAtAddress takes the site from the address that Netlify names, which is away at first.
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
	for payload, holds := range map[string]string{
		ask("GET", "/api/mip-watch", ""):                                  `"title":"Topic 401"`,
		post("/api/ai-translate", `{"mipNumber":5,"locale":"ja"}`, ""):    `"locale":"ja"`,
		post("/api/ai-summary", `{"mipNumber":5,"locale":"en"}`, "::1%x"): `"stale":false`,
	} {
		if a := p.Invoke(t, payload).Answer(t); a.StatusCode != 200 || !strings.Contains(a.Body, holds) {
			t.Errorf("%s: %d %.300s, want %s", payload, a.StatusCode, a.Body, holds)
		}
	}
}

// TestPanic has the real runtime run a handler that panics: the next event finds the same process.
func TestPanic(t *testing.T) {
	p := startFunction(t, os.Args[0], runAs+"="+panicking)
	for range 3 {
		wantProblem(t, p, ask("GET", "/panic", ""), api.Internal)
		if a := p.Invoke(t, ask("GET", "/fine", "")).Answer(t); a.Body != "/fine" {
			t.Errorf("after a panic: %+v", a)
		}
	}
	if !strings.Contains(p.Log(), "as asked") {
		t.Errorf("the log does not tell of the panic:\n%s", p.Log())
	}
}

// TestStop ends an idle process by the signal that comes before the platform kills it.
func TestStop(t *testing.T) {
	p := startFunction(t, built(t, shared.carrying))
	p.Invoke(t, ask("GET", "/api/network-info", ""))
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	e, ok := errors.AsType[*exec.ExitError](p.Wait())
	if !ok {
		t.Fatal("the process ended well, want the signal")
	}
	if status, ok := e.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
		t.Errorf("the process ended with %v, want the signal", e)
	}
}

// mixed invokes a function so many times with requests of each kind.
func mixed(t testing.TB, p *process, times int) {
	t.Helper()
	for n := range times {
		payloads := []string{
			ask("GET", "/api/mip-watch", "parts=mips"), ask("GET", "/api/network-info", ""), ask("GET", "/api/forum-activity", "topicId=401"),
			ask("GET", "/api/forum-activity", "topicId=0"), post("/api/ai-summary", fmt.Sprintf(`{"mipNumber":%d}`, n%15+1), fmt.Sprint("203.0.113.", n%250)),
			`{"rawPath":"/api/mip-watch","requestContext":{"http":{"method":"GET"}},"headers":{"accept-encoding":"gzip"}}`,
		}
		p.Invoke(t, payloads[n%len(payloads)]).Answer(t)
	}
}

// TestDoesNotGrow holds the files of a process after many invocations to those after some, and bounds its goroutines.
func TestDoesNotGrow(t *testing.T) {
	p := startFunction(t, built(t, shared.carrying), unlimited...)
	mixed(t, p, 60)
	before := measure(t, p).files
	mixed(t, p, 120)
	if after := measure(t, p).files; after > before+4 {
		t.Errorf("%d files after 60 invocations, and %d after 120 more", before, after)
	}
	if err := p.Cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	p.Wait()
	const mostGoroutines = 60 // connections have two each
	if got := strings.Count(p.Log(), "\ngoroutine "); got == 0 || got > mostGoroutines {
		t.Errorf("%d goroutines at the end, want at most %d:\n%s", got, mostGoroutines, p.Log())
	}
}

// usage is what a process has of the system.
type usage struct {
	files, threads int
	memory         int // KiB that are resident
}

func measure(t testing.TB, p *process) usage {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/", p.Cmd.Process.Pid)
	files, err := os.ReadDir(dir + "fd")
	if err != nil {
		testenv.Missing(t, "procfs", "the system does not tell what a process has open")
	}
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		t.Fatal(err)
	}
	number := func(name string) int {
		_, rest, _ := strings.Cut(string(status), "\n"+name+":")
		value, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatalf("%s of %s: %v", name, status, err)
		}
		return value
	}
	return usage{len(files), number("Threads"), number("VmRSS")}
}
