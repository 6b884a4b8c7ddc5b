package diagram

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/diagram/layout"
)

// Sizes of a flowchart, in pixels.
const (
	loopSize = 28 // of an edge of a node to itself
	rankGap  = 34 // between ranks, for the lines
	bandPad  = 14 // between a frame and its contents
)

// flowDrawing is a flowchart while it is drawn.
type flowDrawing struct {
	*flow
	canvas
	*layout.Layout
	boxes  [][2]int // width and height by node
	loops  []int    // the edge to itself by node, or -1
	frames []frameBox
}

// draw lays out and draws the flowchart.
func (f *flow) draw() (*canvas, error) {
	d := &flowDrawing{flow: f, loops: slices.Repeat([]int{-1}, len(f.nodes)),
		frames: make([]frameBox, len(f.groups))}
	edges, labels, err := d.measureEdges()
	if err != nil {
		return nil, err
	}
	spots := d.measureNodes()
	bands, depth := f.bandOrder()
	gap := rankGap + depth*(bandPad+lineHeight)
	if d.Layout, err = layout.Place(spots, edges, labels, bands, gap); err != nil {
		return nil, &Error{0, err.Error()}
	}
	d.place(-1, 0)
	d.drawFrames()
	if err := d.drawEdges(); err != nil {
		return nil, err
	}
	for i := range f.nodes {
		d.drawNode(i)
	}
	return &d.canvas, nil
}

// across reports whether edges lead to the right or to the left.
func (f *flow) across() bool { return f.direction == "right" || f.direction == "left" }

// measureEdges returns the ends of each edge, and a spot for its label if it has one.
func (d *flowDrawing) measureEdges() (edges [][2]int, labels []*layout.Spot, err error) {
	edges, labels = make([][2]int, len(d.edges)), make([]*layout.Spot, len(d.edges))
	for i, e := range d.edges {
		edges[i] = [2]int{e.from, e.to}
		switch {
		case e.from == e.to && d.loops[e.from] >= 0:
			// One line is drawn for both edges, with both labels.
			first := &d.edges[d.loops[e.from]]
			if len(first.lines) == 0 || len(e.lines) == 0 {
				return nil, nil, &Error{0, "two edges lead from a node to itself, one of them " +
					"without a label"}
			}
			first.lines = append(first.lines, e.lines...)
			d.edges[i].class = ""
		case e.from == e.to:
			d.loops[e.from] = i
		case len(e.lines) > 0:
			s := d.spot(widest(e.lines)+2*pad, len(e.lines)*lineHeight+4)
			labels[i] = &s
		}
	}
	return edges, labels, nil
}

// measureNodes returns a spot for each node, with room for an edge to itself.
func (d *flowDrawing) measureNodes() (spots []layout.Spot) {
	for i, n := range d.nodes {
		w, h := n.size()
		if n.shape == "bar" && d.across() {
			w, h = h, w
		}
		d.boxes = append(d.boxes, [2]int{w, h})
		s := d.spot(w, h)
		s.Band = n.group + 1
		if d.loops[i] >= 0 {
			lines := d.edges[d.loops[i]].lines
			lw, lh := widest(lines), len(lines)*lineHeight
			if d.across() {
				s.After += loopSize + lh
				s.Size = max(s.Size, lw)
			} else {
				s.After += loopSize + lw + pad
				s.Size = max(s.Size, lh)
			}
		}
		spots = append(spots, s)
	}
	return spots
}

// spot returns a spot of that width and height.
func (d *flowDrawing) spot(w, h int) layout.Spot {
	if d.across() {
		w, h = h, w
	}
	return layout.Spot{Size: h, Before: (w + 1) / 2, After: (w + 1) / 2}
}

// xy returns the point at a position along and across the flow.
func (d *flowDrawing) xy(flow, cross int) (x, y int) {
	switch d.direction {
	case "up":
		return cross, -flow
	case "right":
		return flow, cross
	case "left":
		return -flow, cross
	}
	return cross, flow
}

// cover extends the drawing.
func (d *flowDrawing) cover(left, top, right, bottom int) {
	d.left, d.right = min(d.left, left), max(d.right, right)
	d.top, d.bottom = min(d.top, top), max(d.bottom, bottom)
}

// drawEdges draws the edges with their labels.
func (d *flowDrawing) drawEdges() error {
	ports := d.ports()
	for i, e := range d.edges {
		if e.class == "" {
			continue
		}
		if d.Paths[i] == nil {
			d.drawLoop(e)
			continue
		}
		spots, at, last := d.course(i)
		if at >= last || len(e.lines) > 0 && !slices.ContainsFunc(spots, d.isLabel) {
			return &Error{0, "an edge leads to a frame from what is within or beside it"}
		}
		var line strings.Builder
		cross := ports[i][0]
		x1, y1 := d.xy(at, cross)
		fmt.Fprintf(&line, "M%d %d", x1, y1)
		curve := func(flow, to int) {
			ax, ay := d.xy((at+flow)/2, cross)
			bx, by := d.xy((at+flow)/2, to)
			x, y := d.xy(flow, to)
			fmt.Fprintf(&line, "C%d %d %d %d %d %d", ax, ay, bx, by, x, y)
			at, cross = flow, to
		}
		for _, n := range spots {
			s := d.Spots[n]
			curve(s.Flow-s.Size/2, s.Cross)
			x, y := d.xy(s.Flow+s.Size/2, s.Cross)
			d.cover(x-layout.BendWidth, y-layout.BendWidth, x+layout.BendWidth, y+layout.BendWidth)
			fmt.Fprintf(&line, "L%d %d", x, y)
			at = s.Flow + s.Size/2
		}
		curve(last, ports[i][1])
		path(&d.back, e.class, "%s", line.String())
		start, end := e.start, e.end
		if d.Reversed[i] {
			start, end = end, start
		}
		dx, dy := d.xy(1, 0)
		x2, y2 := d.xy(at, cross)
		d.tip(end, x2, y2, dx, dy)
		d.tip(start, x1, y1, -dx, -dy)
		d.drawLabel(e.lines, spots)
	}
	return nil
}

