package render

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/graph"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// Sizes of a drawing in CSS pixels. Text is in the page's monospaced font, whose letters are about
// three fifths of the font size wide.
const (
	nodeHeight = 24
	nodePad    = 9 // beside the text
	nodeText   = 12
	nodeGap    = 6  // between two nodes, vertically
	wireHeight = 4  // of a line that passes between nodes
	columnGap  = 56 // for the lines
	narrowGap  = 17 // for the drawing beside a proposal
	margin     = 3  // for the focus ring of a node
)

// drawing is an SVG of boxes and lines. The style sheet colors it by class, in both themes. The
// boxes are links with names of their own.
type drawing struct {
	Width, Height int
	Label         string   // accessible name of the drawing
	Lines         string   // an SVG path
	Back          []string // paths against the order of the columns
	Replaced      []string // paths to proposals from their replacements
	Tips          string   // an SVG path of the arrowheads
	Nodes         []drawnNode

	boxWidth  int
	columnGap int
}

// boxWidth fits the longest of the ids, since all boxes of a drawing have the same width.
func boxWidth(ids []mip.ID) int {
	letters := 0
	for _, id := range ids {
		letters = max(letters, utf8.RuneCountInString(id.String()))
	}
	return letters*(nodeText*3/5+1) + 2*nodePad - letters/2
}

// drawnNode is a proposal's box.
type drawnNode struct {
	Ref       ref
	Name      string
	Box, Text template.HTMLAttr // positions and sizes
}

// newDrawing returns an empty drawing. height is the height of the nodes.
func newDrawing(columns, columnGap, height int, label string, boxWidth int) *drawing {
	d := &drawing{Label: label, columnGap: columnGap, boxWidth: boxWidth}
	d.Width, d.Height = d.left(columns-1)+boxWidth+margin, height+2*margin
	return d
}

// left is the left side of a column's boxes.
func (d *drawing) left(column int) int { return margin + column*(d.boxWidth+d.columnGap) }

// node draws a proposal, with its title and status as tooltip and accessible name. at.Y is the
// middle of the box.
func (d *drawing) node(r ref, at graph.Point) {
	x, y := d.left(at.Column), at.Y+margin
	title := mip.Shorten(plain.Text(r.Title), mentionBytes)
	name := mip.Sentence(named(r.ID.String(), " ", title)) + " " + r.Status.String()
	if r.Superseded {
		name += ", superseded"
	}
	d.Nodes = append(d.Nodes, drawnNode{
		Ref: r, Name: name,
		Box: template.HTMLAttr(fmt.Sprintf(`x="%d" y="%d" width="%d" height="%d"`, x,
			y-nodeHeight/2, d.boxWidth, nodeHeight)),
		Text: template.HTMLAttr(fmt.Sprintf(`x="%d" y="%d"`, x+d.boxWidth/2, y+nodeText/3)),
	})
}

// tip draws the arrowhead at the right side of a box.
func (d *drawing) tip(at graph.Point) {
	d.Tips += fmt.Sprintf("M%d %dl7-4v8z", d.left(at.Column)+d.boxWidth, at.Y+margin)
}

// lines draws wires as one path, from the left side of one column to the right side of another. A
// Through wire also crosses the column where it begins.
func (d *drawing) lines(wires []graph.Wire) {
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
	d.Lines = b.String()
}

// curve is an S-curve from the current point. Both ends are horizontal, so that lines meet boxes at
// right angles.
func curve(dx, dy int) string {
	return fmt.Sprintf("c%d 0 %d %d %d %d", dx/2, dx-dx/2, dy, dx, dy)
}

// back draws a line against the order of the columns, from the right side of one to the left side
// of another.
func (d *drawing) back(from, to graph.Point) {
	x := d.left(from.Column) + d.boxWidth
	d.Back = append(d.Back,
		fmt.Sprintf("M%d %d", x, from.Y+margin)+curve(d.left(to.Column)-x, to.Y-from.Y))
}

// replace draws a replacement of one proposal by another, from the left side of the first to the
// right side of the second.
func (d *drawing) replace(from, to graph.Point) {
	x := d.left(from.Column)
	d.Replaced = append(d.Replaced,
		fmt.Sprintf("M%d %d", x, from.Y+margin)+curve(d.left(to.Column)+d.boxWidth-x, to.Y-from.Y))
}

// graphView is /graph/: drawings of the connected proposals, and a list with the same content.
type graphView struct {
	Drawings   []drawnGroup
	Statuses   []choice
	Rows       []requiresRow
	Cycles     []cycle
	Related    int  // proposals with relations
	Listed     int  // proposals with relations in no drawing
	Relation   int  // lines
	Replaces   bool // there are replacements
	Superseded bool // there are superseded proposals in drawings
}

