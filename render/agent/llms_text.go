package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/render/plain"
)

// inline writes plain text into a line of Markdown so that it means itself: nothing in it opens or is a
// link, emphasis, HTML or a new line. A pair of backticks that forms a code span stays, since titles
// are written with them and read the same. Square brackets become character references, not
// backslash escapes, because many readers of llms.txt find its links with a regular expression.
func inline(s string) string {
	s = plain.OneLine(s)
	var b strings.Builder
	mark := blockMark(s)
	for i := 0; i < len(s); {
		if i == mark {
			b.WriteString(`\` + s[i:i+1])
			i++
			continue
		}
		if s[i] == '`' {
			if end := codeSpan(s, i); end > 0 {
				b.WriteString(s[i:end])
				i = end
				continue
			}
			run := backticks(s, i)
			b.WriteString(strings.Repeat("\\`", run))
			i += run
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		b.WriteString(inlineRune(s[:i], s[i:i+size], s[i+size:]))
		i += size
	}
	return b.String()
}

// inlineRune is one character as it has to be written between what stands before and after it.
func inlineRune(before, char, after string) string {
	switch char {
	case "[":
		return "&#91;"
	case "]":
		return "&#93;"
	case `\`, "*", "~", "<", "|":
		return `\` + char
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	special := false
	switch char {
	case "#": // at the end of a heading it closes it
		special = after == ""
	case "&": // of a character reference
		name := strings.TrimLeftFunc(after, func(r rune) bool { return r == '#' || plain.IsAlphanumeric(r) })
		special = name != after && strings.HasPrefix(name, ";")
	case "_":
		special = !isWord(last) || !isWord(next)
	case ":": // of an address, which many readers make a link
		special = strings.HasPrefix(after, "//")
	case ".":
		special = len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "www")
	case "@":
		special = isWord(last) && isWord(next)
	}
	if special {
		return `\` + char
	}
	return char
}

// blockMark is the place of the character that would make s open a block at the beginning of a line
// (a heading, a list, a quote, a rule), -1 when there is none.
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

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// backticks is the length of the run of backticks at i.
func backticks(s string, i int) int {
	n := 0
	for i+n < len(s) && s[i+n] == '`' {
		n++
	}
	return n
}

// codeSpan returns where the code span that starts at i ends, 0 when none starts there or when it
// holds a bracket that a link's text cannot.
func codeSpan(s string, i int) int {
	run := backticks(s, i)
	for j := i + run; j < len(s); {
		if s[j] != '`' {
			j++
			continue
		}
		n := backticks(s, j)
		if n == run {
			if strings.ContainsAny(s[i+run:j], "[]") {
				return 0
			}
			return j + n
		}
		j += n
	}
	return 0
}

// link is one line of a list of links: - [name](address): note. The name and the note are Markdown
// already.
func link(name, address, note string) string {
	line := "- [" + name + "](" + destination(address) + ")"
	if note != "" {
		line += ": " + note
	}
	return line + "\n"
}

// destination encodes what would end a link's address early.
func destination(address string) string {
	if !strings.ContainsAny(address, "() <>\\") { // nearly all: a replacer costs more than the rest of the line
		return address
	}
	return strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\\", "%5C").Replace(address)
}
