package card

import (
	"encoding/binary"
	"slices"
)

// gaps is how many gaps a row can be at the most, its filter included.
const gaps = 1 + stride

// zipper writes a zlib stream (RFC 1950) of bytes that are zero for the most part. It looks for nothing
// but zeros, and so costs what there is to say and not what there is to read.
type zipper struct {
	code *code
	out  []byte // what lies after at is not written yet
	at   int
	hold uint64 // bits that are no whole byte yet
	held uint8

	// The sums of Adler-32 (RFC 1950, 8.2). They are reduced at the end only: even if every byte of a
	// card had its highest value, they would not fill 64 bits.
	a, b uint64
}

// newZipper writes to what is given, after what it holds.
func newZipper(c *code, out []byte) *zipper {
	z := &zipper{code: c, out: append(out, 0x78, 0x01), a: 1}
	z.at = len(z.out)
	z.reserve(len(c.header))
	for _, s := range c.header {
		z.put(s)
	}
	return z
}

// reserve makes room for that many symbols.
func (z *zipper) reserve(n int) {
	const most = 8 // bytes that put writes at a time, of which it keeps seven at the most
	if z.at+most*n > len(z.out) {
		z.out = slices.Grow(z.out[:z.at], most*n)
		z.out = z.out[:cap(z.out)]
	}
}

// put writes a symbol. It has no branches.
func (z *zipper) put(s symbol) {
	z.hold |= s.bits << z.held
	z.held += s.n
	binary.LittleEndian.PutUint64(z.out[z.at:], z.hold)
	z.at += int(z.held >> 3)
	z.hold >>= z.held &^ 7
	z.held &= 7
}

// gap takes n zeros, which may be none, and then a byte that is not zero: at once, since a card is some
// ten thousand of them. What came before was no zero.
func (z *zipper) gap(n int, v byte) {
	if n >= len(z.code.zeros) {
		z.zeros(n)
		n = 0
	}
	z.put(z.code.zeros[n].then(z.code.literal[v]))
	z.b += uint64(n+1)*z.a + uint64(v)
	z.a += uint64(v)
}

// zeros takes n zeros. What came before was none.
func (z *zipper) zeros(n int) {
	z.b += uint64(n) * z.a
	first := min(n, len(z.code.zeros)-1)
	z.reserve(n/maxMatch + 2 + gaps)
	z.put(z.code.zeros[first])
	if n -= first; n == 0 {
		return
	}
	for ; n > maxMatch; n -= maxMatch {
		z.put(z.code.more[maxMatch])
	}
	z.put(z.code.more[n])
}

// end returns the stream.
func (z *zipper) end() []byte {
	const base = 65521
	z.reserve(2)
	z.put(z.code.end)
	z.put(symbol{0, 7}) // up to a whole byte
	return binary.BigEndian.AppendUint32(z.out[:z.at], uint32(z.b%base)<<16|uint32(z.a%base))
}
