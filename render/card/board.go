package card

import "encoding/binary"

// Two pixels are a byte; bytes are worked on eight at a time.
const (
	stride = Width / 2
	word   = 8
)

// board is the pixels of one card, as indexes of a palette. What lies at the end of a row is known to be
// ground, so that nobody looks at it.
type board struct {
	pixels [stride*Height + word]byte // and room for the word that begins at the last byte
	reach  [Height]int                // bytes of a row that may be something else, in words
}

// clear makes every pixel ground.
func (b *board) clear() {
	for y, n := range b.reach {
		clear(b.row(y)[:n])
	}
	clear(b.reach[:])
}

func (b *board) row(y int) []byte { return b.pixels[y*stride:][:stride] }

// touch notes that a row has something up to a byte.
func (b *board) touch(y, end int) {
	b.reach[y] = max(b.reach[y], min(stride, (end+word-1)&^(word-1)))
}

// fill gives every pixel of a rectangle one colour. Columns are even.
func (b *board) fill(left, top, right, bottom int, colour byte) {
	first := b.row(top)[left/2 : right/2]
	for i := range first {
		first[i] = colour<<4 | colour
	}
	for y := top; y < bottom; y++ {
		copy(b.row(y)[left/2:], first)
		b.touch(y, right/2)
	}
}

// put adds a mask with its origin at a point. The column is even; the mask must not reach over the edge.
func (b *board) put(m *mask, x, y int, c ink) {
	left := (x + m.left) / 2
	y += m.top
	for i := 0; i < len(m.words); i += m.stride {
		for k, v := range m.words[i : i+m.stride] {
			to := b.pixels[y*stride+left+k*word:][:word]
			binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(to)|c.of(v))
		}
		b.touch(y, left+m.stride*word)
		y++
	}
}

// putAll adds masks in a row and returns the column after them.
func (b *board) putAll(run []*mask, x, y int, c ink) int {
	for _, m := range run {
		b.put(m, x, y, c)
		x += m.advance
	}
	return x
}
