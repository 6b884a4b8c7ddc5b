//go:build unix

package main

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// metered starts a sidecar with metrics and the site in a folder.
func metered(t *testing.T, h *hosts, dir string, variables ...string) (p *process, metrics string) {
	t.Helper()
	h.publish(t, dir, "First title", "Second title")
	p = start(t, variables, "--site", dir, "--metrics-addr", "127.0.0.1:0")
	metrics = "http://" + p.await("metrics")["addr"].(string) + "/metrics"
	p.await("site loaded")
	return p, metrics
}

// scrape reads the metrics: the value of each line by its name and labels.
func scrape(t testing.TB, url string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for line := range strings.Lines(string(exposition(t, url))) {
		series, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if i := strings.LastIndex(line, "} "); i >= 0 {
			series, value = line[:i+1], strings.TrimSpace(line[i+2:])
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !ok {
			t.Fatalf("line %q: %v", line, err)
		}
		series = sorted(series)
		if _, twice := out[series]; twice {
			t.Errorf("the series %s is there twice", series)
		}
		out[series] = v
	}
	return out
}

// sorted sorts the labels of a series, whose order has no meaning. No value in these tests contains
// a comma.
func sorted(series string) string {
	name, labels, ok := strings.Cut(strings.TrimSuffix(series, "}"), "{")
	if !ok {
		return series
	}
	parts := strings.Split(labels, ",")
	// An empty label counts as missing.
	parts = slices.DeleteFunc(parts, func(p string) bool { return strings.HasSuffix(p, `=""`) })
	slices.Sort(parts)
	return name + "{" + strings.Join(parts, ",") + "}"
}

func exposition(t testing.TB, url string) []byte {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK ||
		!strings.HasPrefix(res.Header.Get("Content-Type"),
			"text/plain; version=0.0.4; charset=utf-8") {
		t.Fatalf("GET %s: %s %v, %v", url, res.Status, res.Header, err)
	}
	return body
}

// TestMetricsApart checks that the metrics have their own address, which serves nothing else, and
// that no other address serves them.
func TestMetricsApart(t *testing.T) {
	p, metrics := metered(t, newHosts(t), t.TempDir())
	p.get("/metrics", http.StatusNotFound)
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "", http.StatusOK},
		{http.MethodHead, "", http.StatusOK},
		{http.MethodPost, "", http.StatusMethodNotAllowed},
		{http.MethodGet, "/more", http.StatusNotFound},
		{http.MethodGet, "/../healthz", http.StatusNotFound},
		{http.MethodGet, "/../debug/pprof/", http.StatusNotFound},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, metrics+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != tt.status {
			t.Errorf("%s %s: %s, want %d", tt.method, req.URL, res.Status, tt.status)
		}
	}
	p.signal(syscall.SIGTERM)
	p.wantEnd()
	q := start(t, nil)
	q.get("/metrics", http.StatusNotFound)
	for _, line := range q.seen {
		if line["msg"] == "metrics" {
			t.Errorf("without an address the log has %v", line)
		}
	}
}

