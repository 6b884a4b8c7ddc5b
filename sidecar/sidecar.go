// Package sidecar is the live part of a site: an http.Handler that answers what does not follow
// from the proposals' texts. It holds the routes, their parameters, status codes, limits and cache
// fields. Every answer is bounded in time: it is fresh, older and marked so, or a coded problem
// (RFC 9457). It does not know how a forum, a chain or a file is read, and never reads the
// environment by itself.
package sidecar

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
	"github.com/mipwatch/mipwatch/sidecar/limit"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// Default limits of a caller in [Config].
const (
	requestsPerMinute   = 120
	aiRequestsPerMinute = 10
)

// Config configures a [Sidecar]. The zero value suits a plain server that callers reach directly.
type Config struct {
	// Transport reaches the upstream hosts. Nil means a transport of its own.
	Transport http.RoundTripper
	// Function means that the process is frozen after an answer, as a serverless function is. It
	// then fetches nothing in the background.
	Function bool
	// Netlify means that every request comes from Netlify, which names the caller in
	// x-nf-client-connection-ip. On other hosts, callers could set that field themselves.
	Netlify bool
	// Proxies are the addresses whose X-Forwarded-For is trusted. Nil means none.
	Proxies []netip.Prefix
	// RequestsPerMinute limits the requests of each caller. Zero means 120.
	RequestsPerMinute int
	// AIRequestsPerMinute limits the POST requests of each caller to each of the two AI routes,
	// whether or not a model answers. Zero means 10.
	AIRequestsPerMinute int
	// AI is the language model of summaries and translations. The zero value has none: summaries
	// are made by rules, and only committed translations are served.
	AI ai.Configured
	// Redis holds the limits and the model's answers that all sidecars of the site share. While it
	// is down each works by itself. [Sidecar.Close] closes it. Nil means that this is the only
	// sidecar.
	Redis *redis.Store
	// Site has the counts of the poller that calls [Sidecar.Update]. /healthz and /readyz report
	// from it that the site is unreadable. Nil means that nobody polls.
	Site *catalog.Stats
	// Observe is called with each answered request, concurrently. Nil disables it.
	Observe func(Request)
	// Log gets one line for each request and each failure. Health checks and refused requests are
	// logged at level debug. Nil discards all.
	Log *slog.Logger
	// Version and Revision, the commit of the program, are in /healthz unless empty.
	Version, Revision string
	// Now is the wall clock. Nil means time.Now.
	Now func() time.Time
}

// Sidecar is the handler. It is safe for concurrent use. Requests before the first [Sidecar.Update]
// wait for it as long as for an upstream host, and then get not_ready.
type Sidecar struct {
	Config
	// endpoints are by route.
	endpoints map[string]*endpoint
	// general limits all requests without a limit of their own, except health checks.
	general *limit.Limit
	// untrusted is done once an untrusted proxy is logged.
	untrusted sync.Once
	draining  atomic.Bool

	// searches has a place for each running search. There are as many as processors: more would
	// only slow each other down.
	searches chan struct{}

	responses *cache.Cache[responseKey, *response]
	summaries *cache.Cache[answerKey, api.Summary]
	// assembled from pieces, by the chosen sections
	translations *cache.Cache[answerKey, api.Translation]
	pieces       *cache.Cache[answerKey, ai.Passages]
	failures     failures // of the model, by summary and piece
	// counts are the statistics of the caches.
	counts struct{ responses, summaries, translations cache.Stats }

	// mu is held while the site changes.
	mu      sync.Mutex
	closed  bool
	current atomic.Pointer[siteState]
	// updated is closed by ready, at the first Update or at Close.
	updated chan struct{}
	ready   func()
}

// New returns a sidecar without a catalog. The caller calls [Sidecar.Close] after use.
func New(c Config) *Sidecar {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Observe == nil {
		c.Observe = func(Request) {}
	}
	c.RequestsPerMinute = cmp.Or(c.RequestsPerMinute, requestsPerMinute)
	c.AIRequestsPerMinute = cmp.Or(c.AIRequestsPerMinute, aiRequestsPerMinute)
	c.AI.Requests = cmp.Or(c.AI.Requests, &fetch.Stats{})
	s := &Sidecar{Config: c, updated: make(chan struct{}),
		searches: make(chan struct{}, runtime.GOMAXPROCS(0))}
	s.ready = sync.OnceFunc(func() { close(s.updated) })
	s.current.Store(&siteState{hosts: &hosts{}})
	s.endpoints = s.newEndpoints()
	s.responses = s.newResponseCache()
	s.summaries = newAnswerCache[api.Summary](s, &s.counts.summaries)
	s.translations = newAnswerCache[api.Translation](s, &s.counts.translations)
	s.pieces = newAnswerCache[ai.Passages](s, nil)
	return s
}

