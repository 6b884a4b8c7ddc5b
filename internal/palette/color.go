package palette

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Color is an opaque colour of sRGB.
type Color struct{ R, G, B uint8 }

var notation = regexp.MustCompile(`^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$`)

// Parse reads the notation of CSS with three or six hexadecimal digits, such as #5431c0. It reports whether the text is one.
func Parse(s string) (Color, bool) {
	if !notation.MatchString(s) {
		return Color{}, false
	}
	digits := s[1:]
	if len(digits) == 3 {
		digits = strings.Join([]string{digits[:1], digits[:1], digits[1:2], digits[1:2], digits[2:], digits[2:]}, "")
	}
	n, _ := strconv.ParseUint(digits, 16, 32) // nothing but digits is left
	return Color{uint8(n >> 16), uint8(n >> 8), uint8(n)}, true
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
	return .2126*linear(c.R) + .7152*linear(c.G) + .0722*linear(c.B)
}

// linear is how much light a channel gives, from 0 to 1.
func linear(channel uint8) float64 {
	v := float64(channel) / 0xff
	if v <= .04045 {
		return v / 12.92
	}
	return math.Pow((v+.055)/1.055, 2.4)
}

// channel is the inverse of linear.
func channel(light float64) uint8 {
	v := light * 12.92
	if light > .0031308 {
		v = 1.055*math.Pow(light, 1/2.4) - .055
	}
	return uint8(math.Round(0xff * min(1, max(0, v))))
}

// shade is a colour in Oklab (Björn Ottosson, 2020): a lightness from 0 to 1, and a and b, of which the direction is the
// hue and the length the chroma. Colours of one hue and other lightness look like shades of one colour, as they do not in HSL.
type shade struct{ lightness, a, b float64 }

func (c Color) shade() shade {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	l := math.Cbrt(.4122214708*r + .5363325363*g + .0514459929*b)
	m := math.Cbrt(.2119034982*r + .6806995451*g + .1073969566*b)
	s := math.Cbrt(.0883024619*r + .2817188376*g + .6299787005*b)
	return shade{
		.2104542553*l + .7936177850*m - .0040720468*s,
		1.9779984951*l - 2.4285922050*m + .4505937099*s,
		.0259040371*l + .7827717662*m - .8086757660*s,
	}
}

// light is how much of each channel the shade has: outside of 0 to 1 for one that sRGB does not have.
func (s shade) light() [3]float64 {
	cube := func(v float64) float64 { return v * v * v }
	l := cube(s.lightness + .3963377774*s.a + .2158037573*s.b)
	m := cube(s.lightness - .1055613458*s.a - .0638541728*s.b)
	t := cube(s.lightness - .0894841775*s.a - 1.2914855480*s.b)
	return [3]float64{
		4.0767416621*l - 3.3077115913*m + .2309699292*t,
		-1.2684380046*l + 2.6097574011*m - .3413193965*t,
		-.0041960863*l - .7034186147*m + 1.7076147010*t,
	}
}

// color is the shade, or the one with the most chroma of its lightness and hue that sRGB has.
func (s shade) color() Color {
	fits := func(part float64) bool {
		const rounding = 1e-4
		for _, v := range (shade{s.lightness, s.a * part, s.b * part}).light() {
			if v < -rounding || v > 1+rounding {
				return false
			}
		}
		return true
	}
	part := 1.
	if !fits(part) {
		// Halve the range between a grey, which sRGB has, and the shade.
		least := 0.
		for range 20 {
			if middle := (least + part) / 2; fits(middle) {
				least = middle
			} else {
				part = middle
			}
		}
		part = least
	}
	v := shade{s.lightness, s.a * part, s.b * part}.light()
	return Color{channel(v[0]), channel(v[1]), channel(v[2])}
}

// chroma is how far the shade is from grey.
func (s shade) chroma() float64 { return math.Hypot(s.a, s.b) }

// with is a shade of the same hue with this lightness, and with this chroma or that of s if it has less.
func (s shade) with(lightness, chroma float64) shade {
	part := 1.
	if c := s.chroma(); c > chroma {
		part = chroma / c
	}
	return shade{lightness, s.a * part, s.b * part}
}