// TestMetricsCount sends requests while hosts misbehave, and checks the counts.
func TestMetricsCount(t *testing.T) {
	t.Parallel()
	h := newHosts(t)
	p, metrics := metered(t, h, t.TempDir(), "REQUESTS_PER_MINUTE=15", "AI_PROVIDER=openai",
		"AI_MODEL=m", "OPENAI_API_KEY="+secret, "AI_BASE_URL=http://127.0.0.1:1",
		"AI_TOKENS_PER_DAY=1000000")
	before := scrape(t, metrics)
	topic := "/api/forum-activity?topicId="
	p.get(topic+"401", http.StatusOK) // a miss
	p.get(topic+"401", http.StatusOK) // a hit of the answer
	// a hit of 401, a miss of 402
	p.get("/api/mip-watch?parts=forum", http.StatusOK)
	h.forum.Next(demo.HTML())                                 //
	p.get(topic+"403", http.StatusBadGateway)                 // garbled
	h.forum.Next(demo.Answer(500, nil, ""), demo.Truncated()) //
	// two requests; the second answer is cut off
	p.get(topic+"404", http.StatusBadGateway)
	h.forum.Next(demo.Hang())                     //
	p.get(topic+"405", http.StatusGatewayTimeout) //
	// an answer: it does not exist
	p.get(topic+"406", http.StatusNotFound)
	h.forum.Next(demo.Answer(429, http.Header{"Retry-After": {"9"}}, "")) //
	p.get(topic+"407", http.StatusBadGateway)                             //
	p.get(topic+"408", http.StatusBadGateway)                             // no request
	p.get(topic+"x", http.StatusBadRequest)                               //
	p.get(topic+"x%00%22%0A", http.StatusBadRequest)                      //
	p.get("/api/network-info", http.StatusOK)                             //
	p.get("/api/network-info", http.StatusOK)                             //
	p.get("/nothing%22%0A", http.StatusNotFound)                          //
	// nobody listens: two attempts
	p.wantSummary(`{"mipNumber": 1}`, "extractive")
	p.wantProblem("/api/ai-summary", `{`, "bad_request")
	// the fifteenth of the default limit
	p.wantProblem("/api/network-info", `{}`, "method_not_allowed")
	p.get("/api/network-info", http.StatusTooManyRequests) //

	after := scrape(t, metrics)
	counts := map[string]float64{
		`mipwatch_http_requests_total{route="/api/forum-activity",method="GET",status="200"}`: 2,
		`mipwatch_http_requests_total{route="/api/forum-activity",method="GET",status="400"}`: 2,
		`mipwatch_http_requests_total{route="/api/forum-activity",method="GET",status="404"}`: 1,
		`mipwatch_http_requests_total{route="/api/forum-activity",method="GET",status="502"}`: 4,
		`mipwatch_http_requests_total{route="/api/forum-activity",method="GET",status="504"}`: 1,
		`mipwatch_http_requests_total{route="/api/network-info",method="GET",status="200"}`:   2,
		`mipwatch_http_requests_total{route="/api/network-info",method="GET",status="429"}`:   1,
		`mipwatch_http_requests_total{route="/api/network-info",method="POST",status="405"}`:  1,
		`mipwatch_http_requests_total{route="other",method="GET",status="404"}`:               1,
		`mipwatch_http_request_duration_seconds_count{route="/api/forum-activity"}`:           10,
		`mipwatch_http_request_duration_seconds_bucket{route="/api/forum-activity",le="3"}`:   10,
		`mipwatch_problems_total{code="upstream_timeout"}`:                                    1,
		`mipwatch_problems_total{code="rate_limited"}`:                                        1,
		`mipwatch_problems_total{code="internal"}`:                                            0,
		`mipwatch_rate_limited_total{limit="default"}`:                                        1,
		`mipwatch_cache_requests_total{cache="answers",result="hit"}`:                         2,
		`mipwatch_cache_requests_total{cache="forum_linked",result="hit"}`:                    1,
		`mipwatch_cache_requests_total{cache="forum_linked",result="miss"}`:                   2,
		`mipwatch_cache_requests_total{cache="forum_other",result="error"}`:                   6,
		`mipwatch_cache_requests_total{cache="chain",network="test-net",result="miss"}`:       1,
		`mipwatch_cache_requests_total{cache="ai_summaries",result="error"}`:                  1,
		`mipwatch_upstream_calls_total{upstream="forum",result="ok"}`:                         3,
		`mipwatch_upstream_calls_total{upstream="forum",result="garbled"}`:                    1,
		`mipwatch_upstream_calls_total{upstream="forum",result="connection"}`:                 1,
		`mipwatch_upstream_calls_total{upstream="forum",result="timeout"}`:                    1,
		`mipwatch_upstream_calls_total{upstream="forum",result="status"}`:                     1,
		`mipwatch_upstream_calls_total{upstream="forum",result="paused"}`:                     1,
		`mipwatch_upstream_calls_total{upstream="chain",network="test-net",result="ok"}`:      3,
		`mipwatch_upstream_calls_total{upstream="model",result="connection"}`:                 1,
		`mipwatch_upstream_breakers_open{upstream="forum"}`:                                   0,
		`mipwatch_model_tokens_used_total`:                                                    0,
		`mipwatch_model_tokens_left`:                                                          1000000,
		`mipwatch_site_proposals`:                                                             2,
		`mipwatch_site_polls_total{result="error"}`:                                           0,
	}
	want, got := map[string]float64{}, map[string]float64{}
	for series, n := range counts {
		want[sorted(series)] = n
	}
	for series := range want {
		if _, ok := after[series]; ok {
			got[series] = after[series]
		}
	}
	if !maps.Equal(want, got) {
		for series, n := range want {
			if v, ok := got[series]; !ok || v != n {
				t.Errorf("%s: %v (there: %v), want %v", series, v, ok, n)
			}
		}
	}
	for _, series := range []string{"go_goroutines", "go_memstats_heap_alloc_bytes",
		"process_start_time_seconds", "mipwatch_site_seen_timestamp_seconds",
		"mipwatch_site_changed_timestamp_seconds", "process_cpu_seconds_total"} {
		if after[series] <= 0 {
			t.Errorf("%s is %v, want more than 0", series, after[series])
		}
	}
	// Text of callers makes no series: the new ones have only new methods and statuses.
	for series := range after {
		_, old := before[series]
		if !old && !regexp.MustCompile(
			`^mipwatch_http_requests_total\{method="[A-Z]+",route="(/api/[a-z-]+|other)",status="[0-9]+"\}$`).MatchString(series) {
			t.Errorf("the series %s came with the requests", series)
		}
	}
}

