package cache

import "container/list"

// find is the record of a key, or nil. The lock is held here and below.
func (c *Cache[K, V]) find(key K) *record[K, V] {
	if el := c.records[key]; el != nil {
		return el.Value.(*record[K, V])
	}
	return nil
}

// use is find that counts as a use.
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

func (c *Cache[K, V]) drop(el *list.Element) {
	r := c.order.Remove(el).(*record[K, V])
	delete(c.records, r.key)
	c.bytes -= r.size()
}
