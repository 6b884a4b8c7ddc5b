// Package card draws the picture that other sites show beside a link to a proposal: a PNG of 1200 by
// 630 pixels. It knows pixels and fonts, and nothing of addresses, pages or HTTP.
package card

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image/png"
	"sync"

	"golang.org/x/image/font/sfnt"

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

// design is the version of the drawing. It grows when the same card gets another picture, so that the card
// gets another name. TestDesign fails when it should have.
const design = 1

// Card is what a card shows, and all that its bytes follow from. Whatever is empty is left out, and so
// is whatever holds a letter that the fonts do not have: half a title is worse than none.
type Card struct {
	Site   string      // title of the site
	ID     string      // such as MIP-7
	Title  string      // plain text; shortened when it needs more than three lines
	Status *mip.Status // nil: the card is of no proposal and shows none
	Kind   string      // such as "Standards Track, Core"
}

// Hash is eight hexadecimal digits that change with the picture.
func (c Card) Hash() string {
	status := "none"
	if c.Status != nil {
		status = fmt.Sprintf("%q", string(*c.Status))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q %q %q %s %q", design, c.Site, c.ID, c.Title, status, c.Kind))
	return hex.EncodeToString(sum[:4])
}

// Painter draws cards. It reads the fonts when it draws the first one. It is safe for concurrent use.
type Painter struct {
	once          sync.Once
	err           error // of reading the fonts
	bold, regular *sfnt.Font
	marks         marks

	canvases sync.Pool // of *canvas
	buffers  buffers
}

// NewPainter returns a painter that has drawn nothing yet.
func NewPainter() *Painter { return new(Painter) }

// PNG draws a card and returns the file. The same card is the same bytes, whatever was drawn before.
func (p *Painter) PNG(c Card) ([]byte, error) {
	if p.once.Do(p.load); p.err != nil {
		return nil, p.err
	}
	v, err := p.canvas()
	if err != nil {
		return nil, err
	}
	defer p.canvases.Put(v)
	v.draw(c, &p.marks)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: compression, BufferPool: &p.buffers}
	if err := encoder.Encode(&out, v.image); err != nil {
		return nil, fmt.Errorf("card: encode: %w", err)
	}
	return out.Bytes(), nil
}

func (p *Painter) load() {
	p.marks = newMarks()
	p.bold, p.regular, p.err = parseFonts()
}

// canvas returns an empty one.
func (p *Painter) canvas() (*canvas, error) {
	if v, ok := p.canvases.Get().(*canvas); ok {
		clear(v.image.Pix)
		return v, nil
	}
	return newCanvas(p.bold, p.regular)
}

// buffers keeps what the encoder allocates.
type buffers struct{ pool sync.Pool }

// Get returns nil when there is none.
func (b *buffers) Get() *png.EncoderBuffer {
	buffer, _ := b.pool.Get().(*png.EncoderBuffer)
	return buffer
}

// Put takes one back.
func (b *buffers) Put(buffer *png.EncoderBuffer) { b.pool.Put(buffer) }
