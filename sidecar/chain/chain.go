// Package chain is one network's head, asked of its JSON-RPC endpoints (EVM) in turn. It does not know
// proposals, hard forks or who asks.
package chain

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/timing"
	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// Config says which network, and how it is reached.
type Config struct {
	Endpoints mip.Endpoints     // ChainID is what every endpoint has to answer for; without RPC addresses the network is unavailable
	Transport http.RoundTripper // nil means one of its own for each endpoint
	UserAgent string            // empty means that of net/http
	Detached  bool              // a call goes on when nobody waits for it any more: for a server, not for a function that is frozen after its answer
	Now       func() time.Time  // nil means time.Now
	Log       *slog.Logger      // nil discards it. One line when an endpoint fails and one when it is back; no address
	Stats     *Stats            // nil disables counting
}

// Stats counts what a chain is asked and how. The zero value is ready; it outlives a Chain.
type Stats struct {
	Heads cache.Stats
	Hosts upstream.Stats // of all endpoints
}

// Chain answers from its memory where it can. It is safe for concurrent use. Close it after use.
type Chain struct {
	network   mip.Endpoints
	now       func() time.Time
	log       *slog.Logger
	endpoints []*endpoint // in order of preference
	heads     *cache.Cache[struct{}, head]

	mu      sync.Mutex
	history history
	judged  time.Time // the time of the head that history was told last
	view    view      // and what it says of that
}

// New returns the network without asking it. An address that is none is an error that names its
// position only: it may hold a key.
func New(c Config) (*Chain, error) {
	ch := &Chain{network: c.Endpoints, now: c.Now, log: cmp.Or(c.Log, slog.New(slog.DiscardHandler))}
	if ch.now == nil {
		ch.now = time.Now
	}
	if c.Stats == nil {
		c.Stats = &Stats{}
	}
	ch.log = ch.log.With("network", c.Endpoints.ID)
	for i, address := range c.Endpoints.RPC {
		host, err := upstream.New(address, upstream.Config{Transport: c.Transport, UserAgent: c.UserAgent, Now: ch.now, Stats: &c.Stats.Hosts})
		name := fmt.Sprintf("rpc %d of %d", i+1, len(c.Endpoints.RPC))
		if err != nil {
			return nil, fmt.Errorf("network %s: %s: %w", c.Endpoints.ID, name, err)
		}
		ch.endpoints = append(ch.endpoints, &endpoint{name: name, host: host, chainID: c.Endpoints.ChainID})
	}
	ch.heads = cache.New[struct{}](cache.Config[head]{
		Fresh: timing.FreshHead, Keep: timing.StaleOnError, Retry: func(error) time.Duration { return timing.FailedHead },
		Timeout: timing.Fetch, Entries: 1, Detached: c.Detached, Now: ch.now, Stats: &c.Stats.Heads,
	})
	return ch, nil
}

// Close ends what is under way and returns when it has ended. Status afterwards is unavailable.
func (c *Chain) Close() {
	c.heads.Close()
	for _, e := range c.endpoints {
		e.host.Close()
	}
}
