package tex

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parser parses one source from left to right by this grammar. Its methods have the names of the
// rules, and panic with errSyntax if no rule applies.
//
//	row         = { style row | atom scripts [ limits ] } .
//	scripts     = { "_" argument | "^" argument | "'" } .
//	atom        = group | number | letters | symbol | command .
//	group       = "{" row "}" .
//	argument    = digit | atom .
//	command     = function | font argument | text braced | accent argument |
//	              size delimiter | fraction | root | … .
//	fraction    = "\frac" argument argument .
//	root        = "\sqrt" [ "[" row "]" ] argument .
//	fenced      = "\left" delimiter row { "\middle" delimiter row } "\right" delimiter .
//	environment = "\begin" braced rows "\end" braced .
//	rows        = row { "&" row | "\\" row } .
type parser struct {
	src  string
	at   int
	font font
	// depth counts the enclosing rows and arguments, tables the enclosing tables, cells the cells
	// of all tables so far. depth and cells are bounded.
	depth, tables, cells int
}

// atom is an element with its behavior in a row.
type atom struct {
	element
	class    class
	limits   bool // scripts go below and above it
	function bool // it is the name of a function
}

// ends are the tokens that end a row of some kind. In rows of another kind they are an error.
var ends = []string{"", "}", "&", `\\`, `\right`, `\middle`, `\end`}

// styles are the commands that apply to the rest of a row.
var styles = map[string]string{
	`\displaystyle`: ` displaystyle="true" scriptlevel="0"`,
	`\textstyle`:    ` displaystyle="false" scriptlevel="0"`,
	`\scriptstyle`:  ` displaystyle="false" scriptlevel="1"`,
}

// deeper counts one more enclosing row or argument, which the caller subtracts at its end.
func (p *parser) deeper() {
	if p.depth++; p.depth > maxDepth { // \sqrt\sqrt…
		panic(errSyntax)
	}
}

// row parses up to one of the given tokens, which it does not consume.
func (p *parser) row(until ...string) []element {
	p.deeper()
	defer func() { p.depth-- }()
	var out []element
	last := blank // class of the atom before; a row begins as after an opening
	for first := true; ; first = false {
		t := p.peek()
		if slices.Contains(until, t) {
			return out
		}
		if slices.Contains(ends, t) && !(t == `\\` && p.tables == 0) {
			panic(errSyntax)
		}
		// A style applies up to the end of the row, so the rest of the row is its content.
		if style, ok := styles[t]; ok {
			p.next()
			return append(out, element{tag: "mstyle", attr: style, kids: p.row(until...)})
		}
		a := p.scripts(p.atom())
		operand := last == ordinary || last == closing // precedes it
		if a.class == binary && (first || !operand) {
			// This is a sign, not an operation; browsers recognize it only at the beginning of a
			// row.
			a.attr, a.class = a.attr+` form="prefix"`, ordinary
		}
		// TeX sets a thin space before the name of a function, as between factors.
		if a.function && operand && !first {
			out = append(out, thin)
		}
		out = append(out, a.element)
		if a.function {
			out = append(out, p.application()...)
		}
		if a.class != blank || first {
			last = a.class
		}
	}
}

// application returns the invisible operator between a function's name and its argument.
func (p *parser) application() []element {
	t := p.peek()
	// Brackets need no space before them, other arguments do.
	s, known := symbols[t]
	kind := commands[t].kind
	apply := element{tag: "mo", attr: tight, text: "\u2061"}
	// An operator or a closing bracket after a function's name is not its argument.
	switch {
	case slices.Contains(ends, t), kind == "space", s.class == closing:
		return nil
	case t == "|", t == `\left`, kind == "size", s.class == opening:
		return []element{apply}
	case known && s.class != ordinary:
		return nil
	case t[0] >= 0x80, isLetter(rune(t[0])), isDigit(t[0]), t[0] == '{', t[0] == '\\':
		return []element{apply, thin}
	}
	return nil
}

// atom parses one token with its arguments, without scripts.
func (p *parser) atom() atom {
	at := p.at
	t := p.next()
	c, _ := utf8.DecodeRuneInString(t)
	switch {
	case t == "{":
		return p.group()
	case t == "^" || t == "_" || t == "'": // scripts of an empty atom
		p.at = at
		return atom{element: element{tag: "mrow"}}
	case t != "" && isDigit(t[0]), t == "." && p.at < len(p.src) && isDigit(p.src[p.at]):
		p.at -= len(t)
		digits := number.FindString(p.src[p.at:])
		p.at += len(digits)
		return atom{element: element{tag: "mn", text: p.font.apply(digits)}}
	case c == '\\', t == "~":
		return p.command(t)
	case unicode.IsLetter(c):
		return p.letters(t)
	}
	if s, ok := symbols[t]; ok {
		return s.atom()
	}
	if c > 0x7F && (unicode.IsSymbol(c) || unicode.IsPunct(c)) {
		return symbol{text: t, class: relation}.atom()
	}
	// The end of the source, #, %, ` and control characters are no atoms.
	panic(errSyntax)
}

