package diagram

import "math"

// ringGap is the space between two circles of a node, in pixels.
const ringGap = 5

// size returns the width and the height of a node.
func (n flowNode) size() (w, h int) {
	w, h = widest(n.lines), max(1, len(n.lines))*lineHeight
	switch n.shape {
	case "diamond": // the sum of both, as parts of the diagonals, is one
		if w == 0 {
			return 28, 28
		}
		return w*8/5 + 2*pad, h*8/3 + pad
	case "circle", "double":
		side := int(math.Sqrt(float64(w*w+h*h))) + pad
		if n.shape == "double" {
			side += 2 * ringGap
		}
		return side, side
	case "hexagon", "stadium", "flag", "left", "right", "wide", "narrow":
		return w + h + 2*pad, h + 2*pad
	case "cylinder":
		return w + 2*pad, h + 4*pad
	case "start", "end":
		return 18, 18
	case "bar":
		return 70, 8
	}
	return max(40, w+3*pad), h + 2*pad
}

// drawNode draws a node with its label.
func (d *flowDrawing) drawNode(i int) {
	n, s := d.nodes[i], d.Spots[i]
	x, y := d.xy(s.Flow, s.Cross)
	w, h := d.boxes[i][0], d.boxes[i][1]
	l, t := x-w/2, y-h/2
	d.cover(l-4, t, l+w+4, t+h)
	layer := &d.back
	switch n.shape {
	case "round":
		const line = "M%d %dh%da8 8 0 0 1 8 8v%da8 8 0 0 1-8 8h%da8 8 0 0 1-8-8v%da8 8 0 0 1 8-8z"
		path(layer, "box", line, l+8, t, w-16, h-16, 16-w, 16-h)
	case "stadium":
		path(layer, "box", "M%d %dh%da%d %[4]d 0 0 1 0 %dh%da%[4]d %[4]d 0 0 1 0 %[7]dz",
			l+h/2, t, w-h, h/2, h, h-w, -h)
	case "diamond":
		path(layer, "box", "M%d %dL%d %dL%d %dL%d %dz", x, t, l+w, y, x, t+h, l, y)
	case "circle":
		path(layer, "box", "M%d %da%d %[3]d 0 1 0 .1 0z", x, t, w/2)
	case "double":
		path(layer, "box", "M%d %da%d %[3]d 0 1 0 .1 0z", x, t, w/2)
		path(layer, "line", "M%d %da%d %[3]d 0 1 0 .1 0z", x, t+ringGap, w/2-ringGap)
	case "left":
		path(layer, "box", "M%d %dH%dL%d %dH%dz", l, t, l+w-h/2, l+w, t+h, l+h/2)
	case "right":
		path(layer, "box", "M%d %dH%dL%d %dH%dz", l+h/2, t, l+w, l+w-h/2, t+h, l)
	case "wide":
		path(layer, "box", "M%d %dH%dL%d %dH%dz", l+h/2, t, l+w-h/2, l+w, t+h, l)
	case "narrow":
		path(layer, "box", "M%d %dH%dL%d %dH%dz", l, t, l+w, l+w-h/2, t+h, l+h/2)
	case "note":
		box(layer, "note", l, t, w, h)
	case "bar":
		path(layer, "tip", "M%d %dh%dv%dh%dz", l, t, w, h, -w)
	case "hexagon":
		path(layer, "box", "M%d %dh%dL%d %dL%d %dh%dL%d %dz", l+h/2, t, w-h, l+w, y, l+w-h/2, t+h,
			h-w, l, y)
	case "flag":
		path(layer, "box", "M%d %dH%dV%dH%dL%d %dz", l, t, l+w, t+h, l, l+h/2, y)
	case "cylinder":
		const line = "M%d %dv%da%d 8 0 0 0 %d 0v%da%[4]d 8 0 0 0 %[7]d 0a%[4]d 8 0 0 0 %[5]d 0"
		path(layer, "box", line, l, t+8, h-16, w/2, w/2*2, 16-h, -(w / 2 * 2))
	case "routine":
		box(layer, "box", l, t, w, h)
		path(layer, "line", "M%d %dv%dM%d %[2]dv%[3]d", l+6, t, h, l+w-6)
	case "start":
		path(layer, "tip", "M%d %da8 8 0 1 0 .1 0z", x, y-8)
	case "end":
		path(layer, "line", "M%d %da8 8 0 1 0 .1 0z", x, y-8)
		path(layer, "tip", "M%d %da5 5 0 1 0 .1 0z", x, y-5)
	default:
		box(layer, "box", l, t, w, h)
	}
	text := len(n.lines) * lineHeight
	d.text("", x, y-text/2, n.lines)
}
