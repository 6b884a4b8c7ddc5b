// Package cache keeps values by key: bounded, fetched once at a time, and given stale while they cannot be renewed. It
// does not know the meaning or the source of the values, or HTTP.
package cache

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is the error of every Get after Close, and of a fetch that Close ended.
var ErrClosed = errors.New("cache closed")

// Config says how long values and failures are kept, and how many. The cache calls the functions under its lock, so
// they must not use the cache.
type Config[V any] struct {
	// Fresh is how long a value is given without asking. Required.
	Fresh time.Duration
	// Until is the end of a value's freshness, if that is before Fresh is over. Nil means after Fresh.
	Until func(V) time.Time
	// Keep is the age below which a value is given when it cannot be renewed. It is at least Fresh.
	Keep time.Duration
	// Retry is how long a failure stands before the next attempt. Nil, zero or less means not at all.
	Retry func(error) time.Duration
	// Gone reports whether a failure means that there is no such thing. The older value is then dropped and the error
	// returned. Nil means never.
	Gone func(error) bool
	// Timeout is the lifetime of the context of one fetch. Required. A fetch must end soon after its context.
	Timeout time.Duration
	// Entries bounds the number of keys. Zero means that only Bytes bounds; one of the two is required.
	Entries int
	// Bytes bounds the sum of the values' sizes, the lengths of the failures' texts, and 256 for each key. Zero means
	// that only Entries bounds.
	Bytes int64
	// Size is the size of a value in bytes. Required with Bytes.
	Size func(V) int64
	// Detached lets a fetch go on when its last caller has left. Otherwise the fetch is cancelled then, and the Get of
	// that caller returns only when the fetch has ended, so that nothing runs after the answer.
	Detached bool
	// Now is the clock by which values age. Nil means time.Now. Only its wall time counts, since a process may be
	// frozen for any time.
	Now func() time.Time
	// Stats counts how Gets were answered. Nil disables counting.
	Stats *Stats
}

// Entry is a value and its age.
type Entry[V any] struct {
	Value V
	// At is the end of the fetch of the value. It is never later than the present, even when the clock was set back.
	// It is zero without a value.
	At time.Time
	// Stale is true of a value that is no longer fresh.
	Stale bool
	// Err is why the value is not fresh: the last attempt's failure, or that of waiting for it.
	Err error
	// Next is the time before which Get gives the same without asking, if the key stays within the bounds. It is set
	// with an error too.
	Next time.Time
}

// Cache keeps values of type V by keys of type K. Callers share the values, which must not be changed. It is safe for
// concurrent use.
type Cache[K comparable, V any] struct {
	config  Config[V]
	running sync.WaitGroup // one for each of calls

	mu      sync.Mutex
	closed  bool
	calls   map[K]*call[K, V]
	records map[K]*list.Element // of *record[K, V]
	order   list.List           // the most recently used in front
	bytes   int64               // the sizes of all records
}

// New makes an empty cache.
func New[K comparable, V any](c Config[V]) *Cache[K, V] {
	c.Keep = max(c.Keep, c.Fresh)
	if c.Retry == nil {
		c.Retry = func(error) time.Duration { return 0 }
	}
	if c.Gone == nil {
		c.Gone = func(error) bool { return false }
	}
	if c.Size == nil {
		c.Size = func(V) int64 { return 0 }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Stats == nil {
		c.Stats = &Stats{}
	}
	return &Cache[K, V]{config: c, calls: map[K]*call[K, V]{}, records: map[K]*list.Element{}}
}

// Get is the value of a key. A fresh one is given at once, and so is the result of a standing failure: the older value
// with Entry.Err, or the error. Otherwise Get waits for the fetch of that key, which it starts if there is none: one
// call of fetch serves all callers. When that fails, or ctx ends before it, the older value is given if it is younger
// than Keep. An ended ctx starts no fetch.
//
// The context of fetch carries the values of the first caller's ctx, not its end. A panic in fetch is a failure whose
// text holds the stack. An error comes with Entry.Err and Entry.Next, and without a value.
func (c *Cache[K, V]) Get(ctx context.Context, key K, fetch func(context.Context) (V, error)) (Entry[V], error) {
	c.mu.Lock()
	defer c.mu.Unlock() // even when the clock panics
	e, counter := c.get(ctx, key, fetch)
	switch {
	case e.At.IsZero():
		c.config.Stats.Errors.Add(1)
		return e, e.Err
	case e.Stale:
		counter = &c.config.Stats.Stale
	}
	counter.Add(1)
	return e, nil
}

// get is Get under the lock. counter is for an answer that is fresh.
func (c *Cache[K, V]) get(ctx context.Context, key K, fetch func(context.Context) (V, error)) (
	e Entry[V], counter *atomic.Uint64) {
	for {
		r, now := c.use(key), c.now()
		if c.closed {
			return Entry[V]{Err: ErrClosed, Next: now}, nil
		}
		if e, ok := c.settled(r, now); ok {
			return e, &c.config.Stats.Hits
		}
		if err := ctx.Err(); err != nil {
			return c.stale(r, err, now, now), nil
		}
		cl := c.calls[key]
		counter = &c.config.Stats.Shared
		if cl == nil {
			counter = &c.config.Stats.Misses
			cl = c.start(ctx, key, r, fetch)
		}
		if cl.cancelled == nil {
			return c.join(ctx, key, cl), counter
		}
		// A cancelled fetch has to end before the next one may start.
		if err := c.wait(ctx, cl); err != nil {
			return c.current(cl.old, err), nil
		}
	}
}

// Clear forgets all values and failures. Fetches go on, and their values are kept.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.records)
	c.order.Init()
	c.bytes = 0
}

// Close forgets all values and failures, cancels the fetches and returns when every fetch has ended. It may be called
// more than once.
func (c *Cache[K, V]) Close() {
	c.mu.Lock()
	c.closed = true
	for _, cl := range c.calls {
		cl.cancel(ErrClosed)
	}
	c.mu.Unlock()
	c.Clear()
	c.running.Wait()
}

// now is the wall time.
func (c *Cache[K, V]) now() time.Time { return c.config.Now().Round(0) }

// Stats counts how Gets were answered, each by one of the numbers. The zero value is ready; caches may share one. It is
// safe for concurrent use.
type Stats struct {
	Hits   atomic.Uint64 // a fresh value that was there
	Misses atomic.Uint64 // a fresh value of the fetch that this Get started
	Shared atomic.Uint64 // a fresh value of a fetch that was under way
	Stale  atomic.Uint64 // an older value
	Errors atomic.Uint64 // none
}
