package mip

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// OneLine converts a text into the one line that a reader sees. Line ends, tabs and characters that
// look like a gap become one blank; other invisible characters are removed. Other blanks stay as
// written, except at the ends of lines.
func OneLine(s string) string {
	s = strings.Trim(strings.ToValidUTF8(s, "\uFFFD"), " ")
	if _, class := Hidden(s); class == Visible {
		return s
	}
	out, gap := make([]byte, 0, len(s)), false
	for i, class := range Classes(s) {
		c, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case class != Visible:
			gap = gap || isGap(c)
		case gap && c == ' ':
		case gap:
			out = append(bytes.TrimRight(out, " "), ' ')
			gap = false
			fallthrough
		default:
			out = append(out, s[i:i+size]...)
		}
	}
	return strings.Trim(string(out), " ")
}

// Hidden returns the first character of a text that a reader cannot see, and its class: [Visible]
// if there is none.
func Hidden(s string) (rune, Class) {
	if isPrintableASCII(s) {
		return 0, Visible
	}
	for i, class := range Classes(s) {
		if class != Visible {
			c, _ := utf8.DecodeRuneInString(s[i:])
			return c, class
		}
	}
	return 0, Visible
}

// isPrintableASCII reports whether a text has printable characters of ASCII alone, as most have.
func isPrintableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Escape writes the invisible characters of a text as Go does: \u3164. Line feeds and tabs stay,
// since messages contain them.
func Escape(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if _, class := Hidden(s); class == Visible {
		return s
	}
	var b strings.Builder
	for i, class := range Classes(s) {
		c, size := utf8.DecodeRuneInString(s[i:])
		if class == Visible || c == '\n' || c == '\t' {
			b.WriteString(s[i : i+size])
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		}
	}
	return b.String()
}

// Classes yields the offset of each character of a text and its class in its context. Joiners,
// variation selectors and tags are visible where they have a visible effect, and invisible
// everywhere else.
func Classes(s string) iter.Seq2[int, Class] {
	return func(yield func(int, Class) bool) {
		before, flag := ' ', 0 // flag is the end of a flag's tags
		for i, c := range s {
			class := Visible
			if c < ' ' || c > '~' && i >= flag {
				_, size := utf8.DecodeRuneInString(s[i:])
				after, _ := utf8.DecodeRuneInString(s[i+size:])
				class = classOf(before, c, after)
			}
			if c == blackFlag {
				flag = i + flagSize(s[i:])
			}
			if !yield(i, class) {
				return
			}
			if before = c; class != Visible {
				before = ' '
			}
		}
	}
}
