package search

import (
	"strings"
	"unicode"
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
	// longestText is in bytes. The rest of a longer text is not looked at. Where nothing is looked for, its beginning is enough.
	longestText, enough = 256 << 10, 8 << 10
)

// place is where a term that was looked for stands, in characters.
type place struct {
	term       string
	start, end int
}

// Excerpt is the part of a Markdown text with most of the terms of an [Answer], without marks of Markdown. Its beginning, where
// it has none of them.
func Excerpt(markdown string, asked []string) (out []Fragment) {
	most := longestText
	if len(asked) == 0 {
		most = enough
	}
	bare := unmarked(Text(unlinked(cut(markdown, most))))
	text, found := []rune(bare), places(bare, asked)
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
		if p.start < at || p.end > to {
			continue
		}
		add(plain+string(text[at:p.start]), false)
		add(string(text[p.start:p.end]), true)
		plain, at = "", p.end
	}
	plain += string(text[at:to])
	if to < len(text) {
		plain += " …"
	}
	add(plain, false)
	return out
}

// unlinked is a text with the words of links and pictures in place of these, and where they lead behind "](".
func unlinked(text string) string {
	var b strings.Builder
	last := 0 // up to which the text is written
	for at := 0; ; {
		i := strings.Index(text[at:], "](")
		if i < 0 {
			b.WriteString(text[last:])
			return b.String()
		}
		end := at + i
		at = end + len("](")
		open := last + strings.LastIndexAny(text[last:end], "[]\n")
		if open < last || text[open] != '[' {
			continue
		}
		b.WriteString(strings.TrimSuffix(text[last:open], "!"))
		b.WriteString(text[open+1 : at])
		last = at
	}
}

// unmarked is a text in one line, without the marks of Markdown for code, emphasis, tables, headings, quotes, rules and lists.
func unmarked(text string) string {
	var b strings.Builder
	begins, blank := true, false // of a line; before a word
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		run := 0 // of hyphens
		for c == '-' && i+run < len(text) && text[i+run] == '-' {
			run++
		}
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		switch {
		case isBlank(c):
			blank, begins = true, begins || strings.ContainsRune("\n\r\u2028\u2029", c)
			i += size
			continue
		case strings.ContainsRune("`*|#>", c), begins && (c == '-' || c == '+') && i+size < len(text) && isBlank(next):
			blank = true
		case run >= 3:
			blank, size = true, run
		default:
			if blank && b.Len() > 0 {
				b.WriteByte(' ')
			}
			blank = false
			size = max(size, run)
			b.WriteString(text[i : i+size])
		}
		begins = false
		i += size
	}
	return b.String()
}

// isBlank reports the characters that scripts of pages count as blanks.
func isBlank(c rune) bool {
	return c == ' ' || c >= '\t' && c <= '\r' || c >= 0x80 && (unicode.Is(unicode.Z, c) || c == '\ufeff')
}

// places are those of the terms that were looked for, in their order.
func places(text string, asked []string) (out []place) {
	whole, begun := map[string]bool{}, []string{}
	for _, term := range asked {
		if with, ok := strings.CutSuffix(term, "*"); ok {
			begun = append(begun, with)
		} else {
			whole[term] = true
		}
	}
	matches := func(term string) bool {
		for _, with := range begun {
			if strings.HasPrefix(term, with) {
				return true
			}
		}
		return whole[term]
	}
	if len(asked) == 0 {
		return nil
	}
	bytes, runes := 0, 0 // of the text up to the last place
	for _, w := range terms(text) {
		if matches(w.term) {
			runes += utf8.RuneCountInString(text[bytes:w.start])
			bytes = w.start
			out = append(out, place{w.term, runes, runes + utf8.RuneCountInString(text[w.start:w.end])})
		}
	}
	return out
}

// first is where those places begin that have most terms within an excerpt.
func first(found []place) (from int) {
	best := 0
	for i, p := range found {
		in := map[string]bool{}
		for _, other := range found[i:] {
			if other.end > p.start+excerptSize-before {
				break
			}
			in[other.term] = true
		}
		if len(in) > best {
			best, from = len(in), p.start
		}
	}
	return from
}

// afterBlank is the place behind the next blank, the same one where there is none.
func afterBlank(text []rune, from int) int {
	for i := from; i < len(text); i++ {
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
