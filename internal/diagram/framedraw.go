package diagram

import (
	"math"
	"slices"

	"github.com/mipwatch/mipwatch/internal/diagram/layout"
)

// bandOrder returns the position of each band, and the greatest depth of groups. The band of group
// g is g+1.
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
	for _, s := range d.Spots {
		if s.Band == g+1 {
			low, high = min(low, s.Cross-s.Before), max(high, s.Cross+s.After)
		}
	}
	if low <= high {
		for i := range d.Spots {
			if d.Spots[i].Band == g+1 {
				d.Spots[i].Cross += at - low
			}
		}
		at += high - low + layout.Gap
	}
	for i, child := range d.groups {
		if child.parent == g && child.filled {
			at = d.place(i, at) + layout.Gap
		}
	}
	if g < 0 {
		return at
	}
	at -= layout.Gap
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
	for _, s := range d.Spots {
		if s.Band > 0 {
			f := &d.frames[s.Band-1]
			f.top = min(f.top, s.Flow-s.Size/2-bandPad)
			f.bottom = max(f.bottom, s.Flow+s.Size/2+bandPad)
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
