// Package cache is freshness: values by key, bounded, one fetch per key at a time, and given stale when
// they cannot be renewed. It does not know what the values are, where they come from, or HTTP.
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

// Config is what a cache needs to know. Its functions are called from several goroutines at once. All but Until and
// Now are called without a lock of the cache; none may use the cache, and only Now may panic.
type Config[V any] struct {
	// Fresh is how long a value is given without asking. Required.
	Fresh time.Duration
	// Until is when a value ceases to be fresh, if that is before Fresh is over. Nil means after Fresh.
	Until func(V) time.Time
	// Keep is the age below which a value is given when it cannot be renewed. Zero, like anything less
	// than Fresh, means Fresh: no stale value is given.
	Keep time.Duration
	// Retry is how long a failure stands before the next attempt. Nil, zero or less: it does not stand.
	Retry func(error) time.Duration
	// Gone reports whether a failure says that there is no such thing: an older value is dropped then
	// and the error returned. Nil: never.
	Gone func(error) bool
	// Timeout is the lifetime of the context of one fetch. Required. A fetch must end soon after its context.
	Timeout time.Duration
	// Entries is how many keys are kept at most. Zero: as many as fit into Bytes.
	Entries int
	// Bytes bounds the sizes of all that is kept: what Size says of a value, the length of a failure's
	// text, and 256 for each key. Zero: only Entries bounds. One of the two is required.
	Bytes int64
	// Size is the size of a value in bytes. Required with Bytes.
	Size func(V) int64
	// Detached lets a fetch go on when its last caller has left. Otherwise it is cancelled then, and
	// that caller's Get returns only when the fetch has ended, so that nothing runs after the answer.
	Detached bool
	// Now is the clock by which values age. Nil means time.Now. Only its wall time counts, as a process may
	// be frozen for any time.
	Now func() time.Time
	// Stats counts how Gets were answered. Nil disables counting.
	Stats *Stats
}

// Entry is a value and what is known of it.
type Entry[V any] struct {
	Value V
	// At is when the value was fetched: the end of its fetch. It is never later than the present, even
	// when the clock has been set back.
	At time.Time
	// Stale is true of a value that is no longer fresh.
	Stale bool
	// Err is why the value is not fresh: the last attempt's failure, or that of waiting for it. It is nil
	// with a fresh value.
	Err error
	// Next is the time before which Get gives the same without asking, if the key stays within the
	// bounds. It is set with an error too.
	Next time.Time
}

// Cache keeps values of type V by keys of type K. Callers share the values, which must not be changed.
// It is safe for concurrent use.
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

// New makes an empty cache. It panics when c lacks what is required.
func New[K comparable, V any](c Config[V]) *Cache[K, V] {
	switch {
	case c.Fresh <= 0:
		panic("cache: no Config.Fresh")
	case c.Timeout <= 0:
		panic("cache: no Config.Timeout")
	case c.Entries <= 0 && c.Bytes <= 0:
		panic("cache: neither Config.Entries nor Config.Bytes")
	case c.Bytes > 0 && c.Size == nil:
		panic("cache: Config.Bytes without Config.Size")
	}
	c.Keep = max(c.Keep, c.Fresh)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Stats == nil {
		c.Stats = &Stats{}
	}
	return &Cache[K, V]{config: c, calls: map[K]*call[K, V]{}, records: map[K]*list.Element{}}
}

// Get is the value of a key. A fresh one is given at once, and so is what a standing failure leaves:
// the older value with Entry.Err, or the error. Otherwise Get waits for the fetch of that key, which it
// starts if there is none: one call of fetch for all callers. When that fails, or ctx ends before it,
// the older value is given if it is younger than Keep.
//
// The context of fetch carries the values of the first caller's ctx, not its end. A panic in fetch is
// a failure like others, and its text holds the stack. A ctx that has ended starts no fetch. An error
// comes with Entry.Err and Entry.Next, and without a value.
func (c *Cache[K, V]) Get(ctx context.Context, key K, fetch func(context.Context) (V, error)) (Entry[V], error) {
	now := c.now()
	c.mu.Lock()
	a, atOnce := c.atOnce(ctx, key, now)
	joined := c.calls[key] != nil
	if !atOnce {
		a = c.await(ctx, key, fetch)
	}
	c.mu.Unlock()
	c.config.Stats.count(a.entry.Stale, a.err, atOnce, joined)
	return a.entry, a.err
}

// atOnce is the answer that needs no call. The lock is held.
func (c *Cache[K, V]) atOnce(ctx context.Context, key K, now time.Time) (result[V], bool) {
	r := c.use(key)
	if c.closed {
		return c.stale(nil, now, ErrClosed, now), true
	}
	if err := ctx.Err(); err != nil {
		return c.current(r, now, err), true
	}
	return c.fresh(r, now)
}

// Peek is what is kept of a key, without asking for it, waiting, or counting as a use. ok reports
// whether that includes a value younger than Keep; without one, Err and Next are those of a standing failure.
func (c *Cache[K, V]) Peek(key K) (entry Entry[V], ok bool) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.records[key]
	if el == nil {
		return Entry[V]{}, false
	}
	r := el.Value.(*record[K, V])
	return c.current(r, now, r.err).entry, c.keeps(r, now)
}

// Clear forgets what is kept. Fetches go on, and their values are kept.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
}

// clear drops every record. The lock is held.
func (c *Cache[K, V]) clear() {
	clear(c.records)
	c.order.Init()
	c.bytes = 0
}

// Close forgets what is kept, cancels the fetches and returns when every fetch has ended. It may be
// called more than once.
func (c *Cache[K, V]) Close() {
	c.mu.Lock()
	c.closed = true
	for _, cl := range c.calls {
		cl.cancel(&cancelCause{ErrClosed})
	}
	c.clear()
	c.mu.Unlock()
	c.running.Wait()
}

// now is the wall time.
func (c *Cache[K, V]) now() time.Time { return c.config.Now().Round(0) }

// Stats counts how Gets were answered, each by one of the numbers. The zero value is ready; caches may share
// one. It is safe for concurrent use.
type Stats struct {
	Hits   atomic.Uint64 // a fresh value that was there
	Misses atomic.Uint64 // a fresh value of the fetch that this Get started
	Shared atomic.Uint64 // a fresh value of a fetch that was under way
	Stale  atomic.Uint64 // an older value
	Errors atomic.Uint64 // none
}

// count counts an answer. atOnce says that it needed no call, shared that it waited for another's.
func (s *Stats) count(stale bool, err error, atOnce, shared bool) {
	switch {
	case err != nil:
		s.Errors.Add(1)
	case stale:
		s.Stale.Add(1)
	case atOnce:
		s.Hits.Add(1)
	case shared:
		s.Shared.Add(1)
	default:
		s.Misses.Add(1)
	}
}
