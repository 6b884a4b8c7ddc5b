package cache

import "sync/atomic"

// Stats counts how Gets were answered, each by one of the numbers. The zero value is ready; caches may share
// one. It is safe for concurrent use.
type Stats struct {
	Hits   atomic.Uint64 // a fresh value that was there
	Misses atomic.Uint64 // a fresh value of the flight that this Get started
	Shared atomic.Uint64 // a fresh value of a flight that was under way
	Stale  atomic.Uint64 // an older value
	Errors atomic.Uint64 // none
}

// count counts an answer. atOnce says that it needed no flight, shared that it waited for another's.
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
