package chain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

var errNoEndpoint = errors.New("the network has no endpoint")

// fetch asks the endpoints for the head. The next one is asked when one has failed, or when the last
// one asked has had its head start. The first good answer wins. It returns when every call has ended.
func (c *Chain) fetch(ctx context.Context) (head, error) {
	if len(c.endpoints) == 0 {
		return head{}, errNoEndpoint
	}
	r := &race{chain: c, ctx: ctx, done: make(chan *runner, len(c.endpoints)), clock: time.NewTimer(timing.HeadStart)}
	defer r.end()
	errs := []error{ctx.Err()}
	for r.next(); r.running > 0; r.next() {
		select {
		case run := <-r.done:
			r.running--
			if run.err == nil {
				return run.head, nil
			}
			errs = append(errs, fmt.Errorf("%s: %w", run.endpoint.name, run.err))
		case <-r.clock.C:
			r.runners[len(r.runners)-1].late = true
		}
	}
	return head{}, errors.Join(errs...)
}

// race is the endpoints that have been asked for one head.
type race struct {
	chain   *Chain
	ctx     context.Context
	runners []*runner
	running int
	done    chan *runner
	clock   *time.Timer // the head start of the last runner
	group   sync.WaitGroup
}

// runner is one endpoint in a race. head and err are set when it is done.
type runner struct {
	endpoint *endpoint
	cancel   context.CancelCauseFunc
	late     bool
	head     head
	err      error
}

// next lets the next endpoint run, if there is one and anybody still waits.
func (r *race) next() {
	if len(r.runners) == len(r.chain.endpoints) || r.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	run := &runner{endpoint: r.chain.endpoints[len(r.runners)], cancel: cancel}
	r.runners = append(r.runners, run)
	r.running++
	r.clock.Reset(timing.HeadStart)
	r.group.Go(func() {
		run.head, run.err = run.endpoint.head(ctx)
		r.chain.logChange(r.ctx, run)
		r.done <- run
	})
}

// end cancels the runners that are left, and waits. An endpoint that was overtaken after its head start is
// too slow, and that is a failure of it; one that merely came later is not.
func (r *race) end() {
	r.clock.Stop()
	for _, run := range r.runners {
		if run.late {
			run.cancel(fetch.ErrTimeout)
		} else {
			run.cancel(nil)
		}
	}
	r.group.Wait()
}

// logChange logs an endpoint that has begun to fail, or has come back.
func (c *Chain) logChange(ctx context.Context, r *runner) {
	e := r.endpoint
	switch {
	case errors.Is(r.err, context.Canceled): // says nothing of it
	case r.err != nil && !e.failed:
		e.failed = true
		c.log.LogAttrs(ctx, slog.LevelWarn, "endpoint fails", slog.String("endpoint", e.name), slog.String("error", r.err.Error()))
	case r.err == nil && e.failed:
		e.failed = false
		c.log.LogAttrs(ctx, slog.LevelInfo, "endpoint is back", slog.String("endpoint", e.name))
	}
}

// blockTime is the time between blocks, 0 when unknown.
func (c *Chain) blockTime() time.Duration {
	return time.Duration(min(max(c.network.BlockTime, 0), 24*60*60) * float64(time.Second))
}
