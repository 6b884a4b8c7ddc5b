package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/render/plain"
)

// inline writes plain text into a line of Markdown so that it means itself: nothing in it opens or is a link, emphasis,
// HTML or a new line. A pair of backticks that forms a code span stays, since titles are written with them and read the
// same. Square brackets become character references, not backslash escapes, because many readers of llms.txt find its
// links with a regular expression.
func inline(s string) string {
	s = plain.OneLine(s)
	var b strings.Builder
	// At most one character of a line can open a block, and only at its beginning.
	block := blockMark(s)
	for i := 0; i < len(s); {
		if s[i] == '`' {
			n := plain.CodeSpan(s[i:])
			if n == 0 || strings.ContainsAny(s[i:i+n], "[]") { // a bracket cannot stand in a link's text
				n = plain.Backticks(s[i:])
				b.WriteString(strings.Repeat("\\`", n))
			} else {
				b.WriteString(s[i : i+n])
			}
			i += n
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		// Other characters mean themselves or not by their neighbours.
		before, char, after := s[:i], s[i:i+size], s[i+size:]
		switch {
		case char == "[":
			char = "&#91;"
		case char == "]":
			char = "&#93;"
		case i == block || isMarkup(before, char, after):
			char = `\` + char
		}
		b.WriteString(char)
		i += size
	}
	return b.String()
}

// isMarkup reports whether a character would mean something else than itself between its neighbours.
func isMarkup(before, char, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch char {
	case `\`, "*", "~", "<", "|":
		return true
	case "#": // at the end of a heading it closes it
		return after == ""
	case "&": // of a character reference
		name := strings.TrimLeftFunc(after, func(r rune) bool { return r == '#' || plain.IsAlphanumeric(r) })
		return name != after && strings.HasPrefix(name, ";")
	case "_":
		return !isWord(last) || !isWord(next)
	case ":": // of an address, which many readers make a link
		return strings.HasPrefix(after, "//")
	case ".":
		return len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "www")
	case "@":
		return isWord(last) && isWord(next)
	}
	return false
}

// blockMark is the index of the character that would make s open a block at the beginning of a line (a heading, a list,
// a quote, a rule), or -1.
func blockMark(s string) int {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch {
	case s != "" && strings.IndexByte("#>-+=", s[0]) >= 0:
		return 0
	case digits > 0 && digits < len(s) && (s[digits] == '.' || s[digits] == ')'):
		return digits
	}
	return -1
}

// isWord reports whether CommonMark takes r for a part of a word.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// link is one line of a list of links. The name and the note are Markdown already.
func link(name, address, note string) string {
	return "- [" + name + "](" + destination.Replace(address) + "): " + note
}

// destination encodes what would end a link's address early.
var destination = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\\", "%5C")
