package ai

import (
	"strings"
	"unicode"
)

// token is a part of a passage that its translation must hold, byte for byte and as often.
type token struct {
	class    tokenClass
	from, to int
	text     string // what is compared
	hide     span   // what a model gets a placeholder for; empty: it sees all of it
}

// span is a range of bytes.
type span struct{ from, to int }

// tokenClass says what a token is.
type tokenClass int

const (
	codeToken      tokenClass = iota // between backticks
	targetToken                      // target and title of a link
	imageToken                       // of an image
	referenceToken                   // a reference link's label, a footnote's mark
	htmlToken                        // a tag, comment, entity
	addressToken                     // a bare URL, autolink or e-mail address
	formulaToken                     // between dollar signs
	escapeToken                      // a backslash and what it escapes, a hard line break
	keywordToken                     // a key word of RFC 2119 in capitals
	nameToken                        // EIP-1559, secp256k1, MAX_SIZE
	numberToken
)

// tokens finds the tokens of a passage, in order. labels are those that the proposal defines.
func tokens(text string, labels map[string]bool) []token {
	r := inlineReader{text: text, labels: labels, missing: map[string]bool{}}
	for r.at < len(text) {
		r.next()
	}
	return r.withWords()
}

// inlineReader reads inline Markdown from left to right.
type inlineReader struct {
	text    string
	labels  map[string]bool
	at      int
	out     []token
	open    []bracket
	missing map[string]bool // closing marks that do not occur from here on: nothing is searched twice
}

// bracket is a [ or ![ that is not closed yet.
type bracket struct{ at, tokens int }

// next reads one token, or steps over one byte or what only looks like a token.
func (r *inlineReader) next() {
	rest := r.text[r.at:]
	switch rest[0] {
	case '\\':
		r.escape(rest)
	case '`':
		r.code(rest)
	case '<':
		r.angle(rest)
	case '&':
		r.find(htmlToken, entity, rest)
	case '$':
		r.formula(rest)
	case '!':
		if !strings.HasPrefix(rest, "![") {
			r.at++
			return
		}
		r.open = append(r.open, bracket{r.at, len(r.out)})
		r.at += 2
	case '[':
		if footnote().MatchString(rest) {
			r.find(referenceToken, footnote, rest)
			return
		}
		r.open = append(r.open, bracket{r.at, len(r.out)})
		r.at++
	case ']':
		r.bracketEnd(rest)
	case ' ':
		n := len(rest) - len(strings.TrimLeft(rest, " "))
		if n > 1 && strings.HasPrefix(rest[n:], "\n") {
			r.hidden(escapeToken, n+1)
			return
		}
		r.at += n
	case 'h', 'f', 'w':
		r.address(rest)
	default:
		r.at++
	}
}

// add adds the next n bytes as a token that a model sees.
func (r *inlineReader) add(class tokenClass, n int) {
	r.out = append(r.out, token{class: class, from: r.at, to: r.at + n, text: r.text[r.at : r.at+n]})
	r.at += n
}

// hidden adds the next n bytes as a token that a model does not see.
func (r *inlineReader) hidden(class tokenClass, n int) {
	r.add(class, n)
	t := &r.out[len(r.out)-1]
	t.hide = span{t.from, t.to}
}

// find adds what the pattern, which begins with ^, matches; nothing: it steps over a byte.
func (r *inlineReader) find(class tokenClass, pattern pattern, rest string) {
	if m := pattern().FindString(rest); m != "" {
		r.hidden(class, len(m))
		return
	}
	r.at++
}

// enclosedBy is the length of the text that begins a token of an opening of the given length, up to
// and with its closing, or 0.
func (r *inlineReader) enclosedBy(rest string, opening int, closing string) int {
	if r.missing[closing] {
		return 0
	}
	i := strings.Index(rest[opening:], closing)
	if i < 0 {
		r.missing[closing] = true
		return 0
	}
	return opening + i + len(closing)
}

