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
}

// NewPainter returns a painter that has drawn nothing yet.
func NewPainter() *Painter { return new(Painter) }

// AppendPNG draws a card, appends the file to a slice, which may be nil, and returns the longer one. The same
// card is the same bytes, whatever was drawn before.
func (p *Painter) AppendPNG(to []byte, c Card) ([]byte, error) {
	if p.once.Do(p.load); p.err != nil {
		return nil, p.err
	}
	b, ok := p.boards.Get().(*board)
	if !ok {
		b = new(board)
	}
	defer p.boards.Put(b)
	b.clear()
	p.draw(b, c)
	return encode(to, b, p.code, paletteOf(c.Status)), nil
}

func (p *Painter) load() {
	p.marks, p.code = newMarks(), newCode()
	p.title, p.label, p.small, p.err = loadFaces()
}
