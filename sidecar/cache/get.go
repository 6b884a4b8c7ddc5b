package cache

import (
	"context"
	"time"
)

// Get is the value of a key. A fresh one is given at once, and so is what a standing failure leaves:
// the older value with Entry.Err, or the error. Otherwise Get waits for the flight of that key, which it
// starts if there is none: one call of fetch, whoever else asks meanwhile. When that fails, or is not
// waited for any longer, the older value is given if it is younger than Keep.
//
// The context of fetch carries the values of the first caller's ctx, not its end. A panic in fetch is
// a failure like others, and its text holds the stack. A ctx that has ended starts no flight. An error
// comes with Entry.Err and Entry.Next, and without a value.
func (c *Cache[K, V]) Get(ctx context.Context, key K, fetch func(context.Context) (V, error)) (Entry[V], error) {
	c.mu.Lock()
	a, atOnce := c.atOnce(ctx, key)
	shared := c.flights[key] != nil
	if !atOnce {
		a = c.await(ctx, key, fetch)
	}
	c.mu.Unlock()
	c.config.Stats.count(a.entry.Stale, a.err, atOnce, shared)
	return a.entry, a.err
}

// atOnce is the answer that needs no flight. The lock is held.
func (c *Cache[K, V]) atOnce(ctx context.Context, key K) (answer[V], bool) {
	r, now := c.use(key), c.now()
	if c.closed {
		return c.older(nil, now, ErrClosed, now), true
	}
	if err := ctx.Err(); err != nil {
		return c.current(r, now, err), true
	}
	return c.settled(r, now)
}

// await joins the flight of a key, or starts it, and waits. The lock is held before and after, here and
// below, but not while it waits.
func (c *Cache[K, V]) await(ctx context.Context, key K, fetch func(context.Context) (V, error)) answer[V] {
	var overdue <-chan time.Time
	if c.config.Wait > 0 {
		timer := time.NewTimer(c.config.Wait)
		defer timer.Stop()
		overdue = timer.C
	}
	for {
		f := c.flights[key]
		if f == nil {
			f = c.start(ctx, key, fetch)
		}
		if !f.abandoned {
			return c.join(ctx, key, f, overdue)
		}
		// It is cancelled, but has to end before the next may start. Who gave it up waits for it too, so
		// that this caller need not when its own time is over.
		err := c.wait(ctx, f, overdue)
		if a, ok := c.atOnce(ctx, key); ok {
			return a
		}
		if err != nil {
			return c.current(f.old, c.now(), err)
		}
	}
}

// join waits for a flight as one of its callers.
func (c *Cache[K, V]) join(ctx context.Context, key K, f *flight[K, V], overdue <-chan time.Time) answer[V] {
	f.callers++
	err := c.wait(ctx, f, overdue)
	f.callers--
	switch {
	case c.flights[key] != f: // it ended, be it at the last moment
		return f.answer
	case f.callers > 0 || c.config.Detached:
		return c.current(f.old, c.now(), err)
	}
	// That a flight took longer than Wait is its failure; that the caller's own time was over is not.
	f.abandoned = true
	f.cancel(&ending{err: err, failed: ctx.Err() == nil})
	c.mu.Unlock()
	<-f.over
	c.mu.Lock()
	return f.answer
}

// wait returns when the flight is over, or with an error when the caller has to leave before.
func (c *Cache[K, V]) wait(ctx context.Context, f *flight[K, V], overdue <-chan time.Time) error {
	c.mu.Unlock()
	defer c.mu.Lock()
	select {
	case <-f.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-overdue:
		return context.DeadlineExceeded
	}
}
