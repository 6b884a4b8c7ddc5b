package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Fragment is a piece of an excerpt.
type Fragment struct {
	Text string
	// Mark says that it is a word that was looked for.
	Mark bool
}

const (
	// excerptSize is how many characters an excerpt has, but for the dots at its ends.
	excerptSize = 220
	// before is how many of them stand before the first word that was looked for, and how many an end may lack so that it is
	// that of a word.
	before = 40
)

// place is where a term or a phrase that was looked for stands, in characters.
type place struct {
	term       string
	start, end int
}

// Excerpt is the part of a text of [Texts] with most of the terms of an [Answer]. Its beginning, where it has none of them.
func Excerpt(visible string, asked []string) (out []Fragment) {
	text, found := []rune(visible), places(visible, asked)
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
		case last >= 0 && p.start <= at: // it goes on where a mark ends
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

// places are those of the terms and phrases that were looked for, in their order.
func places(text string, asked []string) (out []place) {
	if len(asked) == 0 {
		return nil
	}
	var phrases [][]string
	for _, a := range asked {
		phrases = append(phrases, strings.Split(a, " "))
	}
	words := terms(text)
	bytes, runes := 0, 0 // of the text up to the last place
	for i, w := range words {
		for n, phrase := range phrases {
			end := follows(words[i:], phrase)
			if end == 0 {
				continue
			}
			runes += utf8.RuneCountInString(text[bytes:w.start])
			bytes = w.start
			out = append(out, place{asked[n], runes, runes + utf8.RuneCountInString(text[w.start:end])})
		}
	}
	return out
}

// follows is where the words of a phrase end with which a text goes on; 0 where it does not. A phrase of one word may be part of
// an identifier; words of a longer one follow each other as they are written.
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

// matches reports a term that is asked for: one that ends in a star stands for all that begin so.
func matches(term, asked string) bool {
	with, begun := strings.CutSuffix(asked, "*")
	return term == asked || begun && strings.HasPrefix(term, with)
}

// first is where those places begin that have most terms within an excerpt. It goes backwards and
// keeps where the next place of each term ends, so that many places cost no more than their number.
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

// afterBlank is the place behind the next blank, the same one where there is none near.
func afterBlank(text []rune, from int) int {
	for i := from; i < min(len(text), from+before); i++ {
		if text[i] == ' ' {
			return i + 1
		}
	}
	return from
}

// lastBlank is the place of the last blank up to one; -1 for none.
func lastBlank(text []rune, to int) int {
	for to >= 0 && text[to] != ' ' {
		to--
	}
	return to
}
