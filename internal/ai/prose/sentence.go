package prose

import (
	"cmp"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Patterns at the end of a sentence.
var (
	// behindMark are quotes, brackets, further marks and footnotes behind a full stop, which belong to the sentence.
	behindMark = Lazily("^(?:[\"'”’»」）)*_.!?]|\\[\\^[^\\]]{1,18}\\])*")
	// nextSentence is how one begins. In lower case only names do, such as eth_call.
	nextSentence = Lazily("^ +(?:[\"'“‘«`(\\[*_<\\p{Nd}\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}]|[^ ]*[_(])")
	// noEnd is the last word of a sentence whose full stop does not end it: an abbreviation or an initial.
	noEnd = Lazily(`^(?:[eE]\.g|[iI]\.e|eg|ie|[cC]f|vs|approx|resp|[fF]igs?|[sS]ec|No|St|Mrs?|Ms|Dr|Prof|al|Inc|Ltd|` +
		`w\.r\.t|a\.k\.a|incl|viz|ca|[eE]q|[rR]ef|[vV]ol|pp|Ch|\p{Lu})$`)
	// itemNumber is a text whose full stop ends the number of an item.
	itemNumber = Lazily(`^[0-9]{1,9}$`)
)

// Split cuts a block's text into sentences, at full stops, question and exclamation marks. A full stop in code, in a
// link's target, in brackets or after an abbreviation ends none. The parts are parts of the text as it stands.
func Split(text string) []string {
	var out []string
	// start is where the sentence begins; depth is how many brackets are open in it.
	start, depth := 0, 0
	cut := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start, depth = end, 0
	}
	masked := mask(text)
	for i, c := range text {
		if masked[i] || i < start {
			continue
		}
		switch c {
		case '(', '[':
			// A bracket that does not close soon is a slip, and must not hold the full stops of all that follows.
			const soon = 300 // bytes
			if depth > 0 || strings.ContainsAny(text[i:min(len(text), i+soon)], ")]") {
				depth++
			}
		case ')', ']':
			depth = max(0, depth-1)
		case '.', '!', '?', '。', '！', '？':
			end, ok := sentenceEnd(text, start, i)
			// A mark within brackets ends a sentence only when the brackets close right behind it.
			if ok && depth <= strings.Count(text[i:end], ")")+strings.Count(text[i:end], "]") {
				cut(end)
			}
		}
	}
	cut(len(text))
	return out
}

// sentenceEnd returns where the sentence ends that begins at start and whose last mark is at i, if it ends there. In
// scripts without blanks a mark is enough.
func sentenceEnd(text string, start, i int) (end int, ok bool) {
	// Patterns see no more of the text than they need, since they are asked at each mark.
	const longest, far = 20, 100 // bytes of an abbreviation; of what is behind the mark
	near := func(at int) string { return text[at:min(len(text), at+far)] }
	_, width := utf8.DecodeRuneInString(text[i:])
	end = i + width
	if end < len(text) && text[end] != ' ' {
		end += len(behindMark().FindString(near(end)))
	}
	if end == len(text) || width > 1 {
		return end, true
	}
	before := text[max(start, i-longest):i]
	word := before[strings.LastIndexAny(before, ` ("“[*_`)+1:]
	abbreviates := text[i] == '.' && (noEnd().MatchString(word) || itemNumber().MatchString(before))
	return end, !abbreviates && nextSentence().MatchString(near(end))
}

// mask marks the bytes of code spans, link targets and autolinks, whose marks are no punctuation.
func mask(text string) []bool {
	masked := make([]bool, len(text)+1)
	for i := 0; i < len(text); i++ {
		from, end := i, i
		switch {
		case text[i] == '`':
			end = codeEnd(text, i)
		case strings.HasPrefix(text[i:], "]("):
			from = i + 1
			end = pairEnd(text, from)
		case text[i] == '<' || strings.HasPrefix(text[i:], "https://") || strings.HasPrefix(text[i:], "http://"):
			end = addressEnd(text, i)
		}
		for ; from < end; from++ {
			masked[from] = true
			i = from
		}
	}
	return masked
}

// Plain is inline Markdown as a reader sees it: links as their text, emphasis and tags gone, code
// still between backticks. labels are the reference links that the proposal defines, in lower case.
func Plain(text string, labels map[string]bool) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		// shown is what the character or the markup at i shows; end is where it ends.
		shown, end := text[i:i+1], i+1
		switch c := text[i]; {
		case c == '`':
			end = codeEnd(text, i)
			if shown = strings.Trim(text[i:end], "`"); shown != "" {
				shown = "`" + strings.TrimSpace(shown) + "`"
			}
		case c == '\\' && i+1 < len(text) && isPunct(text[i+1]):
			shown, end = text[i+1:i+2], i+2
		case strings.HasPrefix(text[i:], "!["):
			if _, to, ok := link(text, i+1, labels); ok {
				shown, end = "", to
			}
		case c == '[':
			if inner, to, ok := link(text, i, labels); ok {
				shown, end = Plain(inner, labels), to
			}
		case c == '<':
			if to := addressEnd(text, i); to > i {
				shown, end = tag(text, i, to, labels)
			}
		case c == '*' || c == '_' || c == '~':
			end = runEnd(text, i)
			if shown = text[i:end]; isEmphasis(text, i, end) {
				shown = ""
			}
		}
		b.WriteString(shown)
		i = end
	}
	return mip.Collapse(html.UnescapeString(b.String()))
}

