package markdown

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/ast"
)

// highlightOffered names the lexers of the languages that proposals use. Chroma has some three
// hundred, many of which take minutes for a malicious text. These are patched and tested.
const highlightOffered = `bash bash-session c c++ css diff docker gas go graphql haskell html ini
	java javascript json makefile protobuf python rust solidity sql toml typescript xml yaml`

// highlightText has the patterns of chroma that are replaced, and the replacements.
//
//go:embed highlight.txt
var highlightText string

// highlightMends returns the replacements by pattern. A release of chroma may change a pattern. A
// test fails then.
func highlightMends() map[string]string {
	mends, pattern := map[string]string{}, ""
	for line := range strings.Lines(highlightText) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case pattern == "":
			pattern = line
		default:
			mends[pattern], pattern = line, ""
		}
	}
	return mends
}

// offeredLexers returns chroma's lexers with patched rules. They know each other, and no other
// lexer.
var offeredLexers = sync.OnceValue(func() *chroma.LexerRegistry {
	r, mends := chroma.NewLexerRegistry(), highlightMends()
	register := func(config *chroma.Config, rules func() chroma.Rules) {
		r.Register(chroma.MustNewLexer(config, func() chroma.Rules {
			mended := rules().Clone()
			for _, of := range mended {
				for i, rule := range of {
					if mend, ok := mends[rule.Pattern]; ok {
						of[i].Pattern = mend
					}
				}
			}
			hasten(mended)
			mended["root"] = append(mended["root"], chroma.Rule{Mutator: patientMutator{}})
			return mended
		}))
	}
	for name := range strings.FieldsSeq(highlightOffered) {
		lexer := lexers.Get(name).(*chroma.RegexLexer)
		register(lexer.Config(), lexer.MustRules)
	}
	// Chroma's lexer of Markdown would run any other lexer on fenced code.
	config := &chroma.Config{Name: "Markdown", Aliases: []string{"md", "markdown"}}
	register(config, func() chroma.Rules {
		link := chroma.ByGroups(chroma.Text, chroma.NameTag, chroma.Text, chroma.NameAttribute,
			chroma.Text)
		return chroma.Rules{"root": {
			{Pattern: `^#[^\n]*`, Type: chroma.GenericHeading},
			{Pattern: "^```[^\\n]*|`[^`\\n]+`", Type: chroma.LiteralString},
			{Pattern: `^[ \t]*(?:[-*+]|\d{1,9}[.)])(?= )|^>`, Type: chroma.Keyword},
			{Pattern: `(!?\[)([^]\n]+)(\]\()([^)\n]+)(\))`, Type: link},
			{Pattern: "[^#`>\\[!\\n]+|[\\w\\W]", Type: chroma.Text},
		}}
	})
	return r
})

// hasten puts rules first that match most of a text, in the two languages that proposals use most.
// No rule that they pass matches a text with the same beginning.
func hasten(rules chroma.Rules) {
	first := func(signs string) {
		rule := chroma.Rule{Pattern: signs, Type: chroma.Text}
		rules["root"] = slices.Insert(rules["root"], 0, rule)
	}
	switch expr := rules["expr"]; {
	case expr != nil: // Python: rules for strings, then for blanks, numbers, operators and names
		blank := func(r chroma.Rule) bool { return r.Pattern == `[^\S\n]+` }
		i := max(0, slices.IndexFunc(expr, blank))
		rules["expr"] = slices.Concat(expr[i:], expr[:i])
		first(`[-+*/%=<>&^|~()[\]{},:;]+[^\S\n]*`)
	case rules["keywords-types"] != nil: // Solidity
		first(`[\s()[\]{},.;]+`)
	}
}

// patientMutator removes its rule from a lexer and allows a match more time than chroma's 250 ms: a
// busy machine may need that for a microsecond's work, and an interrupted match changes the output.
type patientMutator struct{}

// Mutate implements [chroma.Mutator] and is never called: MutateLexer removes its rule.
func (patientMutator) Mutate(*chroma.LexerState) error { return nil }

// MutateLexer implements [chroma.LexerMutator]: it is called once, with the compiled rules.
func (patientMutator) MutateLexer(rules chroma.CompiledRules, state string, rule int) error {
	rules[state] = slices.Concat(rules[state][:rule], rules[state][rule+1:])
	for _, of := range rules {
		for _, r := range of {
			r.Regexp.MatchTimeout = 10 * time.Second
		}
	}
	return nil
}

// fenceName matches a language's name at the start of a fence's first word: "solidity=",
// "rust,ignore" and "{.python}" are in use.
var fenceName = regexp.MustCompile(`^[{.]*([a-zA-Z][a-zA-Z0-9+#_.-]{0,31})(?:[=,{}:;( ]|$)`)

// namedLanguages maps words of fences without a lexer to a name: empty for plain text, else the
// language's.
var namedLanguages = map[string]string{
	"": "", "text": "", "txt": "", "plain": "", "plaintext": "", "none": "", "nohighlight": "",
	"mermaid": diagramName, "math": "Math", "csv": "CSV", "csl-json": "CSL JSON",
	"pseudocode": "Pseudocode",
}

