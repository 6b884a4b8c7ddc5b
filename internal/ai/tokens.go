package ai

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
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
	"github.com/mipwatch/mipwatch/internal/mip"
)

// token is a part of a passage that its translation must hold unchanged, as often as the passage.
type token struct {
	// The fault of a translation that has it more or less often.
	fault    fault
	from, to int
	// The form that is compared.
	text string
	// A placeholder hides it from the model.
	hidden bool
}

// fault is how a translation breaks the rules: for the log, and for the model when it is asked
// again. It is one of a fixed set and holds no text of proposal or model. In the prompt it follows
// the word "it".
type fault string

// The faults.
const (
	noFault          fault = ""
	formFault        fault = "is not in one JSON object of strings with the keys that were given"
	sizeFault        fault = "is empty, has more lines than the passage, or is far longer"
	characterFault   fault = "holds control characters or characters that cannot be seen"
	placeholderFault fault = "misses a placeholder, repeats one or holds another"
	leakFault        fault = "repeats what you were told instead of translating the passage"
	codeFault        fault = "misses code between backticks, adds or changes some"
	linkFault        fault = "misses a link, an image or a reference, or adds one"
	markupFault      fault = "misses or adds an address, HTML, a formula, a footnote, " +
		"a backslash or a line break"
	keywordFault fault = "misses a key word of RFC 2119 in English capitals or adds one"
	nameFault    fault = "misses a name with digits or underscores, or changes one"
	numberFault  fault = "misses a number, adds one or writes one in another way"
	mentionFault fault = "names a number, host, file or e-mail address that the passage " +
		"does not, or heaps marks on a letter"
	shapeFault fault = "is another block of Markdown than the passage: " +
		"a line begins like a list, heading, quote or code, or a bar splits a cell"
)

// tokens returns the tokens of a passage, in order. Tokens of Markdown come from goldmark, so that
// they agree with the rendering. A regular expression finds the words between them.
func (v *translationSource) tokens(source string) []token {
	c := &passageContext{Context: parser.NewContext(), links: v.links, source: source}
	inlineParser().Parse(gmtext.NewReader([]byte(source)), parser.WithContext(c))
	slices.SortFunc(c.found, func(a, b token) int { return cmp.Compare(a.from, b.from) })
	var out []token
	at := 0
	for _, t := range append(c.found, token{from: len(source), to: len(source)}) {
		for _, m := range wordToken().FindAllStringSubmatchIndex(source[at:t.from], -1) {
			out = append(out, wordOf(source, at, m))
		}
		out = append(out, t)
		at = t.to
	}
	return out[:len(out)-1]
}

// inlineParser finds links, code and the like in one passage, whatever block it would be by itself.
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

// notingParser notes the places of an inline parser's nodes: goldmark's nodes do not have their
// ends. The priorities keep the order of goldmark's own parsers, in which code precedes links.
type notingParser struct{ parser.InlineParser }

// Parse implements [parser.InlineParser].
func (p notingParser) Parse(parent ast.Node, block gmtext.Reader, pc parser.Context) ast.Node {
	_, from := block.Position()
	n := p.InlineParser.Parse(parent, block, pc)
	if n != nil {
		_, to := block.Position()
		pc.(*passageContext).note(n, from.Start, to.Start)
	}
	return n
}

