package card

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Sizes of letters in pixels.
const (
	titleSize = 54
	labelSize = 34
	smallSize = 30
)

// face is a font at one size. It is not safe for concurrent use.
type face struct {
	font   *sfnt.Font
	face   font.Face
	buffer sfnt.Buffer
}

// newFace reads one of the Go fonts, which cover Latin, Greek and Cyrillic. size is in pixels.
func newFace(ttf []byte, size float64) (*face, error) {
	f, err := opentype.Parse(ttf)
	if err != nil {
		return nil, fmt.Errorf("read the font: %w", err)
	}
	drawn, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		return nil, fmt.Errorf("font at %g pixels: %w", size, err)
	}
	return &face{font: f, face: drawn}, nil
}

// advance is the width of a glyph in pixels, and 0 when the font has none.
func (f *face) advance(r rune) int {
	// Glyph 0 is the box that stands for a missing glyph.
	if i, err := f.font.GlyphIndex(&f.buffer, r); err != nil || i == 0 {
		return 0
	}
	advance, _ := f.face.GlyphAdvance(r)
	return advance.Round()
}

// width is the width of a line in pixels.
func (f *face) width(line []rune) (n int) {
	for _, r := range line {
		n += f.advance(r)
	}
	return n
}

// reach is the number of letters of a text that fit a width.
func (f *face) reach(text []rune, width int) int {
	for i, r := range text {
		if width -= f.advance(r); width < 0 {
			return i
		}
	}
	return len(text)
}

// ellipsis ends a shortened text.
const ellipsis = '…'

// fit is a text on one line, shortened to a width in pixels. It is false for a text that cannot be written, and for an
// empty one.
func (f *face) fit(s string, width int) ([]rune, bool) {
	rows, ok := f.wrap(s, width, 1)
	if !ok || len(rows) == 0 {
		return nil, false
	}
	return rows[0], true
}

// wrap is a text as lines of a width in pixels, most at the most, the last of them shortened. A word that is longer than
// a line is broken where the line ends. It is false for a text that cannot be written.
func (f *face) wrap(s string, width, most int) (rows [][]rune, ok bool) {
	rest := []rune(mip.Collapse(s))
	if slices.ContainsFunc(rest, func(r rune) bool { return f.advance(r) == 0 }) {
		return nil, false
	}
	for len(rest) > 0 {
		n := f.reach(rest, width)
		// The rest fits the line.
		if n == len(rest) {
			return append(rows, rest), true
		}
		// The last line ends with an ellipsis, without a blank before it.
		if len(rows) == most-1 {
			n = f.reach(rest, width-f.advance(ellipsis))
			last := strings.TrimRight(string(rest[:n]), " ")
			return append(rows, append([]rune(last), ellipsis)), true
		}
		next := n
		for i := n; i > 0; i-- { // the last blank that leaves a line that fits
			if rest[i] == ' ' {
				n, next = i, i+1
				break
			}
		}
		rows, rest = append(rows, rest[:n]), rest[next:]
	}
	return rows, true
}
