// Package mention finds the figures and addresses that a text names, and tells whether another text names them too.
//
// A model that obeys a hostile proposal could state a figure that is not in the text, or an address that leads a reader
// away. So a text of a model is compared with its source before anybody reads it. Both are read as a person or a browser
// would: with escapes resolved, and with look-alikes of digits, letters and dots as one character. Forms of numbers that
// languages write in their own way, such as 20,000 and 20.000, are the same.
//
// It does not know who wrote the texts.
package mention

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Source is the set of what texts name: numbers, hosts, files, e-mail addresses, long words with digits, letters
// under many marks. A text that is made from them may name these.
type Source map[string]bool

// NewSource reads texts in Markdown.
func NewSource(texts ...string) Source {
	s := Source{}
	s.Add(texts...)
	return s
}

// Add reads more texts.
func (s Source) Add(texts ...string) {
	for _, text := range texts {
		for n := range SpeltNumbers(text) {
			s[n] = true
		}
		for _, reading := range readings(text) {
			s.add(reading)
		}
	}
}

// add reads one reading of a text. Its words in ASCII are in the set too, for long words, and for the words that a full
// stop of another script parts.
func (s Source) add(text string) {
	for _, forms := range mentions(text) {
		for _, form := range forms {
			s[form] = true
		}
	}
	for _, n := range spacedNumber().FindAllString(text, -1) {
		s[strings.ReplaceAll(n, " ", "")] = true
	}
	for _, word := range asciiWord().FindAllString(text, -1) {
		s[strings.ToLower(word)] = true
	}
}

// Holds reports whether all that a text names is in the source. A number may be grouped in another way, also by
// blanks. The same host, file or long word must be named in every letter, but for case.
func (s Source) Holds(text string) bool {
	for _, reading := range readings(text) {
		joined := spacedNumber().ReplaceAllStringFunc(reading, func(n string) string {
			if joined := strings.ReplaceAll(n, " ", ""); s[joined] {
				return joined
			}
			return n
		})
		if !s.holds(reading) && !s.holds(joined) {
			return false
		}
	}
	return true
}

// holds is Holds for one reading of a text.
func (s Source) holds(text string) bool {
	return !slices.ContainsFunc(mentions(text), func(forms []string) bool {
		return !slices.ContainsFunc(forms, func(form string) bool { return s[form] }) && !s.endsBetween(forms[0])
	})
}

// endsBetween reports whether a full stop of another script ends a sentence between two words of the source.
func (s Source) endsBetween(form string) bool {
	before, after, ok := strings.Cut(form, softDot)
	return ok && s[before] && s[after]
}

// readings are the ways in which a reader can meet a text: as it is, and with the escapes of Markdown and HTML
// resolved.
func readings(text string) []string {
	var plain strings.Builder
	for i := range len(text) {
		if text[i] != '\\' || i+1 == len(text) || !isPunct(text[i+1]) {
			plain.WriteByte(text[i])
		}
	}
	out := []string{fold(text)}
	if resolved := fold(html.UnescapeString(plain.String())); resolved != out[0] {
		out = append(out, resolved)
	}
	return out
}

// isPunct reports whether Markdown may escape a character by a backslash.
func isPunct(c byte) bool {
	return c < utf8.RuneSelf && unicode.IsOneOf([]*unicode.RangeTable{unicode.P, unicode.S}, rune(c))
}

// softDot stands for the full stops of other scripts. A browser takes them for dots in a host.
const softDot = "。"

// Replacements and patterns of fold.
var (
	dots = strings.NewReplacer("．", softDot, "｡", softDot, "︒", softDot, "۔", softDot, "܁", softDot, "܂", softDot,
		"․", ".", "﹒", ".", "ꓸ", ".")
	raisedNumber = lazily(`[⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉]+`)
	raisedDigits = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4",
		"⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "₀", "0", "₁", "1", "₂", "2", "₃", "3", "₄", "4",
		"₅", "5", "₆", "6", "₇", "7", "₈", "8", "₉", "9")
)

