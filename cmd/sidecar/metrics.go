package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	victoria "github.com/VictoriaMetrics/metrics"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// descriptions are the HELP texts of the metrics. Operators' alerts use the names, so they must not
// change.
var descriptions = map[string]string{
	"build_info":                     "The program that runs. Always 1.",
	"cache_requests_total":           "What caches were asked for, by result.",
	"http_request_duration_seconds":  "Time from the header of a request to the end of its answer.",
	"http_requests_total":            "Requests that were answered, by route, method and status.",
	"model_refused_total":            "Questions that the budget refused.",
	"model_tokens_left":              "Tokens that the day of UTC has left, and not reserved.",
	"model_tokens_per_day":           "Tokens that a day has (AI_TOKENS_PER_DAY).",
	"model_tokens_used_total":        "Tokens of the model, as the provider counts them.",
	"problems_total":                 "Answers that were problems, by code.",
	"rate_limited_total":             "Requests that a limit refused, by limit.",
	"redis_down":                     "1 while the Redis of REDIS_URL is down, else 0.",
	"site_changed_timestamp_seconds": "When a new state of the site was last taken over.",
	"site_polls_total":               "Readings of the site.",
	"site_proposals":                 "Proposals of the site.",
	"site_seen_timestamp_seconds":    "When the site could last be read, changed or not.",
	"upstream_breakers_open":         "Open breakers: after failures, until a call succeeds.",
	"upstream_calls_total": "Calls of hosts behind the sidecar, a retry included, " +
		"by result.",
}

// metrics are the metrics of docs/operators.md. As an [http.Handler] it answers only GET /metrics.
// They have an address of their own, which does not limit callers. No label contains a text of a
// caller.
type metrics struct {
	http.Handler
	// answered counts requests.
	answered *victoria.Set
	// sidecar and site have the other counts. They are set before the first request.
	sidecar *sidecar.Sidecar
	site    *catalog.Stats
}

// newMetrics returns the metrics of a process without a sidecar. It starts each code and route at
// zero, so that the first event shows as a rise.
func newMetrics() *metrics {
	victoria.ExposeMetadata(true) // for the whole process
	m := &metrics{answered: victoria.NewSet()}
	// A rate of Prometheus needs a sample before the first event.
	for _, r := range api.Routes() {
		m.requests(r.Path, r.Method, http.StatusOK)
		m.took(r.Path)
	}
	m.took(sidecar.ProposalRoute)
	m.took(sidecar.Other)
	for _, limit := range sidecar.Limits() {
		m.limited(limit)
	}
	for _, c := range api.Codes() {
		m.problems(c.Code)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", m.serve)
	m.Handler = mux
	return m
}

// series is the name of one series. labels alternates names and values. A label with an empty value
// is left out.
func series(name string, labels ...string) string {
	var pairs []string
	for l := range slices.Chunk(labels, 2) {
		if l[1] != "" {
			pairs = append(pairs, fmt.Sprintf("%s=%q", l[0], l[1]))
		}
	}
	if pairs == nil {
		return "mipwatch_" + name
	}
	return "mipwatch_" + name + "{" + strings.Join(pairs, ",") + "}"
}

func (m *metrics) requests(route, method string, status int) *victoria.Counter {
	code := strconv.Itoa(status)
	return m.answered.GetOrCreateCounter(series("http_requests_total",
		"route", route, "method", method, "status", code))
}

func (m *metrics) problems(code api.Code) *victoria.Counter {
	return m.answered.GetOrCreateCounter(series("problems_total", "code", string(code)))
}

func (m *metrics) limited(limit string) *victoria.Counter {
	return m.answered.GetOrCreateCounter(series("rate_limited_total", "limit", limit))
}

func (m *metrics) took(route string) *victoria.PrometheusHistogram {
	// They are dense around the time limits: 3 s for a GET and 8 s for an answer by a model.
	buckets := []float64{0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 2.5, 3, 5, 8, 10}
	name := series("http_request_duration_seconds", "route", route)
	return m.answered.GetOrCreatePrometheusHistogramExt(name, buckets)
}

// observe counts a request. It is safe for concurrent use.
func (m *metrics) observe(r sidecar.Request) {
	m.requests(r.Route, r.Method, r.Status).Inc()
	m.took(r.Route).Update(r.Took.Seconds())
	if r.Code != "" {
		m.problems(r.Code).Inc()
	}
	if r.Limit != "" {
		m.limited(r.Limit).Inc()
	}
}

// serve answers GET /metrics.
func (m *metrics) serve(w http.ResponseWriter, _ *http.Request) {
	var text bytes.Buffer
	m.answered.WritePrometheus(&text)
	m.counted().WritePrometheus(&text)
	victoria.WriteGoMetrics(&text)
	victoria.WriteProcMetrics(&text)
	victoria.WriteFDMetrics(&text)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	writeDescribed(w, text.Bytes())
}

// writeDescribed writes metrics with their descriptions, in place of the library's empty ones.
func writeDescribed(w io.Writer, text []byte) {
	for line := range bytes.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "# HELP mipwatch_"); ok {
			line = fmt.Appendf(nil, "# HELP mipwatch_%s %s\n", name, descriptions[name])
		}
		w.Write(line)
	}
}

