// Package cache keeps values by key: bounded, fetched once at a time, and given stale while they cannot be renewed. It
// does not know the meaning or the source of the values, or HTTP.
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
	// Background lets a fetch go on when its last caller has left. Otherwise the fetch is cancelled then, and the Get of
	// that caller returns only when the fetch has ended, so that nothing runs after the answer.
	Background bool
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
	c.Keep, c.Stats = max(c.Keep, c.Fresh), cmp.Or(c.Stats, &Stats{})
	if c.Now == nil {
		c.Now = time.Now
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

// fetchFunc fetches a value. The cache calls it without its lock.
type fetchFunc[V any] = func(context.Context) (V, error)

// get is Get under the lock. counter is for an answer that is fresh.
func (c *Cache[K, V]) get(ctx context.Context, key K, fetch fetchFunc[V]) (e Entry[V], counter *atomic.Uint64) {
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
		case cl.cancelled == nil:
			return c.join(ctx, key, cl), &c.config.Stats.Shared
		}
		// A cancelled fetch has to end before the next one may start.
		if err := c.wait(ctx, cl); err != nil {
			return c.given(cl.old, err), nil
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

// call is one call of fetch and its waiting callers. The lock of the cache guards all but done.
type call[K comparable, V any] struct {
	old       *record[K, V] // of the key when the call started, nil without one
	stop      context.CancelFunc
	done      chan struct{} // closed at the end
	entry     Entry[V]      // set before the end
	callers   int
	cancelled error // why it was cancelled: its last caller has left, or Close
}

// cancel ends the call before its time. That does not count as a failure of fetch.
func (cl *call[K, V]) cancel(why error) {
	cl.cancelled = cmp.Or(cl.cancelled, why)
	cl.stop()
}

// start starts the call of a key. The lock is held before and after, here and below.
func (c *Cache[K, V]) start(ctx context.Context, key K, old *record[K, V], fetch fetchFunc[V]) *call[K, V] {
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
			if err != nil && cl.cancelled != nil {
				cl.entry = c.given(old, cl.cancelled)
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

// record is all that is kept of a key: a value, the failure of the last attempt, or both. It is replaced, never
// changed.
type record[K comparable, V any] struct {
	key    K
	value  V
	at     time.Time     // the end of the fetch of the value; zero without one
	fresh  time.Duration // after at
	err    error         // of the last attempt; nil if that one fetched the value
	failed time.Time
	stands time.Duration // after failed, without another attempt
	bytes  int64         // the share in Config.Bytes, without err
}

// size is the share of the record in Config.Bytes.
func (r *record[K, V]) size() int64 {
	if r.err == nil {
		return r.bytes
	}
	return r.bytes + int64(len(r.err.Error()))
}

// newRecord is the result of a fetch that ended now. A failure keeps the older value, if that may still be given.
func (c *Cache[K, V]) newRecord(key K, old *record[K, V], value V, err error) *record[K, V] {
	const overhead = 256 // about the memory of a record, a list element and a map slot
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

// entry is what is known of a key by its record, which may be nil. settled says that it needs no fetch: the value is
// fresh, or a failure stands.
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

// given is the entry without another attempt, when err is why there is none.
func (c *Cache[K, V]) given(r *record[K, V], err error) Entry[V] {
	e, settled := c.entry(r)
	if !settled {
		e.Err = err
	}
	return e
}

// use is the record of a key, or nil, and makes it the one used last.
func (c *Cache[K, V]) use(key K) *record[K, V] {
	el := c.records[key]
	if el == nil {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*record[K, V])
}

// put keeps a record in place of an older one of its key, and evicts the least recently used ones until the bounds
// hold. A record larger than all Bytes is not kept, nor is a failure that does not stand.
func (c *Cache[K, V]) put(r *record[K, V]) Entry[V] {
	if el := c.records[r.key]; el != nil {
		c.drop(el)
	}
	e := c.given(r, r.err)
	if c.closed || c.config.Bytes > 0 && r.size() > c.config.Bytes || r.at.IsZero() && r.stands <= 0 {
		e.Next = c.now()
		return e
	}
	c.records[r.key] = c.order.PushFront(r)
	c.bytes += r.size()
	for c.config.Entries > 0 && c.order.Len() > c.config.Entries || c.config.Bytes > 0 && c.bytes > c.config.Bytes {
		c.drop(c.order.Back())
	}
	return e
}

// drop forgets a record. Calls that started with it still have it.
func (c *Cache[K, V]) drop(el *list.Element) {
	r := c.order.Remove(el).(*record[K, V])
	delete(c.records, r.key)
	c.bytes -= r.size()
}

// within reports whether less than d has passed since t. A clock that was set back puts t in the future: nothing has
// passed since then, unless it is further away than d.
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

// Stats counts how Gets were answered, each by one of the numbers. The zero value is ready; caches may share one. It is
// safe for concurrent use.
type Stats struct {
	Hits   atomic.Uint64 // a fresh value that was there
	Misses atomic.Uint64 // a fresh value of the fetch that this Get started
	Shared atomic.Uint64 // a fresh value of a fetch that was under way
	Stale  atomic.Uint64 // an older value
	Errors atomic.Uint64 // none
}
