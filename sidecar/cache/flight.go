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

// ending is why a flight was cancelled before its time.
type ending struct {
	err    error
	failed bool // to be remembered as the failure of an attempt
}

func (e *ending) Error() string { return e.err.Error() }

// start starts the flight of a key. The lock is held.
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

// fly calls fetch and lands the flight whatever fetch does.
func (c *Cache[K, V]) fly(ctx context.Context, key K, f *flight[K, V], fetch func(context.Context) (V, error)) {
	r, err := &record[K, V]{key: key}, errUnreturned
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in fetch: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			c.fail(ctx, f, r, err)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.land(f, r)
	}()
	if r.value, err = fetch(ctx); err == nil {
		r.has, r.at = true, c.now()
		if c.config.Size != nil {
			r.valueSize = max(0, c.config.Size(r.value))
		}
	}
}

// fail lands a flight without a new value. One that was cancelled before its time has not failed by itself.
func (c *Cache[K, V]) fail(ctx context.Context, f *flight[K, V], r *record[K, V], err error) {
	if early, ok := errors.AsType[*ending](context.Cause(ctx)); ok {
		err = early.err
		if !early.failed {
			c.mu.Lock()
			defer c.mu.Unlock()
			f.answer = c.current(f.old, c.now(), err)
			c.end(r.key, f)
			return
		}
	}
	*r = record[K, V]{key: r.key, err: err, errSize: int64(len(err.Error()))}
	if c.config.Retry != nil {
		r.stands = c.config.Retry(err)
	}
	gone := c.config.Gone != nil && c.config.Gone(err)

	c.mu.Lock()
	defer c.mu.Unlock()
	r.failed = c.now()
	if old := f.old; !gone && c.keeps(old, r.failed) {
		r.has, r.value, r.valueSize, r.at = true, old.value, old.valueSize, old.at
	}
	c.land(f, r)
}

// land ends a flight with a new record of its key. The lock is held.
func (c *Cache[K, V]) land(f *flight[K, V], r *record[K, V]) {
	now := c.now()
	f.answer = c.current(r, now, r.err)
	if !c.put(r) {
		f.answer.entry.Next = now
	}
	c.end(r.key, f)
}

// end ends a flight whose answer is set. The lock is held.
func (c *Cache[K, V]) end(key K, f *flight[K, V]) {
	delete(c.flights, key)
	close(f.over)
}