var (
	entity     = lazily(`^&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
	footnote   = lazily(`^\[\^[^\[\]\s]+\]`)
	autolink   = lazily(`^<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[A-Za-z0-9.!#$%&'*+/=?^_{|}~` + "`" + `-]+@[A-Za-z0-9.-]+)>`)
	webAddress = lazily(`^(?:(?:https?|ftp)://|www\.)[!#-;=?-Z_a-z~]+`)
)

// escape reads a backslash. A name with escaped underscores is one token.
func (r *inlineReader) escape(rest string) {
	switch {
	case len(rest) < 2 || rest[1] != '\n' && !isPunct(rest[1]):
		r.at++
	case rest[1] != '_':
		r.hidden(escapeToken, 2)
	default:
		least := 0
		if n := len(r.out); n > 0 {
			least = r.out[n-1].to
		}
		n := len(escapedName().FindString(rest))
		from := r.at
		for from > least && isAlphanumeric(r.text[from-1]) {
			from--
		}
		n += r.at - from
		r.at = from
		r.hidden(escapeToken, n)
	}
}

var escapedName = lazily(`^(?:\\_|[A-Za-z0-9])+`)

func isAlphanumeric(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }

// code reads a code span: backticks, and as many again. The short ones a model sees, since sentences
// hang on them; what is long or would have to be escaped in JSON it would only get wrong.
func (r *inlineReader) code(rest string) {
	const mostShown = 40 // bytes
	ticks := len(rest) - len(strings.TrimLeft(rest, "`"))
	n := r.codeSpan(rest, ticks)
	switch {
	case n == 0:
		r.at += ticks
	case n > mostShown || strings.ContainsAny(rest[:n], "\n\\\"{}"):
		r.hidden(codeToken, n)
	default:
		r.add(codeToken, n)
	}
}

func (r *inlineReader) codeSpan(rest string, ticks int) int {
	fence := rest[:ticks]
	if r.missing[fence] {
		return 0
	}
	for i := ticks; i < len(rest); {
		j := strings.IndexByte(rest[i:], '`')
		if j < 0 {
			break
		}
		i += j
		run := len(rest[i:]) - len(strings.TrimLeft(rest[i:], "`"))
		i += run
		if run == ticks {
			return i
		}
	}
	r.missing[fence] = true
	return 0
}

// angle reads an autolink or raw HTML.
func (r *inlineReader) angle(rest string) {
	if m := autolink().FindString(rest); m != "" {
		r.hidden(addressToken, len(m))
		return
	}
	if closing := closingOf(rest); closing != "" {
		const opening = len("<!")
		if n := r.enclosedBy(rest, opening, closing); n > 0 {
			r.hidden(htmlToken, n)
			return
		}
	}
	r.find(htmlToken, inlineTag, rest)
}

// formula reads TeX between one or two dollar signs. As in Pandoc, a single one stands close to the
// formula on both sides, and no digit follows the closing one: $5 is money.
func (r *inlineReader) formula(rest string) {
	if strings.HasPrefix(rest, "$$") {
		if n := r.enclosedBy(rest, len("$$"), "$$"); n > 0 {
			r.hidden(formulaToken, n)
			return
		}
		r.at += len("$$")
		return
	}
	m := tex().FindString(rest)
	if m == "" || len(m) < len(rest) && '0' <= rest[len(m)] && rest[len(m)] <= '9' {
		r.at++
		return
	}
	r.hidden(formulaToken, len(m))
}

var tex = lazily(`^\$(?:[^\s$\\]|\\.)(?:(?:[^$\\]|\\.)*(?:[^\s$\\]|\\.))?\$`)

// address reads a bare URL.
func (r *inlineReader) address(rest string) {
	n := 0
	if r.at == 0 || !isAlphanumeric(r.text[r.at-1]) {
		n = addressLength(webAddress().FindString(rest))
	}
	if n == 0 {
		r.at++
		return
	}
	r.hidden(addressToken, n)
}

// addressLength is the length of a bare URL without the punctuation and closing parentheses that belong
// to the sentence (GitHub Flavored Markdown, section 6.9).
func addressLength(url string) int {
	surplus := strings.Count(url, ")") - strings.Count(url, "(")
	n := len(url)
	for ; n > 0; n-- {
		if last := url[n-1]; last == ')' && surplus > 0 {
			surplus--
		} else if strings.IndexByte("?!.,:;*_~'", last) < 0 {
			break
		}
	}
	if !webAddress().MatchString(url[:n]) {
		return 0
	}
	return n
}

// wordToken is what is a token wherever it stands in plain text.
var wordToken = lazily(`(?P<address>[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)` +
	`|(?P<keyword>\b(?:(?:MUST|SHALL|SHOULD)(?:[\s*_]+NOT)?|REQUIRED|(?:NOT[\s*_]+)?RECOMMENDED|MAY|OPTIONAL)\b)` +
	`|(?P<name>\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|\b[A-Z]{2,}-[0-9]+|\b[A-Za-z]+[0-9](?:[A-Za-z0-9]*[0-9])?)` +
	`|[0-9]{4}-[0-9]{2}-[0-9]{2}|0[xX][0-9A-Fa-f]+|[0-9]+(?:[,_][0-9]{3})*(?:\.[0-9]+)*(?:[eE][-+]?[0-9]+)?|\p{Nd}+`)

// withWords adds the words between the tokens.
func (r *inlineReader) withWords() []token {
	var out []token
	words, at := wordToken(), 0
	address, keyword, name := words.SubexpIndex("address"), words.SubexpIndex("keyword"), words.SubexpIndex("name")
	for _, t := range append(r.out, token{from: len(r.text), to: len(r.text)}) {
		for _, m := range words.FindAllStringSubmatchIndex(r.text[at:t.from], -1) {
			w := token{class: numberToken, from: at + m[0], to: at + m[1]}
			w.text = r.text[w.from:w.to]
			switch {
			case m[2*address] >= 0:
				w.class = addressToken
			case m[2*keyword] >= 0:
				w.class = keywordToken
				w.text = strings.Join(strings.FieldsFunc(w.text, func(c rune) bool { return !unicode.IsUpper(c) }), " ")
			case m[2*name] >= 0:
				w.class = nameToken
			}
			const mostShown = 24 // bytes
			if w.class == addressToken || w.to-w.from > mostShown {
				w.hide = span{w.from, w.to}
			}
			out = append(out, w)
		}
		out = append(out, t)
		at = t.to
	}
	return out[:len(out)-1]
}
