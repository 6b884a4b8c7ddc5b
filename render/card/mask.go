package card

import "image"

// levels is the strongest of the levels that a pixel of a mask can have; 0 is none.
const levels = 3

// level is n of all as a level.
func level(n, all int) byte { return byte((2*levels*n + all) / (2 * all)) }

// mask is a shape in four levels, ready to be copied to an even column.
type mask struct {
	left, top int      // of the shape from where it is put; left is even
	stride    int      // words a row
	words     []uint64 // of sixteen pixels
	advance   int      // even
}

// newMask returns an empty mask that can hold what lies in r.
func newMask(r image.Rectangle) *mask {
	left := r.Min.X &^ 1
	const pixels = 2 * word
	stride := (r.Max.X - left + pixels - 1) / pixels
	return &mask{left: left, top: r.Min.Y, stride: stride, words: make([]uint64, stride*r.Dy())}
}

// set gives the pixel at a point a level, which must have none yet.
func (m *mask) set(x, y int, level byte) {
	const pixels = 2 * word
	x -= m.left
	// Of two pixels of a byte the left one has the higher bits.
	m.words[(y-m.top)*m.stride+x/pixels] |= uint64(level) << (4 * (x%pixels ^ 1))
}

// samples is how often a pixel's side is looked at for the share of it that a shape covers.
const samples = 4

// shape is a mask of side by side pixels from what tells whether a point lies inside, in units of
// which the side has 24, as the icons of the pages. The side is even.
func shape(side int, inside func(x, y float64) bool) *mask {
	const units = 24
	m := newMask(image.Rect(0, 0, side, side))
	step := units / float64(side*samples)
	for y := range side {
		for x := range side {
			n := 0
			for s := range samples * samples {
				if inside((float64(x*samples+s%samples)+.5)*step, (float64(y*samples+s/samples)+.5)*step) {
					n++
				}
			}
			m.set(x, y, level(n, samples*samples))
		}
	}
	m.advance = side
	return m
}
