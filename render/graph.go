package render

import (
	"slices"
	"strconv"

	"github.com/mipwatch/mipwatch/internal/graph"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// graphView is /graph/: drawings of the proposals that hang together, and what they say as a list.
type graphView struct {
	Head     head
	Drawings []drawnGroup
	Statuses []choice
	Rows     []requiresRow
	Circles  []circle
	Tied     int // proposals that hang together with others
	Listed   int // of them, those that no drawing shows
	Relation int // lines
}

// drawnGroup is one drawing.
type drawnGroup struct {
	Drawing *drawing
	Count   int
	Wide    bool // may need scrolling
}

// requiresRow is a proposal with those that it requires, published or not.
type requiresRow struct {
	ref
	Requires []ref
}

// circle is a line against the order: From requires To, which comes to depend on From.
type circle struct{ From, To ref }

// drawingLimit is how many nodes and pieces of lines all drawings have together. A thousand proposals of a
// real process have a tenth of it.
const drawingLimit = 20_000

// wideColumns is from how many columns on a drawing may not fit beside others.
const wideColumns = 5

// Graph renders /graph/. All must be ascending by number.
func (p *Pages) Graph(all []mip.Summary) ([]byte, error) {
	g := requiresOf(all)
	v := graphView{Relation: len(g.Edges), Rows: p.requiresRows(all)}
	var tied []mip.Summary
	// Large groups come first. One that does not fit is listed, and smaller ones are still drawn.
	room := drawingLimit
	for _, group := range graph.Components(g) {
		if len(group) < 2 {
			break // they are sorted by size
		}
		members := make([]mip.Summary, 0, len(group))
		for _, i := range group {
			members = append(members, all[i])
		}
		tied = append(tied, members...)
		relations := requiresOf(members)
		size := graph.Size(relations)
		if size > room {
			v.Listed += len(members)
			continue
		}
		room -= size
		d, circles := p.draw(members, relations)
		v.Drawings = append(v.Drawings, d)
		v.Circles = append(v.Circles, circles...)
	}
	v.Tied, v.Statuses = len(tied), statusChoices(tied)
	v.Head = p.head(head{
		Section: "/", Title: "Relations", Route: "/graph/",
		Description: "Which proposals of " + p.info.Title + " require which: a drawing, and the same as a list.",
	})
	return p.execute("graph", v)
}

// requiresOf is the graph of what requires what, both published, by position.
func requiresOf(all []mip.Summary) graph.Graph {
	g := graph.Graph{Nodes: len(all)}
	for i, s := range all {
		// A header may name a proposal twice, or itself.
		for _, n := range slices.Compact(slices.Sorted(slices.Values(s.Requires))) {
			k, ok := mip.Search(all, s.ID.Sibling(n))
			if ok && k != i {
				g.Edges = append(g.Edges, [2]int{i, k})
			}
		}
	}
	return g
}

// draw lays out proposals that hang together by these relations.
func (p *Pages) draw(members []mip.Summary, relations graph.Graph) (drawnGroup, []circle) {
	ids := make([]string, 0, len(members))
	for _, s := range members {
		ids = append(ids, s.ID.String())
	}
	l := graph.Lay(relations, graph.Spacing{Node: nodeHeight, Wire: wireHeight, Gap: nodeGap})
	d := newDrawing(l.Columns, columnGap, l.Height, strconv.Itoa(len(members))+" proposals: "+ids[0]+" and what it hangs together with", ids...)
	d.lines(l.Wires)
	var circles []circle
	// Requirements in a circle have no order: the lines that break it are drawn from left to right.
	for _, e := range l.Back {
		d.back(l.Nodes[e[0]], l.Nodes[e[1]])
		circles = append(circles, circle{p.refTo(members[e[0]]), p.refTo(members[e[1]])})
	}
	for i, s := range members {
		d.node(p.refTo(s), l.Nodes[i])
	}
	return drawnGroup{d, len(members), l.Columns >= wideColumns}, circles
}

// requiresRows are the rows of the list: each proposal that requires others.
func (p *Pages) requiresRows(all []mip.Summary) []requiresRow {
	var out []requiresRow
	for _, s := range all {
		if len(s.Requires) == 0 {
			continue
		}
		r := requiresRow{ref{ID: s.ID, Title: s.Title, Path: p.proposalPath(s.ID)}, p.refs(all, s.ID, s.Requires)}
		for i := range r.Requires {
			r.Requires[i].Title = "" // it has a row of its own, or nobody knows it
		}
		out = append(out, r)
	}
	return out
}

// neighboursShown is how many proposals a small drawing shows on each side.
const neighboursShown = 8

// neighbourhood is a small drawing.
type neighbourhood struct {
	*drawing
	More int // that it does not show
}

// relations draws what a proposal requires on its left and what requires it on its right; nil when there is
// neither.
func relations(s mip.Summary, requires, requiredBy []ref) *neighbourhood {
	const gap = 17 // between columns: the card is narrow
	self := ref{ID: s.ID, Title: mip.Shorten(s.Title, refTitle), Status: s.Status, Published: true}
	sides := [][]ref{others(self, requires), {self}, others(self, requiredBy)}
	ids, rows, more := []string{}, 0, 0
	for i, refs := range sides {
		if len(refs) > neighboursShown {
			more, sides[i] = more+len(refs)-neighboursShown, refs[:neighboursShown]
		}
		rows = max(rows, len(sides[i]))
		for _, r := range sides[i] {
			ids = append(ids, r.ID.String())
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
	d := newDrawing(len(sides), gap, pitch*rows-nodeGap, "What "+self.ID.String()+" requires is on its left, what requires it on its right", ids...)
	var wires []graph.Wire
	for c := 1; c < len(sides); c++ {
		for i := range sides[c] {
			for k := range sides[c-1] {
				wires = append(wires, graph.Wire{From: place(c, i), To: place(c-1, k)})
			}
		}
	}
	d.lines(wires)
	for c, refs := range sides {
		for i, r := range refs {
			d.node(r, place(c, i))
		}
	}
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
