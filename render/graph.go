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

// Measures of a drawing in CSS pixels. Text is in the page's monospaced face, of which a letter is
// about three fifths of its size wide.
const (
	nodeHeight = 24
	nodePad    = 9 // beside the text
	nodeText   = 12
	nodeGap    = 6  // between two nodes, one over the other
	wireHeight = 4  // of a line that passes between nodes
	columnGap  = 56 // where lines run
	narrowGap  = 17 // the same in the drawing beside a proposal
	margin     = 3  // room for the ring of a focused node
)

// drawing is an SVG of boxes and lines. The style sheet colours it by class, in both themes. The
// boxes are links with names of their own.
type drawing struct {
	Width, Height int
	Label         string   // what the drawing is called
	Lines         string   // a path of SVG
	Back          []string // paths against the order of the columns
	Replaced      []string // paths to proposals from those that replace them
	Tips          string   // a path of SVG: where lines arrive
	Nodes         []drawnNode

	boxWidth  int
	columnGap int
}

// boxWidth has room for the longest of the ids, since all boxes of a drawing have one width.
func boxWidth(ids []mip.ID) int {
	letters := 0
	for _, id := range ids {
		letters = max(letters, utf8.RuneCountInString(id.String()))
	}
	return letters*(nodeText*3/5+1) + 2*nodePad - letters/2
}

// drawnNode is a proposal's box. It is no link when Self, the proposal that the page is about, or
// not published.
type drawnNode struct {
	Ref       ref
	Self      bool
	Name      string
	Box, Text template.HTMLAttr // places and sizes
}

// newDrawing is empty; its height is that of the nodes.
func newDrawing(columns, columnGap, height int, label string, boxWidth int) *drawing {
	d := &drawing{Label: label, columnGap: columnGap, boxWidth: boxWidth}
	d.Width, d.Height = d.left(columns-1)+boxWidth+margin, height+2*margin
	return d
}

// left is the left side of a column's boxes.
func (d *drawing) left(column int) int { return margin + column*(d.boxWidth+d.columnGap) }

// node draws a proposal, which says its title and status to readers who point at it or cannot see
// it. at.Y is the middle of the box.
func (d *drawing) node(r ref, self bool, at graph.Point) {
	x, y := d.left(at.Column), at.Y+margin
	name := r.ID.String() + ", not published here"
	if r.Published {
		title := mip.Shorten(plain.Text(r.Title), mentionBytes)
		name = mip.Sentence(named(r.ID.String(), " ", title)) + " " + r.Status.String()
		if r.Superseded {
			name += ", superseded"
		}
	}
	d.Nodes = append(d.Nodes, drawnNode{
		Ref: r, Self: self, Name: name,
		Box:  template.HTMLAttr(fmt.Sprintf(`x="%d" y="%d" width="%d" height="%d"`, x, y-nodeHeight/2, d.boxWidth, nodeHeight)),
		Text: template.HTMLAttr(fmt.Sprintf(`x="%d" y="%d"`, x+d.boxWidth/2, y+nodeText/3)),
	})
}

// tip draws the end of a line at the right side of a box.
func (d *drawing) tip(at graph.Point) {
	d.Tips += fmt.Sprintf("M%d %dl7-4v8z", d.left(at.Column)+d.boxWidth, at.Y+margin)
}

// lines draws pieces of lines in one path, from the left side of one column to the right side of
// another; through goes across the column it begins in, too.
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

// curve is an S from where the path is: it leaves and arrives level, so that lines meet boxes at
// right angles.
func curve(dx, dy int) string {
	return fmt.Sprintf("c%d 0 %d %d %d %d", dx/2, dx-dx/2, dy, dx, dy)
}

// back draws a line against the order of the columns, from the right side of one to the left side
// of another.
func (d *drawing) back(from, to graph.Point) {
	x := d.left(from.Column) + d.boxWidth
	d.Back = append(d.Back, fmt.Sprintf("M%d %d", x, from.Y+margin)+curve(d.left(to.Column)-x, to.Y-from.Y))
}

// replace draws that one proposal replaces another, from the left side of the first to the right side
// of the second.
func (d *drawing) replace(from, to graph.Point) {
	x := d.left(from.Column)
	d.Replaced = append(d.Replaced, fmt.Sprintf("M%d %d", x, from.Y+margin)+curve(d.left(to.Column)+d.boxWidth-x, to.Y-from.Y))
}

// graphView is /graph/: drawings of the proposals that are connected, and what they say as a list.
type graphView struct {
	Drawings   []drawnGroup
	Statuses   []choice
	Rows       []requiresRow
	Circles    []circle
	Tied       int  // proposals that are connected with others
	Listed     int  // of them, those that no drawing shows
	Relation   int  // lines
	Replaces   bool // some replace others
	Superseded bool // some of those drawn are
}

// drawnGroup is one drawing.
type drawnGroup struct {
	Drawing *drawing
	Wide    bool // may need scrolling
}

// requiresRow is a proposal with those that it requires and replaces, published or not.
type requiresRow struct {
	mip.Metadata
	Refs, Replaces []ref
}

// circle is a line against the order: From requires To, which comes to depend on From.
type circle struct{ From, To mip.ID }

// mostDrawn is how many proposals a drawing of /graph/ shows. In one of more nobody follows a line.
const mostDrawn = 40

