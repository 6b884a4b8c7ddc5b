package diagram

import (
	"math"
	"slices"
	"strings"
)

// Sizes of a sequence diagram, in pixels.
const (
	pad       = 10 // between a text and its box
	columnGap = 28 // between the boxes of two participants
	figure    = 44 // height of an actor's figure
	barWidth  = 10 // of an activation
	barStep   = 4  // between the middles of activations within each other
	selfWidth = 30 // of a message to itself
	framePad  = 12 // between a frame and its contents
)

// sequenceDrawing is a sequence diagram while it is drawn from the top to the bottom.
type sequenceDrawing struct {
	*sequence
	canvas
	middles []int       // of the columns
	y       int         // below what is drawn
	arrow   int         // height of the last arrow, where activations begin and end
	bars    [][]*bar    // the open activations by column
	drawn   []*bar      // all activations, outer ones first
	open    []*frameBox // the open frames
	frames  []*frameBox // all frames, outer ones first
}

// bar is the bar of an activation.
type bar struct{ left, top, bottom int }

// frameBox is the box of a frame.
type frameBox struct {
	word                     string
	left, right, top, bottom int
	lines                    []string
	parts                    []part
}

// part is the head of a later part of a frame.
type part struct {
	top   int
	lines []string
}

// draw lays out and draws the diagram.
func (s *sequence) draw() *canvas {
	d := &sequenceDrawing{sequence: s, bars: make([][]*bar, len(s.participants))}
	d.middles = s.columns()
	head := s.headHeight()
	d.heads(0, head)
	d.y = head
	d.arrow = head + pad
	for _, st := range s.steps {
		d.step(st)
	}
	d.y += 2 * pad
	d.arrow = d.y // of the activations that nothing closes
	for i, bars := range d.bars {
		for range bars {
			d.endBar(i)
		}
	}
	d.heads(d.y, head)
	d.bottom = d.y + head
	return d.layers(head)
}

// layers puts frames and lifelines behind the rest.
func (d *sequenceDrawing) layers(head int) *canvas {
	back := canvas{left: d.left, right: d.right, bottom: d.bottom}
	for _, b := range d.boxes {
		left := d.middles[b.from] - d.participants[b.from].space() - pad
		right := d.middles[b.to-1] + d.participants[b.to-1].space() + pad
		top := -len(b.lines)*lineHeight - pad
		box(&back.back, "ground", left, top, right-left, d.bottom+pad-top)
		d.text("", (left+right)/2, top+pad/2, b.lines)
		back.left, back.right = min(back.left, left), max(back.right, right)
		back.top = min(back.top, top)
	}
	if len(d.boxes) > 0 {
		back.bottom += pad
	}
	for _, f := range d.frames {
		if f.word == "rect" {
			box(&back.back, "ground", f.left, f.top, f.right-f.left, f.bottom-f.top)
		}
	}
	for _, x := range d.middles {
		path(&back.back, "life", "M%d %dV%d", x, head, d.y)
	}
	for _, f := range d.frames {
		if f.word != "rect" {
			back.frame(f)
		}
	}
	for _, b := range d.drawn {
		box(&back.back, "active", b.left, b.top, barWidth, b.bottom-b.top)
	}
	back.back.Write(d.front.Bytes())
	return &back
}

// headHeight returns the height of the participants' heads.
func (s *sequence) headHeight() (most int) {
	for _, p := range s.participants {
		h := len(p.lines)*lineHeight + 2*pad
		if p.actor {
			h = len(p.lines)*lineHeight + figure
		}
		most = max(most, h)
	}
	return most
}

// half returns half the width of a participant's head.
func (p participant) half() int { return max(80, widest(p.lines)+2*pad)/2 + 1 }

// space returns half the width of a participant's column.
func (p participant) space() int { return max(p.half(), p.share/2+pad) }

