package tex

import (
	"regexp"
	"strings"
)

// command parses the arguments of a command whose name has been read.
func (p *parser) command(name string) atom {
	if s, ok := symbols[name]; ok {
		a := s.atom()
		if a.tag == "mi" {
			a.text = p.font.apply(a.text)
		}
		return a
	}
	// Commands in tokens.txt are parsed alike by kind.
	switch c := commands[name]; c.kind {
	case "space":
		return atom{element: space(c.value), class: blank}
	case "font":
		before := p.font
		p.font = font(c.value)
		e := p.argument()
		p.font = before
		return atom{element: e}
	case "text":
		return p.text(font(c.value))
	case "function", "function with limits":
		return function(strings.ReplaceAll(c.value, "_", " "), c.kind != "function")
	case "mark", "accent", "accent below":
		return p.accent(c)
	case "size":
		// A final l, r or m determines the class.
		side := map[byte]class{'l': opening, 'r': closing, 'm': relation}[name[len(name)-1]]
		return p.delimiter(` minsize="`+c.value+`" maxsize="`+c.value+`"`, side)
	}
	// The other commands have their own syntax.
	switch name {
	case `\frac`, `\dfrac`, `\tfrac`, `\cfrac`, `\binom`:
		return p.fraction(name)
	case `\sqrt`:
		return p.root()
	case `\left`:
		return p.fenced()
	case `\begin`:
		return p.environment()
	case `\operatorname`:
		limits := p.take("*")
		word := strings.ReplaceAll(p.braced(), `\,`, " ")
		if !operatorName.MatchString(word) {
			panic(errSyntax)
		}
		return function(word, limits)
	case `\mod`, `\bmod`:
		mod := element{tag: "mo", attr: ` lspace="0.2222em" rspace="0.2222em"`, text: "mod"}
		return atom{element: mod, class: binary}
	case `\pmod`:
		fence := func(text string) element { return element{tag: "mo", attr: fixed, text: text} }
		// TeX sets the modulus in brackets after a wide space.
		before, word := space("0.4444em"), element{tag: "mi", text: "mod"}
		return atom{element: group([]element{before, fence("("), word, space("0.3333em"),
			p.argument(), fence(")")})}
	case `\not`:
		s, ok := symbols[p.next()]
		if !ok || s.class != relation {
			panic(errSyntax)
		}
		s.text += "\u0338" // a stroke through the preceding character
		return s.atom()
	case `\overset`, `\stackrel`:
		over := p.argument()
		e := element{tag: "mover", kids: []element{p.argument(), over}}
		return atom{element: e, class: relation}
	case `\underset`:
		under := p.argument()
		e := element{tag: "munder", kids: []element{p.argument(), under}}
		return atom{element: e, class: relation}
	}
	panic(errSyntax)
}

// operatorName matches a name that an author may give to a function.
var operatorName = regexp.MustCompile(`^[a-zA-Z0-9 -]+$`)

// function returns the atom of a name in upright letters.
func function(name string, limits bool) atom {
	e := element{tag: "mi", text: name}
	return atom{element: e, class: largeOperator, function: true, limits: limits}
}

// textEscape matches an escaped character within \text. No other escapes are allowed there.
var textEscape = regexp.MustCompile(`\\([_%&#$|{} ])`)

// text parses an argument that is text.
func (p *parser) text(f font) atom {
	p.peek() // skips blanks
	source := p.braced()
	if strings.ContainsAny(textEscape.ReplaceAllString(source, ""), `\${}%#&`) {
		panic(errSyntax)
	}
	// Browsers show blanks at the ends of an element only if they are no-break spaces.
	words := textEscape.ReplaceAllString(source, "$1")
	words = strings.NewReplacer("\n", " ", "\t", " ", "~", " ").Replace(words)
	if strings.HasPrefix(words, " ") {
		words = "\u00a0" + words[1:]
	}
	if strings.HasSuffix(words, " ") {
		words = words[:len(words)-1] + "\u00a0"
	}
	return atom{element: element{tag: "mtext", text: f.apply(words)}}
}

// accent parses an argument and puts a mark above or below it. An ordinary mark does not grow with
// the argument, an accent does. Scripts of a brace go to its far side.
func (p *parser) accent(c command) atom {
	mark := element{tag: "mo", text: c.value}
	if c.kind == "mark" {
		mark.attr = fixed
	}
	e := element{tag: "mover", attr: ` accent="true"`, kids: []element{p.argument(), mark}}
	if c.kind == "accent below" {
		e.tag, e.attr = "munder", ` accentunder="true"`
	}
	if c.value == "⏞" || c.value == "⏟" {
		e.attr = ""
		return atom{element: e, limits: true, class: largeOperator}
	}
	return atom{element: e}
}

