package ai

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/markdown"
)

// token is a part of a passage that its translation must hold, byte for byte and as often.
type token struct {
	class    tokenClass
	from, to int
	text     string // what is compared
	hide     span   // what a placeholder stands for; empty means that the model sees all of it
}

// span is a range of bytes.
type span struct{ from, to int }

// tokenClass says what a token is.
type tokenClass int

// The classes. Of several that differ the first one is reported, so numbers come last: a lost link can lose its number.
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
	numberToken                      // with its sign
)

// tokens finds the tokens of a passage, in order. Those of Markdown come from goldmark, so that they are exactly what
// is rendered. The words between them come from a regular expression.
func (t *text) tokens(source string) []token {
	c := &passageContext{Context: parser.NewContext(), links: t.links, source: source}
	inlineParser().Parse(gmtext.NewReader([]byte(source)), parser.WithContext(c))
	slices.SortFunc(c.found, func(a, b token) int { return cmp.Compare(a.from, b.from) })
	var out []token
	at := 0
	for _, t := range append(c.found, token{from: len(source), to: len(source)}) {
		for _, m := range wordToken().FindAllStringSubmatchIndex(source[at:t.from], -1) {
			if w := wordOf(source, at, m); w.to > w.from {
				out = append(out, w)
			}
		}
		out = append(out, t)
		at = t.to
	}
	return out[:len(out)-1]
}

// inlineParser finds links, code and the like in one passage, whatever block that would be by itself.
var inlineParser = sync.OnceValue(func() parser.Parser {
	var noted []util.PrioritizedValue
	for i, p := range []parser.InlineParser{
		parser.NewCodeSpanParser(), markdown.NewFormulaParser(), parser.NewLinkParser(),
		parser.NewAutoLinkParser(), parser.NewRawHTMLParser(),
	} {
		noted = append(noted, util.Prioritized(notingParser{p}, 100*(i+1)))
	}
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(noted...))
})

// notingParser notes where in a passage an inline parser finds something: nodes of goldmark do not have their ends.
// The priorities keep the order of goldmark's own parsers, in which code comes before links.
type notingParser struct{ parser.InlineParser }

// Parse implements [parser.InlineParser].
func (p notingParser) Parse(parent ast.Node, block gmtext.Reader, pc parser.Context) ast.Node {
	_, from := block.Position()
	n := p.InlineParser.Parse(parent, block, pc)
	if n != nil {
		_, to := block.Position()
		pc.(*passageContext).note(n, span{from.Start, to.Start})
	}
	return n
}

