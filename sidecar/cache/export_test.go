package cache

// Peek returns the entry of a key without a fetch and without counting as a use. ok reports whether
// that includes a usable value.
func (c *Cache[K, V]) Peek(key K) (entry Entry[V], ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.records[key]
	if el == nil {
		return Entry[V]{}, false
	}
	entry, _ = c.entry(el.Value.(*record[K, V]))
	return entry, !entry.At.IsZero()
}