// fraction parses two arguments and puts one above the other. The variants set them in display
// style or in text style. A binomial coefficient is a fraction without a line, in brackets.
func (p *parser) fraction(name string) atom {
	e := element{tag: "mfrac", kids: []element{p.argument(), p.argument()}}
	switch name {
	case `\dfrac`, `\cfrac`:
		e = element{tag: "mstyle", attr: styles[`\displaystyle`], kids: []element{e}}
	case `\tfrac`:
		e = element{tag: "mstyle", attr: styles[`\textstyle`], kids: []element{e}}
	case `\binom`:
		e.attr = ` linethickness="0"`
		e = group([]element{{tag: "mo", text: "("}, e, {tag: "mo", text: ")"}})
	}
	return atom{element: e}
}

// root parses a radicand, and before it the index in brackets, which follows the radicand in
// MathML.
func (p *parser) root() atom {
	if !p.take("[") {
		return atom{element: element{tag: "msqrt", kids: []element{p.argument()}}}
	}
	index := group(p.row("]"))
	p.want("]")
	return atom{element: element{tag: "mroot", kids: []element{p.argument(), index}}}
}

// fenced parses \left … \middle … \right. The delimiters are as high as the row between them, as
// stretchy operators are in MathML.
func (p *parser) fenced() atom {
	row := p.stretched(nil, "prefix")
	for {
		row = append(row, p.row(`\right`, `\middle`)...)
		if p.next() == `\right` {
			return atom{element: element{tag: "mrow", kids: p.stretched(row, "postfix")}}
		}
		row = p.stretched(row, "infix")
	}
}

// stretched parses and adds a delimiter as high as the enclosed row; a dot is no delimiter.
func (p *parser) stretched(row []element, form string) []element {
	if p.take(".") {
		return row
	}
	return append(row, p.delimiter(stretchy(form), ordinary).element)
}

// stretchy returns the attributes of a delimiter that grows with its row.
func stretchy(form string) string { return ` stretchy="true" fence="true" form="` + form + `"` }

// delimiter parses a delimiter and replaces its attributes. A delimiter is a token that may follow
// \left: a bracket, or a bar, which is neither opening nor closing.
func (p *parser) delimiter(attr string, c class) atom {
	s := symbols[p.next()]
	if !s.delimits {
		panic(errSyntax)
	}
	return atom{element: element{tag: "mo", attr: attr + tight, text: s.text}, class: c}
}

// arrayColumns matches the argument of an array: the alignment of each column.
var arrayColumns = regexp.MustCompile(`^[lcr]+$`)

// environment parses the name of a table after \begin, and the table. Its delimiters grow with it.
func (p *parser) environment() atom {
	name := p.braced()
	before, rest, ok := strings.Cut(tables["environment"][name], ",")
	columns, after, _ := strings.Cut(rest, ",")
	if name == "array" {
		columns = p.braced()
		ok = arrayColumns.MatchString(columns)
	}
	if !ok {
		panic(errSyntax)
	}
	// A double backslash ends a row only within a table: see next.
	p.tables++
	table := element{tag: "mtable", kids: p.rows(columns)}
	p.tables--
	if strings.HasSuffix(columns, "*") || name == "gathered" {
		table.attr = ` displaystyle="true"`
	}
	p.want(`\end`)
	if p.braced() != name {
		panic(errSyntax)
	}
	if before == "" {
		return atom{element: table}
	}
	// Cases have no closing delimiter.
	row := []element{{tag: "mo", attr: stretchy("prefix"), text: before}, table}
	if after != "" {
		row = append(row, element{tag: "mo", attr: stretchy("postfix"), text: after})
	}
	return atom{element: element{tag: "mrow", kids: row}}
}

// rows parses up to \end, which it does not consume. A row end directly before it begins no row.
// columns is the alignment of each column; the last one applies to all that follow, or, with a
// star, the pattern repeats.
func (p *parser) rows(columns string) []element {
	columns, repeat := strings.CutSuffix(columns, "*")
	out := []element{{tag: "mtr"}}
	for {
		if p.cells++; p.cells > maxCells {
			panic(errSyntax)
		}
		row := &out[len(out)-1]
		i := len(row.kids)
		if repeat {
			i %= len(columns)
		}
		cell := element{tag: "mtd", kids: p.row("&", `\\`, `\end`)}
		if side := columns[min(i, len(columns)-1)]; side != 'c' {
			// browsers have dropped the attribute for it
			cell.attr = ` class="` + string(side) + `"`
		}
		row.kids = append(row.kids, cell)
		switch {
		case p.take("&"):
		case p.take(`\\`) && p.peek() != `\end`:
			out = append(out, element{tag: "mtr"})
		default:
			return out
		}
	}
}
