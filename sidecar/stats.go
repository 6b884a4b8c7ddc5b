package sidecar

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/sidecar/assistant"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/chain"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/metrics"
)

// Stats are the counts since the sidecar was made. No text of a caller is in them, so that they do not grow.
type Stats struct {
	Requests map[RequestKind]uint64
	Took     map[string]*metrics.Durations // of requests, by route
	InFlight int64
	Problems map[api.Code]uint64
	Limited  map[string]uint64 // requests that were refused, by limit
	Caches   []CacheStats
	Hosts    []HostStats
	Model    *ai.Spend // nil without a model
	// RedisDown reports whether the Redis is down. Nil means that there is none.
	RedisDown *bool
}

// RequestKind groups requests. Its Method and Route may be "other", and Status is zero for a request that was aborted.
type RequestKind struct {
	Route, Method string
	Status        int
}

// CacheStats are the counts of one cache. Network is the id of the network that it belongs to, or empty.
type CacheStats struct {
	Name, Network string
	*cache.Stats
}

// HostStats are the counts of the hosts of one kind: forum, chain or model. Network is as in [CacheStats].
type HostStats struct {
	Name, Network string
	*fetch.Stats
}

// Stats returns the counts of all requests, and those of the networks that the site has now.
func (s *Sidecar) Stats() Stats {
	c := s.counts
	out := Stats{InFlight: c.inFlight.Load(), Took: c.took}
	out.Caches = []CacheStats{
		{"answers", "", &c.responses},
		{"forum_linked", "", &c.forum.Linked}, {"forum_other", "", &c.forum.Other}, {"forum_slugs", "", &c.forum.Slugs},
		{"ai_summaries", "", &s.Assistant.Stats.Summaries}, {"ai_translations", "", &s.Assistant.Stats.Translations},
	}
	out.Hosts = []HostStats{{"forum", "", &c.forum.Host}, {"model", "", &s.Assistant.Stats.Model}}
	for _, n := range s.current.Load().networks {
		stats := c.chain(n.endpoints.ID)
		out.Caches = append(out.Caches, CacheStats{"chain", n.endpoints.ID, &stats.Heads})
		out.Hosts = append(out.Hosts, HostStats{"chain", n.endpoints.ID, &stats.Hosts})
	}
	if s.Assistant.Budget != nil {
		out.Model = new(s.Assistant.Budget.Spend())
	}
	if s.Redis != nil {
		out.RedisDown = new(s.Redis.Down())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out.Requests, out.Problems, out.Limited = maps.Clone(c.requests), maps.Clone(c.problems), maps.Clone(c.limited)
	return out
}

// counts are what [Sidecar.Stats] returns.
type counts struct {
	inFlight  atomic.Int64
	responses cache.Stats
	forum     forum.Stats
	took      map[string]*metrics.Durations // by route. The map does not change

	mu       sync.Mutex
	chains   map[string]*chain.Stats // by network id. They outlive the chain
	requests map[RequestKind]uint64
	problems map[api.Code]uint64
	limited  map[string]uint64
}

// expectedStatuses are the statuses that an endpoint is known to answer with.
var expectedStatuses = []int{200, 204, 304, 400, 404, 405, 413, 415, 429, 500, 502, 503, 504}

// newCounts counts each kind of request to an endpoint from zero, and each code and limit too, so that the first one
// shows as a rise.
func newCounts(endpoints map[string]*endpoint) *counts {
	c := &counts{
		took: map[string]*metrics.Durations{other: {}}, chains: map[string]*chain.Stats{},
		requests: map[RequestKind]uint64{}, problems: map[api.Code]uint64{}, limited: map[string]uint64{forum.Limit: 0, assistant.LimitModel: 0},
	}
	for path, e := range endpoints {
		c.took[path] = &metrics.Durations{}
		for _, status := range expectedStatuses {
			c.requests[RequestKind{path, e.method, status}] = 0
		}
		if e.limit != nil {
			c.limited[e.limit.name] = 0
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
	if !slices.Contains(countedMethods, method) {
		method = other
	}
	c.took[rec.route].Observe(time.Since(rec.began))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests[RequestKind{rec.route, method, rec.status}]++
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
