package tex

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parser reads one source from left to right.
type parser struct {
	src    string
	at     int
	depth  int // of the rows and arguments around this place
	tables int // that enclose this place
	cells  int // of all tables so far
	font   font
}

// class decides the space beside an atom, as in chapter 17 of The TeXbook.
type class int

// The classes of atoms. A blank is none of TeX's.
const (
	ordinary class = iota
	largeOperator
	binary
	relation
	opening
	closing
	punctuation
	blank
)

// atom is an element with how it behaves in a row.
type atom struct {
	element
	class    class
	limits   bool // scripts stand below and above it
	function bool // the name of one
}

// ends are the tokens that end a row of some kind. They are an error in the rows of others.
var ends = []string{"", "}", "&", `\\`, `\right`, `\middle`, `\end`}

// row reads up to one of the tokens that are given, which it leaves.
func (p *parser) row(until ...string) []element {
	if p.depth++; p.depth > maxDepth {
		panic(errSyntax)
	}
	defer func() { p.depth-- }()
	var out []element
	last := blank // class of the atom before; a row begins like one after an opening
	for first := true; ; first = false {
		t := p.peek()
		if slices.Contains(until, t) {
			return out
		}
		if slices.Contains(ends, t) && !(t == `\\` && p.tables == 0) {
			panic(errSyntax)
		}
		// A style holds up to the end of the row, so the rest of the row is its content.
		if style, ok := styles[t]; ok {
			p.next()
			return append(out, element{tag: "mstyle", attr: style, kids: p.row(until...)})
		}
		a := p.scripts(p.atom())
		if a.class == binary && (first || last != ordinary && last != closing) {
			// A sign, not an operation; a browser takes it for one at the beginning of a row only.
			a.attr, a.class = a.attr+` form="prefix"`, ordinary
		}
		if a.function && (last == ordinary || last == closing) && !first {
			out = append(out, thin)
		}
		out = append(out, a.element)
		if a.function {
			out = p.application(out)
		}
		if a.class != blank || first {
			last = a.class
		}
	}
}

// styles are the commands that hold for the rest of a row.
var styles = map[string]string{
	`\displaystyle`: ` displaystyle="true" scriptlevel="0"`,
	`\textstyle`:    ` displaystyle="false" scriptlevel="0"`,
	`\scriptstyle`:  ` displaystyle="false" scriptlevel="1"`,
}

// application adds the invisible operator between a function's name and its argument.
func (p *parser) application(out []element) []element {
	t := p.peek()
	s, known := symbols[t]
	_, gap := spaces[t]
	apply := element{tag: "mo", attr: tight, text: "\u2061"}
	// An operator after a function's name is no argument of it, nor is a closing bracket.
	switch {
	case slices.Contains(ends, t), gap, t == ")", t == "]":
		return out
	case t == "(", t == "[", t == "|", t == `\left`, strings.HasPrefix(t, `\big`), strings.HasPrefix(t, `\Big`), known && s.class == opening:
		return append(out, apply)
	case known && s.class != ordinary, t[0] < 0x80 && !isLetter(t[0]) && !isDigit(t[0]) && t[0] != '{' && t[0] != '\\':
		return out
	}
	return append(out, apply, thin)
}

// atom reads one token with its arguments, without scripts.
func (p *parser) atom() atom {
	at := p.at
	t := p.next()
	if t == "" {
		panic(errSyntax)
	}
	c, _ := utf8.DecodeRuneInString(t)
	switch {
	case t == "{":
		return p.group()
	case t == "^" || t == "_" || t == "'": // scripts of nothing
		p.at = at
		return atom{element: element{tag: "mrow"}}
	case '0' <= c && c <= '9', c == '.' && p.at < len(p.src) && isDigit(p.src[p.at]):
		p.at -= len(t)
		return p.number()
	case t == "~":
		return atom{element: space("0.3333em"), class: blank}
	case c == '\\':
		return p.command(t)
	}
	if s, ok := symbols[t]; ok {
		return s.atom()
	}
	switch {
	case unicode.IsLetter(c):
		return p.letters(c)
	case c > 0x7F && (unicode.IsSymbol(c) || unicode.IsPunct(c)):
		return symbol{text: t, class: relation}.atom()
	}
	panic(errSyntax) // #, %, `, an unknown control character
}

// group reads up to the closing brace. An operator that stands alone between braces is an ordinary sign.
func (p *parser) group() atom {
	font := p.font
	row := p.row("}")
	p.want("}")
	p.font = font
	e := group(row)
	if e.tag == "mo" && !strings.Contains(e.attr, "lspace") {
		e.attr += tight
	}
	return atom{element: e}
}

// argument reads one script or one argument of a command: a group, a command with its arguments, or a single
// character.
func (p *parser) argument() element {
	t := p.peek()
	if t != "" && isDigit(t[0]) {
		p.next()
		return element{tag: "mn", text: p.font.apply(t)}
	}
	if slices.Contains(ends, t) || t == "^" || t == "_" {
		panic(errSyntax)
	}
	if p.depth++; p.depth > maxDepth { // \sqrt\sqrt…
		panic(errSyntax)
	}
	defer func() { p.depth-- }()
	return p.atom().element
}

