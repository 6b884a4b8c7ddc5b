package render

import (
	"strconv"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/graph"
	"github.com/mipwatch/mipwatch/render/plain"
)

// Measures of a drawing in CSS pixels. Text is in the page's monospaced face, of which a letter is about
// three fifths of its size wide.
const (
	nodeHeight = 24
	nodePad    = 9 // beside the text
	nodeText   = 12
	nodeGap    = 6  // between two nodes, one over the other
	wireHeight = 4  // of a line that passes between nodes
	columnGap  = 56 // where lines run
	margin     = 3  // room for the ring of a focused node
)

// drawing collects an SVG of boxes and lines. It has no style of its own: the style sheet colours it by
// class, in both themes.
type drawing struct {
	m     markup
	width int // of every box
	gap   int // between columns
}

// newDrawing makes room in each box for the longest of the ids.
func newDrawing(gap int, ids ...string) *drawing {
	letters := 0
	for _, id := range ids {
		letters = max(letters, utf8.RuneCountInString(id))
	}
	return &drawing{width: letters*(nodeText*3/5+1) + 2*nodePad - letters/2, gap: gap}
}

// left is the left side of a column's boxes.
func (d *drawing) left(column int) int { return margin + column*(d.width+d.gap) }

// open begins the SVG. The label is what it is called; what is in it are links, with names of their own.
func (d *drawing) open(columns, height int, label string) {
	w, h := strconv.Itoa(d.left(columns-1)+d.width+margin), strconv.Itoa(height+2*margin)
	d.m.raw(`<svg class="g" role="group" width="`, w, `" height="`, h, `" viewBox="0 0 `, w, " ", h, `" aria-label="`)
	d.m.text(label)
	d.m.raw(`">`)
}

func (d *drawing) close() { d.m.raw("</svg>") }

// node draws a proposal: a link that says its title and status. Without a path it is a mere box: the
// proposal that the page is about, or one that is not published.
func (d *drawing) node(r Ref, at graph.Point) {
	element, class, name := "a", statusClass(r.Status), plain.Sentence(named(r.ID, " ", r.Title))+" "+r.Status.String()
	switch {
	case !r.Published:
		element, class, name = "g", "gone", r.ID+", not published here"
	case r.Path == "":
		element, class = "g", class+" self"
	}
	d.m.raw("<", element, ` class="`, class)
	if element == "a" {
		d.m.raw(`" href="`)
		d.m.text(r.Path)
	}
	d.m.raw(`"><title>`)
	d.m.text(name)
	d.m.raw(`</title><rect x="`)
	x, y := d.left(at.Column), at.Y+margin
	d.m.number(x)
	d.m.raw(`" y="`)
	d.m.number(y - nodeHeight/2)
	d.m.raw(`" width="`)
	d.m.number(d.width)
	d.m.raw(`" height="`)
	d.m.number(nodeHeight)
	d.m.raw(`" rx="5"/><text x="`)
	d.m.number(x + d.width/2)
	d.m.raw(`" y="`)
	d.m.number(y + nodeText/3)
	d.m.raw(`">`)
	d.m.text(r.ID)
	d.m.raw("</text></", element, ">")
}

// lines draws pieces of lines in one path, from the left side of one column to the right side of another;
// through goes across the column it begins in, too.
func (d *drawing) lines(class string, wires []graph.Wire) {
	if len(wires) == 0 {
		return
	}
	d.m.raw(`<path class="`, class, `" d="`)
	for _, w := range wires {
		x, to := d.left(w.From.Column), d.left(w.To.Column)+d.width
		d.m.raw("M")
		if w.Through {
			d.m.number(x + d.width)
		} else {
			d.m.number(x)
		}
		d.m.raw(" ")
		d.m.number(w.From.Y + margin)
		if w.Through {
			d.m.raw("h")
			d.m.number(-d.width)
		}
		d.curve(to-x, w.To.Y-w.From.Y)
	}
	d.m.raw(`"/>`)
}

// curve appends an S from where the path is.
func (d *drawing) curve(dx, dy int) {
	d.m.raw("c")
	for i, n := range []int{dx / 2, 0, dx - dx/2, dy, dx, dy} {
		if i > 0 {
			d.m.raw(" ")
		}
		d.m.number(n)
	}
}

// back draws lines against the order of the columns, from the right side of one to the left side of
// another.
func (d *drawing) back(from, to graph.Point) {
	d.m.raw(`<path class="back" d="M`)
	d.m.number(d.left(from.Column) + d.width)
	d.m.raw(" ")
	d.m.number(from.Y + margin)
	d.curve(d.left(to.Column)-d.left(from.Column)-d.width, to.Y-from.Y)
	d.m.raw(`"/>`)
}
