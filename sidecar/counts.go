package sidecar

import (
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/assistant"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/metrics"
)

// counts are what [Sidecar.WriteMetrics] tells. Nothing in them is a caller's word, so they do not grow.
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
	main     string // the method that it is there for; empty: none
	requests [len(countedMethods) + 1][len(countedStatuses) + 1]atomic.Uint64
	took     metrics.Durations
}

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
