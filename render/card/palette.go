package card

import (
	"cmp"
	"image/color"
	"strconv"
)

// levels is the number of shades of a color. A shade stands for the part of a pixel that a shape
// covers. Few shades make short files.
const levels = 3

// levelOf is the nearest shade to a coverage of 0 to 255.
func levelOf(alpha uint8) uint8 { return uint8((2*levels*int(alpha) + 0xff) / (2 * 0xff)) }

// colorIndex is an index of the palette. The first shade of a color is at the index after it, the
// full one at colorIndex + levels.
type colorIndex uint8

// Index 0 is the page. Where shapes touch, the higher index stays.
const (
	text colorIndex = levels * iota
	accent
	muted
	ground // of a status
	status // on that ground
	colors
)

// paletteOf returns the 16 colors of a card, from the pages' light theme.
func paletteOf(mark, digits string) color.Palette {
	own, _ := strconv.ParseUint(cmp.Or(digits, "5431c0"), 16, 24)
	page, fore, back := rgb(0xffffff), rgb(uint32(own)), rgb(0xffffff)
	if mark != "" {
		look := styles[mark]
		fore, back = rgb(look.fore), rgb(look.back)
	}
	p := make(color.Palette, colors+1)
	p[0] = page
	// Each color is mixed with the one that it stands on.
	for level := colorIndex(1); level <= levels; level++ {
		p[text+level] = mix(page, rgb(0x1b1826), int(level))
		p[accent+level] = mix(page, rgb(uint32(own)), int(level))
		p[muted+level] = mix(page, rgb(0x565166), int(level))
		p[ground+level] = mix(page, back, int(level))
		p[status+level] = mix(back, fore, int(level))
	}
	return p
}

// mix returns the color between two at a level, from 0 for the first to levels for the second.
func mix(from, to color.RGBA, level int) color.RGBA {
	part := func(a, b uint8) uint8 {
		return uint8((int(a)*(levels-level) + int(b)*level + levels/2) / levels)
	}
	return color.RGBA{part(from.R, to.R), part(from.G, to.G), part(from.B, to.B), 0xff}
}

// rgb is the opaque color 0xrrggbb.
func rgb(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff} }
