package palette

import (
	"fmt"

	"github.com/lucasb-eyer/go-colorful"
)

// Color is an opaque sRGB color.
type Color struct{ R, G, B uint8 }

// Parse parses the CSS notation with three or six hexadecimal digits, such as #5431c0. It reports
// whether the text is valid.
func Parse(s string) (Color, bool) {
	c, err := colorful.Hex(s)
	return rounded(c), err == nil
}

// String returns the notation for [Parse], with six digits in lower case.
func (c Color) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Contrast returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.1, contrast ratio).
func Contrast(a, b Color) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// luminance returns the relative luminance of WCAG 2.1, from 0 to 1.
func (c Color) luminance() float64 {
	r, g, b := c.exact().LinearRgb()
	return .2126*r + .7152*g + .0722*b
}

// exact returns the color with channels from 0 to 1.
func (c Color) exact() colorful.Color {
	return colorful.Color{R: float64(c.R) / 0xff, G: float64(c.G) / 0xff, B: float64(c.B) / 0xff}
}

// rounded returns the nearest color with 8 bits per channel.
func rounded(c colorful.Color) Color {
	r, g, b := c.Clamped().RGB255()
	return Color{r, g, b}
}

// shade returns the color with a lightness, chroma and hue in Oklab (Björn Ottosson, 2020), with
// the chroma reduced as far as sRGB requires. Colors of one hue and different lightness look like
// shades of one color, unlike in HSL.
func shade(lightness, chroma, hue float64) Color {
	// Halve the range between gray, which sRGB has, and the chroma.
	least := 0.
	for range 20 {
		if middle := (least + chroma) / 2; colorful.OkLch(lightness, middle, hue).IsValid() {
			least = middle
		} else {
			chroma = middle
		}
	}
	return rounded(colorful.OkLch(lightness, least, hue))
}
