// Package entity is one representation (RFC 9110 section 3.2): bytes with their media type, an entity
// tag and a gzip twin. It does not know where the bytes come from or how long they are good for.
package entity

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Entity is made once and served many times: everything that [Entity.Serve] sends is ready beforehand,
// but for the gzip twin, which is made for the first client that asks for it. That costs far more
// memory for a moment than the body itself, so what is sent only once is better written without an
// Entity. It is safe for concurrent use.
type Entity struct {
	mediaType    []string
	compressible bool
	plain        coded

	once   sync.Once
	zipped coded
}

// coded is the body in one content coding with the header fields that differ between codings. The
// slices are shared by all answers: their capacity is used up, so that adding to one copies it.
type coded struct {
	body   []byte
	tag    []string // with its quotes
	length []string
}

var (
	gzipCoding = []string{"gzip"}
	varyCoding = []string{"Accept-Encoding"}
)

// New makes an entity of a body that must not change from now on. Text, JSON and XML types have a gzip
// twin. The entity tag follows from the body alone.
func New(mediaType string, body []byte) *Entity {
	sum := sha256.Sum256(body)
	return &Entity{
		mediaType:    []string{mediaType},
		compressible: compressible(mediaType),
		plain:        newCoded(body, hex.EncodeToString(sum[:16])),
	}
}

func newCoded(body []byte, tag string) coded {
	return coded{body: body, tag: []string{`"` + tag + `"`}, length: []string{strconv.Itoa(len(body))}}
}

// Body is the body without a content coding. It must not be changed.
func (e *Entity) Body() []byte { return e.plain.body }

// Serve answers with the entity in the coding that the request prefers. It sets Content-Type,
// Content-Length, Content-Encoding and Vary (added to what is there), and for a GET or HEAD with status 200
// also ETag, by which it answers 304 to a matching If-None-Match. HEAD gets the header fields of GET.
// Other fields, Cache-Control for one, are the caller's and set before. The status must be one that
// has a body.
func (e *Entity) Serve(w http.ResponseWriter, r *http.Request, status int) {
	head, c := w.Header(), &e.plain
	if e.compressible {
		if _, ok := head["Vary"]; ok {
			head.Add("Vary", varyCoding[0])
		} else {
			head["Vary"] = varyCoding
		}
		if wantsGzip(r.Header["Accept-Encoding"]) {
			e.once.Do(e.zip)
			c = &e.zipped
		}
	}
	// Both tag and condition speak of what a GET of this address selects (RFC 9110 section 13.1.2).
	if reads := r.Method == http.MethodGet || r.Method == http.MethodHead; reads && status == http.StatusOK {
		head["Etag"] = c.tag
		if matches(r.Header["If-None-Match"], c.tag[0]) {
			delete(head, "Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if c == &e.zipped {
		head["Content-Encoding"] = gzipCoding
	}
	head["Content-Type"] = e.mediaType
	head["Content-Length"] = c.length
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(c.body) // it fails only when the client has gone
	}
}

func (e *Entity) zip() {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(e.plain.body) // a buffer never fails
	z.Close()
	// A copy without the buffer's spare room, as it may be kept for long.
	e.zipped = newCoded(bytes.Clone(b.Bytes()), strings.Trim(e.plain.tag[0], `"`)+"-gz")
}

func compressible(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || strings.Contains(mediaType, "json") || strings.Contains(mediaType, "xml")
}
