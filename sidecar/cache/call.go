package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// errUnreturned is the failure of a fetch that ended its goroutine.
var errUnreturned = errors.New("fetch did not return")

// call is one call of fetch and its waiting callers.
type call[K comparable, V any] struct {
	old    *record[K, V] // what was kept when it started; stays at hand if it is evicted meanwhile
	cancel context.CancelCauseFunc
	done   chan struct{} // closed at the end
	result result[V]     // set before the end

	callers   int
	abandoned bool // cancelled because its last caller has left
}

// cancelCause is the cause of a call that was cancelled before its time, which is no failure of fetch.
type cancelCause struct{ error }

// await joins the call of a key, or starts it, and waits. The lock is held before and after, here and
// below, but not while it waits.
func (c *Cache[K, V]) await(ctx context.Context, key K, fetch func(context.Context) (V, error)) result[V] {
	for {
		cl := c.calls[key]
		if cl == nil {
			cl = c.start(ctx, key, fetch)
		}
		if !cl.abandoned {
			return c.join(ctx, key, cl)
		}
		// A cancelled call has to end before the next one may start. The caller that gave it up waits for it too,
		// so that this caller need not when its own time is over.
		err := c.wait(ctx, cl)
		if a, ok := c.atOnce(ctx, key, c.now()); ok {
			return a
		}
		if err != nil {
			return c.current(cl.old, c.now(), err)
		}
	}
}

// join waits for a call as one of its callers.
func (c *Cache[K, V]) join(ctx context.Context, key K, cl *call[K, V]) result[V] {
	cl.callers++
	err := c.wait(ctx, cl)
	cl.callers--
	switch {
	case c.calls[key] != cl: // it ended, be it at the last moment
		return cl.result
	case cl.callers > 0 || c.config.Detached:
		return c.current(cl.old, c.now(), err)
	}
	cl.abandoned = true
	cl.cancel(&cancelCause{err})
	c.mu.Unlock()
	<-cl.done
	c.mu.Lock()
	return cl.result
}

// wait returns when the call is over, or with an error when ctx has ended before.
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

// start starts the call of a key.
func (c *Cache[K, V]) start(ctx context.Context, key K, fetch func(context.Context) (V, error)) *call[K, V] {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	cl := &call[K, V]{old: c.use(key), cancel: cancel, done: make(chan struct{})}
	c.calls[key] = cl
	c.running.Go(func() {
		defer cancel(nil)
		ctx, stop := context.WithTimeout(ctx, c.config.Timeout)
		defer stop()
		c.run(ctx, key, cl, fetch)
	})
	return cl
}

// run calls fetch without the lock, and ends the call whatever fetch does.
func (c *Cache[K, V]) run(ctx context.Context, key K, cl *call[K, V], fetch func(context.Context) (V, error)) {
	r, err := &record[K, V]{key: key}, errUnreturned
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in fetch: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			c.fail(ctx, cl, key, err)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.finish(cl, r)
	}()
	if r.value, err = fetch(ctx); err != nil {
		return
	}
	r.has, r.at, r.fresh = true, c.now(), c.config.Fresh
	if c.config.Until != nil {
		r.fresh = min(r.fresh, c.config.Until(r.value).Sub(r.at))
	}
	if c.config.Size != nil {
		r.valueSize = max(0, c.config.Size(r.value))
	}
}

// fail ends a call without a new value.
func (c *Cache[K, V]) fail(ctx context.Context, cl *call[K, V], key K, err error) {
	if early, ok := errors.AsType[*cancelCause](context.Cause(ctx)); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		cl.result = c.current(cl.old, c.now(), early.error)
		c.end(key, cl)
		return
	}
	r := &record[K, V]{key: key, err: err, errSize: int64(len(err.Error()))}
	if c.config.Retry != nil {
		r.stands = c.config.Retry(err)
	}
	gone := c.config.Gone != nil && c.config.Gone(err)

	c.mu.Lock()
	defer c.mu.Unlock()
	r.failed = c.now()
	if old := cl.old; !gone && c.keeps(old, r.failed) {
		r.has, r.value, r.valueSize, r.at, r.fresh = true, old.value, old.valueSize, old.at, old.fresh
	}
	c.finish(cl, r)
}

// finish ends a call with a new record of its key.
func (c *Cache[K, V]) finish(cl *call[K, V], r *record[K, V]) {
	now := c.now()
	cl.result = c.current(r, now, r.err)
	if !c.put(r) {
		cl.result.entry.Next = now
	}
	c.end(r.key, cl)
}

// end ends a call whose answer is set.
func (c *Cache[K, V]) end(key K, cl *call[K, V]) {
	delete(c.calls, key)
	close(cl.done)
}