// counted returns the counts of the sidecar and of the site's poller. They keep changing, so they
// need not be consistent with each other.
func (m *metrics) counted() *victoria.Set {
	set := victoria.NewSet()
	gauge := func(value float64, name string, labels ...string) {
		set.GetOrCreateGauge(series(name, labels...), nil).Set(value)
	}
	count := func(value uint64, name string, labels ...string) {
		set.GetOrCreateCounter(series(name, labels...)).Set(value)
	}
	build := release.Current()
	gauge(1, "build_info",
		"version", build.Version, "revision", build.Commit, "goversion", build.Go)
	stats := m.sidecar.Stats()
	for of, n := range stats.Caches {
		result := func(value uint64, result string) {
			count(value, "cache_requests_total",
				"cache", of.Name, "network", of.Network, "result", result)
		}
		result(n.Hits.Load(), "hit")
		result(n.Misses.Load(), "miss")
		result(n.Shared.Load(), "shared") // of a running fetch
		result(n.Stale.Load(), "stale")
		result(n.Errors.Load(), "error")
	}
	for of, n := range stats.Hosts {
		for i := range n.Calls {
			result := fetch.Result(i).String()
			count(n.Calls[i].Load(), "upstream_calls_total",
				"upstream", of.Name, "network", of.Network, "result", result)
		}
		// The forum has two breakers, and a network has one for each of its addresses.
		gauge(float64(n.Open.Load()), "upstream_breakers_open",
			"upstream", of.Name, "network", of.Network)
	}
	// A process without a model has none of these.
	if spend := stats.Model; spend != nil {
		count(uint64(spend.Used), "model_tokens_used_total")
		count(uint64(spend.Minute), "model_refused_total", "budget", "minute")
		count(uint64(spend.Day), "model_refused_total", "budget", "day")
		// reserved for others
		count(uint64(spend.Claimed), "model_refused_total", "budget", "claimed")
		// more than a whole day's budget
		count(uint64(spend.TooLarge), "model_refused_total", "budget", "too_large")
		// of texts that failed before
		count(uint64(spend.Again), "model_refused_total", "budget", "again")
		gauge(float64(spend.Left), "model_tokens_left")
		gauge(float64(spend.PerDay), "model_tokens_per_day")
	}
	if down := stats.RedisDown; down != nil {
		gauge(map[bool]float64{true: 1}[*down], "redis_down")
	}
	gauge(float64(m.site.Proposals.Load()), "site_proposals")
	count(m.site.Succeeded.Load(), "site_polls_total", "result", "ok")
	count(m.site.Failed.Load(), "site_polls_total", "result", "error")
	// Both are 0 before the first event.
	gauge(float64(m.site.SucceededAt.Load()), "site_seen_timestamp_seconds")
	gauge(float64(m.site.ChangedAt.Load()), "site_changed_timestamp_seconds")
	return set
}
