package sidecar

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/chain"
	"github.com/mipwatch/mipwatch/sidecar/forum"
)

// MetricWriter writes metrics for Prometheus. Samples of one name have one help text. Labels are names and values in
// turn, and one with an empty value is left out. The library of Prometheus is behind it, which a function does not link.
type MetricWriter interface {
	Counter(name, help string, value float64, labels ...string)
	Gauge(name, help string, value float64, labels ...string)
	Histogram(name, help string, d *fetch.Durations, labels ...string)
}

// WriteMetrics writes the counts since the sidecar was made. Networks that have left the site are left out. No label has
// a text of a caller.
func (s *Sidecar) WriteMetrics(w MetricWriter) {
	// The counts of networks that have left are kept for their return.
	networks := s.current.Load().networks
	s.counts.write(w)
	writeCache(w, "answers", "", &s.counts.responses)
	writeCache(w, "forum_linked", "", &s.counts.forum.Linked)
	writeCache(w, "forum_other", "", &s.counts.forum.Other)
	writeCache(w, "forum_slugs", "", &s.counts.forum.Slugs)
	writeCache(w, "ai_summaries", "", &s.counts.summaries)
	writeCache(w, "ai_translations", "", &s.counts.translations)
	writeHost(w, "forum", "", &s.counts.forum.Host)
	writeHost(w, "model", "", s.AI.Requests)
	for _, n := range networks {
		stats := s.counts.chain(n.endpoints.ID)
		writeCache(w, "chain", n.endpoints.ID, &stats.Heads)
		writeHost(w, "chain", n.endpoints.ID, &stats.Hosts)
	}
	s.writeModel(w)
	if s.Redis != nil {
		down := 0.0
		if s.Redis.Down() {
			down = 1
		}
		w.Gauge("mipwatch_shared_away", "1 while the Redis of REDIS_URL is away and the process goes on by itself, else 0.", down)
	}
}

// writeCache writes the counts of a cache. network is the id of the network that it is for, or empty.
func writeCache(w MetricWriter, name, network string, c *cache.Stats) {
	write := func(result string, n uint64) {
		w.Counter("mipwatch_cache_requests_total", "What caches were asked for, by result: a cached value (hit), a fetched one (miss), "+
			"one of a fetch that was under way (shared), an older one (stale), or none (error).",
			float64(n), "cache", name, "network", network, "result", result)
	}
	write("hit", c.Hits.Load())
	write("miss", c.Misses.Load())
	write("shared", c.Shared.Load())
	write("stale", c.Stale.Load())
	write("error", c.Errors.Load())
}

// writeHost writes the counts of the hosts of one kind. network is as for writeCache.
func writeHost(w MetricWriter, name, network string, h *fetch.Stats) {
	labels := []string{"upstream", name, "network", network}
	for i := range h.Calls {
		w.Counter("mipwatch_upstream_calls_total", "Calls of hosts behind the sidecar, a retry included, by result. "+
			"Those that are paused or breaker_open did not go out.", float64(h.Calls[i].Load()), append(labels, "result", fetch.Result(i).String())...)
	}
	w.Gauge("mipwatch_upstream_breakers_open", "Breakers that are open after five failures in a row, until a call succeeds. "+
		"The forum has two, a network one for each of its addresses.", float64(h.Open.Load()), labels...)
}

// writeModel writes the cost of a model that has a budget.
func (s *Sidecar) writeModel(w MetricWriter) {
	budget, ok := s.AI.Model.(*ai.Budget)
	if !ok {
		return
	}
	m := budget.Spend()
	w.Counter("mipwatch_model_questions_total", "Questions to the model that were begun.", float64(m.Questions))
	w.Counter("mipwatch_model_tokens_asked_total", "Tokens that were reserved for these questions.", float64(m.Asked))
	w.Counter("mipwatch_model_tokens_used_total",
		"Tokens that they took by what the provider says, or that were reserved where it says nothing.", float64(m.Used))
	refused := func(budget string, n int) {
		w.Counter("mipwatch_model_refused_total", "Questions that the budget refused: too many in the minute, too many tokens for the day, "+
			"tokens reserved for others (claimed), or more than any day has (too_large).", float64(n), "budget", budget)
	}
	refused("minute", m.Minute)
	refused("day", m.Day)
	refused("claimed", m.Claimed)
	refused("too_large", m.TooLarge)
	w.Gauge("mipwatch_model_tokens_left", "Tokens that are left of the present day of UTC, less those that are reserved.", float64(m.Left))
	w.Gauge("mipwatch_model_tokens_per_day", "Tokens that a day has (AI_TOKENS_PER_DAY).", float64(m.PerDay))
}

