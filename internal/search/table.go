package search

import (
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Version is the version of the file format.
const Version = 5

// Shard is a part of an index.
type Shard struct {
	Version  int    `json:"version" doc:"5."`
	Terms    string `json:"terms" doc:"In the order of their bytes, each without the first letters that it shares with the one before; a capital is their number."`
	Among    int    `json:"among" doc:"A number that the positions of proposals are below."`
	Postings string `json:"postings" doc:"Bits in base64: for each term the proposals that have it."`
}

// Table is a decoded shard for lookups. It is immutable.
type Table struct {
	terms []string
	hits  [][]hit
	size  int64
}

// NewTable decodes a shard; parts is [Manifest.Parts]. The table is valid only with a manifest that
// has these parts.
func NewTable(s *Shard, parts []int) *Table {
	t := &Table{terms: split(s.Terms)}
	d := newDecoder(s.Postings)
	t.hits = make([][]hit, len(t.terms))
	// A hit of a word takes more than a bit. Filters that many proposals have take less, but are
	// few.
	for i, most := 0, 8*len(d.bytes)+64*len(parts); i < len(t.terms) && most > 0; i++ {
		t.hits[i] = d.list(isFilter(t.terms[i]), s.Among, parts)
		most -= len(t.hits[i])
		t.size += int64(len(t.terms[i])) + int64(unsafe.Sizeof(hit{}))*int64(len(t.hits[i]))
	}
	t.size += int64(len(t.terms)) * int64(unsafe.Sizeof("")+unsafe.Sizeof([]hit{}))
	return t
}

// Size returns the approximate size of a table in memory, in bytes.
func (t *Table) Size() int64 { return t.size }

// First returns the first term, which is the shard's [Part.From].
func (s *Shard) First() string { return split(s.Terms)[0] }

// join encodes terms as [Shard.Terms].
func join(terms []string) string {
	var b strings.Builder
	var last []rune
	for _, term := range terms {
		letters, same := []rune(term), 0
		for same < min(len(letters)-1, len(last), 'Z'-'A') && letters[same] == last[same] {
			same++
		}
		b.WriteString(string(rune('A'+same)) + string(letters[same:]))
		last = letters
	}
	return b.String()
}

// split decodes the output of join.
func split(terms string) (out []string) {
	var last []rune
	for terms != "" {
		same := int(terms[0]) - 'A'
		if same < 0 || same > 'Z'-'A' {
			return out // damaged
		}
		rest := terms[1:]
		if i := strings.IndexFunc(rest, func(c rune) bool { return c >= 'A' && c <= 'Z' }); i >= 0 {
			rest = rest[:i]
		}
		terms = terms[1+len(rest):]
		last = append(last[:min(same, len(last))], []rune(rest)...)
		out = append(out, string(last))
	}
	return out
}

// posted is a term of a table with its hits.
type posted struct {
	term string
	hits []hit
}

// frequent sorts terms by the number of their proposals, highest first, and keeps at most mostNear.
func frequent(of []posted) []posted {
	slices.SortStableFunc(of, func(a, b posted) int { return len(b.hits) - len(a.hits) })
	return of[:min(len(of), mostNear)]
}

// lookup returns the hits of a term.
func (t *Table) lookup(term string) []hit {
	i, ok := slices.BinarySearch(t.terms, term)
	if !ok {
		return nil
	}
	return t.hits[i]
}

// beginning returns the words with a prefix, without the prefix itself.
func (t *Table) beginning(with string) (out []posted) {
	i, _ := slices.BinarySearch(t.terms, with)
	for ; i < len(t.terms) && strings.HasPrefix(t.terms[i], with); i++ {
		if t.terms[i] != with && !isFilter(t.terms[i]) {
			out = append(out, posted{t.terms[i], t.hits[i]})
		}
	}
	return out
}

// nearest returns the values of the filter with this prefix that are nearest to one in alphabetical
// order.
func (t *Table) nearest(filter, with string) []string {
	at, _ := slices.BinarySearch(t.terms, filter)
	first, _ := slices.BinarySearch(t.terms, with)
	end, _ := slices.BinarySearchFunc(t.terms[first:], with, func(term, with string) int {
		if strings.HasPrefix(term, with) {
			return -1
		}
		return 1
	})
	at = max(0, min(at-first-mostKnown/2, end-mostKnown))
	values := []string{}
	for _, term := range t.terms[first+at : first+min(end, at+mostKnown)] {
		values = append(values, term[len(with):])
	}
	return values
}

// like returns the words that differ from a word of five or more letters by one letter, or by two
// swapped neighbors.
func (t *Table) like(term string) (out []posted) {
	if utf8.RuneCountInString(term) < 5 {
		return nil
	}
	for i, other := range t.terms {
		// A character has at most four bytes.
		if d := len(other) - len(term); d < -utf8.UTFMax || d > utf8.UTFMax || isFilter(other) {
			continue
		}
		if oneEdit(term, other) {
			out = append(out, posted{t.terms[i], t.hits[i]})
		}
	}
	return out
}

// oneEdit reports whether two words differ by one letter that is added, missing or replaced, or by
// two swapped neighbors. It compares what remains between their common prefix and suffix.
func oneEdit(a, b string) bool {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for i > 0 && (inLetter(a, i) || inLetter(b, i)) {
		i--
	}
	a, b = a[i:], b[i:]
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && (inLetter(a, len(a)-n) || inLetter(b, len(b)-n)) {
		n--
	}
	a, b = a[:len(a)-n], b[:len(b)-n]
	if len(a)+len(b) > 4*utf8.UTFMax {
		return false
	}
	switch x, y := []rune(a), []rune(b); max(len(x), len(y)) {
	case 1:
		return true
	case 2:
		return len(x) == len(y) && x[0] == y[1] && x[1] == y[0]
	}
	return false
}

// inLetter reports whether a position is inside a character.
func inLetter(s string, at int) bool { return at < len(s) && !utf8.RuneStart(s[at]) }
