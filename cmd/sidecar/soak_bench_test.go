//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/openapitest"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// soak is a sidecar with its upstream hosts, and the observations of both.
type soak struct {
	*testing.B
	*hosts
	base     string // address of all hosts, each below a path of its own
	upstream []*faulty
	document *openapitest.Document
	process  *process
	metrics  string
	loaded   chan struct{} // receives when the sidecar has a new state of its site
	logged   chan string   // receives the last message of the log

	mu     sync.Mutex
	broken int
	status map[int]int                       // answers
	times  map[time.Duration][]time.Duration // by budget
	left   int                               // requests that the caller canceled
}

const (
	soakVariable = "MIPWATCH_SOAK"
	soakDefault  = time.Minute
	soakLeast    = 30 * time.Second
	soakCallers  = 48
	rpcSecret    = "key-that-is-secret"
	mostBroken   = 40 // broken promises that are listed
	moreLeft     = 10 // additional goroutines and files that are allowed at the end
)

// BenchmarkAuditSoak sends requests of all kinds, valid and invalid, from many addresses, while all
// upstream hosts misbehave in turn and the site is rebuilt again and again. Every answer is
// documented and contains no secret. At the end there are no more goroutines and files than before.
// MIPWATCH_SOAK is the duration. The default is a minute.
func BenchmarkAuditSoak(b *testing.B) {
	testenv.Long(b, "a sidecar with everything behind it misbehaving")
	duration := soakDefault
	if text := os.Getenv(soakVariable); text != "" {
		var err error
		if duration, err = time.ParseDuration(text); err != nil || duration < soakLeast {
			b.Fatalf("%s is %q, want a duration of %v or more", soakVariable, text, soakLeast)
		}
	}
	for b.Loop() {
		s := &soak{B: b, hosts: &hosts{}, loaded: make(chan struct{}, 1),
			logged: make(chan string, 1), status: map[int]int{},
			times: map[time.Duration][]time.Duration{}}
		s.run(duration)
	}
}

// run sends requests in phases with different faults.
func (s *soak) run(duration time.Duration) {
	const perPhase = 11 * time.Second // longer than heads are cached
	phases := faults * max(1, int(duration/(faults*perPhase)))
	dir := filepath.Join(s.TempDir(), "site")
	s.serve(dir)
	s.rebuild(dir, 0)
	s.start(dir)
	before := scrape(s, s.metrics)
	var memory, files []float64
	for phase := range phases {
		for i, u := range s.upstream {
			u.turn(phase + phase/faults + 5*i)
		}
		s.rebuild(dir, phase+1)
		<-s.loaded
		s.ask(phase, duration/time.Duration(phases))
		now := scrape(s, s.metrics)
		memory = append(memory, now["process_resident_memory_bytes"]/(1<<20))
		files = append(files, now["process_open_fds"])
	}
	for _, u := range s.upstream {
		u.script.Always(nil)
	}
	s.settle(before)
	s.stop()
	s.report(memory, files, duration)
}

// start runs the sidecar and reads its log to the end.
func (s *soak) start(dir string) {
	variables := []string{"TRUSTED_PROXIES=127.0.0.1", "AI_PROVIDER=openai", "AI_MODEL=soak-1",
		"OPENAI_API_KEY=" + secret, "AI_BASE_URL=" + s.base + "/model",
		"AI_TIMEOUT=7s", "AI_CALLS_PER_MINUTE=1000000", "AI_TOKENS_PER_DAY=1000000000"}
	if redis := os.Getenv("REDIS_URL"); redis != "" {
		variables = append(variables, "REDIS_URL="+redis)
	}
	s.process = start(s.B, variables, "--site", dir, "--metrics-addr", "127.0.0.1:0")
	s.metrics = "http://" + s.process.await("metrics")["addr"].(string) + "/metrics"
	s.process.await("site loaded")
	go func() {
		last := ""
		for line := range s.process.log {
			last = fmt.Sprint(line["msg"])
			switch last {
			case "site loaded":
				s.loaded <- struct{}{}
			case "panic", "answer", "requests were cut off", "no metrics any more":
				s.broke("log: %.2000v", line)
			}
			if found := leaked(fmt.Sprint(line)); found != "" {
				s.broke("log: a line holds %q: %.300v", found, line)
			}
		}
		s.logged <- last
	}()
}

// leaked returns a secret that a text contains.
func leaked(text string) string {
	for _, s := range []string{rpcSecret, secret, leak} {
		if strings.Contains(text, s) {
			return s
		}
	}
	return ""
}

// broke fails the benchmark for a broken promise.
func (s *soak) broke(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken++; s.broken <= mostBroken {
		s.Errorf(format, args...)
	}
}

