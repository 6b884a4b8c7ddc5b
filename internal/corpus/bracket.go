package corpus

import "strings"

// bracket is a part of an author field in round or angle brackets, or a Markdown link.
type bracket struct {
	from, to int    // with the brackets
	link     bool   // a link
	label    string // of a link
	inner    string // within the brackets; of a link, its address
}

// bracketsOf finds the brackets, in order and without nesting. Round ones hold no round ones, angle ones no
// angle ones. It takes time in proportion to s, whatever that is.
func bracketsOf(s string) []bracket {
	if !strings.ContainsAny(s, "(<") { // a link has round ones as well
		return nil
	}
	var out []bracket
	square, round := nextByte{s: s, c: ']'}, nextByte{s: s, c: ')'}
	for i := 0; i < len(s); {
		b, ok := bracket{}, false
		switch s[i] {
		case '[':
			label := square.from(i + 1)
			if label+1 < len(s) && s[label+1] == '(' {
				end := round.from(label + 2)
				if ok = end < len(s); ok {
					b = bracket{from: i, to: end + 1, link: true, label: s[i+1 : label], inner: s[label+2 : end]}
				}
			}
		case '(':
			b, ok = simple(s, i, "()")
		case '<':
			b, ok = simple(s, i, "<>")
		}
		if !ok {
			i++
			continue
		}
		out = append(out, b)
		i = b.to
	}
	return out
}

// simple is the bracket that begins at i, if the next one of its pair ends it.
func simple(s string, i int, pair string) (bracket, bool) {
	for k := i + 1; k < len(s); k++ {
		switch s[k] {
		case pair[0]:
			return bracket{}, false
		case pair[1]:
			return bracket{from: i, to: k + 1, inner: s[i+1 : k]}, true
		}
	}
	return bracket{}, false
}

// replaced is s with what by returns in the place of each bracket, in order.
func replaced(s string, brackets []bracket, by func(bracket) string) string {
	if len(brackets) == 0 {
		return s
	}
	var out strings.Builder
	at := 0
	for _, b := range brackets {
		out.WriteString(s[at:b.from])
		out.WriteString(by(b))
		at = b.to
	}
	out.WriteString(s[at:])
	return out.String()
}

// nextByte finds the next c of s again and again without looking at any part twice.
type nextByte struct {
	s  string
	c  byte
	at int // where it was found; looked at up to here
}

// from is where the next one is, at i or after it; len(s) or more when there is none. i must not fall.
func (n *nextByte) from(i int) int {
	if n.at < i {
		if n.at = len(n.s); i < len(n.s) {
			if k := strings.IndexByte(n.s[i:], n.c); k >= 0 {
				n.at = i + k
			}
		}
	}
	return n.at
}
