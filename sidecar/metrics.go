package sidecar

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/sidecar/assistant"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/metrics"
)

// WriteMetrics writes what was counted since the sidecar was made. A network that has left the site is
// left out.
func (s *Sidecar) WriteMetrics(w *metrics.Writer) {
	st := s.current.Load()
	s.counts.writeRequests(w)
	s.writeCaches(w, st)
	s.writeUpstreams(w, st)
	s.writeModel(w)
	s.writeShared(w)
}

// writeRequests writes what was counted of requests, in the order of the routes.
func (c *counts) writeRequests(w *metrics.Writer) {
	routes := slices.Sorted(maps.Keys(c.routes))
	w.Family(metrics.Counter, "mipwatch_http_requests_total", "Requests that were answered, by route, method and status.")
	for _, route := range routes {
		c.routes[route].write(w, route)
	}
	w.Family(metrics.Histogram, "mipwatch_http_request_duration_seconds", "Time from the header of a request to the end of its answer.")
	for _, route := range routes {
		w.Durations(&c.routes[route].took, "route", route)
	}
	w.Family(metrics.Gauge, "mipwatch_http_requests_in_flight", "Requests that are being answered.")
	w.Sample(float64(c.inFlight.Load()))
	w.Family(metrics.Counter, "mipwatch_problems_total", "Answers that were problems, by code.")
	for _, code := range slices.Sorted(maps.Keys(c.problems)) {
		w.Sample(float64(c.problems[code].Load()), "code", string(code))
	}
	w.Family(metrics.Counter, "mipwatch_rate_limited_total", "Requests that a limit refused, by limit.")
	for _, limit := range slices.Sorted(maps.Keys(c.limits)) {
		w.Sample(float64(c.limits[limit].Load()), "limit", limit)
	}
}

// write writes the statuses of the route's own method always, so that the first failure shows as a rise, and
// what else there was.
func (c *routeCounts) write(w *metrics.Writer, route string) {
	for m := range c.requests {
		method := other
		if m < len(countedMethods) {
			method = countedMethods[m]
		}
		for s := range c.requests[m] {
			status := other
			if s < len(countedStatuses) {
				status = strconv.Itoa(countedStatuses[s])
			}
			if n := c.requests[m][s].Load(); n > 0 || method == c.main && status != other {
				w.Sample(float64(n), "route", route, "method", method, "status", status)
			}
		}
	}
}

// writeCaches writes how caches answered, each under its name.
func (s *Sidecar) writeCaches(w *metrics.Writer, st *state) {
	w.Family(metrics.Counter, "mipwatch_cache_requests_total", "What caches were asked for, by how they answered: with what was there (hit), by asking (miss), "+
		"by waiting for whoever asked already (shared), with something older (stale), or not at all (error).")
	write := func(c *cache.Stats, name, network string) {
		for _, r := range [...]struct {
			result string
			n      uint64
		}{{"hit", c.Hits.Load()}, {"miss", c.Misses.Load()}, {"shared", c.Shared.Load()}, {"stale", c.Stale.Load()}, {"error", c.Errors.Load()}} {
			w.Sample(float64(r.n), "cache", name, "network", network, "result", r.result)
		}
	}
	write(&s.counts.responses, "answers", "")
	write(&s.counts.forum.Linked, "forum_linked", "")
	write(&s.counts.forum.Other, "forum_other", "")
	write(&s.counts.forum.Slugs, "forum_slugs", "")
	for _, n := range st.networks {
		write(&n.stats.Heads, "chain", n.endpoints.ID)
	}
	write(&s.Assistant.Stats.Summaries, "ai_summaries", "")
	write(&s.Assistant.Stats.Translations, "ai_translations", "")
}

// writeUpstreams writes what was asked of the forum, of each network and of the model.
func (s *Sidecar) writeUpstreams(w *metrics.Writer, st *state) {
	type host struct {
		name, network string
		*fetch.Stats
	}
	hosts := []host{{"forum", "", &s.counts.forum.Host}}
	for _, n := range st.networks {
		hosts = append(hosts, host{"chain", n.endpoints.ID, &n.stats.Hosts})
	}
	hosts = append(hosts, host{"model", "", &s.Assistant.Stats.Model})

	w.Family(metrics.Counter, "mipwatch_upstream_requests_total", "HTTP requests that went out, those of retries and redirects too.")
	for _, h := range hosts {
		w.Sample(float64(h.Sent.Load()), "upstream", h.name, "network", h.network)
	}
	w.Family(metrics.Counter, "mipwatch_upstream_calls_total", "Questions to what is behind the sidecar, a retry included, by what became of them. "+
		"Those that are paused or breaker_open did not go out.")
	for _, h := range hosts {
		for _, r := range fetch.Results() {
			w.Sample(float64(h.Calls[r].Load()), "upstream", h.name, "network", h.network, "result", r.String())
		}
	}
	w.Family(metrics.Histogram, "mipwatch_upstream_call_duration_seconds", "Time of the questions that went out.")
	for _, h := range hosts {
		w.Durations(&h.Took, "upstream", h.name, "network", h.network)
	}
	w.Family(metrics.Gauge, "mipwatch_upstream_breakers_open", "Ways to an upstream that are shut after five failures in a row, until a call succeeds. "+
		"The forum has two ways, a network one for each of its addresses.")
	for _, h := range hosts {
		w.Sample(float64(h.Open.Load()), "upstream", h.name, "network", h.network)
	}
}

