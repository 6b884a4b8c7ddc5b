// Package palette checks the accent color of a site and derives the matching colors, so that the
// contrast of text is at least 7 in both themes (WCAG 2.1, level AAA). It does not know pages,
// style sheets or the configuration file.
package palette

import (
	"cmp"
	"math"
	"slices"
)

// Ratio is the least contrast of text.
const Ratio = 7

// Accent holds the colors that one theme derives from a site's color.
type Accent struct {
	// Text is the accent itself: links, glyphs, the focus ring and the background of buttons.
	Text Color
	// Ground is the background of selected items, a tint. Text in each color of the theme is
	// legible on it, Text included.
	Ground Color
	// On is the color of text on the background Text.
	On Color
}

// Accents holds the accents of both themes.
type Accents struct{ Light, Dark Accent }

// Theme holds the colors around an accent. The style sheet has the same values.
type Theme struct {
	// grounds are the backgrounds of a page: the page itself first, then the rest and cards.
	grounds []Color
	// texts are the colors of text other than the accent.
	texts []Color
	// on is the text on the accent.
	on Color
	// tint and chroma are the preferred lightness and the greatest chroma of the accent's Ground.
	tint, chroma float64
	// far is the lightness with the greatest contrast.
	far float64
}

// Light returns the theme with dark text.
func Light() Theme {
	white := Color{0xff, 0xff, 0xff}
	return Theme{
		grounds: []Color{white, {0xf7, 0xf6, 0xfb}},
		texts:   []Color{{0x1b, 0x18, 0x26}, {0x56, 0x51, 0x66}},
		on:      white,
		tint:    .96,
		chroma:  .03,
		far:     0,
	}
}

// Dark returns the theme with light text.
func Dark() Theme {
	page := Color{0x13, 0x11, 0x19}
	return Theme{
		grounds: []Color{page, {0x1a, 0x18, 0x22}, {0x1c, 0x19, 0x25}},
		texts:   []Color{{0xec, 0xea, 0xf3}, {0xb5, 0xb0, 0xc4}},
		on:      page,
		tint:    .29,
		chroma:  .06,
		far:     1,
	}
}

// Worst returns the background on which a color has the least contrast, and that contrast.
func (t Theme) Worst(c Color) (Color, float64) {
	ground := slices.MinFunc(t.grounds, func(a, b Color) int {
		return cmp.Compare(Contrast(a, c), Contrast(b, c))
	})
	return ground, Contrast(ground, c)
}

// Bears reports whether a color can be the theme's accent.
func (t Theme) Bears(c Color) bool {
	_, ratio := t.Worst(c)
	return ratio >= Ratio
}

// Nearest returns the color itself if the theme bears it, else the color with the same hue and the
// nearest lightness that it bears.
func (t Theme) Nearest(c Color) Color { return t.nearest(c, Ratio) }

// Match returns this theme's accent for a color that another theme bears: with the same hue, and
// slightly more contrast than required, so that its tint is visible. A gray keeps its contrast:
// black becomes white.
func (t Theme) Match(c Color, other Theme) Color {
	const ample, gray = 8, .02
	if _, chroma, _ := c.exact().OkLch(); chroma < gray {
		_, ratio := other.Worst(c)
		return t.nearest(c, ratio)
	}
	return t.nearest(c, ample)
}

// nearest returns the color with that contrast or, if there is none, black or white, whichever has
// more.
func (t Theme) nearest(c Color, ratio float64) Color {
	lightness, chroma, hue := c.exact().OkLch()
	for out := c; ; out = shade(lightness, chroma, hue) {
		if _, r := t.Worst(out); r >= ratio || lightness == t.far {
			return out
		}
		lightness = toward(lightness, t.far)
	}
}

// Accent returns the theme's accent for a color that it bears.
func (t Theme) Accent(c Color) Accent {
	_, chroma, hue := c.exact().OkLch()
	// Move the tint toward the page's side until text in each color is legible on it.
	for lightness, end := t.tint, 1-t.far; ; lightness = toward(lightness, end) {
		ground := shade(lightness, min(chroma, t.chroma), hue)
		faint := func(text Color) bool { return Contrast(ground, text) < Ratio }
		if lightness == end || !faint(c) && !slices.ContainsFunc(t.texts, faint) {
			return Accent{Text: c, Ground: ground, On: t.on}
		}
	}
}

// toward returns a lightness one step nearer to an end.
func toward(lightness, end float64) float64 {
	const step = .002
	if math.Abs(end-lightness) <= step {
		return end
	}
	return lightness + math.Copysign(step, end-lightness)
}
