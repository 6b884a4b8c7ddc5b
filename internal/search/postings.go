package search

import (
	"encoding/base64"
	"math/bits"
)

// hit records a term in a proposal, the part to show, and its weight there.
type hit struct {
	// proposal counts from 0 in the order of ids.
	proposal int
	// part is the index of the text part with the section that has most of the term, from 0.
	part int
	// weight is the greatest weight of the term in the proposal.
	weight int
}

// posting is a hit in four bytes: three bits of its weight, seven of its part, which is below
// mostTexts, and its proposal. An index is built from many.
type posting uint32

func newPosting(h hit) posting { return posting(h.proposal<<10 | h.part<<3 | h.weight) }

// of returns p, whose proposal is 0, with another proposal.
func (p posting) of(proposal int) posting { return p | posting(proposal<<10) }

func (p posting) hit() hit {
	return hit{proposal: int(p >> 10), part: int(p >> 3 & (mostTexts - 1)), weight: int(p & 7)}
}

// Weights of a hit, lightest and most frequent first. The weights of a text are the term's share of
// a section; from description on they are of the header.
const (
	some = iota
	much
	heading
	description // in the description, or in the names of the authors
	title
	weights
)

// encoder writes lists of hits as consecutive bits.
type encoder struct {
	bytes []byte
	n     int // number of bits written
}

func (e *encoder) bits(value, n int) {
	for n > 0 {
		if e.n%8 == 0 {
			e.bytes = append(e.bytes, 0)
		}
		room := 8 - e.n%8
		take := min(room, n)
		n -= take
		e.n += take
		e.bytes[len(e.bytes)-1] |= byte(value >> n & (1<<take - 1) << (room - take))
	}
}

// count writes a number from 1 in Elias gamma code: a zero for each binary digit after the first,
// then the digits.
func (e *encoder) count(n int) {
	more := bits.Len(uint(n)) - 1
	e.bits(0, more)
	e.bits(n, more+1)
}

// below writes a number from 0 to of-1 in truncated binary code: small numbers take a bit less.
func (e *encoder) below(value, of int) {
	n := bits.Len(uint(of)) - 1
	if short := 2<<n - of; value < short {
		e.bits(value, n)
	} else {
		e.bits(value+short, n+1)
	}
}

// sorted writes increasing numbers between least and most, whose count the reader knows, in binary
// interpolative code (Moffat and Stuiver 2000): first the middle one, then those before it, then
// those after it.
func (e *encoder) sorted(hits []hit, least, most int) {
	if len(hits) == 0 {
		return
	}
	middle := len(hits) / 2
	n := hits[middle].proposal
	e.below(n-least-middle, most-least-len(hits)+2)
	e.sorted(hits[:middle], least, n-1)
	e.sorted(hits[middle+1:], n+1, most)
}

// list writes the hits of a term, one or more and fewer than among: their number, their proposals,
// which are below among, and for each its weight in unary and its part. The unary code is that many
// ones, with a zero after them unless it is the highest weight. parts holds the number of parts of
// each proposal. A filter has proposals only.
func (e *encoder) list(hits []hit, filter bool, among int, parts []int) {
	e.count(len(hits))
	e.sorted(hits, 0, among-1)
	if filter {
		return
	}
	for _, h := range hits {
		e.bits(1<<h.weight-1, h.weight)
		if h.weight < weights-1 {
			e.bits(0, 1)
		}
		e.below(h.part, parts[h.proposal])
	}
}

func (e *encoder) String() string { return base64.StdEncoding.EncodeToString(e.bytes) }

// decoder reads the output of an encoder. It reads zeros after the end.
type decoder struct {
	bytes []byte
	n     int // number of bits read
}

func newDecoder(postings string) *decoder {
	bytes, _ := base64.StdEncoding.DecodeString(postings) // of damaged text, the valid beginning
	return &decoder{bytes: bytes}
}

// ended reports that only padding of the last byte is left.
func (d *decoder) ended() bool { return d.n >= 8*len(d.bytes) }

func (d *decoder) bits(n int) (value int) {
	for ; n > 0; n-- {
		value *= 2
		if !d.ended() {
			value += int(d.bytes[d.n/8] >> (7 - d.n%8) & 1)
		}
		d.n++
	}
	return value
}

// run counts bits equal to of, at most most, and consumes the bit that ends the run.
func (d *decoder) run(of, most int) (n int) {
	for n < most && d.bits(1) == of {
		n++
	}
	return n
}

func (d *decoder) below(of int) int {
	of = min(max(of, 1), 1<<30) // other values are damaged
	n := bits.Len(uint(of)) - 1
	value, short := d.bits(n), 2<<n-of
	if value >= short {
		value = 2*value + d.bits(1) - short
	}
	return value
}

func (d *decoder) sorted(hits []hit, n, least, most int) []hit {
	if n == 0 {
		return hits
	}
	middle := n / 2
	number := least + middle + d.below(most-least-n+2)
	hits = append(d.sorted(hits, middle, least, number-1), hit{proposal: number})
	return d.sorted(hits, n-middle-1, number+1, most)
}

// list reads the hits of a term. Damaged postings yield arbitrary hits, but not more than there are
// proposals.
func (d *decoder) list(filter bool, among int, parts []int) []hit {
	n := d.run(0, 20)
	n = 1<<n | d.bits(n)
	if n > len(parts) || n >= among || d.ended() {
		return nil
	}
	hits := d.sorted(make([]hit, 0, n), n, 0, among-1)
	for i, h := range hits {
		if filter || h.proposal < 0 || h.proposal >= len(parts) {
			continue
		}
		hits[i].weight = d.run(1, weights-1)
		hits[i].part = d.below(parts[h.proposal])
	}
	return hits
}