// Update replaces the catalog of the site for all later requests. It keeps the cached topics and
// heads if the forum and all networks are unchanged. After an error nothing has changed.
func (s *Sidecar) Update(c *catalog.Catalog) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the sidecar is closed")
	}
	old := s.current.Load()
	next, err := s.newSite(c, old.hosts)
	if err != nil {
		return err
	}
	s.current.Store(next)
	s.ready()
	// Free the memory: the key of a response has its site, so no response would be found again.
	s.responses.Clear()
	// Running requests still use the old site. Their calls fail when its hosts are closed.
	if next.hosts != old.hosts {
		old.close()
	}
	return nil
}

// Drain makes /readyz answer not_ready, so that a balancer sends no new requests while the last
// ones are answered.
func (s *Sidecar) Drain() { s.draining.Store(true) }

// health is the body of GET /healthz and GET /readyz, which only the plain server has.
type health struct {
	// Status is always ok.
	Status string `json:"status"`
	// Version and Revision are the program's.
	Version  string `json:"version,omitempty"`
	Revision string `json:"revision,omitempty"`
	// Commit is the newest one of the site that changed a proposal.
	Commit *string `json:"commit,omitempty"`
	// Site is ok, or unreadable while the sidecar answers from an earlier read, which is still
	// healthy.
	Site string `json:"site,omitempty"`
	// Redis is ok or down. A sidecar is healthy without it.
	Redis string `json:"redis,omitempty"`
}

// health answers GET /healthz while the process lives.
func (s *Sidecar) health(http.ResponseWriter, *http.Request) (*response, error) {
	h := health{Status: "ok", Version: s.Version, Revision: s.Revision}
	if c := s.current.Load().catalog; c != nil {
		h.Commit = c.Site.Commit
	}
	switch {
	case s.Site == nil:
	case s.Site.Unreadable.Load():
		h.Site = "unreadable"
	default:
		h.Site = "ok"
	}
	h.Redis = s.redisState()
	return s.newResponse(h, time.Time{}, 0)
}

// redisState is ok or down, or empty without a Redis.
func (s *Sidecar) redisState() string {
	switch {
	case s.Redis == nil:
		return ""
	case s.Redis.Down():
		return "down"
	}
	return "ok"
}

// AskRedis pings Redis within its timeout. It returns ok or down, or none without a Redis.
func (s *Sidecar) AskRedis(ctx context.Context) string {
	if s.Redis == nil {
		return "none"
	}
	s.Redis.Ping(ctx)
	return s.redisState()
}

// isReady answers GET /readyz while requests may be sent here.
func (s *Sidecar) isReady(w http.ResponseWriter, r *http.Request) (*response, error) {
	if s.draining.Load() {
		return nil, errStopping
	}
	if s.current.Load().catalog == nil {
		return nil, errNotReady
	}
	return s.health(w, r)
}

// Close cancels every fetch and waits until all have ended. Later requests get problems.
func (s *Sidecar) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.Drain()
	old := s.current.Swap(&siteState{hosts: &hosts{}})
	s.ready()
	s.responses.Close()
	old.close()
	s.summaries.Close()
	s.translations.Close()
	s.pieces.Close()
	for _, e := range s.endpoints {
		if e.limit != nil {
			e.limit.Close()
		}
	}
	if s.Redis != nil {
		return s.Redis.Close()
	}
	return nil
}

// Stats are counts since the sidecar was created. They are live.
type Stats struct {
	// Caches and Hosts have an entry for each purpose, and for each network for chains. The entries
	// of the forum and of chains start at zero when one of their addresses changes.
	Caches map[Subject]*cache.Stats
	Hosts  map[Subject]*fetch.Stats
	// Model is nil if no budget bounds a model.
	Model *ai.Spend
	// RedisDown is nil without a Redis.
	RedisDown *bool
}

// Subject names a cache or a kind of hosts, as metrics do. Network is the network's id for chains,
// each of which has its own cache and hosts. It is empty otherwise.
type Subject struct{ Name, Network string }

// Stats returns the counts.
func (s *Sidecar) Stats() Stats {
	h := s.current.Load().hosts
	out := Stats{
		Caches: map[Subject]*cache.Stats{
			{Name: "answers"}:         &s.counts.responses,
			{Name: "forum_linked"}:    &h.forumStats.Linked,
			{Name: "forum_other"}:     &h.forumStats.Other,
			{Name: "forum_slugs"}:     &h.forumStats.Slugs,
			{Name: "ai_summaries"}:    &s.counts.summaries,
			{Name: "ai_translations"}: &s.counts.translations,
		},
		Hosts: map[Subject]*fetch.Stats{{Name: "forum"}: &h.forumStats.Host,
			{Name: "model"}: s.AI.Requests},
	}
	for i, e := range h.endpoints {
		chain := Subject{"chain", e.ID}
		out.Caches[chain], out.Hosts[chain] = &h.chainStats[i].Heads, &h.chainStats[i].Hosts
	}
	if budget, ok := s.AI.Model.(*ai.Budget); ok {
		out.Model = new(budget.Spend())
	}
	if s.Redis != nil {
		out.RedisDown = new(s.Redis.Down())
	}
	return out
}
