package card

import "github.com/mipwatch/mipwatch/internal/mip"

// ink is a family of colours: its number and a level make an index of the palette. Families are
// multiples of four, so that colour is added to many pixels at once, and shapes that touch leave the
// stronger level, or one still stronger.
type ink byte

const (
	text   ink = 0
	accent ink = 4
	muted  ink = 8
	status ink = 12 // on the ground of a status

	// ground makes the ground of a status. The first colours of accent and muted, which nothing else
	// uses, are its edges.
	ground ink = 0xff
)

// Colours of the palette by index.
const (
	groundColour = 12
	statusColour = 15
	colours      = 16
)

// of colours sixteen pixels of a mask.
func (c ink) of(levels uint64) uint64 {
	if c == ground {
		return levels << 2
	}
	const low = 0x1111111111111111 // the lowest bit of each pixel
	return levels | (levels|levels>>1)&low*uint64(c)
}

type rgb [3]byte

// mix is n thirds of the way from a to b.
func mix(a, b rgb, n int) rgb {
	var out rgb
	for i := range out {
		out[i] = byte((int(a[i])*(levels-n) + int(b[i])*n + levels/2) / levels)
	}
	return out
}

// paletteOf is the sixteen colours of a card, those of the pages' light theme.
func paletteOf(s *mip.Status) [colours]rgb {
	page, fore, back := rgb{0xff, 0xff, 0xff}, rgb{0x54, 0x31, 0xc0}, rgb{0xff, 0xff, 0xff}
	if s != nil {
		fore, back = statusColours(*s)
	}
	var p [colours]rgb
	for i := range levels + 1 {
		p[int(text)+i] = mix(page, rgb{0x1b, 0x18, 0x26}, i)
		p[int(accent)+i] = mix(page, rgb{0x54, 0x31, 0xc0}, i)
		p[int(muted)+i] = mix(page, rgb{0x56, 0x51, 0x66}, i)
		p[int(status)+i] = mix(back, fore, i)
	}
	p[accent], p[muted] = mix(page, back, 1), mix(page, back, 2)
	return p
}

// statusColours are those of the pages' badges.
func statusColours(s mip.Status) (fore, back rgb) {
	switch s {
	case mip.Review:
		return rgb{0x0a, 0x4a, 0x94}, rgb{0xe3, 0xef, 0xfd}
	case mip.LastCall:
		return rgb{0x7a, 0x43, 0x00}, rgb{0xfd, 0xf0, 0xd5}
	case mip.Final:
		return rgb{0x0c, 0x5a, 0x36}, rgb{0xdf, 0xf5, 0xe8}
	case mip.Living:
		return rgb{0x04, 0x58, 0x5e}, rgb{0xdb, 0xf4, 0xf5}
	case mip.Stagnant:
		return rgb{0x5f, 0x46, 0x32}, rgb{0xf3, 0xeb, 0xe4}
	case mip.Withdrawn:
		return rgb{0x94, 0x19, 0x2a}, rgb{0xfd, 0xe7, 0xea}
	}
	return rgb{0x4a, 0x46, 0x58}, rgb{0xef, 0xed, 0xf4}
}