// columns returns the middles of the columns, each as far to the left as labels allow.
func (s *sequence) columns() []int {
	type need struct{ from, width int }
	needs := make([][]need, len(s.participants))
	apart := func(from, to, width int) {
		if from >= 0 && to < len(needs) {
			needs[to] = append(needs[to], need{from, width})
		}
	}
	for i := 1; i < len(s.participants); i++ {
		apart(i-1, i, s.participants[i-1].space()+s.participants[i].space()+columnGap)
	}
	for _, st := range s.steps {
		w := widest(st.lines)
		switch {
		case st.action == message && st.from == st.to:
			apart(st.from, st.from+1, w+selfWidth+barWidth+3*pad)
		case st.action == message:
			apart(min(st.from, st.to), max(st.from, st.to), w+2*barWidth+2*pad)
		case st.action == note && st.side == "right of":
			apart(st.from, st.from+1, w+5*pad)
		case st.action == note && st.side == "left of":
			apart(st.from-1, st.from, w+5*pad)
		case st.action == note && st.from == st.to:
			apart(st.from-1, st.from, w/2+3*pad)
			apart(st.from, st.from+1, w/2+3*pad)
		case st.action == note:
			apart(st.from, st.to, w)
		}
	}
	middles := make([]int, len(needs))
	middles[0] = s.participants[0].space()
	for i := range needs {
		for _, n := range needs[i] {
			middles[i] = max(middles[i], middles[n.from]+n.width)
		}
	}
	return middles
}

// heads draws the participants.
func (d *sequenceDrawing) heads(top, height int) {
	for i, p := range d.participants {
		x, w := d.middles[i], p.half()
		text := len(p.lines) * lineHeight
		if p.actor {
			y := top + height - text - figure + 6
			const man = "M%d %da7 7 0 1 0 .1 0zM%[1]d %[3]dv11m-12-7h24m-21 15 9-8 9 8"
			path(&d.front, "figure", man, x, y, y+14)
			d.text("", x, top+height-text-2, p.lines)
		} else {
			box(&d.front, "box", x-w, top, 2*w, height)
			d.text("", x, top+(height-text)/2, p.lines)
		}
		d.cover(x-w, x+w)
	}
}

// cover extends the innermost frame and the drawing.
func (d *sequenceDrawing) cover(left, right int) {
	if n := len(d.open); n > 0 {
		f := d.open[n-1]
		f.left, f.right = min(f.left, left), max(f.right, right)
	}
	d.left, d.right = min(d.left, left), max(d.right, right)
}

// step draws a step below the last one.
func (d *sequenceDrawing) step(st step) {
	text := len(st.lines) * lineHeight
	switch st.action {
	case message:
		if st.from == st.to {
			d.toSelf(st, text)
		} else {
			d.message(st, text)
		}
	case note:
		d.note(st, text)
	case activate:
		d.startBar(st.from)
	case deactivate:
		d.endBar(st.from)
	case begin:
		d.y += framePad
		f := &frameBox{word: st.word, left: math.MaxInt, right: math.MinInt, top: d.y,
			lines: st.lines}
		d.open, d.frames = append(d.open, f), append(d.frames, f)
		if st.word != "rect" {
			d.y += max(text, lineHeight) + 6
		}
	case divide:
		d.y += framePad
		f := d.open[len(d.open)-1]
		f.parts = append(f.parts, part{d.y, st.lines})
		d.y += text + 4
	case end:
		d.endFrame()
	}
}

// endFrame closes the innermost frame, which is as wide as its contents and its words.
func (d *sequenceDrawing) endFrame() {
	n := len(d.open) - 1
	f := d.open[n]
	d.open = d.open[:n]
	if f.left > f.right {
		f.left, f.right = d.middles[0], d.middles[len(d.middles)-1]
	}
	f.left, f.right = f.left-framePad, f.right+framePad
	f.right = max(f.right, f.labelLeft()+widest(bracketed(f.lines))+pad)
	for _, p := range f.parts {
		f.right = max(f.right, f.left+widest(bracketed(p.lines))+2*pad)
	}
	d.y += framePad
	f.bottom = d.y
	d.cover(f.left, f.right)
}

// labelLeft returns where the label of a frame begins, after its word.
func (f *frameBox) labelLeft() int { return f.left + width(f.word) + 3*pad }

// bracketed returns the label of a frame's part in brackets, as is usual.
func bracketed(lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	lines = slices.Clone(lines)
	lines[0] = "[" + lines[0]
	lines[len(lines)-1] += "]"
	return lines
}

// frame draws a frame with its word in a corner, its label and its parts.
func (c *canvas) frame(f *frameBox) {
	box(&c.back, "frame", f.left, f.top, f.right-f.left, f.bottom-f.top)
	w := width(f.word) + 2*pad
	path(&c.back, "tag", "M%d %dh%dv%dl-6 6H%[1]dz", f.left, f.top, w, lineHeight-4)
	c.text("word", f.left+pad, f.top, []string{f.word})
	c.text("start", f.labelLeft(), f.top, bracketed(f.lines))
	for _, p := range f.parts {
		path(&c.back, "frame dash", "M%d %dH%d", f.left, p.top, f.right)
		c.text("start", f.left+pad, p.top+2, bracketed(p.lines))
	}
}