// CloseBlock implements [parser.CloseBlocker].
func (p notingParser) CloseBlock(parent ast.Node, block gmtext.Reader, pc parser.Context) {
	if c, ok := p.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

// passageContext is the context of one passage: the link definitions of the proposal, and the
// tokens found so far.
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

// note adds the token of a node between two offsets: for a link the part behind its text.
func (c *passageContext) note(n ast.Node, from, to int) {
	add := func(f fault, kind string, from, to int, hidden bool) {
		c.found = append(c.found, token{f, from, to, kind + c.source[from:to], hidden && from < to})
	}
	link := func(kind string, r *ast.ReferenceLink) {
		if r != nil && r.Type != ast.ReferenceLinkFull { // the text is the label: keep it
			c.found = slices.DeleteFunc(c.found, func(t token) bool { return t.from >= n.Pos() })
			add(linkFault, kind, n.Pos(), to, true)
			return
		}
		add(linkFault, kind+c.source[from:from+len("](")], from+len("]("), to-len(")"), true)
	}
	switch n := n.(type) {
	case *ast.CodeSpan:
		const mostShown = 40 // bytes
		// Sentences depend on short code. Models get long or JSON-escaped code wrong.
		add(codeFault, "", from, to,
			to-from > mostShown || strings.ContainsAny(c.source[from:to], "\n\\\"{}"))
	case *markdown.Formula, *ast.AutoLink, *ast.RawHTML:
		add(markupFault, "", from, to, true)
	case *ast.Link:
		link("", n.Reference)
	case *ast.Image:
		link("!", n.Reference)
	}
}

// wordToken matches tokens of plain text. It is compiled at its first use, which takes
// milliseconds. Its groups are markup, key words and names. Markup includes [opening], names with
// escaped underscores, entities, footnotes, and bare addresses without the punctuation behind them.
var wordToken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(\{\{|[A-Za-z0-9]*(?:\\_[A-Za-z0-9]*)+|\\[!-/:-@\[-` + "`" + `{-~]|(?: {2,}|\\)\n` +
			`|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|\[\^[^\[\]\s]+\]` +
			`|\b(?:(?:https?|ftp)://|www\.)(?:[!-'*-;=?-Z_a-z~]|\([!-'*-;=?-Z_a-z~]*\))*` +
			`(?:[-"#$%&+/0-9=@-Za-z]|\([!-'*-;=?-Z_a-z~]*\))` +
			`|[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)` +
			`|(\b(?:(?:MUST|SHALL|SHOULD)(?:[\s*_]+NOT)?|REQUIRED|(?:NOT[\s*_]+)?RECOMMENDED|MAY|OPTIONAL)\b)` +
			`|(\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|\b[A-Z]{2,}-[0-9]+|\b[A-Za-z]+[0-9](?:[A-Za-z0-9]*[0-9])?)` +
			`|[0-9]{4}-[0-9]{2}-[0-9]{2}|0[xX][0-9A-Fa-f]+|[0-9]+(?:[,_][0-9]{3})*(?:\.[0-9]+)*(?:[eE][-+]?[0-9]+)?|\p{Nd}+`)
})

// wordOf returns the token of a match of wordToken, counted from at.
func wordOf(source string, at int, match []int) token {
	const mostShown = 24 // bytes
	w := token{from: at + match[0], to: at + match[1]}
	w.text, w.hidden = source[w.from:w.to], w.to-w.from > mostShown
	switch {
	case match[2] >= 0:
		w.fault, w.hidden = markupFault, true
	case match[4] >= 0:
		w.fault = keywordFault
		w.text = strings.Join(strings.FieldsFunc(w.text, func(c rune) bool {
			return !unicode.IsUpper(c)
		}), " ")
	case match[6] >= 0:
		w.fault = nameFault
		w.text = strings.ToLower(w.text) // "p2p" may begin a sentence
	default:
		w.fault = numberFault
		w.text = signBefore(source, w.from) + w.text
	}
	return w
}

// signBefore returns the minus or hyphen before a number. Behind a word, a number or a closing mark
// it is no sign.
func signBefore(source string, at int) string {
	c, n := utf8.DecodeLastRuneInString(source[:at])
	before, _ := utf8.DecodeLastRuneInString(source[:at-n])
	if c != '-' && c != '−' || prose.IsWord(before) || strings.ContainsRune(")]-−`", before) {
		return ""
	}
	return string(c)
}

// language matches two letters in a row, or one letter of a script with such words. It is compiled
// at its first use.
var language = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\p{L}\p{L}|\p{Lo}`)
})

// hasLanguage reports whether a passage has more than tokens. Other passages are not translated.
func (p *passage) hasLanguage() bool {
	at := 0
	return slices.ContainsFunc(append(p.tokens, token{from: len(p.source)}), func(t token) bool {
		from := at
		at = t.to
		return language().MatchString(p.source[from:t.from])
	})
}

// opening begins a placeholder. In a passage itself it is a hidden token.
const opening = "{{"

// placeholder returns the placeholder of a number, such as {{3}}.
func placeholder(n int) string { return opening + strconv.Itoa(n) + "}}" }

// hide returns the passage with placeholders, numbered from first.
func (p *passage) hide(number int) string {
	var b strings.Builder
	at := 0
	for i, t := range p.hidden() {
		b.WriteString(p.source[at:t.from] + placeholder(number+i))
		at = t.to
	}
	return b.String() + p.source[at:]
}

// hidden returns the tokens with a placeholder, in order.
func (p *passage) hidden() []token {
	return slices.DeleteFunc(slices.Clone(p.tokens), func(t token) bool { return !t.hidden })
}

// show replaces the placeholders of a reply by their tokens. ok is false unless each occurs once
// and there are no others.
func (p *passage) show(reply string) (shown string, ok bool) {
	ok = true
	var pairs []string
	for i, hidden := range p.hidden() {
		stand := placeholder(p.first + i)
		ok = ok && strings.Count(reply, stand) == 1
		pairs = append(pairs, stand, p.source[hidden.from:hidden.to])
	}
	ok = ok && strings.Count(reply, opening) == len(pairs)/2
	return strings.NewReplacer(pairs...).Replace(reply), ok
}

// check returns the translation with its placeholders replaced, or the fault of the reply. Cheap
// checks come first. Checks that parse come after heapsMarks, which limits the time that a hostile
// answer can take.
func (v *translationSource) check(p *passage, reply, codeWord string) (string, fault) {
	// The bytes of a translation for each byte of its source, and the bytes beyond: some scripts
	// take three bytes a letter, and short words can become long.
	const mostGrowth, mostAdded = 4, 100
	lines := strings.Split(strings.Trim(reply, " \t\n"), "\n")
	for i := range lines { // indented lines could be code
		lines[i] = strings.TrimLeft(lines[i], " \t")
	}
	reply = strings.Join(lines, "\n")
	if reply == "" || len(reply) > mostGrowth*len(p.source)+mostAdded {
		return "", sizeFault
	}
	result, ok := p.show(reply)
	switch {
	case !ok:
		return "", placeholderFault
	case strings.Count(result, "\n") > strings.Count(p.source, "\n"):
		return "", sizeFault
	case heapsMarks(p.source, result):
		return "", shapeFault
	case addsInvisible(p.source, result):
		return "", characterFault
	case leaksPrompt(result, p.source, translationTask, codeWord):
		return "", leakFault
	}
	if f := tokenFault(p, v.tokens(result)); f != noFault {
		return "", f
	}
	switch {
	case !prose.NewSource(p.source).Holds(result):
		return "", mentionFault
	case !p.fits(result):
		return "", shapeFault
	}
	return result, noFault
}

// heapsMarks reports whether a translation has far more of a mark of Markdown than its source.
// goldmark takes quadratic time for some marks in a row. So a proposal is held to limits, and a
// translation to its source.
func heapsMarks(source, result string) bool {
	const factor, spare = 2, 32
	return strings.ContainsFunc("[]<>`$*-|!\\", func(mark rune) bool {
		most := factor*strings.Count(source, string(mark)) + spare
		return strings.Count(result, string(mark)) > most
	})
}

