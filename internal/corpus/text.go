package corpus

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// normalise returns the file's text as UTF-8 with LF line ends and without a byte order mark. What
// is not text is an error of r, with the line of the first offending byte. The result may share
// memory with raw.
func normalise(raw []byte, r *report) ([]byte, bool) {
	if bytes.HasPrefix(raw, []byte{0xFF, 0xFE}) || bytes.HasPrefix(raw, []byte{0xFE, 0xFF}) {
		r.errorf(1, "not-utf8", "the file is UTF-16; save it as UTF-8")
		return nil, false
	}
	text := bytes.TrimPrefix(raw, []byte("\uFEFF"))
	if i := bytes.IndexByte(text, 0); i >= 0 {
		r.errorf(lineAt(text, i), "nul-byte", "a NUL byte: this is a binary file or UTF-16, and a proposal is UTF-8 text")
		return nil, false
	}
	if !utf8.Valid(text) {
		i := invalidAt(text)
		r.errorf(lineAt(text, i), "not-utf8", "byte 0x%02X is not valid UTF-8; save the file as UTF-8", text[i])
		return nil, false
	}
	if bytes.IndexByte(text, '\r') < 0 {
		return text, true
	}
	for i, c := range text {
		if c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			r.errorf(lineAt(text, i), "lone-cr", "a carriage return without a line feed; end lines with LF or CRLF")
			return nil, false
		}
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), true
}

func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

func lineAt(text []byte, offset int) int {
	return 1 + bytes.Count(text[:offset], []byte("\n"))
}

// unprintable reports characters that XML 1.0 forbids (section 2.2, production Char).
func unprintable(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF
}

// printable replaces every character that XML forbids by U+FFFD, so that no text of a proposal can
// break a feed. It returns the offset of the first one, or -1 and its argument.
func printable(text []byte) ([]byte, int) {
	first := -1
	for i, c := range text {
		if !suspect[c] {
			continue
		}
		if c < ' ' || i+2 < len(text) && text[i+1] == 0xBF && text[i+2] >= 0xBE {
			first = i
			break
		}
	}
	if first < 0 {
		return text, -1
	}
	return bytes.Map(func(c rune) rune {
		if unprintable(c) {
			return utf8.RuneError
		}
		return c
	}, text), first
}

// suspect are the bytes that what XML forbids begins with: controls, and U+FFFE with U+FFFF. Every byte of a
// corpus is looked up here.
var suspect = func() (t [256]bool) {
	for c := range byte(' ') {
		t[c] = c != '\n' && c != '\t'
	}
	t[0xEF] = true
	return t
}()

// hidden returns a reason when s holds a character that a reader cannot see but a program obeys:
// controls, direction overrides, zero-width characters. Joiners between letters or emoji are
// legitimate.
func hidden(s string) (reason string, found bool) {
	prev := rune(-1)
	runes := []rune(s)
	for i, c := range runes {
		switch {
		case c == '\n' || c == 0x2028 || c == 0x2029:
			return "a line break", true
		case unicode.IsControl(c):
			return "a control character", true
		case c >= 0x202A && c <= 0x202E, c >= 0x2066 && c <= 0x2069, c == 0x200E, c == 0x200F, c == 0x061C:
			return "a character that changes the direction of text", true
		case c == 0x200B, c == 0xFEFF, c >= 0x2060 && c <= 0x2064, c == 0xFFFE, c == 0xFFFF:
			return "an invisible character", true
		case c == 0x200C || c == 0x200D:
			if i+1 == len(runes) || !joins(prev) || !joins(runes[i+1]) {
				return "a joiner that joins nothing", true
			}
		}
		prev = c
	}
	return "", false
}

// joins reports whether a zero-width joiner beside c can have an effect.
func joins(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsSymbol(c)
}

// foldBlanks replaces every run of white space by one blank and trims the ends.
func foldBlanks(s string) string { return strings.Join(strings.Fields(s), " ") }
