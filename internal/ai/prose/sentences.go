package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Split cuts a block's text into sentences, at full stops, question and exclamation marks. A full stop in code, in a link's target, in brackets or
// after an abbreviation ends none. The parts are parts of the text as it stands.
func Split(text string) []string {
	var out []string
	masked := Mask(text)
	start, depth := 0, 0 // of the sentence; open brackets in it
	for i, c := range text {
		if masked[i] || i < start {
			continue
		}
		switch c {
		case '(', '[':
			if depth > 0 || closesSoon(text[i:]) {
				depth++
			}
		case ')', ']':
			depth = max(0, depth-1)
		// A mark within brackets ends a sentence only when the brackets close right behind it.
		case '.', '!', '?', '。', '！', '？':
			end, ok := endsAt(text, start, i, utf8.RuneLen(c), masked)
			if !ok || depth > strings.Count(text[i:end], ")")+strings.Count(text[i:end], "]") {
				continue
			}
			depth = 0
			if s := strings.TrimSpace(text[start:end]); s != "" {
				out = append(out, s)
			}
			start = end
		}
	}
	if s := strings.TrimSpace(text[start:]); s != "" {
		out = append(out, s)
	}
	return out
}

// closesSoon reports whether a bracket closes within 300 bytes. One that does not is a slip, and must not keep the full
// stops of all that follows from ending sentences.
func closesSoon(text string) bool {
	const memory = 300
	return strings.ContainsAny(text[:min(len(text), memory)], ")]")
}

// endsAt returns where a sentence ends whose last mark is at i, if one does. It does not after an abbreviation, before
// a small letter, or where no blank follows. In scripts without blanks a mark is enough.
func endsAt(text string, start, i, width int, masked []bool) (int, bool) {
	end := i + width  // behind the mark; below, behind quotes and brackets that belong to the sentence
	wide := width > 1 // ideographic marks need no blank
	for end < len(text) {
		c, n := utf8.DecodeRuneInString(text[end:])
		if strings.ContainsRune(`"'”’»」）)*_.!?`, c) && !masked[end] {
			end += n
			continue
		}
		if strings.HasPrefix(text[end:], "[^") { // a footnote
			if j := strings.IndexByte(text[end:], ']'); j > 0 && j < 20 {
				end += j + 1
				continue
			}
		}
		break
	}
	if end >= len(text) || wide {
		return end, true
	}
	if text[end] != ' ' {
		return 0, false
	}
	if text[i] == '.' && abbreviates(text[start:i]) {
		return 0, false
	}
	rest := strings.TrimLeft(text[end:], " ")
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case strings.ContainsRune("\"'“‘«`([*_<", next), unicode.IsDigit(next), unicode.IsLetter(next) && !unicode.IsLower(next):
		return end, true
	}
	word, _, _ := strings.Cut(rest, " ")
	return end, strings.ContainsAny(word, "_(") // eth_call begins a sentence in lower case
}

// abbreviations are words whose full stop ends no sentence.
var abbreviations = strings.Fields("e.g i.e E.g I.e eg ie cf Cf vs approx resp fig figs Fig Figs sec Sec No St Mr Mrs Ms Dr Prof " +
	"al Inc Ltd w.r.t a.k.a incl viz ca eq Eq ref Ref vol Vol pp Ch")

// abbreviates reports whether the full stop after text belongs to its last word: to an abbreviation, an initial, or a
// number that begins the sentence.
func abbreviates(text string) bool {
	word := text[strings.LastIndexAny(text, " (\"“[*_")+1:]
	if slices.Contains(abbreviations, word) {
		return true
	}
	first, n := utf8.DecodeRuneInString(word)
	if n == len(word) && unicode.IsUpper(first) {
		return true // V. Buterin
	}
	return len(text) == len(word) && word != "" && strings.Trim(word, "0123456789") == "" // 1. at the start
}

// Mask marks the bytes of code spans, link targets and autolinks, whose marks are no punctuation.
func Mask(text string) []bool {
	masked := make([]bool, len(text)+1)
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			masked[i] = true
		}
	}
	for i := 0; i < len(text); {
		switch {
		case text[i] == '`':
			end := codeEnd(text, i)
			fill(i, end)
			i = end
		case strings.HasPrefix(text[i:], "]("):
			end := targetEnd(text, i+1)
			fill(i+1, end)
			i = max(end, i+1)
		case text[i] == '<' || strings.HasPrefix(text[i:], "https://") || strings.HasPrefix(text[i:], "http://"):
			end := addressEnd(text, i)
			fill(i, end)
			i = max(end, i+1)
		default:
			i++
		}
	}
	return masked
}

// reach is how far ahead the end of what begins at a mark is looked for, in bytes. Links and code of prose
// are shorter, and a text of a megabyte of marks must not be searched to its end for each.
const reach = 600

// ahead is the text from i on as far as it is searched.
func ahead(text string, i int) string { return text[i:min(len(text), i+reach)] }

// codeEnd returns the end of the code span that starts at i; without one, the end of the backticks. A span ends with as
// many backticks as it starts with (CommonMark, section 6.1).
func codeEnd(text string, i int) int {
	n := i
	for n < len(text) && text[n] == '`' {
		n++
	}
	ticks := text[i:n]
	text = text[:min(len(text), n+reach)]
	for at := n; at < len(text); {
		j := strings.Index(text[at:], ticks)
		if j < 0 {
			break
		}
		end := at + j + len(ticks)
		if end == len(text) || text[end] != '`' {
			return end
		}
		for at = end; at < len(text) && text[at] == '`'; at++ {
		}
	}
	return n
}

// targetEnd returns the end of a link's target whose bracket opens at i; without one, i. Brackets in a target come in
// pairs.
func targetEnd(text string, i int) int {
	depth := 0
	for j := i; j < min(len(text), i+reach); j++ {
		switch text[j] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return i
}

// addressEnd returns the end of a tag, an autolink or a bare address at i; without one, i. Punctuation at the end of a
// bare address belongs to the sentence.
func addressEnd(text string, i int) int {
	if text[i] != '<' {
		end := strings.IndexAny(ahead(text, i), " <>\"”)")
		if end < 0 {
			end = len(ahead(text, i))
		}
		return i + len(strings.TrimRight(text[i:i+end], ".,;:!?"))
	}
	end := strings.IndexByte(ahead(text, i), '>')
	if end < 2 || strings.HasPrefix(text[i:], "< ") || strings.Contains(text[i+1:i+end], "<") {
		return i
	}
	return i + end + 1
}
