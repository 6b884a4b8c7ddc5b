// Package search finds sections of proposals by their words: it splits texts into terms, builds an
// index that is published in parts, and ranks the results of a query. It reads no files and uses no
// network. The script of the search page ranks in the same way; the tests of both use the same
// examples.
package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of a term, in letters and digits. Longer words are hashes and keys, which nobody types.
const (
	shortest = 2
	longest  = 32
)

// word is an occurrence of a term in a text.
type word struct {
	term string
	// part reports that it is a part of another word, such as proof in eth_getProof.
	part       bool
	start, end int // bytes
}

// terms returns the words of a text in order: each run of letters, digits and underscores as a
// whole, followed by its parts, which are split where the case changes and at digits and
// underscores. A dot between digits, ++ after a letter and # at the end of a word belong to the
// run: 5.3.2, C++, F#. Case, accents and English plurals are ignored.
func terms(text string) []word {
	return appendTerms(make([]word, 0, len(text)/6), text) // the ratio of English texts
}

// appendTerms appends the words of a text.
func appendTerms(out []word, text string) []word {
	for i := 0; i < len(text); {
		start := i
		if i = endOfEnglish(text, start); i > start {
			out = append(out, word{singular(fold(text[start:i])), false, start, i})
			continue
		}
		first := true
		ideographs := false
		for i < len(text) {
			c, size := rune(text[i]), 1
			if c >= 0x80 {
				c, size = utf8.DecodeRuneInString(text[i:])
			}
			if n := sign(text, start, i); n > 0 {
				i += n
				continue
			}
			if !inWord(c) || !first && ideographs != isIdeograph(c) {
				break
			}
			ideographs, first = isIdeograph(c), false
			i += size
		}
		switch {
		case first:
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
		case ideographs:
			out = append(out, pairs(text, start, i)...)
		default:
			out = appendWords(out, text, start, i)
		}
	}
	return out
}

// endOfEnglish returns the end of the run at a position if it is a word without parts: lower case
// letters from a to z, the first one perhaps a capital. Most words are. It is start for any other.
func endOfEnglish(text string, start int) int {
	i := start
	if i < len(text) && 'A' <= text[i] && text[i] <= 'Z' {
		i++
	}
	for i < len(text) && 'a' <= text[i] && text[i] <= 'z' {
		i++
	}
	if n := i - start; n < shortest || n > longest {
		return start
	}
	if i < len(text) {
		c := text[i]
		if c >= 0x80 || c == '+' || c == '#' || inWord(rune(c)) {
			return start
		}
	}
	return i
}

// inWord reports whether a character belongs to a word.
func inWord(c rune) bool {
	return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c)
}

// signs are the separators of the parts of a word.
const signs = "_.+#"

// sign returns the length of the signs at a position that belong to the word that starts at start:
// a dot between digits, ++ after a letter, or # after the last letter of a word. It is 0 for none.
func sign(text string, start, i int) int {
	if i == start || !strings.ContainsRune(".+#", rune(text[i])) {
		return 0
	}
	last, next := text[i-1], text[i+1:]
	letter := 'a' <= last|0x20 && last|0x20 <= 'z'
	switch c, _ := utf8.DecodeRuneInString(next); {
	case text[i] == '.' && '0' <= last && last <= '9' && '0' <= c && c <= '9':
		return 1
	case text[i] == '+' && letter && c == '+':
		return 2
	case text[i] == '#' && letter && !inWord(c):
		return 1
	}
	return 0
}

// isIdeograph reports a letter of a script that does not separate words by blanks.
func isIdeograph(c rune) bool {
	return c >= 0x0E00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai)
}

// pairs returns each pair of neighbors in a run of ideographs, or a lone one.
func pairs(text string, start, end int) (out []word) {
	var at []int
	for i := range text[start:end] {
		at = append(at, start+i)
	}
	at = append(at, end)
	for i := 0; i == 0 || i+2 < len(at); i++ {
		last := at[min(i+2, len(at)-1)]
		if term := fold(text[at[i]:last]); term != "" { // Thai has marks
			out = append(out, word{term, false, at[i], last})
		}
	}
	return out
}

// appendWords appends the run of letters between two positions, and its parts.
func appendWords(out []word, text string, start, end int) []word {
	run := strings.TrimLeft(text[start:end], "_")
	start = end - len(run)
	run = strings.TrimRight(run, "_")
	switch {
	case run == "" || !kept(run):
		return out
	case inAlphabet(run):
		return append(out, word{singular(run), false, start, start + len(run)})
	}
	term := fold(run)
	if term == "" { // marks alone
		return out
	}
	out = append(out, word{singular(term), false, start, start + len(run)})
	cuts := cutsOf(run)
	if len(cuts) == 2 {
		return out
	}
	for i := 1; i < len(cuts); i++ {
		part := strings.Trim(run[cuts[i-1]:cuts[i]], signs)
		if term := fold(part); term != "" && kept(part) {
			at := start + cuts[i-1] + strings.Index(run[cuts[i-1]:cuts[i]], part)
			out = append(out, word{singular(term), true, at, at + len(part)})
		}
	}
	return out
}

// kept reports whether a word has the length of a term and is not a long number without a dot.
func kept(s string) bool {
	n := utf8.RuneCountInString(s)
	distinctive := func(c rune) bool { return c == '.' || unicode.IsLetter(c) }
	return n >= shortest && n <= longest && (n <= 8 || strings.ContainsFunc(s, distinctive))
}

// cutsOf returns the positions in a word at which a part begins, with 0 and the length.
func cutsOf(run string) []int {
	cuts := append(make([]int, 0, 8), 0)
	var before, last rune
	lastAt := 0
	for i, c := range run {
		class, lastClass := classOf(c), classOf(last)
		switch {
		case i == 0 || class == lastClass && class != upper:
		case class == upper && lastClass == upper:
		case class == lower && lastClass == upper:
			// The last of several capitals begins the next part: HTTPServer.
			if classOf(before) == upper && lastAt > cuts[len(cuts)-1] {
				cuts = append(cuts, lastAt)
			}
		default:
			cuts = append(cuts, i)
		}
		before, last, lastAt = last, c, i
	}
	return append(cuts, len(run))
}

// Classes of characters. A part of a word ends where the class changes.
const (
	lower = iota
	upper
	digit
	line
)

func classOf(c rune) int {
	switch {
	case strings.ContainsRune(signs, c):
		return line
	case unicode.IsDigit(c):
		return digit
	case unicode.IsUpper(c):
		return upper
	}
	return lower
}

// fold removes case and accents.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, c := range norm.NFKD.String(strings.ToLower(s)) {
		if !unicode.IsMark(c) {
			b.WriteRune(c)
		}
	}
	return strings.ToLower(b.String())
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// inAlphabet reports whether a word consists of the letters a to z.
func inAlphabet(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c < 'a' || c > 'z' }) < 0
}

// sibilants are endings after which the plural is es.
var sibilants = []string{"ches", "shes", "sses", "xes", "zzes"}

// singular removes the plural ending of an English word.
func singular(s string) string {
	if len(s) < 4 || s[len(s)-1] != 's' || !inAlphabet(s) {
		return s
	}
	switch {
	case slices.Contains([]string{"ss", "us", "is"}, s[len(s)-2:]):
		return s
	case len(s) > 4 && strings.HasSuffix(s, "ies"):
		return s[:len(s)-3] + "y"
	case strings.HasSuffix(s, "caches"):
	case slices.ContainsFunc(sibilants, func(end string) bool { return strings.HasSuffix(s, end) }):
		return s[:len(s)-2]
	}
	return s[:len(s)-1]
}
