package card

import (
	"image"
	"math"
	"sync"
)

// Sides of the shapes in pixels.
const (
	logoSide = 44
	iconSide = 36
	pillSide = 64 // height of the pill that a status stands in
)

// inside reports whether a point lies in a shape. The coordinates run from 0 to 24, as in the
// pages' icons.
type inside func(x, y float64) bool

// style is how a status is drawn: the colors and the icon of the pages' badges.
type style struct {
	fore, back uint32
	icon       inside
}

// minus is the style of a status outside the process, and of none.
var minus = style{0x4a4658, 0xefedf4, func(x, y float64) bool {
	return ring(x, y) || line(x, y, 8, 12, 16, 12)
}}

// styles are the styles of the statuses of EIP-1 and of those that have no style of their own.
var styles = map[string]style{
	"draft": {0x4a4658, 0xefedf4, func(x, y float64) bool {
		const dashes = 8
		turn := math.Atan2(y-12, x-12)/(2*math.Pi)*dashes + dashes
		return ring(x, y) && turn-math.Floor(turn) < .55
	}},
	"review": {0x0a4a94, 0xe3effd, func(x, y float64) bool {
		return ring(x, y) || radius(x, y) < 9 && x >= 12
	}},
	"last-call": {0x7a4300, 0xfdf0d5, func(x, y float64) bool {
		return ring(x, y) || line(x, y, 12, 7, 12, 12) || line(x, y, 12, 12, 15, 14)
	}},
	"final": {0x0c5a36, 0xdff5e8, func(x, y float64) bool {
		tick := line(x, y, 7.3, 12.1, 10.8, 15.6) || line(x, y, 10.8, 15.6, 17.6, 8.8)
		return radius(x, y) <= 10 && !tick
	}},
	"living": {0x04585e, 0xdbf4f5, func(x, y float64) bool {
		arc := math.Abs(radius(x, y)-8) <= 1 && (y > 12 && x-y < 3 || y < 12 && x-y > -3)
		return arc || line(x, y, 18.5, 3, 18.5, 7) || line(x, y, 18.5, 7, 14.5, 7) ||
			line(x, y, 5.5, 21, 5.5, 17) || line(x, y, 5.5, 17, 9.5, 17)
	}},
	"stagnant": {0x5f4632, 0xf3ebe4, func(x, y float64) bool {
		return ring(x, y) || line(x, y, 10, 9, 10, 15) || line(x, y, 14, 9, 14, 15)
	}},
	"withdrawn": {0x94192a, 0xfde7ea, func(x, y float64) bool {
		return ring(x, y) || line(x, y, 9, 9, 15, 15) || line(x, y, 15, 9, 9, 15)
	}},
	"other": minus,
	"none":  minus,
}

// shapes returns the masks of what no font has: the icon of each style, the logo, and the disc of
// which the halves end a pill.
var shapes = sync.OnceValue(func() map[string]*image.Alpha {
	s := map[string]*image.Alpha{
		"logo": shape(logoSide, func(x, y float64) bool {
			d := math.Abs(x-12) + math.Abs(y-12)
			return d <= 10.5 && d >= 4.5
		}),
		"disc": shape(pillSide, func(x, y float64) bool { return radius(x, y) <= 12 }),
	}
	for mark, style := range styles {
		s[mark] = shape(iconSide, style.icon)
	}
	return s
})

// radius is the distance of a point from the middle of the icon.
func radius(x, y float64) float64 { return math.Hypot(x-12, y-12) }

// ring reports whether a point lies on the circle that most icons have.
func ring(x, y float64) bool { return math.Abs(radius(x, y)-9) <= 1 }

// line reports whether a point lies on a stroke of two units with round ends.
func line(x, y, x1, y1, x2, y2 float64) bool {
	dx, dy := x2-x1, y2-y1
	t := min(1, max(0, ((x-x1)*dx+(y-y1)*dy)/(dx*dx+dy*dy)))
	return math.Hypot(x-x1-t*dx, y-y1-t*dy) <= 1
}

// shape returns a mask of side by side pixels. Samples by samples points in a pixel measure how
// much of it the shape covers.
func shape(side int, in inside) *image.Alpha {
	const units, samples = 24, 4
	m := image.NewAlpha(image.Rect(0, 0, side, side))
	step := units / float64(side*samples)
	for i := range m.Pix {
		x, y := i%side*samples, i/side*samples
		n := 0
		for s := range samples * samples {
			if in((float64(x+s%samples)+.5)*step, (float64(y+s/samples)+.5)*step) {
				n++
			}
		}
		m.Pix[i] = uint8((n*0xff + samples*samples/2) / (samples * samples))
	}
	return m
}
