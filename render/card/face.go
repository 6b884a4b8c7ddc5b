package card

import (
	"fmt"
	"image"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Sizes of letters in pixels.
const (
	titleSize = 54
	labelSize = 34
	smallSize = 30
)

// loadFaces reads the Go fonts, which cover Latin, Greek and Cyrillic.
func loadFaces() (title, label, small *face, err error) {
	bold, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("card: read the bold font: %w", err)
	}
	regular, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("card: read the regular font: %w", err)
	}
	for _, f := range []struct {
		to   **face
		font *sfnt.Font
		size float64
	}{{&title, bold, titleSize}, {&label, bold, labelSize}, {&small, regular, smallSize}} {
		if *f.to, err = newFace(f.font, f.size); err != nil {
			return nil, nil, nil, fmt.Errorf("card: font at %g pixels: %w", f.size, err)
		}
	}
	return title, label, small, nil
}

// face is a font at one size, and the glyphs of it that have been asked for.
type face struct {
	mu     sync.Mutex
	font   *sfnt.Font
	drawn  font.Face
	buffer sfnt.Buffer
	glyphs map[rune]*mask // nil: the font does not have it
}

func newFace(f *sfnt.Font, size float64) (*face, error) {
	drawn, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72})
	return &face{font: f, drawn: drawn, glyphs: map[rune]*mask{}}, err
}

// run is the glyphs of a text. It is false when one is missing.
func (f *face) run(text string) ([]*mask, bool) {
	out := make([]*mask, 0, len(text))
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range text {
		m, ok := f.glyphs[r]
		if !ok {
			m = f.glyph(r)
			f.glyphs[r] = m
		}
		if m == nil {
			return nil, false
		}
		out = append(out, m)
	}
	return out, true
}

// glyph draws one glyph. f.mu is held: fonts and faces are not for two at a time.
func (f *face) glyph(r rune) *mask {
	// Glyph 0 is the box that stands for what is missing.
	if i, err := f.font.GlyphIndex(&f.buffer, r); err != nil || i == 0 {
		return nil
	}
	at, img, from, advance, ok := f.drawn.Glyph(fixed.Point26_6{}, r)
	alpha, grey := img.(*image.Alpha)
	if !ok || !grey {
		return nil
	}
	m := newMask(at)
	for y := range at.Dy() {
		for x := range at.Dx() {
			m.set(at.Min.X+x, at.Min.Y+y, level(int(alpha.AlphaAt(from.X+x, from.Y+y).A), 0xff))
		}
	}
	m.advance = (advance.Round() + 1) &^ 1 // even, as two pixels are a byte
	return m
}

// widthOf is how far a run of glyphs reaches.
func widthOf(run []*mask) int {
	n := 0
	for _, m := range run {
		n += m.advance
	}
	return n
}
