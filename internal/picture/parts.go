package picture

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// pngParts yields the chunks of a PNG (PNG, section 5.3).
func pngParts(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		const mark, head, sum = 8, 8, 4 // bytes
		for data = data[mark:]; len(data) >= head; {
			n := int(binary.BigEndian.Uint32(data))
			if n > len(data)-head-sum || !yield(string(data[4:head]), data[head:head+n]) {
				return
			}
			data = data[head+n+sum:]
		}
	}
}

// jpegParts yields the segments of a JPEG before its pixels, by the byte of their marker (ITU-T
// T.81, annex B).
func jpegParts(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		const pixels = 0xda
		for data = data[2:]; len(data) >= 4 && data[0] == 0xff && data[1] != pixels; {
			if data[1] == 0xff { // padding
				data = data[1:]
				continue
			}
			n := int(binary.BigEndian.Uint16(data[2:]))
			if n < 2 || n > len(data)-2 || !yield(string(data[1:2]), data[4:2+n]) {
				return
			}
			data = data[2+n:]
		}
	}
}

// webpParts yields the chunks of a WebP (RFC 9649, section 2.3).
func webpParts(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		const start, head = 12, 8 // bytes
		for data = data[start:]; len(data) >= head; {
			n := int(binary.LittleEndian.Uint32(data[4:]))
			if n > len(data)-head || !yield(string(data[:4]), data[head:head+n]) {
				return
			}
			data = data[min(len(data), head+n+n%2):]
		}
	}
}

// gifParts yields the frames of a GIF with the name ",", without their contents (GIF89a, section
// 20).
func gifParts(data []byte) iter.Seq2[string, []byte] {
	// colors returns the length of the color table that flags announce, in bytes.
	colors := func(flags byte) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 * (2 << (flags & 7))
	}
	return func(yield func(string, []byte) bool) {
		const screen, flags, extension = 13, 10, '!'
		at := screen + colors(data[flags])
		for at < len(data) {
			skip := 2 // of an extension
			switch {
			case data[at] == ',' && at+flags <= len(data):
				skip = flags + colors(data[at+flags-1]) + 1
				if !yield(",", nil) {
					return
				}
			case data[at] != extension:
				return
			}
			for at += skip; at < len(data) && data[at] > 0; {
				at += int(data[at]) + 1
			}
			at++
		}
	}
}

// avifFrames yields the frames of a moving AVIF with the name of the box that counts them (ISO/IEC
// 14496-12, section 8.7.3). It yields at most one for each byte.
func avifFrames(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		box := data
		for _, name := range []string{"moov", "trak", "mdia", "minf", "stbl", "stsz"} {
			box = boxesOf(box, name, 0)
		}
		const count = 8 // its offset
		if len(box) < count+4 {
			return
		}
		for range min(int(binary.BigEndian.Uint32(box[count:])), len(data)) {
			if !yield("stsz", nil) {
				return
			}
		}
	}
}

// turned reports whether metadata swap the sides of a picture, as browsers show it (Exif 2.32,
// section 4.6.4, tag Orientation). It reads only the first list of tags.
func turned(exif []byte) bool {
	exif = bytes.TrimPrefix(exif, []byte("Exif\x00\x00"))
	var order binary.ByteOrder = binary.BigEndian
	switch {
	case bytes.HasPrefix(exif, []byte("II\x2a\x00")):
		order = binary.LittleEndian
	case !bytes.HasPrefix(exif, []byte("MM\x00\x2a")):
		return false
	}
	const start, tag, entry = 8, 0x0112, 12
	if len(exif) < start {
		return false
	}
	at := int(order.Uint32(exif[4:]))
	if at > len(exif)-2 {
		return false
	}
	count := int(order.Uint16(exif[at:]))
	for at += 2; count > 0 && at <= len(exif)-entry; at += entry {
		if order.Uint16(exif[at:]) == tag {
			orientation := order.Uint16(exif[at+8:])
			return orientation >= 5 && orientation <= 8
		}
		count--
	}
	return false
}
