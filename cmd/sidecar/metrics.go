package main

import (
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// metrics are those of docs/operators.md. As an [http.Handler] they answer GET /metrics, and nothing else. They are for
// an address of their own, which has no limit of callers. No label has a text of a caller.
type metrics struct {
	http.Handler
	// registry has these four, those of the process, and a [collector].
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	problems *prometheus.CounterVec
	limited  *prometheus.CounterVec
}

// newMetrics returns the metrics of a process without a sidecar. It counts each code and route from zero, so that the
// first one shows as a rise.
func newMetrics() *metrics {
	// The default registry is a global variable, and has what other packages register in it.
	m := &metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector())
	m.registry.MustRegister(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return promauto.With(m.registry).NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m.requests = counter("mipwatch_http_requests_total", "Requests that were answered, by route, method and status.",
		"route", "method", "status")
	m.problems = counter("mipwatch_problems_total", "Answers that were problems, by code.", "code")
	m.limited = counter("mipwatch_rate_limited_total", "Requests that a limit refused, by limit.", "limit")
	m.took = promauto.With(m.registry).NewHistogramVec(prometheus.HistogramOpts{
		Name: "mipwatch_http_request_duration_seconds",
		Help: "Time from the header of a request to the end of its answer.",
		// They lie close around the time limits: 3 s for a GET and 8 s for an answer that a model makes.
		Buckets: []float64{0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 2.5, 3, 5, 8, 10},
	}, []string{"route"})
	// A rate of Prometheus needs a sample before the first event.
	for _, r := range api.Routes() {
		m.requests.WithLabelValues(r.Path, r.Method, "200")
		m.took.WithLabelValues(r.Path)
	}
	m.took.WithLabelValues(sidecar.Other)
	for _, limit := range sidecar.Limits() {
		m.limited.WithLabelValues(limit)
	}
	for _, c := range api.Codes() {
		m.problems.WithLabelValues(string(c.Code))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	m.Handler = mux
	return m
}

// observe counts a request. It is safe for concurrent use.
func (m *metrics) observe(r sidecar.Request) {
	m.requests.WithLabelValues(r.Route, r.Method, strconv.Itoa(r.Status)).Inc()
	m.took.WithLabelValues(r.Route).Observe(r.Took.Seconds())
	if r.Code != "" {
		m.problems.WithLabelValues(string(r.Code)).Inc()
	}
	if r.Limit != "" {
		m.limited.WithLabelValues(r.Limit).Inc()
	}
}

// collector is a [prometheus.Collector] of what the sidecar and the poller of its site count.
type collector struct {
	sidecar *sidecar.Sidecar
	site    *index.Stats
}

// Describe implements [prometheus.Collector]. It describes nothing, since networks come and go.
func (c collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector]. Alerts of operators use the names, so that they stay as they are.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	// Labels are names and values in turn. A label with an empty value is none for Prometheus.
	send := func(kind prometheus.ValueType, name, help string, value float64, labels ...string) {
		var names, values []string
		for l := range slices.Chunk(labels, 2) {
			names, values = append(names, l[0]), append(values, l[1])
		}
		desc := prometheus.NewDesc("mipwatch_"+name, help, names, nil)
		ch <- prometheus.MustNewConstMetric(desc, kind, value, values...)
	}
	const count, gauge = prometheus.CounterValue, prometheus.GaugeValue
	// The numbers go on counting meanwhile, so that they need not agree with each other.
	stats, build := c.sidecar.Stats(), release.Current()
	send(gauge, "build_info", "The program that runs. Always 1.",
		1, "version", build.Version, "revision", build.Commit, "goversion", build.Go)
	for of, n := range stats.Caches {
		// A shared value is that of a fetch which was under way.
		for result, n := range map[string]*atomic.Uint64{
			"hit": &n.Hits, "miss": &n.Misses, "shared": &n.Shared, "stale": &n.Stale, "error": &n.Errors,
		} {
			send(count, "cache_requests_total", "What caches were asked for, by result.",
				float64(n.Load()), "cache", of.Name, "network", of.Network, "result", result)
		}
	}
	for of, n := range stats.Hosts {
		for i := range n.Calls {
			result := fetch.Result(i).String()
			send(count, "upstream_calls_total", "Calls of hosts behind the sidecar, a retry included, by result.",
				float64(n.Calls[i].Load()), "upstream", of.Name, "network", of.Network, "result", result)
		}
		// The forum has two breakers, a network one for each of its addresses.
		send(gauge, "upstream_breakers_open", "Breakers that are open after failures, until a call succeeds.",
			float64(n.Open.Load()), "upstream", of.Name, "network", of.Network)
	}
	// A process without a model has none of these.
	if m := stats.Model; m != nil {
		send(count, "model_tokens_used_total", "Tokens of the model, by what the provider says.", float64(m.Used))
		// Claimed tokens are reserved for others, too large is more than any day has, and again is the share of texts at
		// which the model has failed before.
		for budget, n := range map[string]int{
			"minute": m.Minute, "day": m.Day, "claimed": m.Claimed, "too_large": m.TooLarge, "again": m.Again,
		} {
			send(count, "model_refused_total", "Questions that the budget refused.", float64(n), "budget", budget)
		}
		send(gauge, "model_tokens_left", "Tokens that the day of UTC has left, and not reserved.", float64(m.Left))
		send(gauge, "model_tokens_per_day", "Tokens that a day has (AI_TOKENS_PER_DAY).", float64(m.PerDay))
	}
	if stats.RedisDown != nil {
		down := map[bool]float64{true: 1}[*stats.RedisDown]
		send(gauge, "shared_away", "1 while the Redis of REDIS_URL is away, else 0.", down)
	}
	send(gauge, "site_proposals", "Proposals of the site.", float64(c.site.Proposals.Load()))
	for result, n := range map[string]*atomic.Uint64{"ok": &c.site.Succeeded, "error": &c.site.Failed} {
		send(count, "site_looks_total", "Readings of the site.", float64(n.Load()), "result", result)
	}
	// Both are 0 before the first time.
	send(gauge, "site_seen_timestamp_seconds", "When the site could last be read, changed or not.",
		float64(c.site.SucceededAt.Load()))
	send(gauge, "site_changed_timestamp_seconds", "When a new state of the site was last taken over.",
		float64(c.site.ChangedAt.Load()))
}
