package assist

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// source is what a model's text may mention because the text that it was made from does: numbers, hosts and
// file names, e-mail addresses, long words with digits, and letters under many marks.
type source map[string]bool

// newSource reads the texts that a model's text is made from.
func newSource(texts ...string) source {
	s := source{}
	s.read(texts)
	return s
}

func (s source) read(texts []string) {
	for _, text := range texts {
		for n := range speltNumbers(text) {
			s[n] = true
		}
		for _, reading := range readings(text) {
			s.add(reading)
		}
	}
}

func (s source) add(text string) {
	for forms := range mentions(text) {
		for _, form := range forms {
			s[form] = true
		}
	}
	for _, n := range spacedNumber().FindAllString(text, -1) {
		s[strings.ReplaceAll(n, " ", "")] = true
	}
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return classOf(c) != asciiLabel }) {
		s[strings.ToLower(word)] = true
	}
}

// holds reports whether all that a text mentions stands in the source. A blank can group the digits of a number.
func (s source) holds(text string) bool {
	for _, reading := range readings(text) {
		joined := spacedNumber().ReplaceAllStringFunc(reading, func(n string) string {
			if joined := strings.ReplaceAll(n, " ", ""); s[joined] {
				return joined
			}
			return n
		})
		if !s.holdsMentions(reading) && !s.holdsMentions(joined) {
			return false
		}
	}
	return true
}

func (s source) holdsMentions(text string) bool {
	for forms := range mentions(text) {
		if !slices.ContainsFunc(forms, func(form string) bool { return s[form] }) && !s.endsBetween(forms[0]) {
			return false
		}
	}
	return true
}

// endsBetween reports whether a full stop of another script ends a sentence between two words of the source.
func (s source) endsBetween(form string) bool {
	before, after, ok := strings.Cut(form, string(softDot))
	return ok && s[before] && s[after]
}

// holdAll reports whether all that a summary's texts mention stands in the source.
func (s source) holdAll(texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !s.holds(text) })
}

// standsIn reports whether all that a summary's texts mention stands in what it was made from. The rules may also
// count, and cut a long word.
func standsIn(texts []string, s Subject) bool {
	from := newSource(sourceTexts(s)...)
	if from.holdAll(texts) {
		return true
	}
	from.read(own(Extract(s)))
	return from.holdAll(texts)
}

// sourceTexts are the proposal and those that it bundles, their headers and the fork.
func sourceTexts(s Subject) []string {
	texts := []string{facts(s)}
	for _, p := range append([]*mip.Proposal{s.Proposal}, s.Bundled...) {
		texts = append(texts, quoted(p), header(p), fmt.Sprint(p.Frontmatter))
		for _, section := range p.Sections {
			texts = append(texts, section.Markdown)
		}
	}
	return texts
}

// readings are the ways in which a text can come before a reader: as it is, and with the escapes of Markdown and
// HTML resolved.
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

// softDot stands for the full stops of other scripts, which a browser takes for dots in a host.
const softDot = '。'

// fold writes characters that can be taken for others as those: digits of all scripts, full-width letters, dots.
// Characters of format, which cannot be seen, are left out.
func fold(text string) string {
	const raised, softDots, dots = "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "。．｡︒۔܁܂", "․﹒ꓸ"
	var b strings.Builder
	index := false
	for _, c := range text {
		before := index
		index = c >= utf8.RuneSelf && strings.ContainsRune(raised, c)
		switch {
		case c < utf8.RuneSelf:
			b.WriteRune(c)
		case index:
			if !before {
				b.WriteByte('^') // 10⁶ is no 106
			}
			b.WriteRune('0' + rune(utf8.RuneCountInString(raised[:strings.IndexRune(raised, c)])%10))
		case strings.ContainsRune(softDots, c):
			b.WriteRune(softDot)
		case strings.ContainsRune(dots, c):
			b.WriteByte('.')
		case c >= '！' && c <= '～':
			b.WriteRune(c - '！' + '!')
		case unicode.Is(unicode.Nd, c):
			b.WriteRune('0' + digitOf(c))
		case !unicode.Is(unicode.Cf, c):
			b.WriteRune(c)
		}
	}
	return b.String()
}

// digitOf is the value of a decimal digit: Unicode has them in tens, each from its zero on.
func digitOf(c rune) rune {
	for _, r := range unicode.Nd.R16 {
		if rune(r.Lo) <= c && c <= rune(r.Hi) {
			return (c - rune(r.Lo)) % 10
		}
	}
	for _, r := range unicode.Nd.R32 {
		if rune(r.Lo) <= c && c <= rune(r.Hi) {
			return (c - rune(r.Lo)) % 10
		}
	}
	return 0
}