// TestMetricsBreaker counts a breaker that opens, and one that disappears with its forum.
func TestMetricsBreaker(t *testing.T) {
	t.Parallel()
	h := newHosts(t)
	dir := t.TempDir()
	p, metrics := metered(t, h, dir)
	h.forum.Always(demo.HTML())
	for topic := range 6 {
		p.get("/api/forum-activity?topicId="+strconv.Itoa(500+topic), http.StatusBadGateway)
	}
	m := scrape(t, metrics)
	if open, refused := m[`mipwatch_upstream_breakers_open{upstream="forum"}`],
		m[`mipwatch_upstream_calls_total{result="breaker_open",upstream="forum"}`]; open != 1 ||
		refused != 1 {
		t.Errorf("after six failures %v breakers are open and %v calls did not go out, "+
			"want one each", open, refused)
	}
	h.site.Forum += "/elsewhere"
	h.publish(t, dir, "First title", "Second title")
	p.await("site loaded")
	after := scrape(t, metrics)
	if open := after[`mipwatch_upstream_breakers_open{upstream="forum"}`]; open != 0 {
		t.Errorf("the site has another forum, and %v breakers are open", open)
	}
}

// TestMetricsDocumented checks that docs/operators.md and the alerts name existing metrics, and
// that each of ours has a description.
func TestMetricsDocumented(t *testing.T) {
	_, metrics := metered(t, newHosts(t), t.TempDir(), "AI_PROVIDER=ollama", "AI_MODEL=m",
		"REDIS_URL=redis://127.0.0.1:1")
	exists := map[string]bool{}
	text := exposition(t, metrics)
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllSubmatch(text, -1) {
		exists[string(m[1])] = true
		if name := string(m[1]); strings.HasPrefix(name, "mipwatch_") &&
			!regexp.MustCompile(`(?m)^# HELP `+name+` [A-Z1]`).Match(text) {
			t.Errorf("%s has no description", name)
		}
	}
	for _, file := range []string{"../../docs/operators.md", "../../examples/alerts.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`\b(mipwatch|process|go)_[a-z_]+[a-z]\b`).FindAllString(
			string(text), -1)
		for _, name := range names {
			if !exists[strings.TrimSuffix(name, "_bucket")] {
				t.Errorf("%s names %s, which is not among the metrics", file, name)
			}
		}
		if len(names) < 10 {
			t.Errorf("%s names %d metrics", file, len(names))
		}
	}
}

// TestMetricsParse parses the output with Prometheus' own Python library.
func TestMetricsParse(t *testing.T) {
	const parse = `
import sys
from prometheus_client.parser import text_string_to_metric_families
for f in text_string_to_metric_families(sys.stdin.read()):
    assert (f.documentation or not f.name.startswith("mipwatch_")) and f.type in ("counter", "gauge", "histogram", "summary"), f
    assert f.samples, f
    print(f.name, f.type, len(f.samples))
`
	testenv.Long(t, "Prometheus' parser")
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import prometheus_client").Run() == nil {
			python = name
		}
	}
	if python == "" {
		testenv.Missing(t, "prometheus",
			"no Python with the package prometheus_client; see "+
				"https://github.com/prometheus/client_python")
	}
	_, metrics := metered(t, newHosts(t), t.TempDir())
	text := exposition(t, metrics)
	cmd := exec.CommandContext(t.Context(), python, "-c", parse)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("it is not understood: %v\n%s", err, text)
	}
	got, want := bytes.Count(out, []byte("\n")), bytes.Count(text, []byte("# TYPE "))
	if got != want || want < 20 {
		t.Errorf("%d families were read, and %d written:\n%s", got, want, out)
	}
	for _, family := range []string{"mipwatch_http_request_duration_seconds histogram",
		"mipwatch_http_requests counter", "go_goroutines gauge"} {
		if !strings.Contains(string(out), family+" ") {
			t.Errorf("no family %s in\n%s", family, out)
		}
	}
}
