package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

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