// fold writes look-alikes as one character: digits of all scripts, full-width letters, dots. It drops format
// characters, which nobody sees. A raised number gets a mark before it: 10⁶ is not 106.
func fold(text string) string {
	text = raisedNumber().ReplaceAllStringFunc(dots.Replace(text), func(n string) string { return "^" + raisedDigits.Replace(n) })
	return strings.Map(func(c rune) rune {
		switch {
		case c < utf8.RuneSelf:
			return c
		case c >= '！' && c <= '～':
			return c - '！' + '!'
		case unicode.Is(unicode.Nd, c):
			return '0' + digit(c)
		case unicode.Is(unicode.Cf, c):
			return -1
		}
		return c
	}, text)
}

// digit is the value of a decimal digit. Unicode has the digits of a script in a row, from zero to nine.
func digit(c rune) (value rune) {
	for unicode.Is(unicode.Nd, c-1-value) {
		value++
	}
	return value % 10
}

// A label of a host has characters of one class: ASCII, scripts that put no blanks between words (dense), others.
const (
	asciiLabel = `[-0-9A-Za-z_]+`
	denseClass = `\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Arabic}\p{Syriac}`
	otherLabel = `[^\x00-\x7F` + denseClass + `\p{N}\p{P}\p{S}\p{Z}\p{C}]+`
	sparse     = `(?:` + asciiLabel + `|` + otherLabel + `)`
	anyLabel   = `(?:` + asciiLabel + `|[` + denseClass + `]+|` + otherLabel + `)`
	style      = "[*`~]*" // marks of emphasis and code do not part a name
	path       = `(/[0-9A-Za-z_/.\-~%+#?=&:@$,;!]*)?`
)

// Patterns of mentions. A label ends where the class of characters changes: in 访问evil.example the host begins with evil.
var (
	asciiWord = lazily(asciiLabel)
	// names are labels that dots or at signs join. A full stop of another script joins none of a dense script.
	names = []pattern{
		lazily(`(` + anyLabel + `(?:` + style + `[.@]` + style + anyLabel + `)+)` + path),
		lazily(`(` + sparse + `(?:` + style + `[.@` + softDot + `]` + style + sparse + `)+)` + path),
	}
	nameMarks = strings.NewReplacer("*", "", "`", "", "~", "")
	// others are long words, such as keys and hashes, letters under five marks or more, numbers in one character.
	others = lazily(`[-0-9A-Za-z_]{25,}|\P{M}?\p{M}{5,}|[\p{No}\p{Nl}]`)
)

// mentions are the names and numbers of a folded text, each in the forms of which one has to be in the source.
func mentions(text string) [][]string {
	var out [][]string
	for _, n := range number().FindAllString(text, -1) {
		out = append(out, formsOf(n))
	}
	for _, word := range others().FindAllString(text, -1) {
		if isASCII := word[len(word)-1] < utf8.RuneSelf; !isASCII || strings.ContainsAny(word, "0123456789") {
			out = append(out, []string{strings.ToLower(strings.Trim(word, "-_"))})
		}
	}
	for _, name := range names {
		for _, m := range name().FindAllStringSubmatch(text, -1) {
			if name := nameMarks.Replace(m[1]); isHost(name) {
				name = strings.ToLower(strings.Trim(name, "-_")) + strings.TrimRight(m[2], "/.,:;!?-_~")
				out = append(out, []string{name, strings.ReplaceAll(name, softDot, ".")})
			}
		}
	}
	return out
}

// isHost reports whether joined labels can be a host, a file or an e-mail address: one of them but the first has two
// letters or more and nothing else, or is in the encoding of international names (RFC 3492).
func isHost(name string) bool {
	if strings.Contains(name, "@") {
		return true
	}
	labels := strings.FieldsFunc(name, func(c rune) bool { return c == '.' || string(c) == softDot })
	return slices.ContainsFunc(labels[1:], func(label string) bool {
		notLetter := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsMark(c) }
		return strings.HasPrefix(strings.ToLower(label), "xn--") ||
			utf8.RuneCountInString(label) > 1 && strings.IndexFunc(label, notLetter) < 0
	})
}

// pattern is a regular expression that is compiled at its first use. To compile all of them takes ten milliseconds,
// which no start of a process should wait for.
type pattern func() *regexp.Regexp

// lazily is [regexp.MustCompile] for a package variable.
func lazily(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
