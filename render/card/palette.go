package card

import (
	"image/color"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// levels is how strong the colour of a pixel can be: how much of it a shape covers. Few levels make short
// files.
const levels = 4

func levelOf(alpha uint8) int { return (2*levels*int(alpha) + 0xff) / (2 * 0xff) }

// ink is a colour: the index in the palette of its first level less one.
type ink int

// Index 0 is the page. Where shapes touch, the higher index stays.
const (
	text ink = levels * iota
	accent
	muted
	ground // of a status
	status // on that ground
	inks
)

// index is that of a level of a colour, which is not 0.
func (k ink) index(level int) uint8 { return uint8(int(k) + level) }

// paletteOf is the colours of a card, those of the pages' light theme. They are more than 16: of fewer, the
// standard encoder packs two pixels into a byte, which takes it four times as long.
func paletteOf(s *mip.Status) color.Palette {
	page, fore, back := rgb(0xffffff), rgb(0x5431c0), rgb(0xffffff)
	if s != nil {
		fore, back = statusColours(*s)
	}
	p := make(color.Palette, inks+1)
	p[0] = page
	for level := 1; level <= levels; level++ {
		p[text.index(level)] = mix(page, rgb(0x1b1826), level)
		p[accent.index(level)] = mix(page, rgb(0x5431c0), level)
		p[muted.index(level)] = mix(page, rgb(0x565166), level)
		p[ground.index(level)] = mix(page, back, level)
		p[status.index(level)] = mix(back, fore, level)
	}
	return p
}

// mix is a colour on the way from one to another.
func mix(from, to color.RGBA, level int) color.RGBA {
	part := func(a, b uint8) uint8 { return uint8((int(a)*(levels-level) + int(b)*level + levels/2) / levels) }
	return color.RGBA{part(from.R, to.R), part(from.G, to.G), part(from.B, to.B), 0xff}
}

func rgb(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff} }

// statusColours are those of the pages' badges.
func statusColours(s mip.Status) (fore, back color.RGBA) {
	switch s {
	case mip.Review:
		return rgb(0x0a4a94), rgb(0xe3effd)
	case mip.LastCall:
		return rgb(0x7a4300), rgb(0xfdf0d5)
	case mip.Final:
		return rgb(0x0c5a36), rgb(0xdff5e8)
	case mip.Living:
		return rgb(0x04585e), rgb(0xdbf4f5)
	case mip.Stagnant:
		return rgb(0x5f4632), rgb(0xf3ebe4)
	case mip.Withdrawn:
		return rgb(0x94192a), rgb(0xfde7ea)
	}
	return rgb(0x4a4658), rgb(0xefedf4)
}
