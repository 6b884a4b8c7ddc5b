package render

import (
	"fmt"
	"html/template"
	"strings"
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

// drawing is an SVG of boxes and lines. The style sheet colours it by class, in both themes. The boxes are links with
// names of their own.
type drawing struct {
	Width, Height       int
	Label               string // what the drawing is called
	Lines               []drawnLine
	Nodes               []drawnNode
	boxWidth, columnGap int
}

// drawnLine is a path of SVG.
type drawnLine struct{ Class, D string }

// drawnNode is a proposal's box. Without Href it is no link: the proposal that the page is about, or one that is
// not published.
type drawnNode struct {
	Class, Href, Name, ID string
	Box, Text             template.HTMLAttr // places and sizes
}

// newDrawing makes room in each box for the longest of the ids.
func newDrawing(columns, columnGap, height int, label string, ids ...string) *drawing {
	// All boxes of a drawing have one width.
	letters := 0
	for _, id := range ids {
		letters = max(letters, utf8.RuneCountInString(id))
	}
	d := &drawing{Label: label, columnGap: columnGap, boxWidth: letters*(nodeText*3/5+1) + 2*nodePad - letters/2}
	d.Width, d.Height = d.left(columns-1)+d.boxWidth+margin, height+2*margin
	return d
}

// left is the left side of a column's boxes.
func (d *drawing) left(column int) int { return margin + column*(d.boxWidth+d.columnGap) }

// node draws a proposal, which says its title and status.
func (d *drawing) node(r ref, at graph.Point) {
	x, y := d.left(at.Column), at.Y+margin
	n := drawnNode{
		Class: statusClass(r.Status), Href: r.Path, Name: plain.Sentence(named(r.ID.String(), " ", r.Title)) + " " + r.Status.String(), ID: r.ID.String(),
		Box:  template.HTMLAttr(fmt.Sprintf(`x="%d" y="%d" width="%d" height="%d"`, x, y-nodeHeight/2, d.boxWidth, nodeHeight)),
		Text: template.HTMLAttr(fmt.Sprintf(`x="%d" y="%d"`, x+d.boxWidth/2, y+nodeText/3)),
	}
	switch {
	// There is no page to lead to.
	case !r.Published:
		n.Class, n.Href, n.Name = "gone", "", r.ID.String()+", not published here"
	case r.Path == "":
		n.Class += " self"
	}
	d.Nodes = append(d.Nodes, n)
}

// lines draws pieces of lines in one path, from the left side of one column to the right side of another;
// through goes across the column it begins in, too.
func (d *drawing) lines(wires []graph.Wire) {
	if len(wires) == 0 {
		return
	}
	var b strings.Builder
	for _, w := range wires {
		x, to := d.left(w.From.Column), d.left(w.To.Column)+d.boxWidth
		if w.Through {
			fmt.Fprintf(&b, "M%d %dh%d", x+d.boxWidth, w.From.Y+margin, -d.boxWidth)
		} else {
			fmt.Fprintf(&b, "M%d %d", x, w.From.Y+margin)
		}
		b.WriteString(curve(to-x, w.To.Y-w.From.Y))
	}
	d.Lines = append(d.Lines, drawnLine{"e", b.String()})
}

// curve is an S from where the path is.
func curve(dx, dy int) string {
	return fmt.Sprintf("c%d 0 %d %d %d %d", dx/2, dx-dx/2, dy, dx, dy)
}

// back draws a line against the order of the columns, from the right side of one to the left side of another.
func (d *drawing) back(from, to graph.Point) {
	start := fmt.Sprintf("M%d %d", d.left(from.Column)+d.boxWidth, from.Y+margin)
	d.Lines = append(d.Lines, drawnLine{"back", start + curve(d.left(to.Column)-d.left(from.Column)-d.boxWidth, to.Y-from.Y)})
}
