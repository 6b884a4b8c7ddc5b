package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// shortest is the least that shows anything: a phase for each fault.
	shortest = 30 * time.Second
	// perPhase is about how long a fault lasts: longer than what is kept of chains.
	perPhase = 11 * time.Second
	// whole is from when on a run is long enough for every fault to be met, and for memory to show a trend.
	whole = 5 * time.Minute
)

// options say how much is asked, and what is judged.
type options struct {
	root      string        // the checkout
	duration  time.Duration // 0: as long as requests take
	requests  int           // 0: as many as duration has time for
	turns     int           // phases; 0: as many cycles as duration has time for
	rate      int           // requests a second; 0: as many as there can be
	callers   int           // that ask at a time
	settled   int           // goroutines and files that there may be more at the end than at the beginning
	aiTimeout time.Duration // of a question to the model
	budgets   bool          // whether an answer that takes too long breaks a promise
}

// phases is how many phases the load is divided into.
func (o options) phases() int {
	if o.turns > 0 {
		return o.turns
	}
	return cycle * max(1, int(o.duration/(perPhase*cycle)))
}

// soak runs one. The error is why it could not.
func soak(ctx context.Context, o options, stdout io.Writer) (*report, error) {
	w, err := newWorld(ctx, o.root)
	if err != nil {
		return nil, err
	}
	defer w.close()
	r := newReport(o)
	p, err := startSidecar(ctx, w, o, r)
	if err != nil {
		return nil, err
	}
	defer p.kill()
	checker, err := newChecker(w, r)
	if err != nil {
		return nil, err
	}
	load := &load{options: o, world: w, addr: p.addr, checker: checker, report: r, loaded: p.loaded}
	if err := load.warm(ctx); err != nil {
		return nil, err
	}
	if r.base, err = p.sample(ctx); err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%s, %d phases, %d callers\n", p.version, o.phases(), o.callers)

	load.began = time.Now()
	asking, done := context.WithCancel(ctx)
	defer done()
	var beside sync.WaitGroup
	beside.Go(func() { load.misbehave(asking) })
	beside.Go(func() { p.watch(asking) })
	load.run(asking)
	done()
	beside.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("interrupted: %w", err)
	}
	w.behave()
	if err := p.settle(ctx, o.settled); err != nil {
		return nil, err
	}
	p.stop()
	w.met(r)
	r.judge()
	return r, nil
}
