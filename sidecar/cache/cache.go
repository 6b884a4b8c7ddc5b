// Package cache keeps values by key. It bounds them, runs one fetch per key at a time, and returns
// stale values while they cannot be renewed. It does not know the meaning or the source of the
// values, or HTTP.
package cache

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is the error of each Get after Close, and of a fetch that Close ended.
var ErrClosed = errors.New("cache closed")

// Config configures the lifetimes and bounds of a [Cache]. The cache calls the functions under its
// lock, so they must not use the cache.
type Config[V any] struct {
	// Fresh is how long a value is returned without a fetch. Required.
	Fresh time.Duration
	// Until returns the end of a value's freshness, if that is before Fresh is over. Nil means
	// after Fresh.
	Until func(V) time.Time
	// Keep is the age below which a value is returned if it cannot be renewed. It is at least
	// Fresh.
	Keep time.Duration
	// Retry returns how long a failure lasts before the next attempt. A nil function, zero or less
	// means that it does not last.
	Retry func(error) time.Duration
	// Gone reports whether a failure means that there is no such value. The older value is then
	// dropped and the error returned. Nil means never.
	Gone func(error) bool
	// Timeout is the lifetime of the context of one fetch. Required. A fetch must end soon after
	// its context.
	Timeout time.Duration
	// Entries bounds the number of keys. Zero means that only Bytes is a bound; one of the two is
	// required.
	Entries int
	// Bytes bounds the sum of the values' sizes, the lengths of the failures' texts, and 256 for
	// each key. Zero means that only Entries is a bound.
	Bytes int64
	// Size returns the size of a value in bytes. Required with Bytes.
	Size func(V) int64
	// Background lets a fetch continue when its last caller has left. Otherwise it is canceled
	// then, and the Get of that caller returns only when the fetch has ended, so that nothing runs
	// after the answer.
	Background bool
	// Now is the clock by which values age. Nil means time.Now. Only its wall time counts, since a
	// process may be frozen for any time.
	Now func() time.Time
	// Stats counts Gets by their results. Nil disables counting.
	Stats *Stats
}

// Entry is a value and its age.
type Entry[V any] struct {
	Value V
	// At is the end of the fetch of the value. It is never later than now, even if the clock was
	// set back. It is zero without a value.
	At time.Time
	// Stale reports that the value is no longer fresh.
	Stale bool
	// Err is the reason why the value is not fresh: the error of the last attempt, or of waiting
	// for it.
	Err error
	// Next is the time before which Get returns the same without a fetch, if the key is not
	// evicted. It is also set with an error.
	Next time.Time
}

// Cache keeps values of type V by keys of type K. Callers share the values, which must not be
// changed. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	config  Config[V]
	running sync.WaitGroup // one for each of calls

	mu      sync.Mutex
	closed  bool
	calls   map[K]*call[K, V]
	records map[K]*list.Element // values are *record[K, V]
	order   list.List           // most recently used first
	bytes   int64               // sum of the sizes of all records
}

// New returns an empty cache.
func New[K comparable, V any](c Config[V]) *Cache[K, V] {
	c.Keep, c.Stats = max(c.Keep, c.Fresh), cmp.Or(c.Stats, &Stats{})
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Cache[K, V]{config: c, calls: map[K]*call[K, V]{}, records: map[K]*list.Element{}}
}

