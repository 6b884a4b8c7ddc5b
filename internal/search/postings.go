package search

import (
	"encoding/base64"
	"math/bits"
)

// hit says that a term is in a proposal, where it is to be shown, and what it counts there.
type hit struct {
	// proposal counts from 0 in the order of ids.
	proposal int
	// part is that of its texts with the section that has most of the term, from 0.
	part int
	// weight is the most that the term is anywhere in the proposal.
	weight int
}

// Weights of a hit, from what counts least and is most frequent. Those of a text say how much of a section the term is; those
// from said are of the header.
const (
	some = iota
	much
	heading
	said // in the description, or in the names of the authors
	title
	weights
)

// encoder writes lists of hits as bits, one behind the other.
type encoder struct {
	bytes []byte
	n     int // bits that are written
}

func (e *encoder) bits(value, n int) {
	for n--; n >= 0; n-- {
		if e.n%8 == 0 {
			e.bytes = append(e.bytes, 0)
		}
		e.bytes[len(e.bytes)-1] |= byte(value>>n&1) << (7 - e.n%8)
		e.n++
	}
}

// count writes a number from 1: as many zeros as it has binary digits behind the first, and its digits (Elias gamma).
func (e *encoder) count(n int) {
	more := bits.Len(uint(n)) - 1
	e.bits(0, more)
	e.bits(n, more+1)
}

// below writes one of so many numbers from 0, of which the first ones need a bit less (truncated binary).
func (e *encoder) below(value, of int) {
	n := bits.Len(uint(of)) - 1
	if short := 2<<n - of; value < short {
		e.bits(value, n)
	} else {
		e.bits(value+short, n+1)
	}
}

// sorted writes rising numbers from least to most, of which the reader knows how many there are: the one in the middle, those
// before it, those behind it (binary interpolative coding, Moffat and Stuiver 2000).
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

// list writes the hits of a term, one or more and fewer than among: how many there are, their proposals, which are below among,
// and for each its weight, as so many ones with a zero behind them unless it is the last one, and its part. parts says how many
// a proposal has. Of a filter the proposals are enough.
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

// decoder reads what an encoder wrote. Behind its end there are zeros.
type decoder struct {
	bytes []byte
	n     int // bits that are read
}

func newDecoder(postings string) *decoder {
	bytes, _ := base64.StdEncoding.DecodeString(postings) // of a damaged text its beginning
	return &decoder{bytes: bytes}
}

// ended reports that nothing is left but what fills the last byte.
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

// run counts bits of a value up to one of the other, which it reads, too, or up to most.
func (d *decoder) run(of, most int) (n int) {
	for n < most && d.bits(1) == of {
		n++
	}
	return n
}

func (d *decoder) below(of int) int {
	of = min(max(of, 1), 1<<30) // others are damaged
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

// list reads the hits of a term. Those of damaged postings are no more than proposals, and may be any.
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
