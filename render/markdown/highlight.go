package markdown

import (
	"bytes"
	"crypto/sha256"
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/ast"
)

// highlightMaxKept is how many bytes of highlighted code one generation of the memo holds.
const highlightMaxKept = 16 << 20

// codeLanguage is what a fence's first word means.
type codeLanguage struct {
	name  string       // for readers; empty for plain text
	lexer chroma.Lexer // nil: no highlighting
}

// languages knows the lexers by the words that fences use, and keeps highlighted code: running
// a lexer's patterns is most of a build.
type languages struct {
	byWord map[string]codeLanguage // in lower case

	mu       sync.Mutex
	now, old map[[sha256.Size]byte][]byte // the memo's two generations
	nowBytes int
}

// newLanguages makes an index of the offered lexers by name, alias and file extension.
func newLanguages() *languages {
	l := &languages{byWord: map[string]codeLanguage{}, now: map[[sha256.Size]byte][]byte{}}
	for _, word := range []string{"text", "txt", "plain", "plaintext", "none", "nohighlight"} {
		l.byWord[word] = codeLanguage{}
	}
	for word, name := range map[string]string{"mermaid": "Mermaid", "math": "Math", "csv": "CSV", "csl-json": "CSL JSON", "pseudocode": "Pseudocode"} {
		l.byWord[word] = codeLanguage{name: name}
	}
	offered := offeredLexers()
	words := []func(*chroma.Config) []string{
		func(c *chroma.Config) []string { return append(c.Aliases, c.Name) },
		func(c *chroma.Config) []string { return c.Filenames },
	}
	for _, of := range words {
		for _, lexer := range offered {
			name := lexer.Config().Name
			for _, word := range of(lexer.Config()) {
				word = strings.ToLower(strings.TrimPrefix(word, "*."))
				if _, taken := l.byWord[word]; !taken {
					l.byWord[word] = codeLanguage{name, lexer}
				}
			}
		}
	}
	return l
}

// find returns what a fence's word means; a word that nobody knows is its own name.
func (l *languages) find(word string) codeLanguage {
	if lang, ok := l.byWord[strings.ToLower(word)]; ok {
		return lang
	}
	return codeLanguage{name: word}
}

// fenceWord reduces the first word of a fence to a language's name: "solidity=", "rust,ignore" and
// "{.python}" are in use. It is empty when there is nothing like a name.
func fenceWord(info []byte) string {
	word := strings.TrimLeft(string(info), "{.")
	if i := strings.IndexAny(word, "=,{}:;("); i >= 0 {
		word = word[:i]
	}
	if len(word) > 32 {
		return ""
	}
	for i := range len(word) {
		c := word[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-#_.", rune(c))) {
			return ""
		}
	}
	return word
}

// append appends text as HTML, highlighted where that is possible.
func (l *languages) append(out []byte, lang codeLanguage, text string) []byte {
	if lang.lexer == nil {
		return appendEscaped(out, text)
	}
	key := sha256.Sum256([]byte(lang.name + "\x00" + text))
	if html, ok := l.recall(key); ok {
		return append(out, html...)
	}
	if !highlightable(text) {
		return appendEscaped(out, text)
	}
	html := highlightCode(lang.lexer, text)
	l.keep(key, html)
	return append(out, html...)
}

func (l *languages) recall(key [sha256.Size]byte) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	html, ok := l.now[key]
	if !ok {
		if html, ok = l.old[key]; ok {
			l.store(key, html)
		}
	}
	return html, ok
}

func (l *languages) keep(key [sha256.Size]byte, html []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.store(key, html)
}

// store keeps an entry; what two generations did not ask for is forgotten.
func (l *languages) store(key [sha256.Size]byte, html []byte) {
	if l.nowBytes+len(html) > highlightMaxKept {
		l.old, l.now, l.nowBytes = l.now, map[[sha256.Size]byte][]byte{}, 0
	}
	l.now[key] = html
	l.nowBytes += len(html)
}

// Some patterns of lexers still take time that grows with the square of a line, of a run of blanks or, with
// a small factor, of a block. The bounds below are properties of the text, not of a clock, so that the same
// text always gives the same bytes. The blocks of the EIPs, the SIMDs and the MIPs pass, but for seven with
// longer lines.
const (
	highlightMaxBlock    = 16 << 10 // bytes
	highlightMaxDocument = 32 << 10 // bytes of code, all blocks together
	highlightMaxLine     = 1000     // bytes
	highlightMaxErrors   = 100      // tokens that the language does not know
	highlightMaxEmpty    = 100      // tokens without text, one after another
)

// manyBlanks is a run of blanks and line ends that no code has.
var manyBlanks = regexp.MustCompile(`\s{100}`)

