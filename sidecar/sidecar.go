// Package sidecar is the live part of a site: an http.Handler that answers what does not follow from
// the proposals' texts. It holds the routes, their parameters, status codes, limits and cache fields.
// It does not know how a forum, a chain or a file is read, and never reads the environment.
//
// Every answer is bounded in time, whatever happens behind it: fresh, older and marked so, or a coded
// problem (RFC 9457). Nothing that it holds is lost with the process: all of it can be asked again.
package sidecar

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sethvargo/go-limiter"

	"github.com/mipwatch/mipwatch/sidecar/assistant"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

// Config is what a Sidecar needs of the world. The zero value is a plain server that faces its callers
// directly.
type Config struct {
	// Transport reaches the hosts behind the sidecar. Nil means connections of its own.
	Transport http.RoundTripper
	// UserAgent names this sidecar to those hosts. Empty means mipwatch-sidecar.
	UserAgent string
	// Function says that the process is frozen after an answer, as a serverless function is: nothing is
	// then fetched in the background.
	Function bool
	// Netlify says that every request comes from Netlify, which names the caller in
	// x-nf-client-connection-ip. Anywhere else callers could write that field themselves.
	Netlify bool
	// Proxies are the addresses whose X-Forwarded-For is believed; none: nobody's.
	Proxies []netip.Prefix
	// RequestsPerMinute is what each caller may ask for. Zero means 120.
	RequestsPerMinute int
	// AIRequestsPerMinute is how many summaries each caller may ask for, and how many translations. Zero means 10.
	AIRequestsPerMinute int
	// Assistant says what summaries and translations are made with. Detached, Now, Log and Shared are
	// set from here.
	Assistant assistant.Config
	// Shared is the Redis of all sidecars of the site: it has their limits and the answers of their model. It is
	// closed with this one. Nil: this one is alone.
	Shared Shared
	// Log gets one line per request, except with the level debug health checks and requests beyond a caller's
	// limit, and what goes wrong. Nil discards it.
	Log *slog.Logger
	// Version and Revision, the commit that the program was built from, are in /healthz. It leaves empty ones out.
	Version, Revision string
	// Now is the wall clock. Nil means time.Now.
	Now func() time.Time
}

// Shared is the Redis of several sidecars; see sidecar/redis. While it is down each goes on alone.
type Shared interface {
	assistant.Shared
	// Limit is a store of limits, each of so many tokens in a window. Every error means that the Redis is down.
	Limit(tokens uint64, window time.Duration) limiter.Store
	// Down reports whether the Redis failed when it was asked last. It asks nobody.
	Down() bool
	Close() error
}

// Sidecar is the handler. It is safe for concurrent use. Until the first [Sidecar.Know] requests wait for
// it, as long as they would for a host, and are then answered not_ready.
type Sidecar struct {
	Config
	endpoints map[string]*endpoint // by path
	general   *limit               // of all that has no limit of its own, but for health checks
	counts    *counts
	clients   clients
	assistant *assistant.Assistant
	responses *cache.Cache[responseKey, *response]
	draining  atomic.Bool

	mu      sync.Mutex // held while knowledge changes
	closed  bool
	current atomic.Pointer[state]
	knows   chan struct{} // closed by the first Know, or by Close
	once    sync.Once
}

// New makes a sidecar that knows nothing yet. [Sidecar.Close] ends what it starts.
func New(c Config) (*Sidecar, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.UserAgent = cmp.Or(c.UserAgent, "mipwatch-sidecar")
	c.RequestsPerMinute = cmp.Or(c.RequestsPerMinute, requestsPerMinute)
	c.AIRequestsPerMinute = cmp.Or(c.AIRequestsPerMinute, aiRequestsPerMinute)
	if c.Assistant.Stats == nil {
		c.Assistant.Stats = &assistant.Stats{}
	}
	c.Assistant.Detached, c.Assistant.Now, c.Assistant.Log = !c.Function, c.Now, c.Log
	if c.Shared != nil {
		c.Assistant.Shared = c.Shared
	}
	s := &Sidecar{Config: c, clients: newClients(c.Netlify, c.Proxies), knows: make(chan struct{})}
	var err error
	if s.endpoints, err = s.table(); err != nil {
		return nil, err
	}
	s.counts = newCounts(s.endpoints)
	s.assistant = assistant.New(c.Assistant)
	s.responses = s.newResponses()
	s.current.Store(&state{})
	return s, nil
}

// Know replaces what the sidecar knows of the site, from the next request on. What was fetched stays
// where the forum or the network is still the same. On an error everything stays as it was.
func (s *Sidecar) Know(k *knowledge.Knowledge) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the sidecar is closed")
	}
	old := s.current.Load()
	next, err := s.newState(k, old)
	if err != nil {
		return err
	}
	s.current.Store(next)
	s.once.Do(func() { close(s.knows) })
	s.responses.Clear()
	old.closeBut(next)
	return nil
}

// Drain makes /readyz say no from now on, so that a balancer sends requests elsewhere while those
// under way are answered.
func (s *Sidecar) Drain() { s.draining.Store(true) }

// Close ends every fetch and waits until all have ended. Requests that still come get problems.
func (s *Sidecar) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.Drain()
	old := s.current.Swap(&state{})
	s.once.Do(func() { close(s.knows) })
	s.responses.Close()
	old.closeBut(&state{})
	s.assistant.Close()
	var errs []error
	for _, e := range s.endpoints {
		if e.limit != nil { // closing one twice does nothing
			errs = append(errs, e.limit.close())
		}
	}
	if s.Shared != nil {
		errs = append(errs, s.Shared.Close())
	}
	return errors.Join(errs...)
}