// number matches digits, and a point between two of them.
var number = regexp.MustCompile(`^[0-9]*(?:\.[0-9]+)?`)

// group parses up to the closing brace. An operator alone between braces is an ordinary sign.
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

// argument parses one script or one argument of a command: a group, a command with its arguments,
// or a single character.
func (p *parser) argument() element {
	t := p.peek()
	if t != "" && isDigit(t[0]) {
		p.next()
		return element{tag: "mn", text: p.font.apply(t)}
	}
	if slices.Contains(ends, t) || t == "^" || t == "_" {
		panic(errSyntax)
	}
	p.deeper()
	defer func() { p.depth-- }()
	return p.atom().element
}

// letters returns an identifier of letters. In italics each letter is a variable; in other fonts
// consecutive letters are a word.
func (p *parser) letters(word string) atom {
	if p.font != italic && word[0] < 0x80 {
		rest := p.src[p.at:]
		more := len(rest) - len(strings.TrimLeftFunc(rest, isLetter))
		p.at += more
		word += rest[:more]
	}
	e := element{tag: "mi", text: p.font.apply(word)}
	if p.font == upright && utf8.RuneCountInString(word) == 1 {
		e.attr = ` mathvariant="normal"`
	}
	return atom{element: e}
}

// scripts parses the subscript, the superscript and the primes of an atom.
func (p *parser) scripts(a atom) atom {
	var sub, sup *element
	primes := 0
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
			primes++
		case t == "_" || t == "^" || t == "'":
			panic(errSyntax) // a second one of a kind
		case (t == `\limits` || t == `\nolimits`) && a.class == largeOperator:
			p.next()
			a.limits = t == `\limits`
		default:
			return a.withScripts(sub, sup, strings.Repeat("\u2032", primes))
		}
	}
}

// withScripts adds scripts to an atom: limits below and above it, others next to it. Primes precede
// the superscript.
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
	below, above := "sub", "sup"
	if a.limits {
		below, above = "under", "over"
	}
	if a.limits && a.function {
		a.element = element{tag: "mo", attr: tight + ` movablelimits="true"`, text: a.text}
	}
	// The names are msub, msup, msubsup, munder, mover and munderover.
	out := element{tag: "m", kids: []element{a.element}}
	if sub != nil {
		out.tag, out.kids = out.tag+below, append(out.kids, *sub)
	}
	if sup != nil {
		out.tag, out.kids = out.tag+above, append(out.kids, *sup)
	}
	a.element = out
	if !slices.Contains([]class{binary, relation, largeOperator, closing}, a.class) {
		a.class = ordinary
	}
	return a
}

// token matches a command with its backslash, or one character.
var token = regexp.MustCompile(`(?s)^(?:\\[a-zA-Z]+|\\?.)`)

// peek returns the next token. It is empty at the end of the source. Blanks between tokens are
// ignored.
func (p *parser) peek() string {
	p.at = len(p.src) - len(strings.TrimLeft(p.src[p.at:], " \t\r\n"))
	return token.FindString(p.src[p.at:min(len(p.src), p.at+maxToken)])
}

// next consumes and returns the token that peek returns. Markdown removes one of two backslashes
// before a brace or an underscore, so some authors write two: where no table row can end, two mean
// the same as one.
func (p *parser) next() string {
	t := p.peek()
	p.at += len(t)
	if t == `\\` && p.tables == 0 && p.at < len(p.src) &&
		strings.IndexByte("{}_%&#$|", p.src[p.at]) >= 0 {
		p.at++
		return `\` + p.src[p.at-1:p.at]
	}
	return t
}

// take consumes the next token if it is t.
func (p *parser) take(t string) bool {
	if p.peek() != t {
		return false
	}
	p.at += len(t)
	return true
}

// want consumes t and accepts nothing else.
func (p *parser) want(t string) {
	if !p.take(t) {
		panic(errSyntax)
	}
}

// braced parses a group as text, including blanks; braces within it must be balanced.
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

// isLetter reports whether c is an ASCII letter; command names and words consist of these.
func isLetter(c rune) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isDigit reports whether c is an ASCII digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
