// Package chain reads the head of one network from its JSON-RPC endpoints (EVM), asked in turn. It does not know
// proposals, hard forks or callers.
package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// Config says which network, and how it is reached.
type Config struct {
	// Endpoints names the network. Every endpoint must have its ChainID. Without RPC addresses it is unavailable.
	Endpoints mip.Endpoints
	// Transport sends the HTTP requests. Nil means connections of its own.
	Transport http.RoundTripper
	// UserAgent is sent with each request. Empty means that of net/http.
	UserAgent string
	// Detached lets a call go on without its caller: in a server, not in a function that is frozen after its answer.
	Detached bool
	// Now is the wall clock. Nil means time.Now.
	Now func() time.Time
	// Log gets one line when an endpoint fails and one when it is back, without its address. Nil discards them.
	Log *slog.Logger
	// Stats counts the questions. Nil disables counting.
	Stats *Stats
}

// Stats counts the questions to a chain. The zero value is ready; it outlives a Chain.
type Stats struct {
	// Heads counts the answers from memory and from the endpoints.
	Heads cache.Stats
	// Hosts counts the calls of all endpoints.
	Hosts fetch.Stats
}

// Chain answers from memory where it can. It is safe for concurrent use. The caller closes it.
type Chain struct {
	network   mip.Endpoints
	log       *slog.Logger
	now       func() time.Time
	endpoints []*endpoint // in order of preference
	heads     *cache.Cache[struct{}, seen]
	history   history // of fetches, one of which runs at a time
}

// New returns the network without asking it. The error for a bad address names only its position: it may hold a key.
func New(c Config) (*Chain, error) {
	ch := &Chain{network: c.Endpoints, now: c.Now}
	if ch.now == nil {
		ch.now = time.Now
	}
	ch.log = cmp.Or(c.Log, slog.New(slog.DiscardHandler)).With("network", c.Endpoints.ID)
	// A day at most: nonsense in site.yaml must not overflow.
	blockTime := min(max(c.Endpoints.BlockTime, 0), 24*60*60)
	ch.history.blockTime = time.Duration(blockTime * float64(time.Second))
	stats := cmp.Or(c.Stats, &Stats{})
	for i, address := range c.Endpoints.RPC {
		host, err := fetch.New(address, fetch.Config{
			Transport: c.Transport, UserAgent: c.UserAgent, Now: ch.now, Stats: &stats.Hosts,
		})
		name := fmt.Sprintf("rpc %d of %d", i+1, len(c.Endpoints.RPC))
		if err != nil {
			return nil, fmt.Errorf("network %s: %s: %w", c.Endpoints.ID, name, err)
		}
		ch.endpoints = append(ch.endpoints, &endpoint{name: name, host: host, chainID: c.Endpoints.ChainID})
	}
	ch.heads = cache.New[struct{}](cache.Config[seen]{
		Fresh: timing.FreshHead, Keep: timing.StaleOnError, Retry: func(error) time.Duration { return timing.FailedHead },
		Timeout: timing.Fetch, Entries: 1, Detached: c.Detached, Now: ch.now, Stats: &stats.Heads,
	})
	return ch, nil
}

// Close ends the calls under way and waits for them. Status afterwards is unavailable.
func (c *Chain) Close() {
	c.heads.Close()
	for _, e := range c.endpoints {
		e.host.Close()
	}
}

// Status is the network's head: fresh, or up to 24 h old and marked stale when no endpoint has a newer one, or unavailable
// with the code of the reason. It takes as long as ctx allows, and at most 8 s. The same is given until next.
func (c *Chain) Status(ctx context.Context) (s api.NetworkStatus, next time.Time) {
	s = api.NetworkStatus{
		Name: c.network.Name, ChainID: c.network.ChainID, Status: api.NetworkUnavailable, Recent: []api.Head{},
	}
	e, err := c.heads.Get(ctx, struct{}{}, c.fetch)
	if e.Err != nil {
		s.Error = new(string(codeOf(e.Err)))
	}
	if err != nil {
		return s, e.Next
	}
	h := e.Value
	s.Status, s.Stale = api.NetworkOK, e.Stale || h.stalled
	if s.Stale {
		s.Status = api.NetworkStale
	}
	s.BlockHeight, s.FinalizedHeight, s.Regressed, s.Recent = &h.height, h.finalized, h.regressed, h.recent
	s.BlockTime, s.FetchedAt = new(mip.NewTime(h.time)), new(mip.NewTime(e.At))
	return s, e.Next
}

// codeOf is the code of a failure. When one endpoint hung and another one was down, the network did not answer in time.
func codeOf(err error) api.Code {
	if errors.Is(err, fetch.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		return api.UpstreamTimeout
	}
	return api.UpstreamUnavailable
}

// errNoEndpoint is the error of a network without RPC addresses.
var errNoEndpoint = errors.New("the network has no endpoint")

// attempt is one endpoint that is asked for a head.
type attempt struct {
	endpoint *endpoint
	began    time.Time
	// cancel ends the attempt. Its cause decides whether that counts against the endpoint.
	cancel context.CancelCauseFunc
	// head and err are set at the end.
	head head
	err  error
}

// fetch asks the endpoints for the head. The next one is asked when one has failed, or when the last one asked has had
// its head start. The first good answer wins. fetch returns when every call has ended.
func (c *Chain) fetch(ctx context.Context) (seen, error) {
	if len(c.endpoints) == 0 {
		return seen{}, errNoEndpoint
	}
	var attempts []*attempt // in the order of the endpoints
	var running sync.WaitGroup
	ended := make(chan *attempt, len(c.endpoints))
	defer func() {
		for _, a := range attempts {
			a.overtake()
		}
		running.Wait()
	}()
	start := func(e *endpoint) {
		ctx, cancel := context.WithCancelCause(ctx)
		a := &attempt{endpoint: e, began: time.Now(), cancel: cancel}
		attempts = append(attempts, a)
		running.Go(func() {
			a.head, a.err = e.head(ctx)
			c.logChange(a)
			ended <- a
		})
	}
	errs := []error{ctx.Err()}
	for failed := 0; ; {
		if next := len(attempts); next < len(c.endpoints) && ctx.Err() == nil {
			start(c.endpoints[next])
		}
		if failed == len(attempts) {
			return seen{}, errors.Join(errs...)
		}
		select {
		case a := <-ended:
			if a.err == nil {
				return c.history.add(a.head, c.now()), nil
			}
			failed++
			errs = append(errs, fmt.Errorf("%s: %w", a.endpoint.name, a.err))
		case <-time.After(timing.HeadStart): // the next endpoint is asked as well
		}
	}
}

// overtake ends an attempt. An endpoint that had its head start was too slow, which counts against it; one that was
// merely later did not fail.
func (a *attempt) overtake() {
	if time.Since(a.began) >= timing.HeadStart {
		a.cancel(fetch.ErrTimeout)
	}
	a.cancel(nil)
}

// logChange logs an endpoint that has begun to fail, or has come back.
func (c *Chain) logChange(a *attempt) {
	e := a.endpoint
	switch {
	case errors.Is(a.err, context.Canceled): // says nothing of the endpoint
	case a.err != nil && !e.failed:
		e.failed = true
		c.log.Warn("endpoint fails", "endpoint", e.name, "error", a.err.Error())
	case a.err == nil && e.failed:
		e.failed = false
		c.log.Info("endpoint is back", "endpoint", e.name)
	}
}
