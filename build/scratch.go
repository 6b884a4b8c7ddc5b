package build

import "sync"

// scratch lends memory for what is needed for a moment, so that the next one need not ask for its own.
// The zero value is ready. It is safe for concurrent use.
type scratch struct{ pool sync.Pool }

// keptScratch is the largest that is kept, in bytes: a few texts of a corpus are many times as long as the
// others, and would make every worker's memory as large.
const keptScratch = 256 << 10

// get returns an empty slice.
func (s *scratch) get() *[]byte {
	if b, ok := s.pool.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// put takes a slice back, with whatever it has grown to.
func (s *scratch) put(b *[]byte) {
	if cap(*b) <= keptScratch {
		*b = (*b)[:0]
		s.pool.Put(b)
	}
}
