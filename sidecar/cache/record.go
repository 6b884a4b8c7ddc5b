package cache

import (
	"container/list"
	"time"
)

// record is what is kept of a key: a value, the failure of the last attempt, or both. It is replaced,
// never changed.
type record[K comparable, V any] struct {
	key K

	has       bool // a value
	value     V
	valueSize int64
	at        time.Time     // when the value was fetched
	fresh     time.Duration // how long after at it is given without asking

	err     error // of the last attempt; nil if that one fetched the value
	errSize int64
	failed  time.Time
	stands  time.Duration // how long after failed no attempt is made
}

// overhead is about what a key costs beside its value: record, list element, map slot.
const overhead = 256

// size is what counts towards Config.Bytes.
func (r *record[K, V]) size() int64 { return overhead + r.valueSize + r.errSize }

// result is what a Get returns.
type result[V any] struct {
	entry Entry[V]
	err   error
}

// current is the answer without another attempt, when err is why there is none or what became of it. A
// record may be nil here and below: nothing is kept.
func (c *Cache[K, V]) current(r *record[K, V], now time.Time, err error) result[V] {
	if a, ok := c.fresh(r, now); ok {
		return a
	}
	return c.stale(r, now, err, now)
}

// fresh is the result that needs no attempt: a fresh value, or what a standing failure leaves.
func (c *Cache[K, V]) fresh(r *record[K, V], now time.Time) (result[V], bool) {
	switch {
	case r == nil:
		return result[V]{}, false
	case r.has && within(now, r.at, r.fresh):
		return result[V]{entry: Entry[V]{Value: r.value, At: earlier(r.at, now), Next: r.at.Add(r.fresh)}}, true
	case r.err != nil && within(now, r.failed, r.stands):
		return c.stale(r, now, r.err, r.failed.Add(r.stands)), true
	}
	return result[V]{}, false
}

// stale is the answer when err is why there is nothing newer: the value that is kept, or err. The same
// is given until next.
func (c *Cache[K, V]) stale(r *record[K, V], now time.Time, err error, next time.Time) result[V] {
	if !c.keeps(r, now) {
		return result[V]{entry: Entry[V]{Err: err, Next: next}, err: err}
	}
	return result[V]{entry: Entry[V]{
		Value: r.value, At: earlier(r.at, now), Stale: true, Err: err,
		Next: earlier(next, r.at.Add(c.config.Keep)),
	}}
}

// keeps reports whether the record has a value that may still be given.
func (c *Cache[K, V]) keeps(r *record[K, V], now time.Time) bool {
	return r != nil && r.has && within(now, r.at, c.config.Keep)
}

// within reports whether less than d has passed since t. A clock that was set back makes t a time to
// come: nothing has passed since then, unless it is further away than d, when t means nothing any more.
func within(now, t time.Time, d time.Duration) bool {
	age := now.Sub(t)
	return -d <= age && age < d
}

// earlier is the first of two moments.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// use is the record of a key, or nil, and makes it the one used last. The lock is held here and below.
func (c *Cache[K, V]) use(key K) *record[K, V] {
	if el := c.records[key]; el != nil {
		c.order.MoveToFront(el)
		return el.Value.(*record[K, V])
	}
	return nil
}

// put keeps a record, as the one used last, in place of an older one of its key, and evicts what was
// used least until the bounds hold. It reports whether the record is kept: one that says nothing or
// is larger than all Bytes is not, and pushes out nothing but the older one.
func (c *Cache[K, V]) put(r *record[K, V]) bool {
	if el := c.records[r.key]; el != nil {
		c.drop(el)
	}
	says := r.has || r.stands > 0
	tooLarge := c.config.Bytes > 0 && r.size() > c.config.Bytes
	if c.closed || !says || tooLarge {
		return false
	}
	c.records[r.key] = c.order.PushFront(r)
	c.bytes += r.size()
	for c.config.Entries > 0 && c.order.Len() > c.config.Entries || c.config.Bytes > 0 && c.bytes > c.config.Bytes {
		c.drop(c.order.Back())
	}
	return true
}

// drop forgets a record. Calls that started with it still have it.
func (c *Cache[K, V]) drop(el *list.Element) {
	r := c.order.Remove(el).(*record[K, V])
	delete(c.records, r.key)
	c.bytes -= r.size()
}
