package tex

import (
	"strings"
)

// command reads the arguments of a command, whose name has been read.
func (p *parser) command(name string) atom {
	// Tables first: most commands are one character or one word.
	if s, ok := symbols[name]; ok {
		a := s.atom()
		if a.tag == "mi" {
			a.text = p.font.apply(a.text)
		}
		return a
	}
	if width, ok := spaces[name]; ok {
		return atom{element: space(width), class: blank}
	}
	if f, ok := fonts[name]; ok {
		return p.inFont(f)
	}
	if f, ok := textFonts[name]; ok {
		return p.text(f)
	}
	if limits, ok := functions[name]; ok {
		words := strings.NewReplacer("limsup", "lim sup", "liminf", "lim inf").Replace(name[1:])
		return atom{element: element{tag: "mi", text: words}, class: largeOperator, function: true, limits: limits}
	}
	if s, ok := accents[name]; ok {
		return p.accent(s)
	}
	base := strings.TrimRight(name, "lrm")
	if size, ok := sizes[base]; ok && len(name) <= len(base)+1 {
		return p.delimiter(` minsize="`+size+`" maxsize="`+size+`"`, sizeClasses[name[len(name)-1]])
	}
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
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -") != "" || word == "" {
			panic(errSyntax)
		}
		return atom{element: element{tag: "mi", text: word}, class: largeOperator, function: true, limits: limits}
	case `\mod`, `\bmod`:
		return atom{element: element{tag: "mo", attr: ` lspace="0.2222em" rspace="0.2222em"`, text: "mod"}, class: binary}
	case `\pmod`:
		word := element{tag: "mi", text: "mod"}
		return atom{element: element{tag: "mrow", kids: []element{space("0.4444em"), fence("("), word, space("0.3333em"), p.argument(), fence(")")}}}
	case `\not`:
		s, ok := symbols[p.next()]
		if !ok || s.class != relation {
			panic(errSyntax)
		}
		s.text += "\u0338" // a stroke through the character before it
		return s.atom()
	case `\overset`, `\stackrel`:
		over := p.argument()
		return atom{element: element{tag: "mover", kids: []element{p.argument(), over}}, class: relation}
	case `\underset`:
		under := p.argument()
		return atom{element: element{tag: "munder", kids: []element{p.argument(), under}}, class: relation}
	}
	panic(errSyntax)
}

// inFont reads an argument in another font.
func (p *parser) inFont(f font) atom {
	before := p.font
	p.font = f
	e := p.argument()
	p.font = before
	return atom{element: e}
}

// text reads an argument that is words. A browser folds blanks at its ends.
func (p *parser) text(f font) atom {
	p.peek() // skips blanks
	source := p.braced()
	var b strings.Builder
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\' && i+1 < len(source) && strings.IndexByte(`_%&#$|{} `, source[i+1]) >= 0:
			i++
			b.WriteByte(source[i])
		case strings.IndexByte(`\${}%#&`, c) >= 0:
			panic(errSyntax)
		case c == '\n', c == '\t', c == '~':
			b.WriteByte(' ')
		default:
			b.WriteByte(c)
		}
	}
	words := b.String()
	if strings.HasPrefix(words, " ") {
		words = "\u00a0" + words[1:]
	}
	if strings.HasSuffix(words, " ") {
		words = words[:len(words)-1] + "\u00a0"
	}
	return atom{element: element{tag: "mtext", text: f.apply(words)}}
}

// accent reads an argument and puts a mark above or below it. Braces take scripts at their far side.
func (p *parser) accent(s symbol) atom {
	base := p.argument()
	tag, attr := "mover", ` accent="true"`
	mark := element{tag: "mo", text: s.text}
	if s.class == relation { // a single mark, which does not grow
		mark.attr = ` stretchy="false"`
	}
	if s.class == punctuation {
		tag, attr = "munder", ` accentunder="true"`
	}
	brace := s.text == "⏞" || s.text == "⏟"
	a := atom{element: element{tag: tag, attr: attr, kids: []element{base, mark}}, limits: brace}
	if brace {
		a.attr, a.class = "", largeOperator
	}
	return a
}

// fraction reads two arguments, one above the other.
func (p *parser) fraction(name string) atom {
	e := element{tag: "mfrac", kids: []element{p.argument(), p.argument()}}
	switch name {
	case `\dfrac`, `\cfrac`:
		e = element{tag: "mstyle", attr: styles[`\displaystyle`], kids: []element{e}}
	case `\tfrac`:
		e = element{tag: "mstyle", attr: styles[`\textstyle`], kids: []element{e}}
	case `\binom`:
		e.attr = ` linethickness="0"`
		e = element{tag: "mrow", kids: []element{{tag: "mo", text: "("}, e, {tag: "mo", text: ")"}}}
	}
	return atom{element: e}
}