// tag returns what the tag or autolink at text[i:end] shows and where to go on. The tags of raised and lowered text
// become ^ and _, as in 2^192 and x_n, and a line break becomes a blank. All other tags are dropped.
func tag(text string, i, end int, labels map[string]bool) (string, int) {
	inner := text[i+1 : end-1]
	mark, raised := map[string]string{"sup": "^", "sub": "_"}[inner]
	switch {
	case strings.Contains(inner, ":") && !strings.Contains(inner, " "):
		return inner, end
	case strings.TrimRight(inner, " /") == "br":
		return " ", end
	case !raised:
		return "", end
	}
	index, _, ok := strings.Cut(ahead(text, end), "</"+inner+">")
	if !ok {
		return "", end
	}
	end += len(index) + len("</"+inner+">")
	index = Plain(index, labels)
	if strings.ContainsFunc(index, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		index = "(" + index + ")"
	}
	return mark + index, end
}

// link reads the link whose text starts with the bracket at i. A footnote is a link without text. Brackets that are no
// link, such as those of an array, are not ok and stay as they are.
func link(text string, i int, labels map[string]bool) (inner string, end int, ok bool) {
	end = pairEnd(text, i)
	if end == i {
		return "", i, false
	}
	inner = text[i+1 : end-1]
	// [^1] is a footnote; [a](b) has a target, [a][b] and [a][] a label, and [a] is its own label.
	if strings.HasPrefix(inner, "^") {
		return "", end, true
	}
	if end < len(text) && (text[end] == '(' || text[end] == '[') {
		to := pairEnd(text, end)
		if to > end && (text[end] == '(' || labels[strings.ToLower(cmp.Or(text[end+1:to-1], inner))]) {
			return inner, to, true
		}
	}
	return inner, end, labels[strings.ToLower(inner)]
}

// isEmphasis reports whether the marks text[i:end] are markup and no multiplication, name or path. It judges by the
// characters around them alone, and does not look for the other end.
func isEmphasis(text string, i, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[end:])
	const blanks = " \uFFFD" // the second one stands for no character
	switch {
	case strings.ContainsRune(blanks, before) && strings.ContainsRune(blanks, after) || end-i > 3:
		return false
	case text[i] == '~':
		return end-i == 2
	case text[i] == '_':
		return !IsWord(before) || !IsWord(after)
	}
	return !unicode.IsDigit(before) || !unicode.IsDigit(after)
}

// IsWord reports whether a character is part of a word.
func IsWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' }

// isPunct reports whether Markdown may escape a character by a backslash.
func isPunct(c byte) bool { return strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c) >= 0 }

// ahead is the text from i on as far as the end of what begins there is looked for. Links and code of prose are
// shorter, and a text of a megabyte of marks must not be searched to its end for each.
func ahead(text string, i int) string {
	const reach = 600 // bytes
	return text[i:min(len(text), i+reach)]
}

// runEnd returns the end of the run of equal characters that starts at i.
func runEnd(text string, i int) int {
	return len(text) - len(strings.TrimLeft(text[i:], text[i:i+1]))
}

// codeEnd returns the end of the code span that starts at i; without one, the end of the backticks. A span ends with as
// many backticks as it starts with (CommonMark, section 6.1).
func codeEnd(text string, i int) int {
	inner := runEnd(text, i)
	limit := inner + len(ahead(text, inner))
	for j := inner; j < limit; j++ {
		if text[j] == '`' {
			from := j
			if j = runEnd(text, j); j-from == inner-i {
				return j
			}
		}
	}
	return inner
}

// pairEnd returns the end of the brackets that open at i, without those in code or behind a backslash; i when they stay
// open.
func pairEnd(text string, i int) int {
	shut := map[byte]byte{'(': ')', '[': ']'}[text[i]]
	limit, depth := i+len(ahead(text, i)), 0
	for j := i; j < limit; j++ {
		switch text[j] {
		case '`':
			j = codeEnd(text, j) - 1
		case '\\':
			j++
		case text[i]:
			depth++
		case shut:
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
	near := ahead(text, i)
	if text[i] != '<' {
		if end := strings.IndexAny(near, " <>\"”)"); end >= 0 {
			near = near[:end]
		}
		return i + len(strings.TrimRight(near, ".,;:!?"))
	}
	end := strings.IndexByte(near, '>')
	if end < 2 || near[1] == ' ' || strings.Contains(near[1:end], "<") {
		return i
	}
	return i + end + 1
}
