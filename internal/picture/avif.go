package picture

import (
	"encoding/binary"
	"errors"
	"image"
	"io"
)

// avifSize reads the size of an AVIF: the largest of its properties ispe, since parts and previews
// of a picture have such a property, too (ISO/IEC 23008-12, section 6.5.3).
func avifSize(r io.Reader) (size image.Config, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return size, err
	}
	properties := boxesOf(boxesOf(boxesOf(data, "meta", 4), "iprp", 0), "ipco", 0)
	for _, ispe := range boxes(properties, "ispe") {
		if len(ispe) < 12 {
			continue
		}
		w, h := int(binary.BigEndian.Uint32(ispe[4:])), int(binary.BigEndian.Uint32(ispe[8:]))
		if float64(w)*float64(h) > float64(size.Width)*float64(size.Height) {
			size.Width, size.Height = w, h
		}
	}
	if size.Width == 0 {
		return size, errors.New("it states no size")
	}
	// Quarters of a turn (section 6.5.10).
	if turn := boxesOf(properties, "irot", 0); len(turn) > 0 && turn[0]&1 == 1 {
		size.Width, size.Height = size.Height, size.Width
	}
	return size, nil
}

// boxesOf returns the content of the first box of a name, without its first skip bytes.
func boxesOf(data []byte, name string, skip int) []byte {
	for _, box := range boxes(data, name) {
		if len(box) >= skip {
			return box[skip:]
		}
	}
	return nil
}

// boxes returns the contents of the boxes of a name (ISO/IEC 14496-12, section 4.2).
func boxes(data []byte, name string) (out [][]byte) {
	const head = 8 // bytes of the size and the name
	for len(data) >= head {
		n := int(binary.BigEndian.Uint32(data))
		if n == 0 {
			n = len(data) // up to the end
		}
		if n < head || n > len(data) {
			break
		}
		if string(data[4:head]) == name {
			out = append(out, data[head:n])
		}
		data = data[n:]
	}
	return out
}
