package card

import (
	"image"
	"image/png"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/math/fixed"
)

// Positions in pixels from the upper left. A line of text has that of its base line.
const (
	margin   = 80
	right    = Width - margin
	barEnd   = 14
	logoTop  = 62
	siteLine = 96
	siteLeft = margin + logoSide + 16
	idLine   = 214
	topLine  = 288 // of the title
	leading  = 70
	mostRows = 3
	pillTop  = 506
	pillLine = pillTop + 44
	iconTop  = pillTop + (pillSide-iconSide)/2
	gap      = 14
)

// canvas is the pixels of one card, with the fonts and shapes to draw on it. It is not safe for concurrent use.
type canvas struct {
	image               *image.Paletted
	title, label, small *face
	shapes              *shapes
	buffer              *png.EncoderBuffer
}

// newCanvas reads the fonts. It fails only when a font in the program is broken.
func newCanvas() (*canvas, error) {
	v := &canvas{image: image.NewPaletted(image.Rect(0, 0, Width, Height), nil), shapes: drawShapes()}
	var err error
	// A face has one size, and it is not safe for concurrent use: each canvas has its own.
	if v.title, err = newFace(gobold.TTF, titleSize); err != nil {
		return nil, err
	}
	if v.label, err = newFace(gobold.TTF, labelSize); err != nil {
		return nil, err
	}
	v.small, err = newFace(goregular.TTF, smallSize)
	return v, err
}

// Get and Put make a canvas the [png.EncoderBufferPool] of its own card.
func (v *canvas) Get() *png.EncoderBuffer { return v.buffer }

// Put keeps the buffer for the next card.
func (v *canvas) Put(b *png.EncoderBuffer) { v.buffer = b }

// draw clears the canvas and draws a card.
func (v *canvas) draw(c Card) {
	clear(v.image.Pix)
	v.image.Palette = paletteOf(c.Mark, c.Accent)
	v.fill(image.Rect(0, 0, Width, barEnd), status+levels)
	left := margin
	if !c.NoGlyph {
		v.mask(v.shapes.logo, image.Pt(margin, logoTop), accent)
		left = siteLeft
	}
	if site, ok := v.label.fit(c.Site, right-left); ok {
		v.write(v.label, site, left, siteLine, text)
	}
	v.drawTitle(c)
	// The row below the title: the status, then the type and the category.
	x := margin
	if c.Mark != "" {
		x = v.drawPill(x, c.Status, c.Mark)
	}
	if kind, ok := v.small.fit(c.Kind, right-x); ok {
		v.write(v.small, kind, x, pillLine, muted)
	}
}

// drawTitle puts the proposal's number and title on a canvas.
func (v *canvas) drawTitle(c Card) {
	// Without a title that can be written, the id takes its place.
	rows, ok := v.title.wrap(c.Title, right-margin, mostRows)
	if !ok || len(rows) == 0 {
		if id, ok := v.title.fit(c.ID, right-margin); ok {
			v.write(v.title, id, margin, topLine, accent)
		}
		return
	}
	if id, ok := v.label.fit(c.ID, right-margin); ok {
		v.write(v.label, id, margin, idLine, accent)
	}
	for i, row := range rows {
		v.write(v.title, row, margin, topLine+i*leading, text)
	}
}

// drawPill draws a status with its icon and returns the column after it. A status that cannot be written keeps its
// icon.
func (v *canvas) drawPill(x int, text, mark string) int {
	const end, inset = pillSide / 2, 24
	word, ok := v.label.fit(text, (right-margin)/2)
	content := iconSide
	if ok {
		content += gap + v.label.width(word)
	}
	width := inset + content + inset
	// Two discs and a rectangle between them make the pill.
	v.mask(v.shapes.disc, image.Pt(x, pillTop), ground)
	v.mask(v.shapes.disc, image.Pt(x+width-2*end, pillTop), ground)
	v.fill(image.Rect(x+end, pillTop, x+width-end, pillTop+pillSide), ground+levels)
	v.mask(v.shapes.icons[mark], image.Pt(x+inset, iconTop), status)
	v.write(v.label, word, x+inset+iconSide+gap, pillLine, status)
	return x + width + 2*gap
}

// write draws a line of text.
func (v *canvas) write(f *face, line []rune, x, y int, c colour) {
	for _, r := range line {
		// A glyph that the font lacks draws nothing; wrap has refused such texts.
		at, mask, from, _, ok := f.face.Glyph(fixed.P(x, y), r)
		if alpha, is := mask.(*image.Alpha); ok && is {
			v.mask(alpha.SubImage(image.Rectangle{from, from.Add(at.Size())}).(*image.Alpha), at.Min, c)
		}
		x += f.advance(r)
	}
}

// mask draws a mask in a colour. Where shapes touch, the higher index stays.
func (v *canvas) mask(m *image.Alpha, to image.Point, c colour) {
	// The part of the mask that lies on the card.
	r := m.Rect.Sub(m.Rect.Min).Add(to).Intersect(v.image.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		at := r.Min.Sub(to).Add(m.Rect.Min)
		source := m.Pix[m.PixOffset(at.X, at.Y+y-r.Min.Y):]
		target := v.image.Pix[v.image.PixOffset(r.Min.X, y):][:r.Dx()]
		for x := range target {
			if level := levelOf(source[x]); level > 0 {
				target[x] = max(target[x], uint8(c)+level)
			}
		}
	}
}

// fill gives every pixel of a rectangle the same index.
func (v *canvas) fill(r image.Rectangle, index colour) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := v.image.Pix[v.image.PixOffset(r.Min.X, y):][:r.Dx()]
		for x := range row {
			row[x] = uint8(index)
		}
	}
}
