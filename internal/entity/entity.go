// Package entity implements one representation (RFC 9110 section 3.2): bytes with their media type,
// an entity tag and a gzip variant. It does not know where the bytes come from or how long they are
// valid.
package entity

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Entity is created once and served many times. The gzip variant is created for the first client
// that accepts it, and kept. (http.ServeContent copies the body each time, and a compressing
// middleware would compress it.) It is safe for concurrent use.
type Entity struct {
	mediaType string
	body      []byte
	// tag is the entity tag without quotes.
	tag string
	// zipped is nil for a media type that is already compressed.
	zipped func() []byte
}

// text matches the media types that have a gzip variant.
var text = regexp.MustCompile(`^text/|json|xml`)

// New returns an entity of a body that must not change from then on. The entity tag depends on the
// body alone.
func New(mediaType string, body []byte) *Entity {
	sum := sha256.Sum256(body)
	e := &Entity{mediaType: mediaType, body: body, tag: hex.EncodeToString(sum[:16])}
	if text.MatchString(mediaType) {
		e.zipped = sync.OnceValue(e.zip)
	}
	return e
}

// zip returns the gzip variant.
func (e *Entity) zip() []byte {
	var b bytes.Buffer
	// It is compressed once and sent often. The level exists, and a buffer never fails.
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	z.Write(e.body)
	z.Close()
	return bytes.Clone(b.Bytes()) // without the buffer's spare capacity
}

// Body returns the body without a content coding. It must not be changed.
func (e *Entity) Body() []byte { return e.body }

// Serve answers with the entity, gzipped if the client accepts that. A GET or HEAD with status 200
// gets an ETag, and the answer 304 if that matches If-None-Match. It also gets the ranges that it
// asks for, unless the entity has a gzip variant. The caller sets other header fields before. The
// status must allow a body.
func (e *Entity) Serve(w http.ResponseWriter, r *http.Request, status int) {
	h, body, tag, coding := w.Header(), e.body, e.tag, ""
	if e.zipped != nil {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header) {
			body, tag, coding = e.zipped(), tag+"-gz", "gzip"
		}
	}
	if status == http.StatusOK && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		tag = `"` + tag + `"`
		h.Set("ETag", tag)
		// A tag contains no quotes, so any occurrence in the field is a member of the list, weak or
		// not.
		known := strings.Join(r.Header.Values("If-None-Match"), ",")
		if strings.Contains(known, tag) || strings.TrimSpace(known) == "*" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if e.zipped == nil {
			h.Set("Content-Type", e.mediaType)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
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
		w.Write(body) // fails only if the client has left
	}
}

// refused matches the parameters of a coding that is not wanted: a weight of zero.
var refused = regexp.MustCompile(`q\s*=\s*0(\.0*)?\s*$`)

// acceptsGzip reports whether Accept-Encoding (RFC 9110 section 12.5.3) lists gzip without refusing
// it. Weights order the codings of a server, which has only one here.
func acceptsGzip(h http.Header) bool {
	field := strings.ToLower(strings.Join(h.Values("Accept-Encoding"), ","))
	for member := range strings.SplitSeq(field, ",") {
		coding, parameters, _ := strings.Cut(member, ";")
		if strings.TrimSpace(coding) == "gzip" {
			return !refused.MatchString(parameters)
		}
	}
	return false
}
