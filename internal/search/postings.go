package search

import "strings"

// Postings are text, so that hosts compress them and any language reads them: each number is one or more of these letters,
// none of which JSON or HTML escapes.
const letters = "!#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"

const (
	radix  = len(letters) // 89
	single = 64           // numbers of one letter
	// escape begins a number of three more letters. The letters between single and escape begin one of one more.
	escape = radix - 1
	double = single + (escape-single)*radix // the first number that takes the escape
)

// digitOf has the value of each letter.
var digitOf = func() (of [256]int) {
	for i := range of {
		of[i] = -1
	}
	for i := range radix {
		of[letters[i]] = i
	}
	return of
}()

// put writes a number up to double+radix³.
func put(b *strings.Builder, n int) {
	switch {
	case n < single:
		b.WriteByte(letters[n])
	case n < double:
		n -= single
		b.WriteByte(letters[single+n/radix])
		b.WriteByte(letters[n%radix])
	default:
		n -= double
		b.WriteByte(letters[escape])
		b.WriteByte(letters[n/(radix*radix)%radix])
		b.WriteByte(letters[n/radix%radix])
		b.WriteByte(letters[n%radix])
	}
}

// take reads a number from the beginning of a text. ok is false where there is none.
func take(s string) (n int, rest string, ok bool) {
	digit := func(i int) int {
		if i >= len(s) {
			return -1
		}
		return digitOf[s[i]]
	}
	switch first := digit(0); {
	case first < 0:
		return 0, "", false
	case first < single:
		return first, s[1:], true
	case first < escape:
		if digit(1) < 0 {
			return 0, "", false
		}
		return single + (first-single)*radix + digit(1), s[2:], true
	}
	n = double
	for i, scale := 1, radix*radix; i <= 3; i, scale = i+1, scale/radix {
		if digit(i) < 0 {
			return 0, "", false
		}
		n += digit(i) * scale
	}
	return n, s[4:], true
}

// hit says that a term is in a section of a proposal.
type hit struct {
	// proposal counts from 0 in the order of ids.
	proposal int
	// section counts from 1 in the order of the text; 0 is what the header says.
	section int
	weight  int
}

// encode writes hits, which are sorted: for each proposal its distance from the last one; and for each of its sections the
// distance from the last one, times four with the weight, times two with one more for the last of the proposal.
func encode(hits []hit) (proposals, sections string) {
	var p, s strings.Builder
	proposal, section := 0, 0
	for i, h := range hits {
		if i == 0 || h.proposal != hits[i-1].proposal {
			put(&p, h.proposal-proposal)
			proposal, section = h.proposal, 0
		}
		end := 0
		if i+1 == len(hits) || hits[i+1].proposal != h.proposal {
			end = 1
		}
		put(&s, ((h.section-section)*4+h.weight)*2+end)
		section = h.section
	}
	return p.String(), s.String()
}

// decode reads what encode wrote. Of anything else it returns what can be read.
func decode(proposals, sections string) (hits []hit) {
	proposal := 0
	for proposals != "" {
		n, rest, ok := take(proposals)
		if !ok {
			return hits
		}
		proposals, proposal = rest, proposal+n
		for section, end := 0, false; !end; {
			if n, sections, ok = take(sections); !ok {
				return hits
			}
			section += n / 8
			hits, end = append(hits, hit{proposal, section, n / 2 % 4}), n%2 == 1
		}
	}
	return hits
}
