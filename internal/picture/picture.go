// Package picture recognizes pictures by their bytes: their types, their sizes and the part of an
// SVG that only draws. It decodes no pixels, and does not know texts, HTML or addresses.
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
	"iter"
	"slices"
	"strings"

	"golang.org/x/image/webp"
)

// Limits of pictures. A picture beyond one of them is left out.
const (
	MaxBytes  = 5 << 20    // of a file
	maxPixels = 50_000_000 // of a picture; a browser needs four bytes for each
	maxSide   = 10_000     // pixels of a drawing, which has any size
	// maxMoving bounds the pixels of all frames of a moving picture.
	maxMoving = 100 * maxPixels
)

// Limits bound the pictures of a site. Pictures beyond a limit are left out.
type Limits struct {
	// Text is the number of pictures that a text names with its translations, Site the number of
	// files, and Bytes their size together.
	Text, Site, Bytes int
}

// ErrUnknown is the error of bytes that are no picture.
var ErrUnknown = errors.New("want a PNG, JPEG, GIF, WebP, AVIF or SVG, got other bytes")

// Picture is what the bytes of a picture state.
type Picture struct {
	// Ext is the file name extension of the type, with its dot.
	Ext string
	// Width and Height are in pixels of the page.
	Width, Height int
}

// types are the types of pixels by the start of a file: ? stands for any byte.
var types = []pixelType{
	{"\x89PNG\r\n\x1a\n", ".png", png.DecodeConfig, pngParts, "fcTL", "eXIf"},
	{"\xff\xd8\xff", ".jpg", jpeg.DecodeConfig, jpegParts, "", "\xe1"},
	{"GIF87a", ".gif", gif.DecodeConfig, gifParts, ",", ""},
	{"GIF89a", ".gif", gif.DecodeConfig, gifParts, ",", ""},
	{"RIFF????WEBP", ".webp", webp.DecodeConfig, webpParts, "ANMF", ""},
	{"????ftypavi", ".avif", avifSize, avifFrames, "stsz", ""},
}

// pixelType is a type of picture that consists of pixels.
type pixelType struct {
	start, ext string
	size       func(io.Reader) (image.Config, error)
	// parts yields the parts of a file. frame is the name of a part that a moving picture has once
	// for each frame, and exif the name of a part with the metadata that browsers read. Either is
	// empty if the type has no such part.
	parts       func(data []byte) iter.Seq2[string, []byte]
	frame, exif string
}

// Parse recognizes a picture, whose name does not count. publish are the bytes to publish: all, but
// for the parts of an SVG that do more than draw. The error states what would be right.
func Parse(data []byte) (p Picture, publish []byte, err error) {
	if p, ok, err := parsePixels(data); ok || err != nil {
		return p, data, err
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

// parsePixels recognizes a picture that is no drawing. ok is false for any other file.
func parsePixels(data []byte) (p Picture, ok bool, err error) {
	i := slices.IndexFunc(types, func(t pixelType) bool { return begins(data, t.start) })
	if i < 0 {
		return p, false, nil
	}
	t := types[i]
	c, err := t.size(bytes.NewReader(data))
	switch {
	case err != nil:
		return p, false, fmt.Errorf("the %s is broken: %w", strings.ToUpper(t.ext[1:]), err)
	case c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height:
		return p, false, fmt.Errorf("want at most %d pixels, got %d by %d",
			maxPixels, c.Width, c.Height)
	}
	frames := 0
	for name, part := range t.parts(data) {
		switch {
		case name == t.frame:
			frames++
		case name == t.exif && turned(part):
			c.Width, c.Height = c.Height, c.Width
			t.exif = "" // the first one counts
		case name == "IDAT":
			t.exif = "" // browsers read none after the pixels
		}
	}
	if frames > maxMoving/(c.Width*c.Height) {
		return p, false, fmt.Errorf("want at most %d pixels in all frames, got %d frames of %d by "+
			"%d", maxMoving, frames, c.Width, c.Height)
	}
	return Picture{t.ext, c.Width, c.Height}, true, nil
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
