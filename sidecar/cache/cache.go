// Package cache is freshness: values by key, bounded, fetched by one flight per key, and given stale when
// they cannot be renewed. It does not know what the values are, where they come from, or HTTP.
package cache

import (
	"container/list"
	"errors"
	"sync"
	"time"
)

// ErrClosed is the error of every Get after Close, and of a flight that Close ended.
var ErrClosed = errors.New("cache closed")

// Config is what a cache needs to know. Its functions are called from several goroutines at once, and
// never under a lock of the cache, but for Now; they must not panic.
type Config[V any] struct {
	// Fresh is how long a value is given without asking. Required.
	Fresh time.Duration
	// Keep is the age below which a value is given when it cannot be renewed. Zero, like anything less
	// than Fresh, means Fresh: no stale value is given.
	Keep time.Duration
	// Retry is how long a failure stands before the next attempt. Nil, zero or less: it does not stand.
	Retry func(error) time.Duration
	// Gone reports whether a failure says that there is no such thing: an older value is dropped then
	// and the error returned. Nil: never.
	Gone func(error) bool
	// Timeout is the lifetime of one flight's context. Required. A fetch must end soon after its context.
	Timeout time.Duration
	// Wait is how long a caller waits for a flight before it gets the older value or
	// context.DeadlineExceeded. Zero: as long as its context. A flight that is cancelled because its last
	// caller has waited so long has failed with context.DeadlineExceeded.
	Wait time.Duration
	// Entries is how many keys are kept at most. Zero: as many as fit into Bytes.
	Entries int
	// Bytes bounds the sizes of all that is kept: what Size says of a value, the length of a failure's
	// text, and 256 for each key. Zero: only Entries bounds. One of the two is required.
	Bytes int64
	// Size is the size of a value in bytes. Required with Bytes.
	Size func(V) int64
	// Detached lets a flight go on when its last caller has left. Otherwise it is cancelled then, and
	// that caller's Get returns only when the fetch has ended, so that nothing runs after the answer.
	Detached bool
	// Now is the clock by which values age. Nil: time.Now. Only its wall time counts, as a process may
	// be frozen for any time. It must not use the cache.
	Now func() time.Time
	// Stats counts how Gets were answered. Nil: nobody is told.
	Stats *Stats
}

// Entry is a value and what is known of it.
type Entry[V any] struct {
	Value V
	// At is when the value was fetched: the end of its flight. It is never
	// later than the time of the call, even when the clock has been set back.
	At time.Time
	// Stale is true of a value as old as Fresh or older.
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
	running sync.WaitGroup // one for each flight

	mu      sync.Mutex
	closed  bool
	flights map[K]*flight[K, V]
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
	return &Cache[K, V]{config: c, flights: map[K]*flight[K, V]{}, records: map[K]*list.Element{}}
}

// Peek is what is kept of a key, without asking for it, waiting, or counting as a use. ok reports
// whether that includes a value younger than Keep; without one, Err and Next may tell of a failure.
func (c *Cache[K, V]) Peek(key K) (entry Entry[V], ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, now := c.find(key), c.now()
	if r == nil {
		return Entry[V]{}, false
	}
	return c.current(r, now, r.err).entry, c.keeps(r, now)
}

// Close forgets what is kept, cancels the flights and returns when every fetch has ended. It may be
// called more than once.
func (c *Cache[K, V]) Close() {
	c.mu.Lock()
	c.closed = true
	for _, f := range c.flights {
		f.cancel(&ending{err: ErrClosed})
	}
	clear(c.records)
	c.order.Init()
	c.bytes = 0
	c.mu.Unlock()
	c.running.Wait()
}

// now is the wall time.
func (c *Cache[K, V]) now() time.Time { return c.config.Now().Round(0) }
