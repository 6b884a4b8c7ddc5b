package cache

import (
	"container/list"
	"time"
)

// overhead is about the memory that a key takes in addition to its value: record, list element, map slot.
const overhead = 256

// record is all that is kept of a key: a value, the failure of the last attempt, or both. It is replaced, never changed.
type record[K comparable, V any] struct {
	key    K
	value  *value[V] // nil if there is none
	err    error     // of the last attempt; nil if that one fetched the value
	failed time.Time
	stands time.Duration // after failed, without another attempt
}

// value is the result of a fetch.
type value[V any] struct {
	v     V
	size  int64
	at    time.Time     // the end of the fetch
	fresh time.Duration // after at
}

// size is the share of the record in Config.Bytes.
func (r *record[K, V]) size() int64 {
	n := int64(overhead)
	if r.value != nil {
		n += r.value.size
	}
	if r.err != nil {
		n += int64(len(r.err.Error()))
	}
	return n
}

// keepValue keeps a value that was fetched now.
func (c *Cache[K, V]) keepValue(key K, v V) Entry[V] {
	now := c.now()
	fresh := c.config.Fresh
	if c.config.Until != nil {
		fresh = min(fresh, c.config.Until(v).Sub(now))
	}
	return c.put(&record[K, V]{key: key, value: &value[V]{v, max(0, c.config.Size(v)), now, fresh}}, now)
}

// keepFailure keeps a failure in addition to the older value, if that may still be given.
func (c *Cache[K, V]) keepFailure(key K, old *record[K, V], err error) Entry[V] {
	now := c.now()
	r := &record[K, V]{key: key, err: err, failed: now, stands: c.config.Retry(err)}
	if c.usable(old, now) && !c.config.Gone(err) {
		r.value = old.value
	}
	return c.put(r, now)
}

// settled is the entry that needs no fetch: a fresh value, or the result of a standing failure.
func (c *Cache[K, V]) settled(r *record[K, V], now time.Time) (Entry[V], bool) {
	switch {
	case r == nil:
		return Entry[V]{}, false
	case r.value != nil && within(now, r.value.at, r.value.fresh):
		return Entry[V]{Value: r.value.v, At: earlier(r.value.at, now), Next: r.value.at.Add(r.value.fresh)}, true
	case r.err != nil && within(now, r.failed, r.stands):
		return c.stale(r, r.err, now, r.failed.Add(r.stands)), true
	}
	return Entry[V]{}, false
}

// stale is the entry when err is why there is nothing newer. The same is given until next.
func (c *Cache[K, V]) stale(r *record[K, V], err error, now, next time.Time) Entry[V] {
	if !c.usable(r, now) {
		return Entry[V]{Err: err, Next: next}
	}
	v := r.value
	return Entry[V]{Value: v.v, At: earlier(v.at, now), Stale: true, Err: err, Next: earlier(next, v.at.Add(c.config.Keep))}
}

// current is the entry without another attempt, when err is why there is none.
func (c *Cache[K, V]) current(r *record[K, V], err error) Entry[V] {
	now := c.now()
	if e, ok := c.settled(r, now); ok {
		return e
	}
	return c.stale(r, err, now, now)
}

// usable reports whether the record, which may be nil, has a value that may still be given.
func (c *Cache[K, V]) usable(r *record[K, V], now time.Time) bool {
	return r != nil && r.value != nil && within(now, r.value.at, c.config.Keep)
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
func (c *Cache[K, V]) put(r *record[K, V], now time.Time) Entry[V] {
	if el := c.records[r.key]; el != nil {
		c.drop(el)
	}
	e := c.current(r, r.err)
	tooLarge := c.config.Bytes > 0 && r.size() > c.config.Bytes
	if c.closed || tooLarge || r.value == nil && r.stands <= 0 {
		e.Next = now
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