// writeModel writes what the model cost, where there is one that has a budget.
func (s *Sidecar) writeModel(w *metrics.Writer) {
	if s.Assistant.Budget == nil {
		return
	}
	b := s.Assistant.Budget.Spend()
	w.Family(metrics.Counter, "mipwatch_model_questions_total", "Questions to the model that were begun.")
	w.Sample(float64(b.Questions))
	w.Family(metrics.Counter, "mipwatch_model_tokens_asked_total", "Tokens that were set aside for these questions before they were asked.")
	w.Sample(float64(b.Asked))
	w.Family(metrics.Counter, "mipwatch_model_tokens_used_total", "Tokens that they took by what the provider says, or that were set aside where it says nothing.")
	w.Sample(float64(b.Used))
	w.Family(metrics.Counter, "mipwatch_model_refused_total", "Questions that the budget refused: too many in the minute, too many tokens for the day, "+
		"tokens set aside for others (claimed), or more than any day has (too_large).")
	w.Sample(float64(b.Minute), "budget", "minute")
	w.Sample(float64(b.Day), "budget", "day")
	w.Sample(float64(b.Claimed), "budget", "claimed")
	w.Sample(float64(b.TooLarge), "budget", "too_large")
	w.Family(metrics.Gauge, "mipwatch_model_tokens_left", "Tokens that are left of the present day of UTC, less what is set aside.")
	w.Sample(float64(b.Left))
	w.Family(metrics.Gauge, "mipwatch_model_tokens_per_day", "Tokens that a day has (AI_TOKENS_PER_DAY).")
	w.Sample(float64(b.PerDay))
}

// writeShared writes how it stands with what sidecars have in common, where they have anything.
func (s *Sidecar) writeShared(w *metrics.Writer) {
	if s.Shared == nil {
		return
	}
	away := 0.0
	if s.Shared.Down() {
		away = 1
	}
	w.Family(metrics.Gauge, "mipwatch_shared_away", "1 while the Redis of REDIS_URL is away and the process goes on by itself, else 0.")
	w.Sample(away)
}

// counts are what [Sidecar.WriteMetrics] writes. Their labels are never a text of a caller, so they do not grow.
type counts struct {
	inFlight  atomic.Int64
	routes    map[string]*routeCounts // by path, and other
	problems  map[api.Code]*atomic.Uint64
	limits    map[string]*atomic.Uint64 // refusals by the name of the limit
	responses cache.Stats
	forum     forum.Stats
}

// other stands for every path, method or status that is not counted by itself.
const other = "other"

// countedMethods and countedStatuses are those that are counted by themselves.
var (
	countedMethods  = [...]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions}
	countedStatuses = [...]int{200, 204, 304, 400, 404, 405, 413, 415, 429, 500, 502, 503, 504}
)

// routeCounts are the requests to one address.
type routeCounts struct {
	main     string // its own method; empty for other
	requests [len(countedMethods) + 1][len(countedStatuses) + 1]atomic.Uint64
	took     metrics.Durations
}

// newCounts gives each endpoint its counts. Every label that can occur has a number from the start.
func newCounts(endpoints map[string]*endpoint) *counts {
	c := &counts{routes: map[string]*routeCounts{other: {}}, problems: map[api.Code]*atomic.Uint64{}, limits: map[string]*atomic.Uint64{}}
	for path, e := range endpoints {
		e.counts = &routeCounts{main: e.methods.names[0]}
		c.routes[path] = e.counts
		if e.limit != nil {
			c.limits[e.limit.name] = &atomic.Uint64{}
		}
	}
	for _, name := range [...]string{forum.Limit, assistant.LimitModel} {
		c.limits[name] = &atomic.Uint64{}
	}
	for _, p := range api.Codes() {
		c.problems[p.Code] = &atomic.Uint64{}
	}
	return c
}

// count counts a request that was answered. Status 0 is that of one that was broken off.
func (c *routeCounts) count(method string, status int, took time.Duration) {
	m, s := slices.Index(countedMethods[:], method), slices.Index(countedStatuses[:], status)
	if m < 0 {
		m = len(countedMethods)
	}
	if s < 0 {
		s = len(countedStatuses)
	}
	c.requests[m][s].Add(1)
	c.took.Observe(took)
}