// rebuild builds the site that the sidecar reads, with another text each time. The hosts move in
// every other phase, so that the sidecar has no cached answers.
func (s *soak) rebuild(dir string, phase int) {
	s.Helper()
	place := phase / 2 % 2
	forum := fmt.Sprintf("%s/forum/%d", s.base, place)
	node := func(name string) string {
		return fmt.Sprintf("%s/%s/%d/%s", s.base, name, place, rpcSecret)
	}
	samples, err := site.Load("../../internal/samples/site.yaml")
	if err != nil {
		s.Fatal(err)
	}
	s.site = &site.Site{Title: "Soak", BaseURL: "https://mips.example.org", Prefix: "MIP",
		Forum: forum, Locales: samples.Locales, Networks: []mip.Endpoints{
			{Network: mip.Network{ID: "mainnet", Name: "Mainnet", ChainID: soakChain, BlockTime: 1},
				RPC: []string{node("node"), node("second")}},
			{Network: mip.Network{ID: "testnet", Name: "Testnet", ChainID: soakChain, BlockTime: 1},
				RPC: []string{node("node")}},
		}}
	folder := s.TempDir()
	write := func(n int, text string) {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("MIP-%d.md", n)), []byte(text),
			0o644); err != nil {
			s.Fatal(err)
		}
	}
	for n := 1; n <= proposals; n++ {
		text, err := os.ReadFile(fmt.Sprintf("../../internal/samples/proposals/MIP-%d.md", n))
		if err != nil {
			s.Fatal(err)
		}
		write(n, strings.ReplaceAll(string(text), samples.Forum, forum))
	}
	for n := 1; n <= linkedTopics; n++ {
		write(1000+n,
			fmt.Sprintf("---\nmip: %d\ntitle: Filler %d\nauthor: Ada (@ada)\n"+
				"status: Draft\ncreated: 2026-01-02\ndiscussions-to: %s/t/topic/%d\n---\n\n"+
				"## Abstract\n\nNodes must keep %d blocks.\n", 1000+n, n, forum, n, phase))
	}
	plan := s.snapshot(s.B, dir, folder)
	if s.document != nil {
		return
	}
	at := slices.IndexFunc(plan.Artifacts, func(a build.Artifact) bool {
		return a.Route == "/openapi.json"
	})
	text, err := plan.Artifacts[at].Bytes()
	if err != nil {
		s.Fatal(err)
	}
	if s.document, err = openapitest.Read(text); err != nil {
		s.Fatal(err)
	}
}

// ask runs all callers for a duration.
func (s *soak) ask(phase int, duration time.Duration) {
	end := time.Now().Add(duration)
	rate := time.NewTicker(5 * time.Millisecond)
	defer rate.Stop()
	var callers sync.WaitGroup
	for i := range soakCallers {
		callers.Go(func() {
			client := &http.Client{
				Transport: &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true},
				CheckRedirect: func(*http.Request, []*http.Request) error {
					return http.ErrUseLastResponse
				},
			}
			defer client.CloseIdleConnections()
			r := rand.New(rand.NewPCG(uint64(i), uint64(phase))) // the same requests in every run
			for <-rate.C; time.Now().Before(end); <-rate.C {
				s.send(client, pickQuestion(r), r)
			}
		})
	}
	callers.Wait()
}

// send sends a request and checks the answer.
func (s *soak) send(client *http.Client, q question, r *rand.Rand) {
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	var body io.Reader = strings.NewReader(q.body)
	switch q.rude {
	case leaving:
		timer := time.AfterFunc(2*time.Millisecond, cancel)
		defer timer.Stop()
	case dripping:
		body = io.MultiReader(body, hangs{ctx})
		timer := time.AfterFunc(time.Second, cancel)
		defer timer.Stop()
	}
	var sent time.Time
	ctx = httptrace.WithClientTrace(ctx,
		&httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
			sent = time.Now()
		}})
	req, err := http.NewRequestWithContext(ctx, q.method, "http://"+s.process.addr+q.path, body)
	if err != nil {
		s.broke("%s %s: %v", q.method, q.path, err)
		return
	}
	if q.body == "" {
		req.Body = nil
	}
	if q.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("X-Forwarded-For", caller(r))
	res, err := client.Do(req)
	var answer []byte
	if err == nil {
		answer, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	switch {
	case err == nil:
		s.check(q, res, answer, time.Since(sent))
	case q.rude != "":
		s.mu.Lock()
		s.left++
		s.mu.Unlock()
	default:
		s.broke("%s %s: no answer: %v", q.method, q.path, err)
	}
}

