package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
)

// Packer compresses parts of an index: DEFLATE (RFC 1951) of their JSON.
type Packer struct {
	out bytes.Buffer
	w   *flate.Writer
}

// NewPacker returns a packer. It is not safe for concurrent use, and costs more than a part.
func NewPacker() *Packer {
	const level = 7                     // a twentieth smaller than the fastest, for 0.1 ms a text
	w, _ := flate.NewWriter(nil, level) // fails only for an unknown level
	return &Packer{w: w}
}

// Pack returns a part as its file contains it.
func (p *Packer) Pack(part any) ([]byte, error) {
	p.out.Reset()
	p.w.Reset(&p.out)
	e := json.NewEncoder(p.w)
	e.SetEscapeHTML(false)
	if err := e.Encode(part); err != nil {
		return nil, fmt.Errorf("encode %T: %w", part, err)
	}
	p.w.Close() // a buffer never fails
	return bytes.Clone(p.out.Bytes()), nil
}

// Range returns the fragment of the address of a packed part, from the first and the last byte in
// its file. It is the value of a Range header (RFC 9110 section 14.2).
func Range(first, last int) string { return fmt.Sprintf("bytes=%d-%d", first, last) }

// Unpack returns the JSON of the packed part of a file that a [Range] names, with at most most
// bytes.
func Unpack(file []byte, of string, most int64) ([]byte, error) {
	var first, last int
	_, err := fmt.Sscanf(of, "bytes=%d-%d", &first, &last)
	if err != nil || first < 0 || last < first || last >= len(file) {
		return nil, fmt.Errorf("it has %d bytes, and no part at %.40q", len(file), of)
	}
	r := flate.NewReader(bytes.NewReader(file[first : last+1]))
	out, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(out)) > most {
		err = fmt.Errorf("the part at %s has more than the %d bytes that are read", of, most)
	}
	return out, err
}

// Largest sizes of files, in bytes. Larger ones are fewer, but a host that ignores ranges sends all
// of a file. An answer reads entries from all over the list of proposals.
const (
	MostOfFile    = 24 << 10
	MostOfEntries = 8 << 10
)

// FilesOf groups packed parts into files of at most most bytes, in their order. A larger part is
// alone. The bounds depend on the content of the parts, so that a changed part changes few files.
func FilesOf(parts [][]byte, most int) (files [][][]byte) {
	size := 0
	for _, part := range parts {
		if files == nil || size+len(part) > most || size > most/3 && cutsAt(part, 4) {
			files, size = append(files, nil), 0
		}
		last := len(files) - 1
		files[last], size = append(files[last], part), size+len(part)
	}
	return files
}
