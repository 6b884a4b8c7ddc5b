package diagram

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// loopSize is the extent of an edge of a node to itself, in pixels.
const loopSize = 28

// flowDrawing is a flowchart while it is drawn.
type flowDrawing struct {
	*flow
	canvas
	layers
	boxes  [][2]int // width and height by node
	loops  []int    // the edge to itself by node, or -1
	frames []frameBox
}

// draw lays out and draws the flowchart.
func (f *flow) draw() (*canvas, error) {
	d := &flowDrawing{flow: f, loops: slices.Repeat([]int{-1}, len(f.nodes)),
		frames: make([]frameBox, len(f.groups))}
	if err := d.measure(); err != nil {
		return nil, err
	}
	if err := d.rank(); err != nil {
		return nil, err
	}
	order, depth := f.bandOrder()
	d.order(order)
	d.align()
	gap := rankGap
	if depth > 0 {
		gap += depth * (bandPad + lineHeight)
	}
	d.stack(gap)
	d.place(-1, 0)
	d.drawFrames()
	d.drawEdges()
	for i := range f.nodes {
		d.drawNode(i)
	}
	return &d.canvas, nil
}

// across reports whether edges lead to the right or to the left.
func (f *flow) across() bool { return f.direction == "right" || f.direction == "left" }

// measure makes a spot of each node and of each label.
func (d *flowDrawing) measure() error {
	edges, labels := make([][2]int, len(d.edges)), make([]*spot, len(d.edges))
	for i, e := range d.edges {
		edges[i] = [2]int{e.from, e.to}
		switch {
		case e.from == e.to && d.loops[e.from] >= 0:
			return errors.New("two edges lead from a node to itself")
		case e.from == e.to:
			d.loops[e.from] = i
		case len(e.lines) > 0:
			s := d.spot(widest(e.lines)+2*pad, len(e.lines)*lineHeight+4)
			labels[i] = &s
		}
	}
	for i, n := range d.nodes {
		w, h := n.size()
		d.boxes = append(d.boxes, [2]int{w, h})
		s := d.spot(w, h)
		s.band = n.group + 1
		if d.loops[i] >= 0 {
			lines := d.edges[d.loops[i]].lines
			lw, lh := widest(lines), len(lines)*lineHeight
			if d.across() {
				s.after += loopSize + lh
				s.size = max(s.size, lw)
			} else {
				s.after += loopSize + lw + pad
				s.size = max(s.size, lh)
			}
		}
		d.add(s)
	}
	d.connect(edges, labels)
	return nil
}

// spot returns a spot of that width and height.
func (d *flowDrawing) spot(w, h int) spot {
	if d.across() {
		w, h = h, w
	}
	return spot{size: h, before: (w + 1) / 2, after: (w + 1) / 2}
}

// bandOrder returns the place of each band, which is that of its group plus one, and the greatest
// depth of groups.
func (f *flow) bandOrder() (order []int, depth int) {
	order = make([]int, len(f.groups)+1)
	next := 0
	var visit func(group, level int)
	visit = func(group, level int) {
		order[group+1], depth = next, max(depth, level)
		next++
		for i, g := range f.groups {
			if g.parent == group {
				visit(i, level+1)
			}
		}
	}
	visit(-1, 0)
	return order, depth
}

// place puts the band of a group at a position across the flow, and then the bands of the groups
// within it. It returns the end of the last one.
func (d *flowDrawing) place(g, at int) int {
	title := 0
	if g >= 0 {
		at += bandPad
		title = len(d.groups[g].lines) * lineHeight
		if d.across() {
			at += title
		}
	}
	start, low, high := at, math.MaxInt, math.MinInt
	for _, s := range d.spots {
		if s.band == g+1 {
			low, high = min(low, s.cross-s.before), max(high, s.cross+s.after)
		}
	}
	if low <= high {
		for i := range d.spots {
			if d.spots[i].band == g+1 {
				d.spots[i].cross += at - low
			}
		}
		at += high - low + spotGap
	}
	for i, child := range d.groups {
		if child.parent == g && child.filled {
			at = d.place(i, at) + spotGap
		}
	}
	if g < 0 {
		return at
	}
	at -= spotGap
	if !d.across() {
		at = max(at, start+widest(d.groups[g].lines))
	}
	f := &d.frames[g]
	f.left, f.right = start-bandPad, at+bandPad
	if d.across() {
		f.left -= title
	}
	return f.right
}