// drawnGroup is one drawing.
type drawnGroup struct {
	Drawing *drawing
	Wide    bool // may need scrolling
}

// requiresRow is a proposal with the proposals that it requires and replaces, published or not.
type requiresRow struct {
	mip.Metadata
	Refs, Replaces []ref
}

// cycle is a line against the order: From requires To, which indirectly depends on From.
type cycle struct{ From, To mip.ID }

// mostDrawn bounds the proposals in a drawing of /graph/. In a larger one nobody can follow a line.
const mostDrawn = 40

// Graph renders /graph/: the requirements and replacements of proposals.
func (p *Pages) Graph(r *Relations) ([]byte, error) {
	all := r.all
	// All drawings together have at most this many nodes and wires.
	room := 20_000
	v := graphView{Relation: len(r.graph.Edges) + len(r.graph.Order)}
	for i, m := range all {
		// Proposals without a relation are in no drawing and no row.
		row := requiresRow{m, refs(all, m.ID, m.Requires), refs(all, m.ID, m.Replaces)}
		for _, k := range r.replaces[i] {
			row.Replaces = others(refTo(m), append(row.Replaces, refTo(all[k])))
		}
		if len(row.Refs)+len(row.Replaces) > 0 {
			v.Rows = append(v.Rows, row)
			v.Replaces = v.Replaces || len(row.Replaces) > 0
		}
	}
	var related []mip.Metadata
	// Large groups come first. A group that does not fit is listed, and smaller ones are still
	// drawn.
	for _, group := range graph.Components(r.graph) {
		if len(group) < 2 {
			break // they are sorted by size
		}
		members := make([]mip.Metadata, 0, len(group))
		for _, i := range group {
			members = append(members, all[i])
		}
		related = append(related, members...)
		if len(group) > mostDrawn {
			v.Listed += len(members)
			continue
		}
		relations := NewRelations(members).graph
		size := graph.Size(relations)
		if size > room {
			v.Listed += len(members)
			continue
		}
		room -= size
		ids := make([]mip.ID, 0, len(members))
		for _, m := range members {
			ids = append(ids, m.ID)
		}
		l := layOut(relations, boxWidth(ids))
		d := l.draw(fmt.Sprintf("%d proposals: %s and what it is connected with",
			len(members), ids[0]))
		for i, m := range members {
			d.node(refTo(m), l.Nodes[i])
		}
		const wide = 5 // columns from which a drawing may not fit beside others
		v.Drawings = append(v.Drawings, drawnGroup{d, l.Columns >= wide})
		for _, e := range l.Back {
			v.Cycles = append(v.Cycles, cycle{ids[e[0]], ids[e[1]]})
		}
	}
	v.Related, v.Statuses = len(related), p.statusChoices(related)
	v.Superseded = slices.ContainsFunc(related, mip.Metadata.Superseded)
	return p.page("graph", head{
		Section: "/", Title: "Relations", Route: "/graph/", Script: graphScript,
		Description: "Which proposals of " + p.info.Title +
			" require or replace which: drawings, and the same as a list.",
	}, v)
}

// layout is the layout of a graph for boxes of a given width.
type layout struct {
	graph.Layout
	of       graph.Graph
	boxWidth int
}

func layOut(of graph.Graph, boxWidth int) layout {
	return layout{graph.Lay(of, graph.Spacing{Node: nodeHeight, Wire: wireHeight, Gap: nodeGap}),
		of, boxWidth}
}

// draw draws the lines of a layout. Requirements in a cycle have no order: the lines that break it
// go from left to right.
func (l layout) draw(label string) *drawing {
	d := newDrawing(l.Columns, columnGap, l.Height, label, l.boxWidth)
	d.lines(l.Wires)
	for _, e := range l.Back {
		d.back(l.Nodes[e[0]], l.Nodes[e[1]])
	}
	for _, e := range l.of.Order {
		d.replace(l.Nodes[e[0]], l.Nodes[e[1]])
	}
	arrived := map[int]bool{}
	for _, e := range slices.Concat(l.of.Edges, l.of.Order) {
		if !slices.Contains(l.Back, e) && !arrived[e[1]] {
			arrived[e[1]] = true
			d.tip(l.Nodes[e[1]])
		}
	}
	return d
}

// others returns refs without the proposal itself and without duplicates.
func others(self ref, refs []ref) []ref {
	var out []ref
	for _, r := range refs {
		if r.ID != self.ID && !slices.ContainsFunc(out, func(o ref) bool { return o.ID == r.ID }) {
			out = append(out, r)
		}
	}
	return out
}