// course returns the spots between the ends of an edge, and the start and the end of its line along
// the flow: at a node, or at a frame. Spots within or beside such a frame are left out.
func (d *flowDrawing) course(edge int) (spots []int, start, end int) {
	e, path := d.edges[edge], d.Paths[edge]
	first, last := e.fromFrame, e.toFrame
	if d.Reversed[edge] {
		first, last = last, first
	}
	start, end = d.nodeEdge(path[0], 1), d.nodeEdge(path[len(path)-1], -1)
	if first >= 0 {
		start = d.frames[first].bottom
	}
	if last >= 0 {
		end = d.frames[last].top
	}
	for _, n := range path[1 : len(path)-1] {
		if s := d.Spots[n]; s.Flow-s.Size/2 >= start && s.Flow+s.Size/2 <= end {
			spots = append(spots, n)
		}
	}
	return spots, start, end
}

// isLabel reports whether a spot between nodes is a label's. Bends are narrower.
func (d *flowDrawing) isLabel(n int) bool { return d.Spots[n].Before > layout.BendWidth }

// ports returns the positions across the flow at which each path leaves its first node and reaches
// its last one. The positions on one side of a node are apart, in the order of the lines' next
// spots.
func (d *flowDrawing) ports() [][2]int {
	type port struct{ path, end, toward int }
	sides := map[[2]int][]port{} // by node and end of the path
	ports := make([][2]int, len(d.Paths))
	for i, path := range d.Paths {
		if n := len(path) - 1; n > 0 {
			first, last := [2]int{path[0], 0}, [2]int{path[n], 1}
			sides[first] = append(sides[first], port{i, 0, d.Spots[path[1]].Cross})
			sides[last] = append(sides[last], port{i, 1, d.Spots[path[n-1]].Cross})
		}
	}
	for side, all := range sides {
		slices.SortStableFunc(all, func(a, b port) int { return cmp.Compare(a.toward, b.toward) })
		width := d.boxes[side[0]][0]
		if d.across() {
			width = d.boxes[side[0]][1]
		}
		step := min(14, (width-14)/len(all))
		if slices.Contains(pointed, d.nodes[side[0]].shape) {
			step = 0
		}
		for k, p := range all {
			ports[p.path][p.end] = d.Spots[side[0]].Cross + (2*k-len(all)+1)*step/2
		}
	}
	return ports
}

// pointed are the shapes whose sides are no straight lines: all edges end at their middles.
var pointed = []string{"diamond", "circle", "double", "hexagon", "flag", "stadium", "start", "end",
	"left", "right", "wide", "narrow"}

// nodeEdge returns where lines leave a node along the flow: after it if side is 1, before it if it
// is -1.
func (d *flowDrawing) nodeEdge(n, side int) int {
	size := d.boxes[n][1]
	if d.across() {
		size = d.boxes[n][0]
	}
	return d.Spots[n].Flow + side*size/2
}

// drawLabel draws the label of an edge at its spot.
func (d *flowDrawing) drawLabel(lines []string, spots []int) {
	if len(lines) == 0 {
		return
	}
	for _, n := range spots {
		if s := d.Spots[n]; d.isLabel(n) {
			w, h := widest(lines)+pad, len(lines)*lineHeight
			x, y := d.xy(s.Flow, s.Cross)
			box(&d.back, "gap", x-w/2, y-h/2, w, h)
			d.text("label", x, y-h/2, lines)
			d.cover(x-w/2, y-h/2, x+w/2, y+h/2)
			return
		}
	}
}

// drawLoop draws an edge of a node to itself, beside the node across the flow.
func (d *flowDrawing) drawLoop(e flowEdge) {
	s, text := d.Spots[e.from], len(e.lines)*lineHeight
	x, y := d.xy(s.Flow, s.Cross)
	w, h := d.boxes[e.from][0]/2, d.boxes[e.from][1]/2
	if d.across() {
		y += h
		path(&d.back, e.class, "M%d %dc0 %d 20 %[3]d 20 0", x-10, y, loopSize-4)
		d.tip(e.end, x+10, y, 0, -1)
		d.text("label", x, y+loopSize-6, e.lines)
		lw := widest(e.lines)/2 + pad
		d.cover(x-lw, y, x+lw, y+loopSize+text)
		return
	}
	x += w
	path(&d.back, e.class, "M%d %dc%d 0 %[3]d 20 0 20", x, y-10, loopSize-4)
	d.tip(e.end, x, y+10, -1, 0)
	d.text("start", x+loopSize-4, y-text/2, e.lines)
	d.cover(x, y-text/2-10, x+loopSize+widest(e.lines), y+text/2+10)
}

// tip draws the end of an edge that leads in the direction dx, dy.
func (d *flowDrawing) tip(kind byte, x, y, dx, dy int) {
	switch kind {
	case '>', '<':
		path(&d.back, "tip", "M%d %dL%d %dL%d %dz", x, y, x-9*dx-5*dy, y-9*dy-5*dx,
			x-9*dx+5*dy, y-9*dy+5*dx)
	case 'x':
		path(&d.back, "line", "M%d %dl10 10m0-10-10 10", x-7*dx-5, y-7*dy-5)
	case 'o':
		path(&d.back, "tip", "M%d %da4 4 0 1 0 .1 0z", x-5*dx, y-5*dy-4)
	}
}
