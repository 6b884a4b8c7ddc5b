// Package chain is one network's head, asked of its JSON-RPC endpoints (EVM) in turn. It does not know
// proposals, hard forks or callers.
package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
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
	Hosts fetch.Stats // of all endpoints
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
		host, err := fetch.New(address, fetch.Config{Transport: c.Transport, UserAgent: c.UserAgent, Now: ch.now, Stats: &c.Stats.Hosts})
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

// Status is the network's head: fresh, or up to 24 h old and marked stale when no endpoint has a newer
// one, or unavailable with the code of the reason. It takes as long as ctx, and 8 s at the
// most. The same is given until next without asking.
func (c *Chain) Status(ctx context.Context) (s api.NetworkStatus, next time.Time) {
	s = api.NetworkStatus{Name: c.network.Name, ChainID: c.network.ChainID, Status: api.NetworkUnavailable, Recent: []api.Head{}}
	e, err := c.heads.Get(ctx, struct{}{}, c.fetch)
	if e.Err != nil {
		s.Error = new(string(codeOf(e.Err)))
	}
	if err != nil {
		return s, e.Next
	}
	h, v := e.Value, c.judge(e)
	s.Status, s.Stale = api.NetworkOK, e.Stale || v.stands
	if s.Stale {
		s.Status = api.NetworkStale
	}
	s.BlockHeight, s.FinalizedHeight, s.Regressed = &h.height, h.finalized, v.regressed
	s.Recent = v.recent
	s.BlockTime, s.FetchedAt = new(mip.NewTime(h.time)), new(mip.NewTime(e.At))
	return s, e.Next
}

// judge holds a head to the ones before it, once for each that came. Of two that come at once the older one may be
// last, which says nothing of the chain; unless the clock was set back.
func (c *Chain) judge(e cache.Entry[head]) view {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.At.After(c.judged) || c.judged.After(c.now().Round(0)) {
		c.judged = e.At
		c.view = c.history.add(e.Value, e.At.Round(0), c.blockTime())
	}
	return c.view
}

// codeOf is a failure for the caller. A network with one endpoint that hung and another that was down
// did not answer in time.
func codeOf(err error) api.Code {
	if errors.Is(err, fetch.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		return api.UpstreamTimeout
	}
	return api.UpstreamUnavailable
}

const (
	// standsAfter is when a head counts as standing still.
	standsAfter = 30 * time.Second
	// standsBlocks is the same in blocks, for a chain of long block times.
	standsBlocks = 3

	// remember is how long a height counts as one seen before.
	remember = 24 * time.Hour
	// peaksMost bounds the memory of a chain that only falls.
	peaksMost = 64
	// recentMost is how many heads are kept for drawing: some minutes of them, where somebody looks all
	// the time.
	recentMost = 40
)

// history is what was seen of a chain before. The zero value has seen nothing.
type history struct {
	height uint64
	since  time.Time // when height was first seen; zero: nothing was
	peaks  []sight   // each lower than the one before and seen later
	recent []api.Head
}

// sight is a height that was seen.
type sight struct {
	height uint64
	at     time.Time
}

// view is a head as it looks after those that were seen before.
type view struct {
	stands    bool
	regressed bool
	recent    []api.Head // not to be changed: others may read it
}

// add judges a head by what was seen before, and remembers it. It stands still when its height has
// been the same for a while as seen from here, or its block is older than that: 30 s or three block
// times, whichever is longer. It has regressed when a higher one was seen within 24 h. Times are wall
// times; when the clock was set back, the while begins anew.
func (h *history) add(seen head, now time.Time, blockTime time.Duration) view {
	if h.since.IsZero() || h.height != seen.height || now.Before(h.since) {
		h.height, h.since = seen.height, now
	}
	while := max(standsAfter, standsBlocks*blockTime)
	v := view{stands: now.Sub(h.since) >= while || now.Sub(seen.time) > while}

	for len(h.peaks) > 0 && h.peaks[len(h.peaks)-1].height <= seen.height {
		h.peaks = h.peaks[:len(h.peaks)-1]
	}
	for len(h.peaks) > 0 && now.Sub(h.peaks[0].at) > remember {
		h.peaks = h.peaks[1:]
	}
	v.regressed = len(h.peaks) > 0
	if len(h.peaks) == peaksMost {
		h.peaks = h.peaks[:peaksMost-1]
	}
	h.peaks = append(h.peaks, sight{seen.height, now})
	h.recent = h.follow(seen)
	v.recent = h.recent
	return v
}

// follow returns the recent heads with one more, in a list of its own: others may still read the old one. A
// chain that fell back begins anew.
func (h *history) follow(seen head) []api.Head {
	next := api.Head{BlockHeight: seen.height, BlockTime: mip.NewTime(seen.time)}
	switch n := len(h.recent); {
	case n > 0 && h.recent[n-1].BlockHeight == next.BlockHeight:
		return h.recent
	case n > 0 && h.recent[n-1].BlockHeight > next.BlockHeight:
		return []api.Head{next}
	}
	return append(slices.Clone(h.recent[max(0, len(h.recent)-recentMost+1):]), next)
}
