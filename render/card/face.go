package card

import (
	"image"
	"image/draw"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Sizes of letters in pixels.
const (
	titleSize = 54
	labelSize = 34
	smallSize = 30
)

// face is one of the Go fonts, which cover Latin, Greek and Cyrillic, at one size.
type face struct {
	font.Face
	// glyphs are the letters that were drawn.
	glyphs map[rune]glyph
}

// glyph is a letter of a face.
type glyph struct {
	mask    *image.Alpha // whose origin is the left end of the base line
	advance fixed.Int26_6
}

// glyph draws a letter, once. It is empty for a letter that the font does not have.
func (f face) glyph(r rune) glyph {
	g, ok := f.glyphs[r]
	if ok {
		return g
	}
	at, drawn, from, advance, ok := f.Glyph(fixed.Point26_6{}, r)
	g = glyph{image.NewAlpha(at), advance}
	if ok { // The face draws the next letter over this one.
		draw.Draw(g.mask, at, drawn, from, draw.Src)
		f.glyphs[r] = g
	}
	return g
}

// writes reports whether the font has every letter of a text, and none without width.
func (f face) writes(text string) bool {
	for _, r := range text {
		if advance, ok := f.GlyphAdvance(r); !ok || advance == 0 {
			return false
		}
	}
	return true
}

// reach is the number of bytes of a text that fit a width in pixels.
func (f face) reach(text string, width int) int {
	rest := fixed.I(width)
	for i, r := range text {
		advance, _ := f.GlyphAdvance(r)
		if rest -= advance; rest < 0 {
			return i
		}
	}
	return len(text)
}

// fit is a text on one line, shortened to a width in pixels. It is empty if the font lacks a
// character.
func (f face) fit(s string, width int) string { return strings.Join(f.wrap(s, width, 1), "") }

// wrap returns a text as lines of a width in pixels, most at the most. An ellipsis ends the last
// one if the text is longer. A word that is longer than a line is broken where the line ends. A
// text with a character that the font lacks has no lines.
func (f face) wrap(s string, width, most int) (rows []string) {
	const ellipsis = "…"
	rest := mip.Collapse(s)
	if !f.writes(rest) {
		return nil
	}
	for rest != "" {
		n := f.reach(rest, width)
		switch blank := strings.LastIndexByte(rest[:min(n+1, len(rest))], ' '); {
		case n == len(rest):
			return append(rows, rest)
		case len(rows) == most-1:
			n = f.reach(rest, width-font.MeasureString(f, ellipsis).Ceil())
			return append(rows, strings.TrimRight(rest[:n], " ")+ellipsis)
		case blank > 0:
			rows, rest = append(rows, rest[:blank]), rest[blank+1:]
		default:
			rows, rest = append(rows, rest[:n]), rest[n:]
		}
	}
	return rows
}
