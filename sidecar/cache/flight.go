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

// fly calls fetch, unless another process has what it would bring, and lands the flight whatever fetch does.
func (c *Cache[K, V]) fly(ctx context.Context, key K, f *flight[K, V], fetch func(context.Context) (V, error)) {
	b, err := brought[V]{}, errUnreturned
	var size int64
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in fetch: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			c.fail(ctx, key, f, b, size, err)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.land(f, &record[K, V]{key: key, has: true, value: b.value, valueSize: size, at: b.at})
	}()
	b, err = c.bring(ctx, key, fetch)
	if !b.at.IsZero() && c.config.Size != nil {
		size = max(0, c.config.Size(b.value))
	}
}

// reason is why a flight failed, and whether that counts as a failure of fetch: one that was cancelled before
// its time has not failed by itself.
func reason(ctx context.Context, err error) (why error, counts bool) {
	if early, ok := errors.AsType[*ending](context.Cause(ctx)); ok {
		return early.err, early.failed
	}
	return err, true
}

// fail lands a flight that brought no new value, but perhaps one that is older and yet newer than what is kept.
func (c *Cache[K, V]) fail(ctx context.Context, key K, f *flight[K, V], b brought[V], size int64, err error) {
	old := f.old
	if !b.at.IsZero() && (old == nil || !old.has || old.at.Before(b.at)) {
		old = &record[K, V]{key: key, has: true, value: b.value, valueSize: size, at: b.at}
	}
	err, counts := reason(ctx, err)
	if !counts {
		c.mu.Lock()
		defer c.mu.Unlock()
		f.answer = c.current(old, c.now(), err)
		c.end(key, f)
		return
	}
	r := &record[K, V]{key: key, err: err, errSize: int64(len(err.Error())), stands: b.stands}
	if b.stands == 0 && c.config.Retry != nil {
		r.stands = c.config.Retry(err)
	}
	gone := c.config.Gone != nil && c.config.Gone(err)

	c.mu.Lock()
	defer c.mu.Unlock()
	r.failed = c.now()
	if !gone && c.keeps(old, r.failed) {
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