// Graph renders /graph/: what requires what, and what replaces what.
func (p *Pages) Graph(r *Relations) ([]byte, error) {
	all := r.all
	// All drawings have at most so many nodes and pieces of lines together.
	room := 20_000
	v := graphView{Relation: len(r.ties.Edges) + len(r.ties.Order)}
	for i, m := range all {
		// Proposals without a relation are in no drawing and in no row.
		row := requiresRow{m, refs(all, m.ID, m.Requires), refs(all, m.ID, m.Replaces)}
		for _, k := range r.replaces[i] {
			row.Replaces = others(refTo(m), append(row.Replaces, refTo(all[k])))
		}
		if len(row.Refs)+len(row.Replaces) > 0 {
			v.Rows = append(v.Rows, row)
			v.Replaces = v.Replaces || len(row.Replaces) > 0
		}
	}
	var tied []mip.Metadata
	// Large groups come first. One that does not fit is listed, and smaller ones are still drawn.
	for _, group := range graph.Components(r.ties) {
		if len(group) < 2 {
			break // they are sorted by size
		}
		members := make([]mip.Metadata, 0, len(group))
		for _, i := range group {
			members = append(members, all[i])
		}
		tied = append(tied, members...)
		if len(group) > mostDrawn {
			v.Listed += len(members)
			continue
		}
		relations := NewRelations(members).ties
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
		d := l.draw(fmt.Sprintf("%d proposals: %s and what it is connected with", len(members), ids[0]))
		for i, m := range members {
			d.node(refTo(m), false, l.Nodes[i])
		}
		const wide = 5 // columns, from which on a drawing may not fit beside others
		v.Drawings = append(v.Drawings, drawnGroup{d, l.Columns >= wide})
		for _, e := range l.Back {
			v.Circles = append(v.Circles, circle{ids[e[0]], ids[e[1]]})
		}
	}
	v.Tied, v.Statuses = len(tied), p.statusChoices(tied)
	v.Superseded = slices.ContainsFunc(tied, mip.Metadata.Superseded)
	return p.page("graph", head{
		Section: "/", Title: "Relations", Route: "/graph/", Script: graphScript,
		Description: "Which proposals of " + p.info.Title + " require or replace which: drawings, and the same as a list.",
	}, v)
}

// layout is a graph that is laid out for boxes of a width.
type layout struct {
	graph.Layout
	of       graph.Graph
	boxWidth int
}

func layOut(of graph.Graph, boxWidth int) layout {
	return layout{graph.Lay(of, graph.Spacing{Node: nodeHeight, Wire: wireHeight, Gap: nodeGap}), of, boxWidth}
}

// draw draws the lines of a layout. Requirements in a circle have no order: the lines that break it go from left to right.
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

// neighbourhood is a small drawing of one proposal with those next to it, for the card beside its
// text.
type neighbourhood struct {
	Drawing *drawing
	More    int // that it does not show
}

// relations draws what a proposal requires or replaces on its left and what requires or replaces it
// on its right; nil when there is neither. after are those that replace it.
func relations(m mip.Metadata, requires, before, requiredBy, after []ref) *neighbourhood {
	const most = 8 // proposals on each side
	self := refTo(m)
	// A requirement in a circle stands on both sides.
	sides := [][]ref{
		others(self, append(slices.Clone(requires), before...)), {self},
		others(self, append(slices.Clone(requiredBy), after...)),
	}
	replaced := func(r ref) bool {
		return slices.ContainsFunc(append(slices.Clone(before), after...), func(o ref) bool { return o.ID == r.ID })
	}
	ids, rows, more := []mip.ID{}, 0, 0
	for i, refs := range sides {
		if len(refs) > most {
			more, sides[i] = more+len(refs)-most, refs[:most]
		}
		rows = max(rows, len(sides[i]))
		for _, r := range sides[i] {
			ids = append(ids, r.ID)
		}
	}
	// A side without proposals takes no column.
	sides = slices.DeleteFunc(sides, func(refs []ref) bool { return len(refs) == 0 })
	if len(sides) < 2 {
		return nil
	}
	const pitch = nodeHeight + nodeGap
	place := func(column, i int) graph.Point {
		return graph.Point{Column: column, Y: nodeHeight/2 + pitch*i + pitch*(rows-len(sides[column]))/2}
	}
	label := "What " + self.ID.String() + " requires is on its left, what requires it on its right"
	if len(before)+len(after) > 0 {
		label = strings.ReplaceAll(label, "requires", "requires or replaces") + "; dotted lines lead to what is replaced"
	}
	d := newDrawing(len(sides), narrowGap, pitch*rows-nodeGap, label, boxWidth(ids))
	var wires []graph.Wire
	for c, refs := range sides {
		for i, r := range refs {
			d.node(r, r.ID == self.ID, place(c, i))
			if c == 0 {
				continue
			}
			// Of two neighbouring columns one holds the proposal alone.
			for k, to := range sides[c-1] {
				if replaced(r) || replaced(to) {
					d.replace(place(c, i), place(c-1, k))
				} else {
					wires = append(wires, graph.Wire{From: place(c, i), To: place(c-1, k)})
				}
			}
		}
	}
	d.lines(wires)
	return &neighbourhood{d, more}
}

// others are refs without the proposal itself, each once.
func others(self ref, refs []ref) []ref {
	var out []ref
	for _, r := range refs {
		if r.ID != self.ID && !slices.ContainsFunc(out, func(o ref) bool { return o.ID == r.ID }) {
			out = append(out, r)
		}
	}
	return out
}