// languageOf returns the language of a fence's info string: a name for readers, empty for plain
// text, and a lexer or nil. The name of an unknown word is the word.
func languageOf(info string) (name string, lexer chroma.Lexer) {
	if m := fenceName.FindStringSubmatch(info); m != nil {
		name = m[1]
	}
	if named, ok := namedLanguages[strings.ToLower(name)]; ok {
		return named, nil
	}
	found, ok := lexersByWord.Load(name)
	if !ok {
		found, _ = lexersByWord.LoadOrStore(name, offeredLexers().Get(name))
	}
	if lexer, ok = found.(chroma.Lexer); ok {
		name = lexer.Config().Name
	}
	return name, lexer
}

// lexersByWord caches lookups, nil for a word without a lexer: chroma would treat such a word as a
// file name and try all file patterns.
var lexersByWord sync.Map

// Some patterns of lexers still take time quadratic in the length of a line, of a run of blanks or,
// with a small factor, of a block. The bounds below are properties of the text, not of a clock, so
// that the same text always gives the same bytes. All blocks of the EIPs, the SIMDs and the MIPs
// are within them, except seven with longer lines.
const (
	// highlightMaxBlock bounds a block, in bytes.
	highlightMaxBlock = 16 << 10
	// highlightMaxDocument bounds the code in all blocks of a document, in bytes.
	highlightMaxDocument = 32 << 10
	// highlightMaxLine bounds a line, in bytes.
	highlightMaxLine = 1000
	// highlightMaxBlank bounds a run of blanks and line ends, in bytes. Real code has shorter ones.
	highlightMaxBlank = 99
	// highlightMaxErrors bounds the tokens that the language does not know.
	highlightMaxErrors = 100
	// highlightMaxEmpty bounds consecutive tokens without text.
	highlightMaxEmpty = 100
)

// highlightable reports whether the text may be given to a lexer.
func highlightable(text string) bool {
	line, blank := 0, 0 // bytes of the line and of the white space before the next byte
	for i := range len(text) {
		if line++; line > highlightMaxLine {
			return false
		}
		switch text[i] {
		case '\n':
			line = 0
		case ' ', '\t', '\f', '\r':
		default:
			blank = -1
		}
		if blank++; blank > highlightMaxBlank {
			return false
		}
	}
	return len(text) <= highlightMaxBlock
}

// highlightCode returns text as HTML with a span around each run of tokens of one class. Lexers are
// large external tables of patterns: whatever one of them does wrong, the text is complete.
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
	open := ""    // class of the open span
	pending := "" // blanks before the next code, in a span only between two of its class
	unknown, empty := 0, 0
	for t := next(); t != chroma.EOF; t = next() {
		if t.Type == chroma.Error {
			unknown++
		}
		if empty++; t.Value != "" {
			empty = 0
		}
		// A lexer that does not understand the text is useless to the reader: the block stays
		// plain.
		if unknown > highlightMaxErrors || empty > highlightMaxEmpty ||
			!strings.HasPrefix(rest, t.Value) {
			return escape(text)
		}
		rest = rest[len(t.Value):]
		if strings.TrimLeft(t.Value, " \t\n") == "" {
			pending += t.Value
			continue
		}
		// comments and inserted lines contain their line end
		code := strings.TrimRight(t.Value, "\n")
		class := codeClass(t.Type)
		// Consecutive tokens of one class share a span, which keeps the HTML small.
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

// codeClasses maps chroma's token types to the classes that the style sheet colors.
var codeClasses = map[chroma.TokenType]string{
	chroma.KeywordType: "ty", chroma.NameClass: "ty", chroma.NameException: "ty",
	chroma.NameNamespace: "ty",
	chroma.NameTag:       "ty", chroma.NameAttribute: "ty",
	chroma.NameFunction: "fn", chroma.NameFunctionMagic: "fn", chroma.NameDecorator: "fn",
	chroma.NameBuiltin: "fn", chroma.NameBuiltinPseudo: "", // self
	chroma.Keyword: "kw", chroma.OperatorWord: "kw",
	chroma.Comment: "co", chroma.GenericHeading: "co", chroma.GenericSubheading: "co",
	chroma.GenericInserted: "gi", chroma.GenericDeleted: "gd",
	chroma.LiteralString: "st", chroma.LiteralNumber: "nu",
}

// codeClass returns the class of a token type, or of its nearest listed category.
func codeClass(t chroma.TokenType) string {
	for _, kind := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if class, ok := codeClasses[kind]; ok {
			return class
		}
	}
	return ""
}

// diagramName is the caption of a diagram's source.
const diagramName = "Diagram"

// codeBlock writes a block that scrolls by keyboard, with the name of its language, if any, as the
// caption.
func (d *document) codeBlock(n ast.Node, info string) {
	text := string(n.Lines().Value(d.source))
	name, lexer := languageOf(info)
	caption := name
	if name == diagramName {
		drawn := false
		if caption, drawn = d.beginDiagram(n, text); drawn {
			defer d.endDiagram()
		}
	}
	d.print(`<figure class="code">`)
	if name = escape(name); name == "" {
		d.print(`<pre tabindex="0" aria-label="Code"><code>`)
	} else {
		d.printf(
			`<figcaption><span>%s</span></figcaption><pre tabindex="0" aria-label="%s code"><code>`,
			escape(caption), name)
	}
	// The sum includes blocks that stay plain: it bounds work, and does not depend on the result.
	if lexer != nil {
		d.codeBytes += len(text)
	}
	if d.highlight && lexer != nil && d.codeBytes <= highlightMaxDocument && highlightable(text) {
		d.print(highlightCode(lexer, text))
	} else {
		d.print(escape(text))
	}
	d.print("</code></pre></figure>\n")
}