// highlightable reports whether a lexer gets to see the text.
func highlightable(text string) bool {
	if len(text) > highlightMaxBlock || manyBlanks.MatchString(text) {
		return false
	}
	for line := range strings.Lines(text) {
		if len(line) > highlightMaxLine {
			return false
		}
	}
	return true
}

// notOfLanguage counts tokens that a lexer could not place, and those without text, and gives up on the text:
// some lexers find empty tokens at one place without end.
type notOfLanguage struct{ errors, empty int }

func (n *notOfLanguage) reached(t chroma.Token) bool {
	if t.Type == chroma.Error {
		n.errors++
	}
	if n.empty++; t.Value != "" {
		n.empty = 0
	}
	return n.errors > highlightMaxErrors || n.empty > highlightMaxEmpty
}

// highlightCode returns text as HTML with a span around each run of tokens of one class. Lexers are
// large tables of other people's patterns: whatever one of them does wrong, the text is whole.
func highlightCode(lexer chroma.Lexer, text string) (html []byte) {
	defer func() {
		if recover() != nil {
			html = appendEscaped(nil, text)
		}
	}()
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return appendEscaped(nil, text)
	}
	html = make([]byte, 0, 3*len(text))
	done := 0  // bytes of text that are written
	open := "" // class of the span that is open
	var wrong notOfLanguage
	var gap string // blanks that wait for what follows: they belong to a span only between equals
	for t := next(); t != chroma.EOF; t = next() {
		if wrong.reached(t) || !strings.HasPrefix(text[done:], t.Value) {
			return appendEscaped(nil, text)
		}
		done += len(t.Value)
		if strings.TrimLeft(t.Value, " \t\n") == "" {
			gap += t.Value
			continue
		}
		code := strings.TrimRight(t.Value, "\n") // comments and inserted lines hold their line end
		class := codeClass(t.Type)
		if class != open && open != "" {
			html = append(html, "</span>"...)
		}
		html = append(html, gap...)
		gap = t.Value[len(code):]
		if class != open && class != "" {
			html = append(append(append(html, `<span class="`...), class...), `">`...)
		}
		open = class
		html = appendEscaped(html, code)
	}
	if open != "" {
		html = append(html, "</span>"...)
	}
	html = append(html, gap...)
	return appendEscaped(html, text[done:])
}

// codeClass maps chroma's some 80 kinds of token to the few that the style sheet colours.
func codeClass(t chroma.TokenType) string {
	switch t {
	case chroma.KeywordType, chroma.NameClass, chroma.NameException, chroma.NameNamespace, chroma.NameTag, chroma.NameAttribute:
		return "ty"
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameBuiltin, chroma.NameDecorator:
		return "fn"
	case chroma.OperatorWord:
		return "kw"
	case chroma.GenericInserted:
		return "gi"
	case chroma.GenericDeleted:
		return "gd"
	case chroma.GenericHeading, chroma.GenericSubheading:
		return "co"
	}
	switch t.Category() {
	case chroma.Keyword:
		return "kw"
	case chroma.Comment:
		return "co"
	}
	switch t.SubCategory() {
	case chroma.LiteralString:
		return "st"
	case chroma.LiteralNumber:
		return "nu"
	}
	return ""
}

// fenceInfo returns the first word after a fence. The node's own Language keeps its result in the
// tree, which several renderings may share.
func fenceInfo(n *ast.FencedCodeBlock, source []byte) []byte {
	if n.Info == nil {
		return nil
	}
	word, _, _ := bytes.Cut(n.Info.Segment.Value(source), []byte(" "))
	return word
}

// codeBlock writes a block that scrolls by keyboard, with the language's name for a caption.
func (d *document) codeBlock(n ast.Node, word string) {
	text := string(n.Lines().Value(d.source))
	lang := d.languages.find(word)
	d.out.strings(`<figure class="code">`)
	if lang.name == "" {
		d.out.strings(`<pre tabindex="0" aria-label="Code"><code>`)
	} else {
		d.out.strings("<figcaption><span>")
		d.out.escaped(lang.name)
		d.out.strings(`</span></figcaption><pre tabindex="0" aria-label="`)
		d.out.escaped(lang.name)
		d.out.strings(` code"><code>`)
	}
	if d.out.room(len(text)) {
		if lang.lexer != nil {
			d.codeBytes += len(text)
		}
		if d.highlight && d.codeBytes <= highlightMaxDocument {
			d.out.b = d.languages.append(d.out.b, lang, text)
		} else {
			d.out.b = appendEscaped(d.out.b, text)
		}
	}
	d.out.strings("</code></pre></figure>\n")
}
