package card

import (
	"fmt"
	"image"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// Positions in pixels from the upper left. The position of a line of text is its base line.
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

// canvas is the pixels of one card and the fonts to write on it. It is not safe for concurrent use.
type canvas struct {
	*image.Paletted
	title, label, small face
	png                 *pngWriter
}

// newCanvas reads the fonts. It fails only when a font in the program is broken.
func newCanvas() (*canvas, error) {
	v := &canvas{
		Paletted: image.NewPaletted(image.Rect(0, 0, Width, Height), nil),
		png:      newPNGWriter(),
	}
	for _, f := range []struct {
		face *face
		ttf  []byte
		size float64
	}{
		{&v.title, gobold.TTF, titleSize},
		{&v.label, gobold.TTF, labelSize},
		{&v.small, goregular.TTF, smallSize},
	} {
		parsed, err := opentype.Parse(f.ttf)
		if err != nil {
			return nil, fmt.Errorf("read a font: %w", err)
		}
		// With hinting, each letter begins at a whole pixel: the same letter has the same pixels,
		// which makes short files and lets it be drawn once.
		o := &opentype.FaceOptions{Size: f.size, DPI: 72, Hinting: font.HintingFull}
		if f.face.Face, err = opentype.NewFace(parsed, o); err != nil {
			return nil, err
		}
		f.face.glyphs = map[rune]glyph{}
	}
	return v, nil
}

// draw clears the canvas and draws a card.
func (v *canvas) draw(c Card) {
	clear(v.Pix)
	v.Palette = paletteOf(c.Mark, c.Accent)
	v.fill(image.Rect(0, 0, Width, barEnd), status)
	left := margin
	if !c.NoGlyph {
		v.stamp("logo", margin, logoTop, accent)
		left = siteLeft
	}
	v.write(v.label, v.label.fit(c.Site, right-left), left, siteLine, text)
	v.drawTitle(c)
	// The row below the title: the status, then the type and the category.
	x := margin
	if c.Mark != "" {
		x = v.drawPill(x, c.Status, c.Mark)
	}
	v.write(v.small, v.small.fit(c.Kind, right-x), x, pillLine, muted)
}

// drawTitle puts the proposal's number and title on a canvas.
func (v *canvas) drawTitle(c Card) {
	rows := v.title.wrap(c.Title, right-margin, mostRows)
	if len(rows) == 0 { // The id takes the place of a title that cannot be written.
		v.write(v.title, v.title.fit(c.ID, right-margin), margin, topLine, accent)
		return
	}
	v.write(v.label, v.label.fit(c.ID, right-margin), margin, idLine, accent)
	for i, row := range rows {
		v.write(v.title, row, margin, topLine+i*leading, text)
	}
}

// drawPill draws a status with its icon and returns the column after it. A status that cannot be
// written keeps its icon.
func (v *canvas) drawPill(x int, text, mark string) int {
	const end, inset = pillSide / 2, 24
	word := v.label.fit(text, (right-margin)/2)
	width := inset + iconSide + inset
	if word != "" {
		width += gap + font.MeasureString(v.label, word).Ceil()
	}
	// Two discs and a rectangle between them make the pill.
	v.stamp("disc", x, pillTop, ground)
	v.stamp("disc", x+width-2*end, pillTop, ground)
	v.fill(image.Rect(x+end, pillTop, x+width-end, pillTop+pillSide), ground)
	v.stamp(mark, x+inset, iconTop, status)
	v.write(v.label, word, x+inset+iconSide+gap, pillLine, status)
	return x + width + 2*gap
}

// write draws a line of text.
func (v *canvas) write(f face, line string, x, y int, c colorIndex) {
	before := rune(-1)
	for _, r := range line {
		if before >= 0 {
			x += f.Kern(before, r).Round()
		}
		g := f.glyph(r)
		v.cover(g.mask, x, y, c)
		x += g.advance.Round()
		before = r
	}
}

// stamp draws a shape.
func (v *canvas) stamp(shape string, x, y int, c colorIndex) { v.cover(shapes()[shape], x, y, c) }

// cover colors what a mask covers when its origin is at x and y. Where shapes touch, the higher
// index stays. [draw.DrawMask] would ask for each pixel through an interface.
func (v *canvas) cover(mask *image.Alpha, x, y int, c colorIndex) {
	r := mask.Rect.Add(image.Pt(x, y)).Intersect(v.Rect)
	for row := r.Min.Y; row < r.Max.Y; row++ {
		pixels := v.Pix[v.PixOffset(r.Min.X, row):][:r.Dx()]
		covered := mask.Pix[mask.PixOffset(r.Min.X-x, row-y):]
		for i := range pixels {
			if level := levelOf(covered[i]); level > 0 {
				pixels[i] = max(pixels[i], uint8(c)+level)
			}
		}
	}
}

// fill colors a rectangle.
func (v *canvas) fill(r image.Rectangle, c colorIndex) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		pixels := v.Pix[v.PixOffset(r.Min.X, y):][:r.Dx()]
		for i := range pixels {
			pixels[i] = max(pixels[i], uint8(c)+levels)
		}
	}
}
