package chain

import (
	"context"
	"errors"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

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
	if errors.Is(err, upstream.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		return api.UpstreamTimeout
	}
	return api.UpstreamUnavailable
}
