package markdown

import (
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/ast"
)

// codeLanguage is the meaning of a fence's first word.
type codeLanguage struct {
	name  string       // for readers; empty for plain text
	lexer chroma.Lexer // nil: no highlighting
}

// languages are the meanings of the words of fences, by the word in lower case: the offered lexers by name, alias and
// file extension, and languages that have a name alone.
var languages = sync.OnceValue(func() map[string]codeLanguage {
	byWord := map[string]codeLanguage{
		"mermaid": {name: "Mermaid"}, "math": {name: "Math"}, "csv": {name: "CSV"}, "csl-json": {name: "CSL JSON"},
		"pseudocode": {name: "Pseudocode"},
	}
	for _, plain := range []string{"", "text", "txt", "plain", "plaintext", "none", "nohighlight"} {
		byWord[plain] = codeLanguage{}
	}
	offered := offeredLexers()
	add := func(lexer chroma.Lexer, words ...string) {
		for _, word := range words {
			word = strings.ToLower(strings.TrimPrefix(word, "*."))
			if _, taken := byWord[word]; !taken {
				byWord[word] = codeLanguage{lexer.Config().Name, lexer}
			}
		}
	}
	for _, lexer := range offered {
		add(lexer, append(lexer.Config().Aliases, lexer.Config().Name)...)
	}
	for _, lexer := range offered {
		add(lexer, lexer.Config().Filenames...)
	}
	return byWord
})

// languageOf returns the meaning of a fence's word; an unknown word is its own name.
func languageOf(word string) codeLanguage {
	if lang, ok := languages()[strings.ToLower(word)]; ok {
		return lang
	}
	return codeLanguage{name: word}
}

// fenceName matches a language's name at the start of a fence's first word: "solidity=", "rust,ignore" and
// "{.python}" are in use.
var fenceName = regexp.MustCompile(`^[{.]*([a-zA-Z][a-zA-Z0-9+#_.-]{0,31})(?:[=,{}:;(]|$)`)

// fenceWord returns the name in the info string of a fence, which is empty when there is nothing like a name.
// The node's own Language keeps its result in the tree, which several renderings may share.
func fenceWord(info string) string {
	word, _, _ := strings.Cut(info, " ")
	if m := fenceName.FindStringSubmatch(word); m != nil {
		return m[1]
	}
	return ""
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

// highlightCode returns text as HTML with a span around each run of tokens of one class. Lexers are large tables
// of patterns from elsewhere: whatever one of them does wrong, the text is whole.
func highlightCode(lexer chroma.Lexer, text string) (html string) {
	defer func() {
		if recover() != nil {
			html = escape(text)
		}
	}()
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return escape(text)
	}
	var out strings.Builder
	rest := text  // not yet written
	open := ""    // class of the span that is open
	pending := "" // blanks before the next code: they belong to a span only between equals
	unknown, empty := 0, 0
	for t := next(); t != chroma.EOF; t = next() {
		if t.Type == chroma.Error {
			unknown++
		}
		if empty++; t.Value != "" {
			empty = 0
		}
		// A lexer that loses its way is worth nothing to the reader: the block is plain then.
		if unknown > highlightMaxErrors || empty > highlightMaxEmpty || !strings.HasPrefix(rest, t.Value) {
			return escape(text)
		}
		rest = rest[len(t.Value):]
		if strings.TrimLeft(t.Value, " \t\n") == "" {
			pending += t.Value
			continue
		}
		code := strings.TrimRight(t.Value, "\n") // comments and inserted lines hold their line end
		class := codeClass(t.Type)
		// Tokens of one class share a span, so that the HTML stays small.
		if class != open && open != "" {
			out.WriteString("</span>")
		}
		out.WriteString(pending)
		pending = t.Value[len(code):]
		if class != open && class != "" {
			out.WriteString(`<span class="` + class + `">`)
		}
		open = class
		out.WriteString(escape(code))
	}
	if open != "" {
		out.WriteString("</span>")
	}
	return out.String() + pending + escape(rest)
}

// codeClasses are the classes that the style sheet colours, by chroma's kinds of token.
var codeClasses = map[chroma.TokenType]string{
	chroma.KeywordType: "ty", chroma.NameClass: "ty", chroma.NameException: "ty", chroma.NameNamespace: "ty",
	chroma.NameTag: "ty", chroma.NameAttribute: "ty",
	chroma.NameFunction: "fn", chroma.NameFunctionMagic: "fn", chroma.NameDecorator: "fn",
	chroma.NameBuiltin: "fn", chroma.NameBuiltinPseudo: "", // self
	chroma.Keyword: "kw", chroma.OperatorWord: "kw",
	chroma.Comment: "co", chroma.GenericHeading: "co", chroma.GenericSubheading: "co",
	chroma.GenericInserted: "gi", chroma.GenericDeleted: "gd",
	chroma.LiteralString: "st", chroma.LiteralNumber: "nu",
}

// codeClass is the class of a kind of token, or of the narrowest kind around it that is listed.
func codeClass(t chroma.TokenType) string {
	for _, kind := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if class, ok := codeClasses[kind]; ok {
			return class
		}
	}
	return ""
}

// fencedCode writes a block in the language of its info string.
func (d *document) fencedCode(n *ast.FencedCodeBlock, entering bool) ast.WalkStatus {
	if entering {
		info := ""
		if n.Info != nil {
			info = string(n.Info.Segment.Value(d.source))
		}
		d.codeBlock(n, languageOf(fenceWord(info)))
	}
	return ast.WalkContinue
}

// indentedCode writes a block without a language.
func (d *document) indentedCode(n *ast.CodeBlock, entering bool) ast.WalkStatus {
	if entering {
		d.codeBlock(n, codeLanguage{})
	}
	return ast.WalkContinue
}

// codeBlock writes a block that scrolls by keyboard, with the language's name for a caption.
func (d *document) codeBlock(n ast.Node, lang codeLanguage) {
	text := string(n.Lines().Value(d.source))
	d.print(`<figure class="code">`)
	if lang.name == "" {
		d.print(`<pre tabindex="0" aria-label="Code"><code>`)
	} else {
		name := escape(lang.name)
		d.printf(`<figcaption><span>%s</span></figcaption><pre tabindex="0" aria-label="%s code"><code>`, name, name)
	}
	// The sum counts blocks that stay plain, too: it is a bound on work, and does not depend on the result.
	if lang.lexer != nil {
		d.codeBytes += len(text)
	}
	if d.highlight && lang.lexer != nil && d.codeBytes <= highlightMaxDocument && highlightable(text) {
		d.print(highlightCode(lang.lexer, text))
	} else {
		d.print(escape(text))
	}
	d.print("</code></pre></figure>\n")
}
