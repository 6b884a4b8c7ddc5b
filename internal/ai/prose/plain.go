package prose

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain is inline Markdown as a reader sees it: links as their text, emphasis and tags gone, code
// still between backticks. labels are the reference links that the proposal defines, in lower case.
func Plain(text string, labels map[string]bool) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '`':
			end := codeEnd(text, i)
			if inner := strings.Trim(text[i:end], "`"); inner != "" {
				b.WriteString("`" + strings.TrimSpace(inner) + "`")
			}
			i = end
		case c == '\\' && i+1 < len(text) && isPunct(text[i+1]):
			b.WriteByte(text[i+1])
			i += 2
		case c == '!' && strings.HasPrefix(text[i:], "!["):
			_, end, ok := link(text, i+1, labels)
			if !ok {
				b.WriteByte(c)
				end = i + 1
			}
			i = end
		case c == '[':
			inner, end, ok := link(text, i, labels)
			if !ok {
				b.WriteByte(c)
				i++
				continue
			}
			b.WriteString(Plain(inner, labels))
			i = end
		case c == '<':
			end := addressEnd(text, i)
			if end == i {
				b.WriteByte(c)
				i++
				continue
			}
			i = tag(&b, text, i, end, labels)
		case c == '*' || c == '_' || c == '~':
			n := i
			for n < len(text) && text[n] == c {
				n++
			}
			if !emphasis(text, i, n) {
				b.WriteString(text[i:n])
			}
			i = n
		default:
			b.WriteByte(c)
			i++
		}
	}
	return Collapse(html.UnescapeString(b.String()))
}

// tag writes what the tag or autolink at text[i:end] stands for and returns where to go on.
// The tags of raised and lowered text become ^ and _, as in 2^192 and x_n, and a line break becomes a blank. All other
// tags are dropped.
func tag(b *strings.Builder, text string, i, end int, labels map[string]bool) int {
	inner := text[i+1 : end-1]
	switch {
	case strings.Contains(inner, ":") && !strings.Contains(inner, " "):
		b.WriteString(inner)
	case inner == "br" || inner == "br/" || inner == "br /":
		b.WriteByte(' ')
	case inner == "sup" || inner == "sub":
		mark, closing := "^", "</"+inner+">"
		if inner == "sub" {
			mark = "_"
		}
		j := strings.Index(ahead(text, end), closing)
		if j < 0 {
			break
		}
		index := Plain(text[end:end+j], labels)
		if strings.IndexFunc(index, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) >= 0 {
			index = "(" + index + ")"
		}
		b.WriteString(mark + index)
		return end + j + len(closing)
	}
	return end
}

// link reads the link whose text starts with the bracket at i. A footnote is a link without text. Brackets that are no
// link, such as those of an array, are not ok and stay as they are.
func link(text string, i int, labels map[string]bool) (inner string, end int, ok bool) {
	depth := 0
	shut := -1
	for j := i; j < min(len(text), i+reach) && shut < 0; j++ {
		switch text[j] {
		case '`':
			j = codeEnd(text, j) - 1
		case '\\':
			j++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				shut = j
			}
		}
	}
	if shut < 0 {
		return "", 0, false
	}
	inner, end = text[i+1:shut], shut+1
	switch {
	case strings.HasPrefix(inner, "^"):
		return "", end, true
	case end < len(text) && text[end] == '(':
		if to := targetEnd(text, end); to > end {
			return inner, to, true
		}
	case end < len(text) && text[end] == '[':
		if j := strings.IndexByte(ahead(text, end), ']'); j > 0 {
			label := text[end+1 : end+j]
			if label == "" {
				label = inner
			}
			if labels[strings.ToLower(label)] {
				return inner, end + j + 1, true
			}
		}
	}
	return inner, end, labels[strings.ToLower(inner)]
}

// emphasis reports whether the marks text[i:n] are markup and no multiplication, name or path. It judges by the
// characters around them alone, and does not look for the other end.
func emphasis(text string, i, n int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[n:])
	if i == 0 {
		before = ' '
	}
	if n == len(text) {
		after = ' '
	}
	if before == ' ' && after == ' ' || n-i > 3 {
		return false
	}
	switch text[i] {
	case '~':
		return n-i == 2
	case '_':
		return !IsWord(before) || !IsWord(after)
	}
	return !unicode.IsDigit(before) || !unicode.IsDigit(after)
}

// IsWord reports whether a character is part of a word.
func IsWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' }

// isPunct reports whether Markdown may escape a character by a backslash.
func isPunct(c byte) bool {
	return c < utf8.RuneSelf && unicode.IsOneOf([]*unicode.RangeTable{unicode.P, unicode.S}, rune(c))
}