// addsInvisible reports whether a translation has an invisible character more often than its
// source.
func addsInvisible(source, result string) bool {
	allowed := map[rune]int{}
	for _, c := range invisible(source) {
		allowed[c]++
	}
	for _, c := range invisible(result) {
		allowed[c]--
		if allowed[c] < 0 {
			return true
		}
	}
	return false
}

// invisible counts the invisible characters of a text, and U+FFFD.
func invisible(text string) (all []rune) {
	for i, class := range mip.Classes(text) {
		c, _ := utf8.DecodeRuneInString(text[i:])
		if class != mip.Visible && c != '\n' || c == unicode.ReplacementChar {
			all = append(all, c)
		}
	}
	return all
}

// tokenFault compares all tokens, in any order: languages differ in the order of words. A number
// word may become a number. A fault of numbers comes last: a lost link can lose its number.
func tokenFault(p *passage, got []token) fault {
	type key struct {
		fault fault
		text  string
	}
	missing := map[key]int{}
	for _, t := range p.tokens {
		missing[key{t.fault, t.text}]++
	}
	for _, t := range got {
		missing[key{t.fault, t.text}]--
	}
	found := map[fault]bool{}
	spelt := prose.SpeltNumbers(p.source)
	for k, n := range missing {
		if n != 0 && !(k.fault == numberFault && n < 0 && -n <= spelt[k.text]) {
			found[k.fault] = true
		}
	}
	for _, f := range []fault{codeFault, linkFault, markupFault, keywordFault,
		nameFault, numberFault} {
		if found[f] {
			return f
		}
	}
	return noFault
}