// Get returns the value of a key. It returns at once with a fresh value, or with the result of a
// failure that lasts: the older value with Entry.Err, or the error. Otherwise Get waits for the
// fetch of that key, which it starts if there is none: one call of fetch serves all callers. If
// that fails, or ctx ends first, it returns the older value if it is younger than Keep. An ended
// ctx starts no fetch.
//
// The context of fetch carries the values of the first caller's ctx, but not its cancellation. A
// panic in fetch is a failure whose text contains the stack. An error comes with Entry.Err and
// Entry.Next, and without a value.
func (c *Cache[K, V]) Get(
	ctx context.Context, key K, fetch func(context.Context) (V, error),
) (Entry[V], error) {
	c.mu.Lock()
	defer c.mu.Unlock() // even if the clock panics
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

// fetchFunc fetches a value. The cache calls it without its lock.
type fetchFunc[V any] = func(context.Context) (V, error)

// get is Get under the lock. counter is the counter for a fresh answer.
func (c *Cache[K, V]) get(
	ctx context.Context, key K, fetch fetchFunc[V],
) (e Entry[V], counter *atomic.Uint64) {
	for {
		r := c.use(key)
		e, settled := c.entry(r)
		cl := c.calls[key]
		switch {
		case c.closed:
			return c.given(nil, ErrClosed), nil
		case settled:
			return e, &c.config.Stats.Hits
		case ctx.Err() != nil:
			return c.given(r, ctx.Err()), nil
		case cl == nil:
			return c.join(ctx, key, c.start(ctx, key, r, fetch)), &c.config.Stats.Misses
		case cl.canceled == nil:
			return c.join(ctx, key, cl), &c.config.Stats.Shared
		}
		// A canceled fetch must end before the next one may start.
		if err := c.wait(ctx, cl); err != nil {
			return c.given(cl.old, err), nil
		}
	}
}

// Clear drops all values and failures. Running fetches continue, and their values are kept.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.records)
	c.order.Init()
	c.bytes = 0
}

// Close drops all values and failures, cancels the fetches and returns when all of them have ended.
// It may be called more than once.
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

// now returns the wall time.
func (c *Cache[K, V]) now() time.Time { return c.config.Now().Round(0) }

// call is one call of fetch and its waiting callers. The lock of the cache guards all fields but
// done.
type call[K comparable, V any] struct {
	old      *record[K, V] // the key's record when the call started, or nil
	stop     context.CancelFunc
	done     chan struct{} // closed at the end
	entry    Entry[V]      // set before done is closed
	callers  int
	canceled error // reason: its last caller has left, or Close
}

// cancel ends the call early. That does not count as a failure of fetch.
func (cl *call[K, V]) cancel(why error) {
	cl.canceled = cmp.Or(cl.canceled, why)
	cl.stop()
}

// start starts the call of a key. The lock is held on entry and return, here and below.
func (c *Cache[K, V]) start(
	ctx context.Context, key K, old *record[K, V], fetch fetchFunc[V],
) *call[K, V] {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), c.config.Timeout)
	cl := &call[K, V]{old: old, stop: stop, done: make(chan struct{})}
	c.calls[key] = cl
	c.running.Go(func() {
		defer stop()
		var value V
		err := errors.New("fetch did not return")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic in fetch: %v\n%s", p, debug.Stack())
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			if err != nil && cl.canceled != nil {
				cl.entry = c.given(old, cl.canceled)
			} else {
				cl.entry = c.put(c.newRecord(key, old, value, err))
			}
			delete(c.calls, key)
			close(cl.done)
		}()
		value, err = fetch(ctx)
	})
	return cl
}

// join waits for a call as one of its callers.
func (c *Cache[K, V]) join(ctx context.Context, key K, cl *call[K, V]) Entry[V] {
	cl.callers++
	err := c.wait(ctx, cl)
	cl.callers--
	switch {
	case c.calls[key] != cl: // it has ended
		return cl.entry
	case cl.callers > 0 || c.config.Background:
		return c.given(cl.old, err)
	}
	cl.cancel(err)
	c.wait(context.Background(), cl)
	return cl.entry
}

// wait returns when the call has ended, or with an error when ctx ends first. The lock is released
// meanwhile.
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

// record is the cached state of a key: a value, the error of the last attempt, or both. It is
// replaced, never changed.
type record[K comparable, V any] struct {
	key    K
	value  V
	at     time.Time     // the end of the fetch of the value; zero without one
	fresh  time.Duration // from at
	err    error         // of the last attempt; nil if it fetched the value
	failed time.Time
	stands time.Duration // from failed, the time without another attempt
	bytes  int64         // the share in Config.Bytes, without err
}

// size returns the share of the record in Config.Bytes.
func (r *record[K, V]) size() int64 {
	if r.err == nil {
		return r.bytes
	}
	return r.bytes + int64(len(r.err.Error()))
}

