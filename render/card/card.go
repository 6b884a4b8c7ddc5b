// Package card draws the picture that other sites show beside a link to a proposal: a PNG of 1200 by
// 630 pixels. It knows pixels and fonts, and nothing of addresses, pages or HTTP.
//
// A site has a card for each proposal, so one must cost next to nothing. Pixels are indexes of 16
// colours, glyphs are drawn once and copied from then on, only the rows that hold something are looked
// at, and the encoder knows that nearly all of a card is empty.
package card

import (
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Size of a card in pixels: what sites that show previews ask for (ogp.me gives no size; 1.91 to 1 at
// 1200 is the common one).
const (
	Width  = 1200
	Height = 630
)

// Type is the media type of a card.
const Type = "image/png"

// Card is what a card shows, and all that its bytes follow from. Whatever is empty is left out, and so
// is whatever holds a letter that the fonts do not have: half a title is worse than none.
type Card struct {
	Site   string      // title of the site
	ID     string      // such as MIP-7
	Title  string      // plain text; shortened when it needs more than three lines
	Status *mip.Status // nil: the card is of no proposal and shows none
	Kind   string      // such as "Standards Track, Core"
}

// Painter draws cards. Fonts are read for the first card, so one that draws none costs nothing. It is
// safe for concurrent use.
type Painter struct {
	once  sync.Once
	err   error // of reading the fonts
	title *face
	label *face
	small *face
	marks marks
	code  *code

	boards sync.Pool // of *board
	strips strips
}

// NewPainter returns a painter that has drawn nothing yet.
func NewPainter() *Painter { return new(Painter) }

// AppendPNG draws a card, appends the file to a slice, which may be nil, and returns the longer one. The same
// card is the same bytes, whatever was drawn before.
func (p *Painter) AppendPNG(to []byte, c Card) ([]byte, error) {
	if p.once.Do(p.load); p.err != nil {
		return nil, p.err
	}
	head := p.strips.of(struct{ site string }{c.Site}, func() *strip {
		return p.strip(0, headEnd, func(b *board) { p.drawHead(b, c) })
	})
	foot := p.strips.of(footOf(c), func() *strip {
		return p.strip(footTop, Height, func(b *board) { p.drawFoot(b, c) })
	})
	b := p.board()
	defer p.boards.Put(b)
	p.drawTitle(b, c)
	return encode(to, p.code, paletteOf(c.Status), func(z *zipper) {
		z.add(head)
		b.rows(z, headEnd, footTop)
		z.add(foot)
	}), nil
}

// foot is what the last strip shows.
type foot struct {
	status mip.Status
	none   bool // there is no status
	kind   string
}

func footOf(c Card) foot {
	if c.Status == nil {
		return foot{none: true, kind: c.Kind}
	}
	return foot{status: *c.Status, kind: c.Kind}
}

// strip draws and encodes some rows.
func (p *Painter) strip(from, to int, draw func(*board)) *strip {
	b := p.board()
	defer p.boards.Put(b)
	draw(b)
	return newStrip(b, p.code, from, to)
}

// board is an empty one.
func (p *Painter) board() *board {
	b, ok := p.boards.Get().(*board)
	if !ok {
		b = new(board)
	}
	b.clear()
	return b
}

func (p *Painter) load() {
	p.marks, p.code = newMarks(), newCode()
	p.title, p.label, p.small, p.err = loadFaces()
}
