package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// errNoReturn is the failure of a fetch that ended its goroutine.
var errNoReturn = errors.New("fetch did not return")

// call is one call of fetch and its waiting callers. The lock of the cache guards all but done.
type call[K comparable, V any] struct {
	old       *record[K, V] // of the key when the call started, nil without one
	stop      context.CancelFunc
	done      chan struct{} // closed at the end
	entry     Entry[V]      // set before the end
	callers   int
	cancelled error // why it was cancelled: its last caller has left, or Close
}

// cancel ends the call before its time, which is no failure of fetch.
func (cl *call[K, V]) cancel(why error) {
	if cl.cancelled == nil {
		cl.cancelled = why
	}
	cl.stop()
}

// start starts the call of a key. The lock is held before and after, here and below.
func (c *Cache[K, V]) start(ctx context.Context, key K, old *record[K, V], fetch func(context.Context) (V, error)) *call[K, V] {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), c.config.Timeout)
	cl := &call[K, V]{old: old, stop: stop, done: make(chan struct{})}
	c.calls[key] = cl
	c.running.Go(func() {
		defer stop()
		c.run(ctx, key, cl, fetch)
	})
	return cl
}

// run calls fetch without the lock, and ends the call even when fetch panics.
func (c *Cache[K, V]) run(ctx context.Context, key K, cl *call[K, V], fetch func(context.Context) (V, error)) {
	var value V
	err := errNoReturn
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in fetch: %v\n%s", p, debug.Stack())
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case err == nil:
			cl.entry = c.keepValue(key, value)
		case cl.cancelled != nil:
			cl.entry = c.current(cl.old, cl.cancelled)
		default:
			cl.entry = c.keepFailure(key, cl.old, err)
		}
		delete(c.calls, key)
		close(cl.done)
	}()
	value, err = fetch(ctx)
}

// join waits for a call as one of its callers.
func (c *Cache[K, V]) join(ctx context.Context, key K, cl *call[K, V]) Entry[V] {
	cl.callers++
	err := c.wait(ctx, cl)
	cl.callers--
	switch {
	case c.calls[key] != cl: // it has ended
		return cl.entry
	case cl.callers > 0 || c.config.Detached:
		return c.current(cl.old, err)
	}
	cl.cancel(err)
	c.wait(context.Background(), cl)
	return cl.entry
}

// wait returns when the call has ended, or with an error when ctx has ended before. The lock is not held meanwhile.
func (c *Cache[K, V]) wait(ctx context.Context, cl *call[K, V]) error {
	c.mu.Unlock()
	defer c.mu.Lock()
	select {
	case <-cl.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
