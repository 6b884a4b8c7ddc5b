package tex

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parser reads one source from left to right, by this grammar. Its methods have the names of the rules, and panic with
// errSyntax where none fits.
//
//	row         = { style row | atom scripts [ limits ] } .
//	scripts     = { "_" argument | "^" argument | "'" } .
//	atom        = group | number | letters | symbol | command .
//	group       = "{" row "}" .
//	argument    = digit | atom .
//	command     = function | font argument | text braced | accent argument | size delimiter | fraction | root | … .
//	fraction    = "\frac" argument argument .
//	root        = "\sqrt" [ "[" row "]" ] argument .
//	fenced      = "\left" delimiter row { "\middle" delimiter row } "\right" delimiter .
//	environment = "\begin" braced rows "\end" braced .
//	rows        = row { "&" row | "\\" row } .
type parser struct {
	src  string
	at   int
	font font
	// depth counts the rows and arguments around this place, tables the tables around it, cells those of all tables so
	// far. The first and the last are bounded.
	depth, tables, cells int
}

// atom is an element with how it behaves in a row.
type atom struct {
	element
	class    class
	limits   bool // scripts stand below and above it
	function bool // the name of one
}

// ends are the tokens that end a row of some kind. They are an error in the rows of others.
var ends = []string{"", "}", "&", `\\`, `\right`, `\middle`, `\end`}

// styles are the commands that hold for the rest of a row.
var styles = map[string]string{
	`\displaystyle`: ` displaystyle="true" scriptlevel="0"`,
	`\textstyle`:    ` displaystyle="false" scriptlevel="0"`,
	`\scriptstyle`:  ` displaystyle="false" scriptlevel="1"`,
}

// deeper counts one more row or argument around this place, which the caller takes back at its end.
func (p *parser) deeper() {
	if p.depth++; p.depth > maxDepth { // \sqrt\sqrt…
		panic(errSyntax)
	}
}

// row reads up to one of the tokens that are given, which it leaves.
func (p *parser) row(until ...string) []element {
	p.deeper()
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
		operand := last == ordinary || last == closing // stands before it
		if a.class == binary && (first || !operand) {
			// A sign, not an operation; a browser takes it for one at the beginning of a row only.
			a.attr, a.class = a.attr+` form="prefix"`, ordinary
		}
		// TeX sets a thin space before the name of a function, as between a factor and the next one.
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

// application is the invisible operator between a function's name and its argument.
func (p *parser) application() []element {
	t := p.peek()
	// Brackets need no space before them, other arguments do.
	s, known := symbols[t]
	kind := commands[t].kind
	apply := element{tag: "mo", attr: tight, text: "\u2061"}
	// An operator after a function's name is no argument of it, nor is a closing bracket.
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

// atom reads one token with its arguments, without scripts.
func (p *parser) atom() atom {
	at := p.at
	t := p.next()
	c, _ := utf8.DecodeRuneInString(t)
	switch {
	case t == "{":
		return p.group()
	case t == "^" || t == "_" || t == "'": // scripts of nothing
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
	// The end of the source, #, %, ` and control characters stand for nothing.
	panic(errSyntax)
}

// number is digits, and a point between two of them.
var number = regexp.MustCompile(`^[0-9]*(?:\.[0-9]+)?`)

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
	p.deeper()
	defer func() { p.depth-- }()
	return p.atom().element
}

// letters makes an identifier of a letter. In italics each letter is a variable; in other fonts letters make a word.
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

// scripts reads the subscript, the superscript and the primes of an atom.
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
			panic(errSyntax) // one of two would have to go
		case (t == `\limits` || t == `\nolimits`) && a.class == largeOperator:
			p.next()
			a.limits = t == `\limits`
		default:
			return a.withScripts(sub, sup, strings.Repeat("\u2032", primes))
		}
	}
}

// withScripts puts scripts at an atom, limits below and above it and others beside it. A prime stands before the
// superscript.
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

// token is a command with its backslash, or one character.
var token = regexp.MustCompile(`(?s)^(?:\\[a-zA-Z]+|\\?.)`)

// peek returns the next token. The empty one is the end of the source. Blanks between tokens mean nothing.
func (p *parser) peek() string {
	p.at = len(p.src) - len(strings.TrimLeft(p.src[p.at:], " \t\r\n"))
	return token.FindString(p.src[p.at:min(len(p.src), p.at+maxToken)])
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
	if p.peek() != t {
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

// isLetter reports whether c is an ASCII letter, of which command names and words are made.
func isLetter(c rune) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isDigit reports whether c is an ASCII digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
