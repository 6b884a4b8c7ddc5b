package card

import "math/bits"

// lengths are the lengths in bits of the Huffman code of all cards, a hexadecimal digit for each byte,
// the end, and the 29 lengths of a match. A code that is made for each card would be a little shorter
// and cost as much as the card. TestLengths makes it from samples.
const lengths = "" +
	"255aa9ada8acdddd5579ddaddbdddddd6667dcdddddadddd9977ddddcdddddddadddb9ccddddddac9ccdd9aaddddddbb" +
	"9addda99dddddddc8dddcddddddddddd9dddddddccddbddd8bbdddddda9bddda9dcddddddba9ddcd9baddddddba9bddd" +
	"adddddddbddd76899ddddadddddcd7676ddddcbbddacd8765ddddba8adaaaa64d56777888778878897789889999984"

// symbol is a string of at most 56 bits as it stands in the stream: the first is the lowest.
type symbol struct {
	bits uint64
	n    uint8
}

// then is one string after another.
func (s symbol) then(t symbol) symbol { return symbol{s.bits | t.bits<<s.n, s.n + t.n} }

// Lengths of a match in DEFLATE (RFC 1951, 3.2.5).
const (
	minMatch = 3
	maxMatch = 258
)

// Symbols of DEFLATE beside the bytes (RFC 1951, 3.2.5).
const (
	endOfBlock   = 256
	firstLength  = 257
	lastLength   = 285 // of maxMatch
	lengthCounts = 29
)

// code is what the bytes of a card become.
type code struct {
	header  []symbol // up to the first byte of data
	literal [256]symbol
	more    [maxMatch + 1]symbol // that many zeros after a zero
	zeros   [maxMatch + 2]symbol // that many zeros after something else
	end     symbol
}

func newCode() *code {
	c := new(code)
	symbols := canonical()
	copy(c.literal[:], symbols)
	c.end = symbols[endOfBlock]
	run := matches(symbols)
	for n := range c.more {
		if n > 0 {
			c.more[n] = c.more[n-1].then(c.literal[0])
		}
		if n >= minMatch && (n > minMatch || run[n].n < c.more[n].n) {
			c.more[n] = run[n]
		}
		c.zeros[n+1] = c.literal[0].then(c.more[n])
	}
	c.header = header()
	return c
}

// canonical gives each symbol the code that follows from the lengths (RFC 1951, 3.2.2).
func canonical() []symbol {
	symbols := make([]symbol, len(lengths))
	next := 0
	for n := 1; n <= 15; n++ {
		for i := range lengths {
			if digit(lengths[i]) == n {
				// Huffman codes stand in the stream with their highest bit first.
				symbols[i] = symbol{uint64(bits.Reverse16(uint16(next)) >> (16 - n)), uint8(n)}
				next++
			}
		}
		next <<= 1
	}
	return symbols
}

// matches are the runs of the byte before, by length: distance 1 is the distance code 0, of one bit.
func matches(symbols []symbol) [maxMatch + 1]symbol {
	var run [maxMatch + 1]symbol
	distance := symbol{0, 1}
	length := minMatch
	for i := range lengthCounts - 1 {
		extra := max(0, i/4-1)
		for more := range 1 << extra {
			if length < maxMatch { // the last code of the series also has a place for it
				run[length] = symbols[firstLength+i].then(symbol{uint64(more), uint8(extra)}).then(distance)
			}
			length++
		}
	}
	run[maxMatch] = symbols[lastLength].then(distance)
	return run
}

// header begins the only block and tells its code (RFC 1951, 3.2.7). The lengths are written plainly,
// four bits each, and so the code for the lengths has four bits for each of 0 to 15.
func header() []symbol {
	const (
		last, dynamic = 1, 2
		distances     = 2 // the second makes the code complete; it is not used
		lengthBits    = 4
	)
	h := []symbol{{last, 1}, {dynamic, 2}, {uint64(len(lengths) - 257), 5}, {distances - 1, 5}, {19 - 4, 4}}
	for i := range 19 { // the lengths of the codes of 16, 17 and 18, and then of all others
		n := uint64(lengthBits)
		if i < 3 {
			n = 0
		}
		h = append(h, symbol{n, 3})
	}
	of := func(n int) symbol { return symbol{uint64(bits.Reverse8(uint8(n)) >> 4), lengthBits} }
	for i := range lengths {
		h = append(h, of(digit(lengths[i])))
	}
	for range distances {
		h = append(h, of(1))
	}
	return h
}

// digit is the value of a hexadecimal digit.
func digit(c byte) int {
	if c >= 'a' {
		return int(c-'a') + 10
	}
	return int(c - '0')
}
