package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Fragment is a piece of an excerpt.
type Fragment struct {
	Text string
	// Mark reports a searched word.
	Mark bool
}

const (
	// excerptSize is the length of an excerpt in characters, without the dots at its ends.
	excerptSize = 220
	// before is the number of characters before the first searched word, and the most that an end
	// gives up to fall between words.
	before = 40
)

// place is an occurrence of a searched term or phrase, in characters.
type place struct {
	term       string
	start, end int
}

// Excerpt returns the part of a text of [Texts] with most terms of an [Answer], or its beginning if
// it contains none of them.
func Excerpt(visible string, wanted []string) (out []Fragment) {
	text, found := []rune(visible), places(visible, wanted)
	from := first(found)
	if from = max(0, min(from-before, len(text)-excerptSize)); from > 0 {
		from = afterBlank(text, from)
	}
	to := min(len(text), from+excerptSize)
	if to < len(text) {
		to = max(lastBlank(text, to), from+excerptSize-before)
	}
	add := func(s string, mark bool) {
		if s != "" {
			out = append(out, Fragment{s, mark})
		}
	}
	plain, at := "", from
	if from > 0 {
		plain = "… "
	}
	for _, p := range found {
		switch last := len(out) - 1; {
		case p.start < from || p.end <= at || p.end > to:
			continue
		case last >= 0 && p.start <= at: // it continues a mark
			// Terms of scripts without blanks overlap.
			out[last].Text += string(text[at:p.end])
		default:
			add(plain+string(text[at:p.start]), false)
			add(string(text[p.start:p.end]), true)
		}
		plain, at = "", p.end
	}
	plain += string(text[at:to])
	if to < len(text) {
		plain += " …"
	}
	add(plain, false)
	return out
}

// places returns the occurrences of the searched terms and phrases, in order.
func places(text string, wanted []string) (out []place) {
	if len(wanted) == 0 {
		return nil
	}
	var phrases [][]string
	for _, a := range wanted {
		phrases = append(phrases, strings.Split(a, " "))
	}
	words := terms(text)
	bytes, runes := 0, 0 // length of the text up to the last place
	for i, w := range words {
		for n, phrase := range phrases {
			end := follows(words[i:], phrase)
			if end == 0 {
				continue
			}
			runes += utf8.RuneCountInString(text[bytes:w.start])
			bytes = w.start
			out = append(out, place{wanted[n], runes,
				runes + utf8.RuneCountInString(text[w.start:end])})
		}
	}
	return out
}

// follows returns the end of a phrase that the text starts with, 0 if it does not. A phrase of one
// word may match a part of an identifier; the words of a longer phrase follow each other as
// written.
func follows(text []word, phrase []string) (end int) {
	if text[0].part && len(phrase) > 1 {
		return 0
	}
	n := 0
	for _, w := range text {
		if w.part && n > 0 {
			continue
		}
		if !matches(w.term, phrase[n]) {
			return 0
		}
		if n++; n == len(phrase) {
			return w.end
		}
	}
	return 0
}

// matches reports whether a term matches a searched term; one that ends in a star matches all terms
// with that prefix.
func matches(term, wanted string) bool {
	with, begun := strings.CutSuffix(wanted, "*")
	return term == wanted || begun && strings.HasPrefix(term, with)
}

// first returns the start of the excerpt that contains most of the terms. It goes backwards and
// remembers the next place of each term, so that the time is linear in the number of places.
func first(found []place) (from int) {
	best, ends := 1, map[string]int{}
	for _, p := range slices.Backward(found) {
		ends[p.term] = p.end
		n := 0
		for _, end := range ends {
			if end <= p.start+excerptSize-before {
				n++
			}
		}
		if n >= best {
			best, from = n, p.start
		}
	}
	return from
}

// afterBlank returns the position after the next blank, or from if there is none near.
func afterBlank(text []rune, from int) int {
	for i := from; i < min(len(text), from+before); i++ {
		if text[i] == ' ' {
			return i + 1
		}
	}
	return from
}

// lastBlank returns the position of the last blank up to one; -1 for none.
func lastBlank(text []rune, to int) int {
	for to >= 0 && text[to] != ' ' {
		to--
	}
	return to
}
