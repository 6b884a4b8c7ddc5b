package ai

import (
	"fmt"
	"html"
	"iter"
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

// mentions yields what a folded text mentions that has to stand in its source, each with the forms of which
// one has to stand there.
func mentions(text string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for _, n := range number().FindAllString(text, -1) {
			if !yield(formsOf(n)) {
				return
			}
		}
		r := mentionReader{text: []rune(text)}
		for r.at < len(r.text) {
			if form := r.next(); form != "" && !yield([]string{form, strings.ReplaceAll(form, string(softDot), ".")}) {
				return
			}
		}
	}
}

var (
	number       = lazily(`0[xX][0-9A-Fa-f]+|[0-9]+(?:[.,_'’\x{A0}\x{2009}\x{202F}][0-9]+)*`)
	spacedNumber = lazily(`\b[0-9]{1,3}(?: [0-9]{3})+\b`)
	numberGroups = lazily(`^[0-9]{1,3}(?:[.,][0-9]{3})+$`)
	groupMarks   = strings.NewReplacer("_", "", "'", "", "’", "", "\u00A0", "", "\u2009", "", "\u202F", "")
)

// formsOf are the ways to read a number: 9.999 can be nine and a fraction or nearly ten thousand.
func formsOf(n string) []string {
	if strings.HasPrefix(strings.ToLower(n), "0x") {
		return []string{strings.ToLower(n)}
	}
	n = strings.TrimLeft(groupMarks.Replace(n), "0")
	if n == "" || n[0] < '0' || n[0] > '9' {
		n = "0" + n
	}
	points := strings.ReplaceAll(n, ",", ".")
	out := []string{points}
	if numberGroups().MatchString(n) {
		out = append(out, strings.ReplaceAll(points, ".", ""))
	}
	whole, part := points, ""
	if i := strings.LastIndexByte(points, '.'); i >= 0 {
		whole, part = points[:i], points[i:]
	}
	if numberGroups().MatchString(whole) {
		out = append(out, strings.ReplaceAll(whole, ".", "")+part)
	}
	return out
}

// labelClass is which characters a label of a host can share with its neighbours.
type labelClass int

const (
	noLabel labelClass = iota
	asciiLabel
	otherLabel
	denseLabel // of scripts that put no blanks between words
)

func classOf(c rune) labelClass {
	switch {
	case c == '-' || c < utf8.RuneSelf && isWord(c):
		return asciiLabel
	case c < utf8.RuneSelf:
		return noLabel
	case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Arabic, unicode.Syriac):
		return denseLabel
	case unicode.IsLetter(c) || unicode.IsMark(c):
		return otherLabel
	}
	return noLabel
}

// mentionReader finds names in a text from left to right.
type mentionReader struct {
	text []rune
	at   int
}

// next steps over a name or a character and returns it if it has to stand in the source, else nothing.
func (r *mentionReader) next() string {
	const mostMarks, longWord = 4, 25
	c, start := r.text[r.at], r.at
	if unicode.IsMark(c) {
		r.at = r.while(r.at, unicode.IsMark)
		if r.at-start > mostMarks {
			return string(r.text[max(0, start-1):r.at])
		}
		return ""
	}
	if classOf(c) == noLabel {
		r.at++
		if c >= utf8.RuneSelf && unicode.In(c, unicode.No, unicode.Nl) {
			return string(c) // a number in one character
		}
		return ""
	}
	name, isHost := r.label(), false
	long := len(name) >= longWord && strings.ContainsAny(name, "0123456789")
	for mark, next := r.joint(); mark != 0; mark, next = r.joint() {
		r.at = next
		label := r.label()
		name += string(mark) + label
		isHost = isHost || mark == '@' || isHostLabel(label)
	}
	name = strings.ToLower(strings.Trim(name, "-_"))
	switch {
	case isHost:
		return name + r.path()
	case long:
		return name
	}
	return ""
}

func (r *mentionReader) while(at int, is func(rune) bool) int {
	for at < len(r.text) && is(r.text[at]) {
		at++
	}
	return at
}

func (r *mentionReader) classAt(at int) labelClass {
	if at >= len(r.text) {
		return noLabel
	}
	return classOf(r.text[at])
}

// label steps over a label.
func (r *mentionReader) label() string {
	start, class := r.at, r.classAt(r.at)
	r.at = r.while(r.at, func(c rune) bool { return classOf(c) == class })
	return string(r.text[start:r.at])
}

// joint is the mark that joins the label before to one that begins at next; 0: none does. Marks of emphasis
// and code between them do not count, and full stops of other scripts join no words of these.
func (r *mentionReader) joint() (mark rune, next int) {
	isStyle := func(c rune) bool { return c == '*' || c == '`' || c == '~' }
	at := r.while(r.at, isStyle)
	if at >= len(r.text) || !strings.ContainsRune(".@"+string(softDot), r.text[at]) {
		return 0, 0
	}
	mark, next = r.text[at], r.while(at+1, isStyle)
	class := r.classAt(next)
	if class == noLabel || mark == softDot && (class == denseLabel || classOf(r.text[r.at-1]) == denseLabel) {
		return 0, 0
	}
	return mark, next
}

// isHostLabel reports whether a name that ends so can be a host's: it has letters alone, two or more.
func isHostLabel(label string) bool {
	letters := []rune(label)
	return strings.HasPrefix(strings.ToLower(label), "xn--") ||
		len(letters) > 1 && !slices.ContainsFunc(letters, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsMark(c) })
}

// path steps over what follows a host.
func (r *mentionReader) path() string {
	if r.at >= len(r.text) || r.text[r.at] != '/' {
		return ""
	}
	start := r.at
	r.at = r.while(r.at, func(c rune) bool {
		return c < utf8.RuneSelf && (isWord(c) || strings.ContainsRune("/.-~%+#?=&:@$,;!", c))
	})
	return strings.TrimRight(string(r.text[start:r.at]), "/.,:;!?-_~")
}
