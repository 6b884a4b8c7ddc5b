package card

import (
	"encoding/binary"
	"slices"
	"sync"
)

// Rows at which a card is cut. Nothing is drawn across them.
const (
	headEnd = 150
	footTop = 480
)

// strip is rows of a card as they stand in the stream, wherever in it: the code is the same for all cards.
// The cards of a site have nearly all of their top and bottom in common.
type strip struct {
	bytes  []byte
	rest   symbol // after the bytes
	length uint64 // of the rows, in bytes
	a, b   uint64 // as in zipper, both begun at zero
}

// newStrip encodes rows of a board.
func newStrip(b *board, c *code, from, to int) *strip {
	z := &zipper{code: c}
	b.rows(z, from, to)
	return &strip{slices.Clone(z.out[:z.at]), symbol{z.hold, z.held}, uint64(to-from) * (1 + stride), z.a, z.b}
}

// add takes a strip.
func (z *zipper) add(s *strip) {
	const most = 7 // bytes that put takes at a time
	z.reserve(len(s.bytes)/most + most + 2)
	left := s.bytes
	for ; len(left) >= 8; left = left[most:] {
		z.put(symbol{binary.LittleEndian.Uint64(left) << 8 >> 8, 8 * most})
	}
	for _, c := range left {
		z.put(symbol{uint64(c), 8})
	}
	z.put(s.rest)
	// The second sum has every byte of the first as often as bytes follow.
	z.b += s.length*z.a + s.b
	z.a += s.a
}

// strips keeps strips by what they show. It is safe for concurrent use.
type strips struct {
	mu    sync.Mutex
	known map[any]*strip
}

// mostStrips is how many are kept: authors make up what kinds of proposals there are.
const mostStrips = 256

// of returns the strip of a key, which make makes when it is not known.
func (s *strips) of(key any, make func() *strip) *strip {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.known[key]; found != nil {
		return found
	}
	if s.known == nil || len(s.known) >= mostStrips {
		s.known = map[any]*strip{}
	}
	made := make()
	s.known[key] = made
	return made
}
