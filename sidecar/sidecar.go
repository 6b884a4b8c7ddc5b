// Package sidecar is the live part of a site: an http.Handler that answers what does not follow from the proposals'
// texts. It holds the routes, their parameters, status codes, limits and cache fields. Every answer is bounded in time:
// it is fresh, older and marked so, or a coded problem (RFC 9457). It does not know how a forum, a chain or a file is
// read, and never reads the environment by itself.
package sidecar

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/index"
	"github.com/mipwatch/mipwatch/sidecar/limit"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// The limits of a caller that [Config] has by default.
const (
	requestsPerMinute   = 120
	aiRequestsPerMinute = 10
)

// Config configures a [Sidecar]. The zero value is that of a plain server that faces its callers directly.
type Config struct {
	// Transport reaches the hosts behind the sidecar. Nil means connections of its own.
	Transport http.RoundTripper
	// UserAgent names this sidecar to those hosts. Empty means mipwatch-sidecar.
	UserAgent string
	// Function says that the process is frozen after an answer, as a serverless function is. Nothing is fetched in
	// the background then.
	Function bool
	// Netlify says that every request comes from Netlify, which names the caller in x-nf-client-connection-ip.
	// Anywhere else callers could write that field themselves.
	Netlify bool
	// Proxies are the addresses whose X-Forwarded-For is believed. Nil means that none is.
	Proxies []netip.Prefix
	// RequestsPerMinute limits the requests of each caller. Zero means 120.
	RequestsPerMinute int
	// AIRequestsPerMinute limits the summaries of each caller, and the translations. Zero means 10.
	AIRequestsPerMinute int
	// AI is the language model of summaries and translations. The zero value has none: summaries are made by rules,
	// and translations are those that are committed.
	AI ai.Configured
	// Redis holds the limits and the model's answers that all sidecars of the site share. While it is down each of
	// them goes on alone. [Sidecar.Close] closes it. Nil means that this sidecar is alone.
	Redis *redis.Store
	// Log gets one line for each request, and each failure. Lines of health checks and of requests beyond a caller's
	// limit have the level debug. Nil discards them.
	Log *slog.Logger
	// Version and Revision, the commit that the program was built from, are in /healthz if they are not empty.
	Version, Revision string
	// Now is the wall clock. Nil means time.Now.
	Now func() time.Time
}

// Sidecar is the handler. It is safe for concurrent use. Requests before the first [Sidecar.Update] wait for it as long
// as they would for a host, and are then answered not_ready.
type Sidecar struct {
	Config
	// endpoints are by path.
	endpoints map[string]*endpoint
	// general limits all requests without a limit of their own, but for health checks.
	general   *limit.Limit
	counts    *counts
	ai        *aiAnswers
	responses *cache.Cache[responseKey, *response]
	draining  atomic.Bool

	// mu is held while the state changes.
	mu      sync.Mutex
	closed  bool
	current atomic.Pointer[state]
	// updated is closed by the first Update, or by Close.
	updated chan struct{}
	// once closes updated.
	once sync.Once
}

// New returns a sidecar without an index. The caller calls [Sidecar.Close] after use.
func New(c Config) *Sidecar {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.UserAgent = cmp.Or(c.UserAgent, "mipwatch-sidecar")
	c.RequestsPerMinute = cmp.Or(c.RequestsPerMinute, requestsPerMinute)
	c.AIRequestsPerMinute = cmp.Or(c.AIRequestsPerMinute, aiRequestsPerMinute)
	c.Proxies = slices.Clone(c.Proxies)
	c.AI.Requests = cmp.Or(c.AI.Requests, &fetch.Stats{})
	s := &Sidecar{Config: c, updated: make(chan struct{})}
	s.current.Store(&state{})
	s.endpoints = s.newEndpoints()
	s.counts = newCounts(s.endpoints)
	s.ai = newAIAnswers(c, s.counts)
	s.responses = s.newResponses()
	return s
}

// Update replaces the index of the site, from the next request on. The forum's topics and the heads of networks are
// kept where the forum or the network is still the same. After an error everything is as before.
func (s *Sidecar) Update(x *index.Index) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the sidecar is closed")
	}
	// Requests under way go on with the old state. Their calls end with an error when its hosts are closed below.
	old := s.current.Load()
	next, err := s.newState(x, old)
	if err != nil {
		return err
	}
	s.current.Store(next)
	s.once.Do(func() { close(s.updated) })
	// The key of a response has the number of its state, so this only frees the memory.
	s.responses.Clear()
	old.closeUnused(next)
	return nil
}

// Drain makes /readyz answer not_ready from now on, so that a balancer sends requests elsewhere while the last ones are
// answered.
func (s *Sidecar) Drain() { s.draining.Store(true) }

// Close ends every fetch and waits until all have ended. Later requests are answered with problems.
func (s *Sidecar) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.Drain()
	old := s.current.Swap(&state{})
	s.once.Do(func() { close(s.updated) })
	s.responses.Close()
	old.closeUnused(&state{})
	s.ai.close()
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