// number reads digits, and a point between two of them.
func (p *parser) number() atom {
	from, point := p.at, false
	for ; p.at < len(p.src); p.at++ {
		c := p.src[p.at]
		if c == '.' && !point && p.at+1 < len(p.src) && isDigit(p.src[p.at+1]) {
			point = true
		} else if !isDigit(c) {
			break
		}
	}
	return atom{element: element{tag: "mn", text: p.font.apply(p.src[from:p.at])}}
}

// letters makes an identifier of a letter; in an upright or bold font, of the word that it begins.
func (p *parser) letters(c rune) atom {
	// In italics each letter is a variable; in other fonts letters make a word.
	var word strings.Builder
	word.WriteString(string(c))
	if p.font != italic {
		for p.at < len(p.src) && isLetter(p.src[p.at]) && c < 0x80 {
			word.WriteString(p.src[p.at : p.at+1])
			p.at++
		}
	}
	e := element{tag: "mi", text: p.font.apply(word.String())}
	if p.font == upright && utf8.RuneCountInString(word.String()) == 1 {
		e.attr = ` mathvariant="normal"`
	}
	return atom{element: e}
}

// scripts reads the subscript, the superscript and the primes of an atom.
func (p *parser) scripts(a atom) atom {
	var sub, sup *element
	primes := ""
	for {
		switch t := p.peek(); {
		case t == "_" && sub == nil:
			p.next()
			sub = new(p.argument())
		case t == "^" && sup == nil:
			p.next()
			sup = new(p.argument())
		case t == "'" && sup == nil:
			p.next()
			primes += "\u2032"
		case t == "_" || t == "^" || t == "'":
			panic(errSyntax) // one of two would have to go
		case (t == `\limits` || t == `\nolimits`) && a.class == largeOperator:
			p.next()
			a.limits = t == `\limits`
		default:
			return a.withScripts(sub, sup, primes)
		}
	}
}

// withScripts puts scripts at an atom; a prime stands before the superscript.
func (a atom) withScripts(sub, sup *element, primes string) atom {
	if primes != "" {
		e := element{tag: "mo", attr: tight, text: primes}
		if sup != nil {
			e = element{tag: "mrow", kids: []element{e, *sup}}
		}
		sup = &e
	}
	if sub == nil && sup == nil {
		return a
	}
	// Limits stand below and above the base, other scripts beside it.
	name := "msub"
	if a.limits {
		name = "munder"
		if a.function {
			a.element = element{tag: "mo", attr: tight + ` movablelimits="true"`, text: a.text}
		}
	}
	kids := []element{a.element}
	if sub != nil {
		kids = append(kids, *sub)
	}
	if sup != nil {
		kids = append(kids, *sup)
	}
	switch {
	case sub == nil && a.limits:
		name = "mover"
	case sub == nil:
		name = "msup"
	case sup != nil && a.limits:
		name = "munderover"
	case sup != nil:
		name = "msubsup"
	}
	a.element = element{tag: name, kids: kids}
	if a.class == binary || a.class == relation {
		return a
	}
	if a.class != largeOperator && a.class != closing {
		a.class = ordinary
	}
	return a
}

// peek returns the next token: a command with its backslash, or one character. The empty one is the end
// of the source. Blanks between tokens mean nothing.
func (p *parser) peek() string {
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
	rest := p.src[p.at:]
	if rest == "" {
		return ""
	}
	c, n := utf8.DecodeRuneInString(rest)
	// A source that is not UTF-8 has no characters to show.
	if c == utf8.RuneError && n <= 1 {
		panic(errSyntax)
	}
	if c != '\\' {
		return rest[:n]
	}
	for n < len(rest) && isLetter(rest[n]) {
		n++
	}
	if n > 1 {
		return rest[:n]
	}
	_, n = utf8.DecodeRuneInString(rest[1:])
	return rest[:1+n]
}

// next reads the token that peek returns. Markdown takes one of two backslashes before a brace or an underscore,
// for which some write two: where no table's row can end, both mean the one.
func (p *parser) next() string {
	t := p.peek()
	p.at += len(t)
	if t == `\\` && p.tables == 0 && p.at < len(p.src) && strings.IndexByte("{}_%&#$|", p.src[p.at]) >= 0 {
		p.at++
		return `\` + p.src[p.at-1:p.at]
	}
	return t
}

// take reads the next token if it is t.
func (p *parser) take(t string) bool {
	if t == "" || p.peek() != t {
		return false
	}
	p.at += len(t)
	return true
}

// want reads t and accepts nothing else.
func (p *parser) want(t string) {
	if !p.take(t) {
		panic(errSyntax)
	}
}

// braced reads a group as text, blanks and all; braces within it pair.
func (p *parser) braced() string {
	p.want("{")
	from, open := p.at, 1
	for ; p.at < len(p.src); p.at++ {
		switch p.src[p.at] {
		case '\\':
			p.at++
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				p.at++
				return p.src[from : p.at-1]
			}
		}
	}
	panic(errSyntax)
}

// isLetter reports whether c is an ASCII letter, of which command names are made.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isDigit reports whether c is an ASCII digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