// newRecord returns the record of a fetch that ended now. A failure keeps the older value, if that
// may still be returned.
func (c *Cache[K, V]) newRecord(key K, old *record[K, V], value V, err error) *record[K, V] {
	const overhead = 256 // approximate memory of a record, a list element and a map slot
	now := c.now()
	r := &record[K, V]{key: key, bytes: overhead}
	if err == nil {
		r.value, r.at, r.fresh = value, now, c.config.Fresh
		if c.config.Until != nil {
			r.fresh = min(r.fresh, c.config.Until(value).Sub(now))
		}
		if c.config.Size != nil {
			r.bytes += max(0, c.config.Size(value))
		}
		return r
	}
	if e, _ := c.entry(old); !e.At.IsZero() && (c.config.Gone == nil || !c.config.Gone(err)) {
		*r = *old
	}
	r.err, r.failed, r.stands = err, now, 0
	if c.config.Retry != nil {
		r.stands = c.config.Retry(err)
	}
	return r
}

// entry returns the entry of a record, which may be nil. settled reports that no fetch is needed:
// the value is fresh, or a failure lasts.
func (c *Cache[K, V]) entry(r *record[K, V]) (e Entry[V], settled bool) {
	now := c.now()
	e.Next = now
	if r == nil {
		return e, false
	}
	if !r.at.IsZero() && within(now, r.at, c.config.Keep) {
		e.Value, e.At, e.Stale = r.value, earlier(r.at, now), true
		if within(now, r.at, r.fresh) {
			e.Stale, e.Next = false, r.at.Add(r.fresh)
			return e, true
		}
	}
	e.Err = r.err
	settled = r.err != nil && within(now, r.failed, r.stands)
	if settled {
		e.Next = r.failed.Add(r.stands)
	}
	if !e.At.IsZero() {
		e.Next = earlier(e.Next, r.at.Add(c.config.Keep))
	}
	return e, settled
}

// given returns the entry without another attempt; err is the reason for that.
func (c *Cache[K, V]) given(r *record[K, V], err error) Entry[V] {
	e, settled := c.entry(r)
	if !settled {
		e.Err = err
	}
	return e
}

// use returns the record of a key, or nil, and marks it as the most recently used.
func (c *Cache[K, V]) use(key K) *record[K, V] {
	el := c.records[key]
	if el == nil {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*record[K, V])
}

// put stores a record in place of the older one of its key, and evicts the least recently used ones
// until the bounds hold. A record larger than Bytes is not stored, nor is a failure that does not
// last.
func (c *Cache[K, V]) put(r *record[K, V]) Entry[V] {
	if el := c.records[r.key]; el != nil {
		c.drop(el)
	}
	e := c.given(r, r.err)
	if c.closed || c.config.Bytes > 0 && r.size() > c.config.Bytes ||
		r.at.IsZero() && r.stands <= 0 {
		e.Next = c.now()
		return e
	}
	c.records[r.key] = c.order.PushFront(r)
	c.bytes += r.size()
	for c.config.Entries > 0 && c.order.Len() > c.config.Entries ||
		c.config.Bytes > 0 && c.bytes > c.config.Bytes {
		c.drop(c.order.Back())
	}
	return e
}

// drop removes a record. Calls that started with it still refer to it.
func (c *Cache[K, V]) drop(el *list.Element) {
	r := c.order.Remove(el).(*record[K, V])
	delete(c.records, r.key)
	c.bytes -= r.size()
}

// within reports whether less than d has passed since t. After the clock was set back, t is in the
// future: no time has passed then, unless t is further away than d.
func within(now, t time.Time, d time.Duration) bool {
	age := now.Sub(t)
	return -d <= age && age < d
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Stats counts Gets; each increments one counter. The zero value is ready; several caches may share
// one. It is safe for concurrent use.
type Stats struct {
	Hits   atomic.Uint64 // a fresh value from the cache
	Misses atomic.Uint64 // a fresh value from the fetch that this Get started
	Shared atomic.Uint64 // a fresh value from a fetch under way
	Stale  atomic.Uint64 // an older value
	Errors atomic.Uint64 // no value
}