// drawFrames draws the groups, outer ones first. Along the flow a frame is as long as its members.
func (d *flowDrawing) drawFrames() {
	for g := range d.frames {
		d.frames[g].top, d.frames[g].bottom = math.MaxInt, math.MinInt
	}
	for _, s := range d.spots {
		if s.band > 0 {
			f := &d.frames[s.band-1]
			f.top = min(f.top, s.flow-s.size/2-bandPad)
			f.bottom = max(f.bottom, s.flow+s.size/2+bandPad)
		}
	}
	for g, child := range slices.Backward(d.groups) { // an inner group is after its parent
		f := &d.frames[g]
		if !child.filled {
			continue
		}
		switch title := len(child.lines) * lineHeight; d.direction {
		case "down":
			f.top -= title
		case "up":
			f.bottom += title
		default:
			f.bottom = max(f.bottom, f.top+widest(child.lines)+2*pad)
		}
		if child.parent >= 0 {
			parent := &d.frames[child.parent]
			parent.top = min(parent.top, f.top-bandPad)
			parent.bottom = max(parent.bottom, f.bottom+bandPad)
		}
	}
	for g, f := range d.frames {
		if !d.groups[g].filled {
			continue
		}
		x1, y1 := d.xy(f.top, f.left)
		x2, y2 := d.xy(f.bottom, f.right)
		x1, x2, y1, y2 = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
		box(&d.back, "frame", x1, y1, x2-x1, y2-y1)
		d.text("start", x1+8, y1+4, d.groups[g].lines)
		d.cover(x1, y1, x2, y2)
	}
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
func (d *flowDrawing) drawEdges() {
	ports := d.ports()
	for i, e := range d.edges {
		way := d.paths[i]
		if way == nil {
			d.drawLoop(e)
			continue
		}
		var line strings.Builder
		at, cross := d.nodeEdge(way[0], 1), ports[i][0]
		x1, y1 := d.xy(at, cross)
		fmt.Fprintf(&line, "M%d %d", x1, y1)
		curve := func(flow, to int) {
			ax, ay := d.xy((at+flow)/2, cross)
			bx, by := d.xy((at+flow)/2, to)
			x, y := d.xy(flow, to)
			fmt.Fprintf(&line, "C%d %d %d %d %d %d", ax, ay, bx, by, x, y)
			at, cross = flow, to
		}
		for _, n := range way[1 : len(way)-1] {
			s := d.spots[n]
			curve(s.flow-s.size/2, s.cross)
			x, y := d.xy(s.flow+s.size/2, s.cross)
			fmt.Fprintf(&line, "L%d %d", x, y)
			at = s.flow + s.size/2
		}
		curve(d.nodeEdge(way[len(way)-1], -1), ports[i][1])
		path(&d.back, e.class, "%s", line.String())
		start, end := e.start, e.end
		if d.reversed[i] {
			start, end = end, start
		}
		dx, dy := d.xy(1, 0)
		x2, y2 := d.xy(at, cross)
		d.tip(end, x2, y2, dx, dy)
		d.tip(start, x1, y1, -dx, -dy)
		d.drawLabel(e.lines, way)
	}
}

// ports returns the positions across the flow at which each path leaves its first node and reaches
// its last one. Those of one side of a node are apart, in the order of where the lines lead.
func (d *flowDrawing) ports() [][2]int {
	type port struct{ path, end, toward int }
	sides := map[[2]int][]port{} // by node and end of the path
	ports := make([][2]int, len(d.paths))
	for i, way := range d.paths {
		if n := len(way) - 1; n > 0 {
			first, last := [2]int{way[0], 0}, [2]int{way[n], 1}
			sides[first] = append(sides[first], port{i, 0, d.spots[way[1]].cross})
			sides[last] = append(sides[last], port{i, 1, d.spots[way[n-1]].cross})
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
			ports[p.path][p.end] = d.spots[side[0]].cross + (2*k-len(all)+1)*step/2
		}
	}
	return ports
}

// pointed are the shapes whose sides are no straight lines: all edges end at their middles.
var pointed = []string{"diamond", "circle", "hexagon", "flag", "stadium", "start", "end"}

// nodeEdge returns where lines leave a node along the flow: after it if side is 1, before it if it
// is -1.
func (d *flowDrawing) nodeEdge(n, side int) int {
	size := d.boxes[n][1]
	if d.across() {
		size = d.boxes[n][0]
	}
	return d.spots[n].flow + side*size/2
}

// drawLabel draws the label of an edge at its spot.
func (d *flowDrawing) drawLabel(lines []string, way []int) {
	if len(lines) == 0 {
		return
	}
	for _, n := range way[1 : len(way)-1] {
		if s := d.spots[n]; s.before > 4 {
			w, h := widest(lines)+pad, len(lines)*lineHeight
			x, y := d.xy(s.flow, s.cross)
			box(&d.back, "gap", x-w/2, y-h/2, w, h)
			d.text("label", x, y-h/2, lines)
			d.cover(x-w/2, y-h/2, x+w/2, y+h/2)
			return
		}
	}
}

// drawLoop draws an edge of a node to itself, beside the node across the flow.
func (d *flowDrawing) drawLoop(e flowEdge) {
	s, text := d.spots[e.from], len(e.lines)*lineHeight
	x, y := d.xy(s.flow, s.cross)
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
