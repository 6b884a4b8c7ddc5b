package card

import (
	"fmt"
	"image"
	"image/png"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Where things stand. Rows of letters are given by the line that they stand on.
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
	markTop  = pillTop + (pillSide-markSide)/2
	gap      = 14
)

// compression is the level of the encoder. With the default level a card takes three times as long, for 70 %
// of the bytes.
const compression = png.BestSpeed

// canvas is the pixels of one card, and the faces to write on it: a face is not safe for concurrent use.
type canvas struct {
	image               *image.Paletted
	title, label, small *face
}

func newCanvas(bold, regular *sfnt.Font) (*canvas, error) {
	v := &canvas{image: image.NewPaletted(image.Rect(0, 0, Width, Height), nil)}
	for _, f := range []struct {
		to   **face
		font *sfnt.Font
		size float64
	}{{&v.title, bold, titleSize}, {&v.label, bold, labelSize}, {&v.small, regular, smallSize}} {
		var err error
		if *f.to, err = newFace(f.font, f.size); err != nil {
			return nil, fmt.Errorf("card: font at %g pixels: %w", f.size, err)
		}
	}
	return v, nil
}

// draw puts a card on an empty canvas.
func (v *canvas) draw(c Card, m *marks) {
	v.image.Palette = paletteOf(c.Status)
	v.fill(image.Rect(0, 0, Width, barEnd), status.index(levels))
	v.stamp(m.logo, m.logo.Rect, image.Pt(margin, logoTop), accent)
	if site, ok := v.label.fit(c.Site, right-siteLeft); ok {
		v.write(v.label, site, siteLeft, siteLine, text)
	}
	v.drawTitle(c)
	x := margin
	if c.Status != nil {
		x = v.drawPill(m, x, *c.Status)
	}
	if kind, ok := v.small.fit(c.Kind, right-x); ok {
		v.write(v.small, kind, x, pillLine, muted)
	}
}

// drawTitle puts the proposal's number and title on a canvas.
func (v *canvas) drawTitle(c Card) {
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

// drawPill draws a status with its sign and returns the column after it. One that cannot be written keeps
// its sign.
func (v *canvas) drawPill(m *marks, x int, s mip.Status) int {
	const end, inset = pillSide / 2, 24
	word, ok := v.label.fit(s.String(), (right-margin)/2)
	content := markSide
	if ok {
		content += gap + v.label.width(word)
	}
	width := inset + content + inset
	v.stamp(m.disc, m.disc.Rect, image.Pt(x, pillTop), ground)
	v.stamp(m.disc, m.disc.Rect, image.Pt(x+width-2*end, pillTop), ground)
	v.fill(image.Rect(x+end, pillTop, x+width-end, pillTop+pillSide), ground.index(levels))
	sign := m.of(s)
	v.stamp(sign, sign.Rect, image.Pt(x+inset, markTop), status)
	v.write(v.label, word, x+inset+markSide+gap, pillLine, status)
	return x + width + 2*gap
}

// write puts a line of text on a canvas.
func (v *canvas) write(f *face, line []rune, x, y int, k ink) {
	for _, r := range line {
		at, mask, from, _, ok := f.face.Glyph(fixed.P(x, y), r)
		if alpha, is := mask.(*image.Alpha); ok && is {
			v.stamp(alpha, image.Rectangle{from, from.Add(at.Size())}, at.Min, k)
		}
		x += f.advance(r)
	}
}

// stamp puts a part of a mask on a canvas. Where shapes touch, the higher index stays.
func (v *canvas) stamp(mask *image.Alpha, part image.Rectangle, to image.Point, k ink) {
	for y := range part.Dy() {
		for x := range part.Dx() {
			level := levelOf(mask.AlphaAt(part.Min.X+x, part.Min.Y+y).A)
			if level == 0 {
				continue
			}
			at := to.Add(image.Pt(x, y))
			v.image.SetColorIndex(at.X, at.Y, max(k.index(level), v.image.ColorIndexAt(at.X, at.Y)))
		}
	}
}

// fill gives every pixel of a rectangle one colour.
func (v *canvas) fill(r image.Rectangle, index uint8) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			v.image.SetColorIndex(x, y, index)
		}
	}
}
