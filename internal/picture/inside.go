package picture

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// addPixels adds the pixels of the picture in an element of a drawing to area, the pixels of the
// pictures before it. A small drawing can contain pictures that are too large.
func addPixels(area int, e xml.StartElement) (int, error) {
	for _, a := range e.Attr {
		value := strings.TrimSpace(a.Value)
		start := pixels.FindString(value)
		if a.Name.Local != "href" || start == "" {
			continue
		}
		p, ok, err := parsePixels(fromBase64(value[len(start):]))
		switch {
		case err != nil:
			return area, fmt.Errorf("a picture in the SVG: %w", err)
		case !ok:
			return area, errors.New(
				"a picture in the SVG: want a PNG, JPEG, GIF or WebP in base64")
		}
		if area += p.Width * p.Height; area > maxPixels {
			return area, fmt.Errorf("want an SVG with pictures of at most %d pixels, got %d",
				maxPixels, area)
		}
	}
	return area, nil
}

// fromBase64 decodes the data of an address as browsers do (RFC 2397; WHATWG Infra, section 7), and
// returns nil if it is broken.
func fromBase64(text string) []byte {
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	text = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return data
}
