// Package picture recognizes pictures by their bytes, and collects the pictures of a site: their
// sizes, the names of their files and the reasons for leaving some out. It decodes no pixels, and
// does not know texts, HTML or addresses.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/webp"
)

// Limits of pictures. A picture beyond one of them is left out.
const (
	MaxBytes  = 5 << 20    // of a file
	maxPixels = 50_000_000 // of a picture; a browser needs four bytes for each
	maxOfText = 200        // pictures that a text names with its translations
	maxOfSite = 5_000      // files of a site
	maxTotal  = 512 << 20  // bytes of all files of a site
	maxSide   = 10_000     // pixels of a drawing, which has any size
)

// ErrUnknown is the error of bytes that are no picture.
var ErrUnknown = errors.New("want a PNG, JPEG, GIF, WebP, AVIF or SVG, and its bytes are of none")

// Picture is what the bytes of a picture state.
type Picture struct {
	// Ext is the file name extension of the type, with its dot.
	Ext string
	// Width and Height are in pixels of the page.
	Width, Height int
}

// types are the types of pixels by the start of a file: ? stands for any byte.
var types = []struct {
	start, ext string
	size       func(io.Reader) (image.Config, error)
}{
	{"\x89PNG\r\n\x1a\n", ".png", png.DecodeConfig},
	{"\xff\xd8\xff", ".jpg", jpeg.DecodeConfig},
	{"GIF87a", ".gif", gif.DecodeConfig},
	{"GIF89a", ".gif", gif.DecodeConfig},
	{"RIFF????WEBP", ".webp", webp.DecodeConfig},
	{"????ftypavi", ".avif", avifSize},
}

// Parse recognizes a picture, whose name does not count. publish are the bytes to publish: all, but
// for the parts of an SVG that do more than draw. The error states what would be right.
func Parse(data []byte) (p Picture, publish []byte, err error) {
	for _, t := range types {
		if !begins(data, t.start) {
			continue
		}
		c, err := t.size(bytes.NewReader(data))
		switch {
		case err != nil:
			return p, nil, fmt.Errorf("the %s is broken: %w", strings.ToUpper(t.ext[1:]), err)
		case c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height:
			return p, nil, fmt.Errorf("want at most %d pixels, got %d by %d",
				maxPixels, c.Width, c.Height)
		}
		return Picture{t.ext, c.Width, c.Height}, data, nil
	}
	width, height, err := SVG(data)
	if errors.Is(err, ErrNoSVG) {
		return p, nil, ErrUnknown
	}
	if before := err; before != nil {
		data = clean(data)
		if width, height, err = SVG(data); errors.Is(err, ErrNoSVG) {
			err = before
		}
	}
	if err != nil {
		return p, nil, err
	}
	if width <= 0 || height <= 0 {
		width, height = 300, 150 // as browsers do
	}
	scale := min(1, maxSide/max(width, height))
	side := func(of float64) int { return max(1, int(of*scale+0.5)) }
	return Picture{".svg", side(width), side(height)}, data, nil
}

// begins reports whether data has a start.
func begins(data []byte, start string) bool {
	for i := range len(start) {
		if i >= len(data) || start[i] != '?' && data[i] != start[i] {
			return false
		}
	}
	return true
}