// edge returns the side of a participant's lifeline or activation at which an arrow ends: to the
// right of it if side is 1, to the left if it is -1.
func (d *sequenceDrawing) edge(i, side int) int {
	n := len(d.bars[i])
	switch {
	case n == 0:
		return d.middles[i]
	case side < 0:
		return d.middles[i] - barWidth/2
	}
	return d.middles[i] + barWidth/2 + (n-1)*barStep
}

// message draws a message to another participant.
func (d *sequenceDrawing) message(st step, text int) {
	d.y += pad + text + 4
	side := 1
	if st.from > st.to {
		side = -1
	}
	d.arrow = d.y
	from := d.edge(st.from, side)
	if st.opens {
		d.startBar(st.to)
	}
	to := d.edge(st.to, -side)
	w := widest(st.lines)
	d.text("label", (from+to)/2, d.y-text-4, st.lines)
	d.line(st.arrow, "M%d %dH%d", from, d.y, to)
	d.tips(st.arrow, from, to, d.y, side)
	d.cover(min(from, to, (from+to-w)/2)-pad, max(from, to, (from+to+w)/2)+pad)
	d.y += 4
}

// toSelf draws a message of a participant to itself, with its label beside the arrow.
func (d *sequenceDrawing) toSelf(st step, text int) {
	d.y += pad + 2
	x, h := d.edge(st.from, 1), max(text, lineHeight+4)
	d.line(st.arrow, "M%d %dh%dv%dH%[1]d", x, d.y, selfWidth, h)
	d.tips(st.arrow, x, x, d.y+h, -1)
	d.text("start", x+selfWidth+6, d.y+(h-text)/2, st.lines)
	d.cover(d.middles[st.from]-2*pad, x+selfWidth+6+widest(st.lines))
	d.y += h
	d.arrow = d.y
	if st.opens {
		d.startBar(st.from)
	}
	d.y += 4
}

// line draws the line of an arrow.
func (d *sequenceDrawing) line(arrow, format string, args ...any) {
	class := "line"
	if strings.Contains(arrow, "--") {
		class += " dash"
	}
	path(&d.front, class, format, args...)
}

// tips draws the ends of an arrow to the right, or to the left if side is -1.
func (d *sequenceDrawing) tips(arrow string, from, to, y, side int) {
	tip := func(x, side int) {
		path(&d.front, "tip", "M%d %dl%d-5v10z", x, y, -9*side)
	}
	switch {
	case strings.HasSuffix(arrow, ">>"):
		tip(to, side)
	case strings.HasSuffix(arrow, "x"):
		path(&d.front, "line", "M%d %dl10 10m0-10-10 10", to-8*side-5, y-5)
	case strings.HasSuffix(arrow, ")"):
		path(&d.front, "line", "M%d %dl%d 5 %d 5", to-9*side, y-5, 9*side, -9*side)
	}
	if strings.HasPrefix(arrow, "<<") {
		tip(from, -side)
	}
}

// note draws a note.
func (d *sequenceDrawing) note(st step, text int) {
	d.y += pad
	w := widest(st.lines) + 2*pad
	x := d.middles[st.from]
	switch {
	case st.side == "right of":
		x += 2 * pad
	case st.side == "left of":
		x -= 2*pad + w
	default:
		to := d.middles[st.to]
		if st.from != st.to {
			w = max(w, to-x+4*pad)
		}
		x = (x + to - w) / 2
	}
	box(&d.front, "note", x, d.y, w, text+pad)
	d.text("", x+w/2, d.y+pad/2, st.lines)
	d.cover(min(x, d.middles[st.from]-pad), max(x+w, d.middles[st.to]+pad))
	d.y += text + pad + 2
}

// startBar opens an activation at the last arrow.
func (d *sequenceDrawing) startBar(i int) {
	n := len(d.bars[i])
	b := &bar{left: d.middles[i] - barWidth/2 + n*barStep, top: d.arrow}
	d.bars[i], d.drawn = append(d.bars[i], b), append(d.drawn, b)
	d.cover(b.left, b.left+barWidth)
}

// endBar closes the innermost activation of a participant at the last arrow.
func (d *sequenceDrawing) endBar(i int) {
	n := len(d.bars[i]) - 1
	b := d.bars[i][n]
	d.bars[i] = d.bars[i][:n]
	b.bottom = max(d.arrow, b.top+2*pad)
	d.y = max(d.y, b.bottom)
}
