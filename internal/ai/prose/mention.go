package prose

import (
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Source is a set of names in texts: numbers, hosts, files, e-mail addresses, long words with
// digits, letters under many marks, words of two scripts. A text made from these texts may use
// these names.
//
// A model that obeys a hostile proposal could state a wrong figure, or an address that leads a
// reader away. So its text is compared with its source before anybody reads it. Both are read as a
// person or a browser would: with escapes resolved, and with look-alikes of digits, letters and
// dots as one character. Forms of a number in different languages, such as 20,000 and 20.000, are
// equal.
type Source map[string]bool

// NewSource returns the source of texts in Markdown.
func NewSource(texts ...string) Source {
	s := Source{}
	for _, text := range texts {
		s.Add(text)
	}
	return s
}

// Add adds the names of a text. Its words are added too: a long word, or a word before a full stop
// of another script, may repeat one of them.
func (s Source) Add(text string) {
	for n := range SpeltNumbers(text) {
		s[n] = true
	}
	for _, reading := range readings(text) {
		for _, form := range slices.Concat(mentions(reading)...) {
			s[form] = true
		}
		for _, n := range spacedNumber().FindAllString(reading, -1) {
			s[strings.ReplaceAll(n, " ", "")] = true
		}
		for _, word := range sparseWord().FindAllString(reading, -1) {
			s[strings.ToLower(word)] = true
		}
	}
}

// Holds reports whether the source has every name of a text. A number may be grouped in another
// way, also by blanks. A host, file or long word must be the same in every letter, but for case.
func (s Source) Holds(text string) bool {
	for _, reading := range readings(text) {
		// Blanks group digits only if the source has the resulting number.
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

// holds is Holds for one reading of a text. A full stop of another script can end a sentence, and a
// middle dot can divide a list, between words of the source.
func (s Source) holds(reading string) bool {
	foreign := func(form string) bool { return !s[form] }
	return !slices.ContainsFunc(mentions(reading), func(forms []string) bool {
		words := strings.Split(forms[0], softDot)
		known := func(form string) bool { return s[form] }
		return slices.ContainsFunc(words, foreign) && !slices.ContainsFunc(forms, known)
	})
}

// readings returns the forms of a text that a reader can meet: as it is, and with the escapes of
// Markdown and HTML resolved.
func readings(text string) []string {
	var plain strings.Builder
	for i := range len(text) {
		if text[i] != '\\' || i+1 == len(text) || !isPunct(text[i+1]) {
			plain.WriteByte(text[i])
		}
	}
	return slices.Compact([]string{fold(text), fold(html.UnescapeString(plain.String()))})
}

// Characters that fold replaces.
const (
	// softDot replaces the full stops of other scripts, which a browser takes for dots in a host
	// (UTS 46, section 4.5), and middle dots, which people take for dots.
	softDot = "。"
	raised  = "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"
)

// Patterns and replacements of fold.
var (
	raisedNumber = Lazily("[" + raised + "]+")
	dots         = strings.NewReplacer("․", ".", "﹒", ".", "ꓸ", ".", "⁄", "/", "∕", "/", "⧸", "/")
	softDots     = Lazily("[．｡︒۔܁܂‧·•∙⋅・ꞏ᛫⸱⸳⸼●∘◦⦁⬤⚫᠃᙮።⳹꘎𐄁\\x{1D16D}]")
	// catalan is a single letter with a middle dot.
	catalan = Lazily(`([lL])` + softDot + `([lL])`)
	// Programs that defuse addresses write evil[.]example and evil (dot) example, and people read
	// them.
	partedDot = Lazily(`(?i) ?[\[({<]+ ?dot ?[\])}>]+ ?| ?[\[{【]+ ?[.` + softDot + `] ?[\]}】]+ ?|` +
		`[\p{Ps}\p{Pi}<"'’|]+ ?[.` + softDot + `] ?[\p{Pe}\p{Pf}>"'|]+`)
	spacedDot = Lazily(`(?i)\s+(?:dot\s+|\.)(com|org|net|io|co|app|dev|xyz|info|me|gg|ai)\b`)
	// wrongDot is a slip that a reader corrects before the end of a host: a comma, several dots, a
	// dot and a blank. No word of a sentence looks like these ends.
	wrongDot = Lazily(`(?:[.,]+ ?[.,]+|,|\. )(com|org|net|io|xyz|gg)\b`)
	partedAt = Lazily(`(?i) ?[\[({<]+ ?(?:at|@) ?[\])}>]+ ?`)
)

// fold replaces look-alikes by one character: digits of all scripts, letters in other forms, dots
// with and without brackets. It drops format characters, which are invisible. A raised number gets
// a mark: 10⁶ is not 106.
func fold(text string) string {
	text = raisedNumber().ReplaceAllString(dots.Replace(text), "^$0")
	var b strings.Builder
	for _, c := range softDots().ReplaceAllString(text, softDot) {
		switch {
		case c < utf8.RuneSelf:
			b.WriteByte(byte(c))
		case strings.ContainsRune(raised, c):
			b.WriteByte('0' + byte(slices.Index([]rune(raised), c)%10))
		case unicode.Is(unicode.Nd, c):
			b.WriteByte('0' + byte(digit(c)))
		case unicode.Is(unicode.Cf, c):
		case unicode.In(c, unicode.Nl, unicode.No, unicode.Zs):
			b.WriteRune(c) // a number in one character, and the blanks of numbers
		default:
			b.WriteString(norm.NFKC.String(string(c)))
		}
	}
	text = catalan().ReplaceAllString(softDots().ReplaceAllString(b.String(), softDot), "$1·$2")
	text = spacedDot().ReplaceAllString(partedDot().ReplaceAllString(text, "."), ".$1")
	text = wrongDot().ReplaceAllString(text, ".$1")
	return partedAt().ReplaceAllString(text, "@")
}

// digit returns the value of a decimal digit. Unicode has the digits of a script in a row, from
// zero to nine.
func digit(c rune) (value rune) {
	for unicode.Is(unicode.Nd, c-1-value) {
		value++
	}
	return value % 10
}

// A label of a host has characters of one class: western has the scripts of Europe and America,
// whose letters look alike and differ from other scripts; dense has scripts without blanks between
// words; all other scripts are the third class.
const (
	western = `\p{Latin}\p{Greek}\p{Cyrillic}\p{Armenian}\p{Georgian}` +
		`\p{Coptic}\p{Glagolitic}\p{Gothic}\p{Cherokee}\p{Lisu}\p{Inherited}`
	denseClass = `\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}` +
		`\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Arabic}\p{Syriac}`
	otherLabel = `[^\x00-\x7F` + western + denseClass + `\p{N}\p{P}\p{S}\p{Z}\p{C}]+`
	label      = `[-0-9A-Za-z_` + western + `]+`
	sparse     = `(?:` + label + `|` + otherLabel + `)`
	anyLabel   = `(?:` + label + `|[` + denseClass + `]+|` + otherLabel + `)`
	style      = "[*`~]*" // marks of emphasis and code do not divide a name
	path       = `(/[0-9A-Za-z_/.\-~%+#?=&:@$,;!]*)?`
)

// Patterns of names. A label ends where the class of characters changes: in 访问evil.example the host
// begins with evil. Digits are ASCII after fold.
var (
	sparseWord = Lazily(label)
	// names are labels joined by dots or at signs. A full stop of another script joins no dense
	// labels.
	names = []pattern{
		Lazily(`(` + anyLabel + `(?:` + style + `[.@]` + style + anyLabel + `)+)` + path),
		Lazily(`(` + sparse + `(?:` + style + `[.@` + softDot + `]` + style + sparse + `)+)` + path),
	}
	nameMarks = strings.NewReplacer("*", "", "`", "", "~", "")
	// others are long words such as keys and hashes, labels of hosts in Punycode, letters under
	// five marks or more, numbers in one character. hosts are hosts without a dot.
	others = Lazily(`[-0-9A-Za-z_]{25,}|(?i:\bxn--[-0-9a-z]+)|\P{M}?\p{M}{5,}|[\p{No}\p{Nl}]`)
	hosts  = Lazily(`(?i)\blocalhost\b|(?:^|[^:/\w])//[-\w]+|\[[0-9a-f.]*:[0-9a-f:.]+\]`)
	// number may have commas, full stops, apostrophes, underscores, narrow or fixed blanks between
	// digits.
	number       = Lazily(`0[xX][0-9A-Fa-f]+|[0-9]+(?:[.,_'’\x{A0}\x{2009}\x{202F}][0-9]+)*`)
	spacedNumber = Lazily(`\b[0-9]{1,3}(?: [0-9]{3})+\b`)
	numberGroups = Lazily(`^[0-9]{1,3}(?:\.[0-9]{3})+$`)
	groupMarks   = strings.NewReplacer("_", "", "'", "", "’", "", "\u00A0", "",
		"\u2009", "", "\u202F", "", ",", ".")
)

// mentions returns the names and numbers of a folded text. Each has several forms. The source must
// have one of them.
func mentions(text string) [][]string {
	var out [][]string
	for _, n := range number().FindAllString(text, -1) {
		out = append(out, numberForms(strings.ToLower(n)))
	}
	for _, word := range others().FindAllString(text, -1) {
		isASCII := word[len(word)-1] < utf8.RuneSelf
		punycode := strings.HasPrefix(strings.ToLower(word), "xn--")
		if !isASCII || punycode || strings.ContainsAny(word, "0123456789") {
			out = append(out, []string{strings.ToLower(strings.Trim(word, "-_"))})
		}
	}
	for _, host := range hosts().FindAllString(text, -1) {
		out = append(out, []string{strings.ToLower(host[max(0, strings.Index(host, "//")):])})
	}
	for _, word := range sparseWord().FindAllString(text, -1) {
		// An ending may follow a name behind a hyphen.
		if slices.ContainsFunc(strings.Split(word, "-"), isMixed) {
			out = append(out, []string{strings.ToLower(word)})
		}
	}
	for _, name := range names {
		for _, m := range name().FindAllStringSubmatch(text, -1) {
			if name := strings.ToLower(nameMarks.Replace(m[1])); isHost(name) {
				name = strings.Trim(name, "-_") + strings.TrimRight(m[2], "/.,:;!?-_~")
				out = append(out, []string{name, strings.ReplaceAll(name, softDot, ".")})
			}
		}
	}
	return out
}

// isMixed reports whether a word has letters of two western scripts.
func isMixed(word string) bool {
	n := 0
	for _, table := range []*unicode.RangeTable{
		unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian,
		unicode.Coptic, unicode.Glagolitic, unicode.Gothic, unicode.Cherokee, unicode.Lisu} {
		if strings.ContainsFunc(word, func(c rune) bool { return unicode.Is(table, c) }) {
			n++
		}
	}
	return n > 1
}

// numberForms returns the readings of a number: 9.999 can be nine and a fraction or nearly ten
// thousand.
func numberForms(n string) []string {
	if strings.HasPrefix(n, "0x") {
		return []string{n}
	}
	n = strings.TrimLeft(groupMarks.Replace(n), "0")
	if n == "" || n[0] == '.' {
		n = "0" + n
	}
	out, fraction := []string{n}, len(n)
	if i := strings.LastIndexByte(n, '.'); i >= 0 {
		fraction = i
	}
	// All digits may be in groups, or the digits before the last point.
	for _, end := range []int{len(n), fraction} {
		if numberGroups().MatchString(n[:end]) {
			out = append(out, strings.ReplaceAll(n[:end], ".", "")+n[end:])
		}
	}
	return out
}

// isHost reports whether joined labels can be a host, a file or an e-mail address: a label behind
// the first consists of two letters or more, or has the encoding of international names (RFC 3492).
func isHost(name string) bool {
	// An at sign makes an e-mail address of labels, with or without a full stop.
	labels := strings.Split(strings.ReplaceAll(name, softDot, "."), ".")
	return strings.Contains(name, "@") || slices.ContainsFunc(labels[1:], func(label string) bool {
		other := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsMark(c) }
		label = strings.Trim(label, "-_")
		return strings.HasPrefix(label, "xn--") ||
			utf8.RuneCountInString(label) > 1 && !strings.ContainsFunc(label, other)
	})
}

// SpeltNumbers counts the numbers that an English text spells as words, by their digits. Other
// languages write some of these words in digits, such as "May" and "two blocks" in Chinese and
// Japanese.
func SpeltNumbers(text string) map[string]int {
	out := map[string]int{}
	other := func(c rune) bool { return c < 'a' || c > 'z' }
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), other) {
		if n, ok := numberWords[word]; ok {
			out[n]++
		}
	}
	return out
}

// numberWords has the number of each word, which precedes the words in the list. It is not changed.
var numberWords = func() map[string]string {
	out, n := map[string]string{}, ""
	for word := range strings.FieldsSeq(`0 zero 1 a an one once first single january
		2 two twice second both pair half february
		3 three thrice third march 4 four fourth quarter april 5 five fifth may 6 six sixth june
		7 seven seventh july
		8 eight eighth august 9 nine ninth september 10 ten tenth october 11 eleven eleventh november
		12 twelve twelfth dozen december 20 twenty 30 thirty 50 fifty 100 hundred 1000 thousand`) {
		if word[0] <= '9' {
			n = word
		} else {
			out[word] = n
		}
	}
	return out
}()
