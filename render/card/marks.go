package card

import (
	"image"
	"math"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Sides of the shapes in pixels.
const (
	logoSide = 44
	markSide = 36
	pillSide = 64 // height of the pill that a status stands in
)

// marks are the shapes that no font has.
type marks struct {
	logo   *image.Alpha
	disc   *image.Alpha // its halves are the ends of a pill
	status map[mip.Status]*image.Alpha
	other  *image.Alpha // of a status outside the process, or of none
}

// newMarks draws the same signs that the pages have as icons.
func newMarks() marks {
	m := marks{
		logo: shape(logoSide, func(x, y float64) bool {
			d := math.Abs(x-12) + math.Abs(y-12)
			return d <= 10.5 && d >= 4.5
		}),
		disc:   shape(pillSide, func(x, y float64) bool { return radius(x, y) <= 12 }),
		status: map[mip.Status]*image.Alpha{},
		other:  shape(markSide, func(x, y float64) bool { return ring(x, y) || line(x, y, 8, 12, 16, 12) }),
	}
	for s, inside := range map[mip.Status]func(x, y float64) bool{
		mip.Draft: func(x, y float64) bool {
			const dashes = 8
			if !ring(x, y) {
				return false
			}
			turn := math.Atan2(y-12, x-12)/(2*math.Pi)*dashes + dashes
			return turn-math.Floor(turn) < .55
		},
		mip.Review: func(x, y float64) bool { return ring(x, y) || radius(x, y) < 9 && x >= 12 },
		mip.LastCall: func(x, y float64) bool {
			return ring(x, y) || line(x, y, 12, 7, 12, 12) || line(x, y, 12, 12, 15, 14)
		},
		mip.Final: func(x, y float64) bool {
			return radius(x, y) <= 10 && !line(x, y, 7.3, 12.1, 10.8, 15.6) && !line(x, y, 10.8, 15.6, 17.6, 8.8)
		},
		mip.Living: func(x, y float64) bool {
			arc := math.Abs(radius(x, y)-8) <= 1 && (y > 12 && x-y < 3 || y < 12 && x-y > -3)
			return arc || line(x, y, 18.5, 3, 18.5, 7) || line(x, y, 18.5, 7, 14.5, 7) || line(x, y, 5.5, 21, 5.5, 17) || line(x, y, 5.5, 17, 9.5, 17)
		},
		mip.Stagnant: func(x, y float64) bool {
			return ring(x, y) || line(x, y, 10, 9, 10, 15) || line(x, y, 14, 9, 14, 15)
		},
		mip.Withdrawn: func(x, y float64) bool {
			return ring(x, y) || line(x, y, 9, 9, 15, 15) || line(x, y, 15, 9, 9, 15)
		},
	} {
		m.status[s] = shape(markSide, inside)
	}
	return m
}

func (m *marks) of(s mip.Status) *image.Alpha {
	if k, ok := m.status[s]; ok {
		return k
	}
	return m.other
}

func radius(x, y float64) float64 { return length(x-12, y-12) }

// length is math.Hypot without its care for numbers that are far from 24.
func length(x, y float64) float64 { return math.Sqrt(x*x + y*y) }

func ring(x, y float64) bool { return math.Abs(radius(x, y)-9) <= 1 }

// line reports whether a point lies on a stroke of two units with round ends.
func line(x, y, x1, y1, x2, y2 float64) bool {
	dx, dy := x2-x1, y2-y1
	t := min(1, max(0, ((x-x1)*dx+(y-y1)*dy)/(dx*dx+dy*dy)))
	return length(x-x1-t*dx, y-y1-t*dy) <= 1
}

// samples is how often a pixel's side is looked at for the share of it that a shape covers.
const samples = 4

// shape is a mask of side by side pixels. inside reports whether a point lies in the shape, in units of which
// the side has 24, as the icons of the pages.
func shape(side int, inside func(x, y float64) bool) *image.Alpha {
	const units = 24
	m := image.NewAlpha(image.Rect(0, 0, side, side))
	step := units / float64(side*samples)
	for i := range m.Pix {
		x, y := i%side*samples, i/side*samples
		n := 0
		for s := range samples * samples {
			if inside((float64(x+s%samples)+.5)*step, (float64(y+s/samples)+.5)*step) {
				n++
			}
		}
		m.Pix[i] = uint8((n*0xff + samples*samples/2) / (samples * samples))
	}
	return m
}
