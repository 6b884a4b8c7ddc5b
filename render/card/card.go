// Package card draws the share card of a proposal, which other sites show with a link: a PNG of
// 1200 by 630 pixels. It does not know addresses, pages or HTTP.
package card

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
)

// Size of a card in pixels: the one that sites with previews ask for (ogp.me gives no size; 1.91 to
// 1 at 1200 is the common one).
const (
	Width  = 1200
	Height = 630
)

// Type is the media type of a card.
const Type = "image/png"

// design is the version of the drawing. It grows when the same card gets another picture, so that
// the card gets another name. TestDesign fails when it should have.
const design = 2

// Card is the content of a card; the file follows from it alone. An empty field is left out. So is
// one with a letter that the fonts do not have: half a title is worse than none.
type Card struct {
	Site   string // title of the site
	ID     string // such as MIP-7
	Title  string // plain text; shortened when it needs more than three lines
	Status string // as people read it
	Mark   string // the key of its style; empty: the card is of no proposal and shows no status
	Kind   string // such as "Standards Track, Core"

	Accent  string // six hexadecimal digits, such as 5431c0, or empty for the default
	NoGlyph bool   // our glyph is left out beside the title of the site
}

// Hash is eight hexadecimal digits that change with the picture.
func (c Card) Hash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %#v", design, c))
	return hex.EncodeToString(sum[:4])
}

// canvases holds canvases for the next cards: fonts and the buffers of the encoder cost more than a
// card.
var canvases sync.Pool

// PNG draws a card and returns the file. The same card is the same bytes: no card depends on the
// ones before it. PNG is safe for concurrent use.
func PNG(c Card) ([]byte, error) {
	v, ok := canvases.Get().(*canvas)
	if !ok {
		var err error
		if v, err = newCanvas(); err != nil {
			return nil, fmt.Errorf("card: %w", err)
		}
	}
	defer canvases.Put(v)
	v.draw(c)
	return v.png.file(v.Paletted), nil
}
