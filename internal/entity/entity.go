// Package entity is one representation (RFC 9110 section 3.2): bytes with their media type, an entity tag and a gzip
// twin. It does not know where the bytes come from or how long they are good for.
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

// Entity is made once and served many times: the gzip twin is made for the first client that asks for it, and kept.
// (http.ServeContent would send the twin without its length, and a compressing middleware would compress each time.)
// It is safe for concurrent use.
type Entity struct {
	mediaType string
	body      []byte
	// tag is the entity tag without quotes.
	tag    string
	zipped func() []byte
}

// New makes an entity of a body that must not change from now on. The entity tag follows from the body alone.
func New(mediaType string, body []byte) *Entity {
	sum := sha256.Sum256(body)
	return &Entity{mediaType, body, hex.EncodeToString(sum[:16]), sync.OnceValue(func() []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(body) // a buffer never fails
		z.Close()
		return bytes.Clone(b.Bytes()) // without the buffer's spare capacity
	})}
}

// Body returns the body without a content coding. It must not be changed.
func (e *Entity) Body() []byte { return e.body }

// Serve answers with the entity, gzipped if the request prefers that and the type is text, JSON or XML. It sets
// Content-Type, Content-Length, Content-Encoding and Vary. To a GET or HEAD with status 200 it also sets ETag, and
// answers 304 if that matches If-None-Match. The caller sets other fields before. The status must be one that has a
// body.
func (e *Entity) Serve(w http.ResponseWriter, r *http.Request, status int) {
	h, body, tag, coding := w.Header(), e.body, e.tag, ""
	if e.compressible() {
		h.Add("Vary", "Accept-Encoding")
		if prefersGzip(r.Header) {
			body, tag, coding = e.zipped(), tag+"-gz", "gzip"
		}
	}
	// Tag and condition are those of what a GET of this address selects (RFC 9110 section 13.1.2).
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if reads && status == http.StatusOK {
		h.Set("ETag", `"`+tag+`"`)
		if matches(r.Header, `"`+tag+`"`) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	h.Set("Content-Type", e.mediaType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body) // it fails only when the client has gone
	}
}

// compressible reports whether the media type is text, JSON or XML. Other types are compressed by themselves.
func (e *Entity) compressible() bool {
	return strings.HasPrefix(e.mediaType, "text/") || strings.Contains(e.mediaType, "json") || strings.Contains(e.mediaType, "xml")
}

// matches reports whether If-None-Match has a tag, by weak comparison (RFC 9110 section 13.1.2), or a star.
func matches(h http.Header, tag string) bool {
	for member := range strings.SplitSeq(strings.Join(h.Values("If-None-Match"), ","), ",") {
		member = strings.TrimSpace(member)
		if member == "*" || strings.TrimPrefix(member, "W/") == tag {
			return true
		}
	}
	return false
}

// prefersGzip reports whether Accept-Encoding (RFC 9110 section 12.5.3) takes gzip and welcomes it no less than no
// coding at all. Without the field the answer is no, since every client can read what is not coded.
func prefersGzip(h http.Header) bool {
	const unlisted = -1.0
	gzip, identity, others := unlisted, unlisted, unlisted
	for member := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		coding, weight := parseCoding(member)
		switch coding {
		case "gzip", "x-gzip":
			gzip = weight
		case "identity":
			identity = weight
		case "*":
			others = weight
		}
	}
	if gzip == unlisted {
		gzip = others
	}
	if identity == unlisted {
		identity = others
	}
	return gzip > 0 && gzip >= identity
}

// parseCoding reads a coding with its weight, such as gzip;q=0.5. A parameter that is no weight counts as a weight of
// zero, which refuses the coding.
func parseCoding(member string) (coding string, weight float64) {
	coding, parameter, weighted := strings.Cut(strings.ToLower(member), ";")
	coding = strings.TrimSpace(coding)
	if !weighted {
		return coding, 1
	}
	const longest = len("0.125")
	digits, ok := strings.CutPrefix(strings.TrimSpace(parameter), "q=")
	weight, err := strconv.ParseFloat(digits, 64)
	if !ok || err != nil || len(digits) > longest || !(weight >= 0 && weight <= 1) {
		return coding, 0
	}
	return coding, weight
}
