package tex

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

func (s shape) column(i int) string {
	if s.repeat {
		i %= len(s.columns)
	}
	return s.columns[min(i, len(s.columns)-1):][:1]
}

// environment reads what follows \begin.
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
