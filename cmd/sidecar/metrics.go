package main

import (
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/internal/fetch"
)

// metrics answers GET /metrics, and nothing else. It is for an address of its own, which has no limit of callers.
func (s *server) metrics() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(s, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		families, err := registry.Gather()
		if err != nil { // the others are still good
			s.log.Error("metrics", "error", err.Error())
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
		for _, f := range families {
			if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
				return // the client has gone
			}
		}
	})
	return mux
}

// Describe implements [prometheus.Collector]. It describes nothing, since labels differ within a family.
func (s *server) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (s *server) Collect(ch chan<- prometheus.Metric) {
	b := release.Current()
	gauge(ch, "mipwatch_build_info", "The program that runs: version, the commit that it was built from (revision), Go version. Always 1.",
		1, "version", b.Version, "revision", b.Commit, "goversion", b.Go)
	stats := s.handler.Stats()
	collectRequests(ch, stats)
	collectUpstreams(ch, stats)
	collectModel(ch, stats)
	if stats.RedisDown != nil {
		down := 0.0
		if *stats.RedisDown {
			down = 1
		}
		gauge(ch, "mipwatch_shared_away", "1 while the Redis of REDIS_URL is away and the process goes on by itself, else 0.", down)
	}
	s.collectSite(ch)
	var collections debug.GCStats
	debug.ReadGCStats(&collections)
	counter(ch, "go_gc_cycles_total", "Collections of garbage.", float64(collections.NumGC))
}

func collectRequests(ch chan<- prometheus.Metric, stats sidecar.Stats) {
	for k, n := range stats.Requests {
		status := "other"
		if k.Status != 0 {
			status = strconv.Itoa(k.Status)
		}
		counter(ch, "mipwatch_http_requests_total", "Requests that were answered, by route, method and status.",
			float64(n), "route", k.Route, "method", k.Method, "status", status)
	}
	for route, took := range stats.Took {
		count, sum, buckets := took.Histogram()
		const help = "Time from the header of a request to the end of its answer."
		desc := prometheus.NewDesc("mipwatch_http_request_duration_seconds", help, []string{"route"}, nil)
		ch <- prometheus.MustNewConstHistogram(desc, count, sum, buckets, route)
	}
	gauge(ch, "mipwatch_http_requests_in_flight", "Requests that are being answered.", float64(stats.InFlight))
	for code, n := range stats.Problems {
		counter(ch, "mipwatch_problems_total", "Answers that were problems, by code.", float64(n), "code", string(code))
	}
	for limit, n := range stats.Limited {
		counter(ch, "mipwatch_rate_limited_total", "Requests that a limit refused, by limit.", float64(n), "limit", limit)
	}
	for _, c := range stats.Caches {
		cached := func(result string, n uint64) {
			counter(ch, "mipwatch_cache_requests_total", "What caches were asked for, by result: a cached value (hit), a fetched one (miss), "+
				"one of a fetch that was under way (shared), an older one (stale), or none (error).",
				float64(n), "cache", c.Name, "network", c.Network, "result", result)
		}
		cached("hit", c.Hits.Load())
		cached("miss", c.Misses.Load())
		cached("shared", c.Shared.Load())
		cached("stale", c.Stale.Load())
		cached("error", c.Errors.Load())
	}
}

func collectUpstreams(ch chan<- prometheus.Metric, stats sidecar.Stats) {
	for _, h := range stats.Hosts {
		counter(ch, "mipwatch_upstream_requests_total", "HTTP requests that went out, those of retries and redirects too.",
			float64(h.Sent.Load()), "upstream", h.Name, "network", h.Network)
		for _, r := range fetch.Results() {
			counter(ch, "mipwatch_upstream_calls_total", "Calls of hosts behind the sidecar, a retry included, by result. "+
				"Those that are paused or breaker_open did not go out.",
				float64(h.Calls[r].Load()), "upstream", h.Name, "network", h.Network, "result", r.String())
		}
		count, sum, buckets := h.Took.Histogram()
		labels, values := pairs("upstream", h.Name, "network", h.Network)
		desc := prometheus.NewDesc("mipwatch_upstream_call_duration_seconds", "Time of the calls that went out.", labels, nil)
		ch <- prometheus.MustNewConstHistogram(desc, count, sum, buckets, values...)
		gauge(ch, "mipwatch_upstream_breakers_open", "Breakers that are open after five failures in a row, until a call succeeds. "+
			"The forum has two, a network one for each of its addresses.",
			float64(h.Open.Load()), "upstream", h.Name, "network", h.Network)
	}
}

func collectModel(ch chan<- prometheus.Metric, stats sidecar.Stats) {
	m := stats.Model
	if m == nil {
		return
	}
	counter(ch, "mipwatch_model_questions_total", "Questions to the model that were begun.", float64(m.Questions))
	counter(ch, "mipwatch_model_tokens_asked_total", "Tokens that were reserved for these questions.", float64(m.Asked))
	counter(ch, "mipwatch_model_tokens_used_total",
		"Tokens that they took by what the provider says, or that were reserved where it says nothing.", float64(m.Used))
	refused := func(budget string, n int) {
		counter(ch, "mipwatch_model_refused_total", "Questions that the budget refused: too many in the minute, too many tokens for the day, "+
			"tokens reserved for others (claimed), or more than any day has (too_large).", float64(n), "budget", budget)
	}
	refused("minute", m.Minute)
	refused("day", m.Day)
	refused("claimed", m.Claimed)
	refused("too_large", m.TooLarge)
	gauge(ch, "mipwatch_model_tokens_left", "Tokens that are left of the present day of UTC, less those that are reserved.", float64(m.Left))
	gauge(ch, "mipwatch_model_tokens_per_day", "Tokens that a day has (AI_TOKENS_PER_DAY).", float64(m.PerDay))
}

// collectSite counts the readings of the site.
func (s *server) collectSite(ch chan<- prometheus.Metric) {
	stats := &s.poller.Stats
	gauge(ch, "mipwatch_site_proposals", "Proposals of the site.", float64(stats.Proposals.Load()))
	const looks = "Readings of the site, by whether it could be read; error also where it could not be taken over."
	counter(ch, "mipwatch_site_looks_total", looks, float64(stats.Succeeded.Load()), "result", "ok")
	counter(ch, "mipwatch_site_looks_total", looks, float64(stats.Failed.Load()), "result", "error")
	gauge(ch, "mipwatch_site_seen_timestamp_seconds", "When the site could last be read, with or without changes; 0 before the first time.",
		float64(stats.SucceededAt.Load()))
	gauge(ch, "mipwatch_site_changed_timestamp_seconds", "When a new state of the site was last taken over; 0 before the first.",
		float64(stats.ChangedAt.Load()))
}

func counter(ch chan<- prometheus.Metric, name, help string, value float64, labels ...string) {
	names, values := pairs(labels...)
	ch <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), prometheus.CounterValue, value, values...)
}

func gauge(ch chan<- prometheus.Metric, name, help string, value float64, labels ...string) {
	names, values := pairs(labels...)
	ch <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), prometheus.GaugeValue, value, values...)
}

// pairs splits names and values of labels, which stand in turn. It leaves out labels without a value.
func pairs(labels ...string) (names, values []string) {
	for l := range slices.Chunk(labels, 2) {
		if l[1] != "" {
			names, values = append(names, l[0]), append(values, l[1])
		}
	}
	return names, values
}
