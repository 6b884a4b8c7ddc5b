package ai

import (
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
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

// tokens finds the tokens of a passage, in order.
func (s *segments) tokens(passage string) []token {
	c := &passageContext{Context: parser.NewContext(), links: s.links, source: passage}
	inlineParser().Parse(text.NewReader([]byte(passage)), parser.WithContext(c))
	slices.SortFunc(c.found, func(a, b token) int { return a.from - b.from })
	var out []token
	at := 0
	for _, t := range append(c.found, token{from: len(passage), to: len(passage)}) {
		for _, m := range wordToken().FindAllStringSubmatchIndex(passage[at:t.from], -1) {
			if w := wordOf(passage, at, m); w.to > w.from {
				out = append(out, w)
			}
		}
		out = append(out, t)
		at = t.to
	}
	return out[:len(out)-1]
}

// wordToken is what is a token wherever it stands in plain text. A name with escaped underscores is one.
var wordToken = lazily(`(?P<escape>[A-Za-z0-9]*(?:\\_[A-Za-z0-9]*)+|\\[!-/:-@\[-` + "`" + `{-~]|(?: {2,}|\\)\n)` +
	`|(?P<html>&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)` +
	`|(?P<footnote>\[\^[^\[\]\s]+\])` +
	`|\b(?P<url>(?:(?:https?|ftp)://|www\.)[!#-;=?-Z_a-z~]+)` +
	`|(?P<mail>[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)` +
	`|(?P<keyword>\b(?:(?:MUST|SHALL|SHOULD)(?:[\s*_]+NOT)?|REQUIRED|(?:NOT[\s*_]+)?RECOMMENDED|MAY|OPTIONAL)\b)` +
	`|(?P<name>\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|\b[A-Z]{2,}-[0-9]+|\b[A-Za-z]+[0-9](?:[A-Za-z0-9]*[0-9])?)` +
	`|[0-9]{4}-[0-9]{2}-[0-9]{2}|0[xX][0-9A-Fa-f]+|[0-9]+(?:[,_][0-9]{3})*(?:\.[0-9]+)*(?:[eE][-+]?[0-9]+)?|\p{Nd}+`)

// wordClasses are the classes of wordToken's groups, in their order.
var wordClasses = [...]tokenClass{escapeToken, htmlToken, referenceToken, addressToken, addressToken, keywordToken, nameToken}

// wordOf is the word that a match of wordToken, counted from at, has found. It is empty when there is none.
func wordOf(text string, at int, m []int) token {
	w := token{class: numberToken, from: at + m[0], to: at + m[1]}
	for i, class := range wordClasses {
		if m[2*i+2] >= 0 {
			w.class = class
		}
	}
	const url, mostShown = 4, 24 // the number of the group; bytes
	if m[2*url] >= 0 {
		w.to = w.from + addressLength(text[w.from:w.to])
	}
	w.text = text[w.from:w.to]
	switch {
	case w.class == keywordToken:
		w.text = strings.Join(strings.FieldsFunc(w.text, func(c rune) bool { return !unicode.IsUpper(c) }), " ")
	case w.class <= escapeToken || w.to-w.from > mostShown:
		w.hide = span{w.from, w.to}
	}
	return w
}

// addressLength is the length of a bare URL without the punctuation and closing parentheses that belong
// to the sentence (GitHub Flavored Markdown, section 6.9), and 0 when nothing is left behind its beginning.
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

var webAddress = lazily(`^(?:(?:https?|ftp)://|www\.)[!#-;=?-Z_a-z~]`)
