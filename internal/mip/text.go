package mip

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable replaces each character that XML 1.0 forbids (section 2.2, production Char) by U+FFFD,
// so that no text can break a feed. It returns the offset of the first one, or s and -1. The text
// must be UTF-8.
func Printable(s string) (clean string, at int) {
	at = strings.IndexFunc(s, unprintable)
	if at < 0 {
		return s, -1
	}
	return strings.Map(func(c rune) rune {
		if unprintable(c) {
			return utf8.RuneError
		}
		return c
	}, s), at
}

// unprintable reports a character that XML 1.0 forbids.
func unprintable(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF
}

// Shorten returns s or, if s is longer than most bytes, its beginning and an ellipsis, together at
// most most bytes. It does not split characters.
func Shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return Cut(s, most-len("…")) + "…"
}

// ShortenRunes returns s or, if s has more than most characters, the first of them and an ellipsis,
// most characters together.
func ShortenRunes(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// Quote returns a text in quotation marks for a message: its first 61 characters, with invisible
// ones escaped as in Go.
func Quote(s string) string { return strconv.Quote(ShortenRunes(s, 61)) }

// Collapse replaces each run of white space by one blank and trims the ends.
func Collapse(s string) string {
	if isCollapsed(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for word := range strings.FieldsSeq(s) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

// isCollapsed reports whether a text has no white space but single blanks between words. It may
// miss one with control characters.
func isCollapsed(s string) bool {
	gap := true
	for _, c := range s {
		space := c <= ' ' || c > unicode.MaxASCII && unicode.IsSpace(c)
		if space && (gap || c != ' ') {
			return false
		}
		gap = space
	}
	return !gap || s == ""
}

// Sentence ends a text with a full stop unless it is empty or ends in punctuation.
func Sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") || strings.HasSuffix(s, "。") {
		return s
	}
	return strings.TrimRight(s, ",;:") + "."
}

// LineAt returns the line of an offset in a text, from 1.
func LineAt(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }

// Deref returns the value of a pointer, or the zero value for nil.
func Deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// Ref is the inverse of [Deref]: a pointer to the text, nil for an empty one.
func Ref(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Cut returns the whole characters of the first n bytes of s, or all of a shorter s.
func Cut(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// IsContentHash reports whether a text has the form of [Metadata.ContentHash]: 64 hexadecimal
// digits in lower case.
func IsContentHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// IsLocale reports whether a text has the form of a language tag, simplified (RFC 5646, sections
// 2.1 and 4.4.1): letters, digits and hyphens, at most 35 of them. It may be used in a path.
func IsLocale(s string) bool {
	const longest = 35
	return len(s) <= longest && languageTag.MatchString(s)
}

// LookUpLocale returns the locale that matches a language tag best (RFC 4647, section 3.4): the tag
// itself in any case, else the tag with the fewest subtags removed at its end. It is empty if there
// is none. A tag with a wildcard has none.
func LookUpLocale(tag string, locales []string) string {
	if !IsLocale(tag) {
		return ""
	}
	subtags := strings.Split(tag, "-")
	for n := len(subtags); n > 0; n-- {
		// A subtag of one character introduces the following ones, and never ends a tag.
		if n > 1 && len(subtags[n-1]) == 1 {
			continue
		}
		shorter := strings.Join(subtags[:n], "-")
		same := func(locale string) bool { return strings.EqualFold(locale, shorter) }
		if i := slices.IndexFunc(locales, same); i >= 0 {
			return locales[i]
		}
	}
	return ""
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$`)