// check compares an answer with the documentation.
func (s *soak) check(q question, res *http.Response, body []byte, took time.Duration) {
	route, _, _ := strings.Cut(q.path, "?")
	s.mu.Lock()
	s.status[res.StatusCode]++
	if q.rude == "" {
		s.times[budgetOf(route)] = append(s.times[budgetOf(route)], took)
	}
	s.mu.Unlock()
	if found := leaked(string(body)); found != "" {
		s.broke("%s %s: %s: the answer holds %q", q.method, q.path, res.Status, found)
	}
	if res.StatusCode >= http.StatusBadRequest && q.method != http.MethodHead {
		if err := problem(res, body); err != nil {
			s.broke("%s %s: %s: %v: %.300s", q.method, q.path, res.Status, err, body)
		}
	}
	documented := slices.ContainsFunc(api.Routes(), func(r api.Route) bool {
		return r.Path == route &&
			(r.Method == q.method || r.Method == http.MethodGet && q.method == http.MethodHead)
	})
	// net/http's own answer to an invalid address
	if !documented || res.StatusCode == http.StatusBadRequest && strings.Contains(q.path, "%zz") {
		return
	}
	if err := s.document.Check(q.method, route, res.StatusCode, res.Header, body); err != nil {
		s.broke("%v", err)
	}
}

// problem returns what is wrong with an error answer.
func problem(res *http.Response, body []byte) error {
	var p api.Problem
	err := json.Unmarshal(body, &p)
	if err != nil || !strings.HasPrefix(res.Header.Get("Content-Type"),
		"application/problem+json") {
		return fmt.Errorf("it is no problem: %v", err)
	}
	known := slices.ContainsFunc(api.Codes(), func(c api.CodeInfo) bool {
		return c.Code == p.Code && c.Status == res.StatusCode
	})
	switch {
	case !known || p.Status != res.StatusCode:
		return fmt.Errorf("the code %q does not belong to it", p.Code)
	case p.Code == api.Internal:
		return fmt.Errorf("something failed on our side: %s", p.RequestID)
	case p.RequestID == "" || p.RequestID != res.Header.Get("X-Request-Id"):
		return fmt.Errorf("the requestId %q is not that of the field", p.RequestID)
	case p.Code == api.RateLimited && res.Header.Get("Retry-After") == "":
		return fmt.Errorf("it does not say when to ask again")
	}
	return nil
}

// settle waits until the process is as before the load, except for some goroutines and files.
func (s *soak) settle(before map[string]float64) {
	s.Helper()
	http.DefaultClient.CloseIdleConnections()
	// idle connections stay for half a minute, and for another half at the server
	limit := time.After(2 * time.Minute)
	for tick := time.NewTicker(250 * time.Millisecond); ; {
		now := scrape(s, s.metrics)
		if now["go_goroutines"] <= before["go_goroutines"]+moreLeft &&
			now["process_open_fds"] <= before["process_open_fds"]+moreLeft {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			s.Fatalf("after the last request there are %v goroutines and %v files; before the "+
				"first there were %v and %v",
				now["go_goroutines"], now["process_open_fds"], before["go_goroutines"],
				before["process_open_fds"])
		}
	}
}

// stop ends the process as an operator does.
func (s *soak) stop() {
	s.Helper()
	s.process.signal(syscall.SIGTERM)
	if last := <-s.logged; last != "stopped" {
		s.Errorf("the log ends with %q, want stopped", last)
	}
	if err := s.process.cmd.Wait(); err != nil {
		s.Errorf("the process ended with %v, want exit code 0", err)
	}
}

// report reports the figures.
func (s *soak) report(memory, files []float64, duration time.Duration) {
	met, known := 0, 0
	for _, u := range s.upstream {
		s.Logf("%s: requests by the fault that they met: %v", u.name, u.met)
		met += len(u.met)
		known += len(u.faults)
	}
	answers := 0
	for _, n := range s.status {
		answers += n
	}
	s.Logf("%d answers by status: %v; %d callers hung up; %d of %d faults were met",
		answers, s.status, s.left, met, known)
	s.ReportMetric(float64(answers)/duration.Seconds(), "req/s")
	s.ReportMetric(100*float64(s.status[http.StatusOK])/float64(max(1, answers)), "ok-percent")
	s.ReportMetric(float64(met), "faults-met")
	for name, budget := range map[string]time.Duration{"live": getBudget, "ai": aiBudget} {
		times := slices.Sorted(slices.Values(s.times[budget]))
		if len(times) == 0 {
			continue
		}
		s.ReportMetric(times[len(times)*99/100].Seconds()*1000, name+"-p99-ms")
		s.ReportMetric(times[len(times)-1].Seconds()*1000, name+"-max-ms")
	}
	middle := func(values []float64) float64 {
		return slices.Sorted(slices.Values(values))[len(values)/2]
	}
	quarter := max(1, len(memory)/4)
	early, late := middle(memory[len(memory)-3*quarter:][:quarter]),
		middle(memory[len(memory)-quarter:])
	s.ReportMetric(slices.Max(memory), "max-MiB")
	s.ReportMetric(late-early, "grown-MiB") // from the second quarter to the last
	s.ReportMetric(slices.Max(files), "max-files")
}