// CloseBlock implements [parser.CloseBlocker].
func (p notingParser) CloseBlock(parent ast.Node, block gmtext.Reader, pc parser.Context) {
	if c, ok := p.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

// passageContext is the context of one passage: the links that the proposal defines, and the tokens that are found.
type passageContext struct {
	parser.Context
	links  map[string]parser.Reference
	source string
	found  []token
}

// Reference implements [parser.Context].
func (c *passageContext) Reference(label string) (parser.Reference, bool) {
	r, ok := c.links[label]
	return r, ok
}

// note adds the token of a node. at is where the node was parsed, for a link the part behind its text.
func (c *passageContext) note(n ast.Node, at span) {
	add := func(class tokenClass, at, hide span) {
		c.found = append(c.found, token{class, at.from, at.to, c.source[at.from:at.to], hide})
	}
	link := func(class tokenClass, r *ast.ReferenceLink) {
		inner, whole := span{at.from + len("]("), at.to - len(")")}, span{n.Pos(), at.to}
		switch {
		case r == nil:
			add(class, at, inner)
		case r.Type == ast.ReferenceLinkFull:
			add(referenceToken, at, inner)
		default: // the text is the label, which stays as it is
			c.found = slices.DeleteFunc(c.found, func(t token) bool { return t.from >= whole.from })
			add(referenceToken, whole, whole)
		}
	}
	switch n := n.(type) {
	case *ast.CodeSpan:
		const mostShown = 40 // bytes
		// Sentences depend on short code. What is long or escaped in JSON a model would get wrong.
		if at.to-at.from > mostShown || strings.ContainsAny(c.source[at.from:at.to], "\n\\\"{}") {
			add(codeToken, at, at)
		} else {
			add(codeToken, at, span{})
		}
	case *markdown.Formula:
		add(formulaToken, at, at)
	case *ast.AutoLink:
		add(addressToken, at, at)
	case *ast.RawHTML:
		add(htmlToken, at, at)
	case *ast.Link:
		link(targetToken, n.Reference)
	case *ast.Image:
		link(imageToken, n.Reference)
	}
}

// wordToken matches what is a token anywhere in plain text. It is compiled at its first use, which takes milliseconds.
// A name with escaped underscores is one.
var wordToken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?P<escape>[A-Za-z0-9]*(?:\\_[A-Za-z0-9]*)+|\\[!-/:-@\[-` + "`" + `{-~]|(?: {2,}|\\)\n)` +
			`|(?P<html>&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)` +
			`|(?P<footnote>\[\^[^\[\]\s]+\])` +
			`|\b(?P<url>(?:(?:https?|ftp)://|www\.)[!#-;=?-Z_a-z~]+)` +
			`|(?P<mail>[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)` +
			`|(?P<keyword>\b(?:(?:MUST|SHALL|SHOULD)(?:[\s*_]+NOT)?|REQUIRED|(?:NOT[\s*_]+)?RECOMMENDED|MAY|OPTIONAL)\b)` +
			`|(?P<name>\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|\b[A-Z]{2,}-[0-9]+|\b[A-Za-z]+[0-9](?:[A-Za-z0-9]*[0-9])?)` +
			`|[0-9]{4}-[0-9]{2}-[0-9]{2}|0[xX][0-9A-Fa-f]+|[0-9]+(?:[,_][0-9]{3})*(?:\.[0-9]+)*(?:[eE][-+]?[0-9]+)?|\p{Nd}+`)
})

// wordClasses are the classes of wordToken's groups, in their order. urlGroup is the number of a group.
var wordClasses = [...]tokenClass{escapeToken, htmlToken, referenceToken, addressToken, addressToken, keywordToken, nameToken}

const urlGroup = 4

// wordOf is the token of a match of wordToken, counted from at. It is empty when there is none.
func wordOf(source string, at int, match []int) token {
	w := token{class: numberToken, from: at + match[0], to: at + match[1]}
	for i, class := range wordClasses {
		if match[2*i+2] >= 0 {
			w.class = class
		}
	}
	if match[2*urlGroup] >= 0 {
		w.to = w.from + addressLength(source[w.from:w.to])
	}
	w.text = source[w.from:w.to]
	const mostShown = 24 // bytes
	switch {
	case w.class == keywordToken:
		w.text = strings.Join(strings.FieldsFunc(w.text, func(c rune) bool { return !unicode.IsUpper(c) }), " ")
	case w.class <= escapeToken || w.to-w.from > mostShown:
		w.hide = span{w.from, w.to}
	}
	switch w.class {
	case nameToken:
		w.text = strings.ToLower(w.text) // "p2p" may begin a sentence
	case numberToken:
		w.text = signBefore(source, w.from) + w.text
	}
	return w
}

// signBefore is the minus or hyphen before a number. It is no sign behind a word, a number or a closing mark.
func signBefore(source string, at int) string {
	c, n := utf8.DecodeLastRuneInString(source[:at])
	if c != '-' && c != '−' {
		return ""
	}
	before, _ := utf8.DecodeLastRuneInString(source[:at-n])
	if prose.IsWord(before) || strings.ContainsRune(")]-−`", before) {
		return ""
	}
	return source[at-n : at]
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
	url = url[:n]
	for _, beginning := range []string{"https://", "http://", "ftp://", "www."} {
		if strings.HasPrefix(url, beginning) && len(url) > len(beginning) {
			return n
		}
	}
	return 0
}