// root reads a radicand, and the index in brackets before it.
func (p *parser) root() atom {
	if !p.take("[") {
		return atom{element: element{tag: "msqrt", kids: []element{p.argument()}}}
	}
	index := group(p.row("]"))
	p.want("]")
	return atom{element: element{tag: "mroot", kids: []element{p.argument(), index}}}
}

// fenced reads \left … \middle … \right.
func (p *parser) fenced() atom {
	// The delimiters are as high as the row between them, which MathML's stretchy operators do.
	row := p.stretched(nil, "prefix")
	for {
		row = append(row, p.row(`\right`, `\middle`)...)
		if p.next() == `\right` {
			row = p.stretched(row, "postfix")
			break
		}
		row = p.stretched(row, "infix")
	}
	return atom{element: element{tag: "mrow", kids: row}}
}

// stretched reads and adds a delimiter as high as the enclosed row; a dot is none.
func (p *parser) stretched(row []element, form string) []element {
	if p.take(".") {
		return row
	}
	return append(row, p.delimiter(` stretchy="true" fence="true" form="`+form+`"`, ordinary).element)
}

// delimiter reads one and gives it attributes instead of its own.
func (p *parser) delimiter(attr string, c class) atom {
	t := p.next()
	s, ok := symbols[t]
	if !ok || !s.delimits {
		panic(errSyntax)
	}
	return atom{element: element{tag: "mo", attr: attr + tight, text: s.text}, class: c}
}

// fence is a bracket that does not grow with its content.
func fence(text string) element {
	return element{tag: "mo", attr: ` stretchy="false"`, text: text}
}

// shape is how an environment looks.
type shape struct {
	before, after string // its delimiters
	columns       string // alignment of each, of the last one for all that follow: l, c or r
	repeat        bool   // the columns again and again
}

// shapes are the environments that are tables.
var shapes = map[string]shape{
	"matrix": {columns: "c"}, "smallmatrix": {columns: "c"},
	"pmatrix": {before: "(", after: ")", columns: "c"},
	"bmatrix": {before: "[", after: "]", columns: "c"},
	"Bmatrix": {before: "{", after: "}", columns: "c"},
	"vmatrix": {before: "|", after: "|", columns: "c"},
	"Vmatrix": {before: "‖", after: "‖", columns: "c"},
	"cases":   {before: "{", columns: "l"},
	"aligned": {columns: "rl", repeat: true}, "align": {columns: "rl", repeat: true}, "align*": {columns: "rl", repeat: true},
	"split":    {columns: "rl", repeat: true},
	"gathered": {columns: "c"}, "gather*": {columns: "c"}, "gather": {columns: "c"},
	"array": {},
}

// column is the alignment of the i-th column: l, c or r.
func (s shape) column(i int) string {
	if s.repeat {
		i %= len(s.columns)
	}
	return s.columns[min(i, len(s.columns)-1):][:1]
}

// environment reads the name of a table after \begin, and the table.
func (p *parser) environment() atom {
	name := p.braced()
	s, ok := shapes[name]
	if name == "array" {
		s.columns = p.braced()
		for _, c := range s.columns {
			ok = ok && (c == 'l' || c == 'c' || c == 'r')
		}
		ok = ok && s.columns != ""
	}
	if !ok {
		panic(errSyntax)
	}
	// A double backslash ends a row only within a table: see next.
	p.tables++
	table := element{tag: "mtable", kids: p.rows(s)}
	if s.repeat || name == "gathered" {
		table.attr = ` displaystyle="true"`
	}
	p.tables--
	p.want(`\end`)
	if p.braced() != name {
		panic(errSyntax)
	}
	if s.before == "" && s.after == "" {
		return atom{element: table}
	}
	// Delimiters of matrices and cases grow with the table.
	row := []element{{tag: "mo", attr: ` stretchy="true" fence="true" form="prefix"`, text: s.before}, table}
	if s.after != "" {
		row = append(row, element{tag: "mo", attr: ` stretchy="true" fence="true" form="postfix"`, text: s.after})
	}
	return atom{element: element{tag: "mrow", kids: row}}
}

// rows reads up to \end, which it leaves. A row's end before it begins no row.
func (p *parser) rows(s shape) []element {
	var out []element
	row := element{tag: "mtr"}
	for {
		if p.cells++; p.cells > maxCells {
			panic(errSyntax)
		}
		cell := element{tag: "mtd", kids: p.row("&", `\\`, `\end`)}
		if side := s.column(len(row.kids)); side != "c" {
			cell.attr = ` class="` + side + `"` // browsers know no attribute for it any more
		}
		row.kids = append(row.kids, cell)
		switch p.peek() {
		case "&":
			p.next()
		case `\\`:
			p.next()
			out = append(out, row)
			if p.peek() == `\end` {
				return out
			}
			row = element{tag: "mtr"}
		default:
			return append(out, row)
		}
	}
}
