package palette

import (
	"fmt"

	"github.com/lucasb-eyer/go-colorful"
)

// Color is an opaque colour of sRGB.
type Color struct{ R, G, B uint8 }

// Parse reads the notation of CSS with three or six hexadecimal digits, such as #5431c0. It reports
// whether the text is one.
func Parse(s string) (Color, bool) {
	c, err := colorful.Hex(s)
	return rounded(c), err == nil
}

// String is the notation that [Parse] reads, with six digits in lower case.
func (c Color) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Contrast is the ratio of two colours, from 1 to 21 (WCAG 2.1, contrast ratio).
func Contrast(a, b Color) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// luminance is the relative luminance of WCAG 2.1, from 0 to 1.
func (c Color) luminance() float64 {
	r, g, b := c.exact().LinearRgb()
	return .2126*r + .7152*g + .0722*b
}

// exact is the colour with channels from 0 to 1.
func (c Color) exact() colorful.Color {
	return colorful.Color{R: float64(c.R) / 0xff, G: float64(c.G) / 0xff, B: float64(c.B) / 0xff}
}

// rounded is the nearest colour of 8 bits a channel.
func rounded(c colorful.Color) Color {
	r, g, b := c.Clamped().RGB255()
	return Color{r, g, b}
}

// shade returns the colour of a lightness, chroma and hue in Oklab (Björn Ottosson, 2020), with the
// most chroma that sRGB has of them. Colours of one hue and other lightness look like shades of one
// colour, as they do not in HSL.
func shade(lightness, chroma, hue float64) Color {
	// Halve the range between a grey, which sRGB has, and the chroma.
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
