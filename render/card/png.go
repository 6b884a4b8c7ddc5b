package card

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"

	"github.com/klauspost/compress/zlib"
)

// pngWriter writes pixels as a PNG (W3C, third edition) with two pixels in a byte. [image/png] asks
// for such pixels one by one, through an interface, which takes longer than to compress them.
type pngWriter struct {
	data bytes.Buffer // of the last file
	zlib *zlib.Writer
}

// newPNGWriter returns a writer that is fast rather than thorough.
func newPNGWriter() *pngWriter {
	w := &pngWriter{}
	w.zlib, _ = zlib.NewWriterLevel(&w.data, zlib.BestSpeed) // fails only for an unknown level
	return w
}

// file returns the PNG of an image of even width that has 16 colors.
func (w *pngWriter) file(m *image.Paletted) []byte {
	var header, palette []byte
	header = binary.BigEndian.AppendUint32(header, uint32(m.Rect.Dx()))
	header = binary.BigEndian.AppendUint32(header, uint32(m.Rect.Dy()))
	header = append(header, 4, 3, 0, 0, 0) // bits a pixel, with a palette, and three defaults
	for _, c := range m.Palette {
		r, g, b, _ := c.RGBA()
		palette = append(palette, byte(r>>8), byte(g>>8), byte(b>>8))
	}
	w.compress(m)
	out := []byte("\x89PNG\r\n\x1a\n")
	out = appendChunk(out, "IHDR", header)
	out = appendChunk(out, "PLTE", palette)
	out = appendChunk(out, "IDAT", w.data.Bytes())
	return appendChunk(out, "IEND", nil)
}

// compress sets data to the rows of an image, each behind a byte for no filter.
func (w *pngWriter) compress(m *image.Paletted) {
	w.data.Reset()
	w.zlib.Reset(&w.data)
	line := make([]byte, 1+m.Rect.Dx()/2)
	packed := line[1:]
	var before []byte
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:m.Rect.Dx()]
		if !bytes.Equal(row, before) { // most rows are empty
			for i := range packed {
				pair := row[2*i:][:2]
				packed[i] = pair[0]<<4 | pair[1]
			}
		}
		before = row
		_, _ = w.zlib.Write(line) // a buffer never fails
	}
	_ = w.zlib.Close()
}

// appendChunk appends a chunk with its length and checksum.
func appendChunk(out []byte, name string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	start := len(out)
	out = append(append(out, name...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
}
