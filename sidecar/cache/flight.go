package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// errUnreturned is the failure of a fetch that ended its goroutine.
var errUnreturned = errors.New("fetch did not return")

// flight is one call of fetch and those who wait for it.
type flight[K comparable, V any] struct {
	old    *record[K, V] // what was kept when it started; stays at hand if it is evicted meanwhile
	cancel context.CancelCauseFunc
	over   chan struct{} // closed at the end
	answer answer[V]     // set before the end

	callers   int
	abandoned bool // cancelled because its last caller has left
}

// ending is the cause of a flight that was cancelled before its time, which is no failure of fetch.
type ending struct{ error }

// await joins the flight of a key, or starts it, and waits. The lock is held before and after, here and
// below, but not while it waits.
func (c *Cache[K, V]) await(ctx context.Context, key K, fetch func(context.Context) (V, error)) answer[V] {
	for {
		f := c.flights[key]
		if f == nil {
			f = c.start(ctx, key, fetch)
		}
		if !f.abandoned {
			return c.join(ctx, key, f)
		}
		// A cancelled flight has to end before the next one may start. The caller that gave it up waits for it too,
		// so that this caller need not when its own time is over.
		err := c.wait(ctx, f)
		if a, ok := c.atOnce(ctx, key, c.now()); ok {
			return a
		}
		if err != nil {
			return c.current(f.old, c.now(), err)
		}
	}
}

// join waits for a flight as one of its callers.
func (c *Cache[K, V]) join(ctx context.Context, key K, f *flight[K, V]) answer[V] {
	f.callers++
	err := c.wait(ctx, f)
	f.callers--
	switch {
	case c.flights[key] != f: // it ended, be it at the last moment
		return f.answer
	case f.callers > 0 || c.config.Detached:
		return c.current(f.old, c.now(), err)
	}
	f.abandoned = true
	f.cancel(&ending{err})
	c.mu.Unlock()
	<-f.over
	c.mu.Lock()
	return f.answer
}

// wait returns when the flight is over, or with an error when ctx has ended before.
func (c *Cache[K, V]) wait(ctx context.Context, f *flight[K, V]) error {
	c.mu.Unlock()
	defer c.mu.Lock()
	select {
	case <-f.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// start starts the flight of a key.
func (c *Cache[K, V]) start(ctx context.Context, key K, fetch func(context.Context) (V, error)) *flight[K, V] {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f := &flight[K, V]{old: c.use(key), cancel: cancel, over: make(chan struct{})}
	c.flights[key] = f
	c.running.Go(func() {
		defer cancel(nil)
		ctx, stop := context.WithTimeout(ctx, c.config.Timeout)
		defer stop()
		c.fly(ctx, key, f, fetch)
	})
	return f
}

// fly calls fetch without the lock, and lands the flight whatever fetch does.
func (c *Cache[K, V]) fly(ctx context.Context, key K, f *flight[K, V], fetch func(context.Context) (V, error)) {
	r, err := &record[K, V]{key: key}, errUnreturned
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in fetch: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			c.fail(ctx, f, key, err)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.land(f, r)
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

// fail lands a flight without a new value.
func (c *Cache[K, V]) fail(ctx context.Context, f *flight[K, V], key K, err error) {
	if early, ok := errors.AsType[*ending](context.Cause(ctx)); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		f.answer = c.current(f.old, c.now(), early.error)
		c.end(key, f)
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
	if old := f.old; !gone && c.keeps(old, r.failed) {
		r.has, r.value, r.valueSize, r.at, r.fresh = true, old.value, old.valueSize, old.at, old.fresh
	}
	c.land(f, r)
}

// land ends a flight with a new record of its key.
func (c *Cache[K, V]) land(f *flight[K, V], r *record[K, V]) {
	now := c.now()
	f.answer = c.current(r, now, r.err)
	if !c.put(r) {
		f.answer.entry.Next = now
	}
	c.end(r.key, f)
}

// end ends a flight whose answer is set.
func (c *Cache[K, V]) end(key K, f *flight[K, V]) {
	delete(c.flights, key)
	close(f.over)
}