// counts are the counts of requests and hosts. They do not grow with the texts of callers.
type counts struct {
	inFlight     atomic.Int64
	responses    cache.Stats
	summaries    cache.Stats
	translations cache.Stats
	forum        forum.Stats
	// took has the durations of requests by route. The map does not change.
	took map[string]*fetch.Durations

	mu sync.Mutex
	// chains has the counts of a chain by network id. They outlive the chain.
	chains   map[string]*chain.Stats
	requests map[requestKind]uint64
	problems map[api.Code]uint64
	limited  map[string]uint64
}

// requestKind groups requests. The status of a request that was aborted is zero.
type requestKind struct {
	route, method string
	status        int
}

// expectedStatuses are the statuses that an endpoint is known to answer with.
var expectedStatuses = []int{200, 204, 304, 400, 404, 405, 413, 415, 429, 500, 502, 503, 504}

// newCounts counts each kind of request to an endpoint from zero, and each code and limit too, so that the first one
// shows as a rise.
func newCounts(endpoints map[string]*endpoint) *counts {
	c := &counts{
		took: map[string]*fetch.Durations{other: {}}, chains: map[string]*chain.Stats{},
		requests: map[requestKind]uint64{}, problems: map[api.Code]uint64{}, limited: map[string]uint64{forum.Limit: 0, ai.LimitModel: 0},
	}
	// A rate of Prometheus needs a sample before the first event.
	for path, e := range endpoints {
		c.took[path] = &fetch.Durations{}
		for _, status := range expectedStatuses {
			c.requests[requestKind{path, e.method, status}] = 0
		}
		if e.limit != nil {
			c.limited[e.limit.Name] = 0
		}
	}
	for _, p := range api.Codes() {
		c.problems[p.Code] = 0
	}
	return c
}

// countedMethods are those that are not counted as other.
var countedMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions}

// request counts a request that was answered or aborted.
func (c *counts) request(rec *recorder, method string) {
	// Callers make up methods, and each would be a series of its own.
	if !slices.Contains(countedMethods, method) {
		method = other
	}
	c.took[rec.route].Observe(time.Since(rec.began))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests[requestKind{rec.route, method, rec.status}]++
}

// problem counts an error, and the limit that it names.
func (c *counts) problem(e *api.HTTPError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problems[e.Code]++
	if e.Limit != "" {
		c.limited[e.Limit]++
	}
}

// chain returns the counts of a network's chain.
func (c *counts) chain(id string) *chain.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.chains[id] == nil {
		c.chains[id] = &chain.Stats{}
	}
	return c.chains[id]
}

// write writes the counts of requests.
func (c *counts) write(w MetricWriter) {
	for route, took := range c.took {
		w.Histogram("mipwatch_http_request_duration_seconds", "Time from the header of a request to the end of its answer.", took, "route", route)
	}
	w.Gauge("mipwatch_http_requests_in_flight", "Requests that are being answered.", float64(c.inFlight.Load()))
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, n := range c.requests {
		status := other
		if k.status != 0 {
			status = strconv.Itoa(k.status)
		}
		w.Counter("mipwatch_http_requests_total", "Requests that were answered, by route, method and status.",
			float64(n), "route", k.route, "method", k.method, "status", status)
	}
	for code, n := range c.problems {
		w.Counter("mipwatch_problems_total", "Answers that were problems, by code.", float64(n), "code", string(code))
	}
	for limit, n := range c.limited {
		w.Counter("mipwatch_rate_limited_total", "Requests that a limit refused, by limit.", float64(n), "limit", limit)
	}
}
