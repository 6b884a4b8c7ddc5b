package card

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// Filters of a row (PNG, 9.2).
const (
	filterNone = 0
	filterUp   = 2
)

// encode appends a PNG of palette indexes, four bits each (W3C PNG, third edition), whose rows are what is
// given to the zipper.
func encode(out []byte, c *code, palette [colours]rgb, rows func(*zipper)) []byte {
	out = append(out, "\x89PNG\r\n\x1a\n"...)
	out = chunk(out, "IHDR", func(out []byte) []byte {
		out = binary.BigEndian.AppendUint32(out, Width)
		out = binary.BigEndian.AppendUint32(out, Height)
		return append(out, 4, 3, 0, 0, 0) // bits, palette; deflate, filters by row, not interlaced
	})
	out = chunk(out, "PLTE", func(out []byte) []byte {
		for _, c := range palette {
			out = append(out, c[:]...)
		}
		return out
	})
	out = chunk(out, "IDAT", func(out []byte) []byte {
		z := newZipper(c, out)
		rows(z)
		return z.end()
	})
	return chunk(out, "IEND", func(out []byte) []byte { return out })
}

// chunk appends a chunk whose data is what body appends.
func chunk(out []byte, name string, body func([]byte) []byte) []byte {
	at := len(out)
	out = body(append(out, "\x00\x00\x00\x00"+name...))
	binary.BigEndian.PutUint32(out[at:], uint32(len(out)-at-8))
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at+4:]))
}

// rows hands on the rows of a part, before which there is an empty one. Empty ones are zeros, filter included, so that many are one run. In the
// others what is as above it becomes zero: of letters only the edges are left.
func (b *board) rows(z *zipper, from, to int) {
	var ground [stride]byte
	zeros := 0
	for y := from; y < to; y++ {
		end := b.reach[y]
		if end == 0 {
			zeros += 1 + stride
			continue
		}
		row, above := b.row(y), ground[:]
		if y > from {
			above, end = b.row(y-1), max(end, b.reach[y-1])
		}
		z.reserve(gaps)
		z.gap(zeros, filterUp)
		zeros = 0
		for i := 0; i < end; i += word {
			here, there := binary.LittleEndian.Uint64(row[i:]), binary.LittleEndian.Uint64(above[i:])
			if here == there {
				zeros += word
				continue
			}
			left := word
			for d := minus(here, there); d != 0; {
				skip := bits.TrailingZeros64(d) / 8
				d >>= 8 * skip
				z.gap(zeros+skip, byte(d))
				d >>= 8
				zeros = 0
				left -= skip + 1
			}
			zeros += left
		}
		zeros += stride - end
	}
	z.zeros(zeros)
}

// minus subtracts eight bytes from eight, each from its own: with the highest bits put right apart, no
// byte borrows from its neighbour.
func minus(a, b uint64) uint64 {
	const high = 0x8080808080808080
	return (a | high) - b&^high ^ (a^^b)&high
}
