package entity_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/entity"
)

const jsonType = "application/json; charset=utf-8"

// sample is a body that can be compressed.
var sample = []byte(`{"words":"` + strings.Repeat("one representation, served many times. ", 100) +
	`"}`)

// These are the tags of sample: 128 bits of its SHA-256.
const (
	sampleTag     = `"58ca1b989121d0ab0631307ea679b8be"`
	sampleTagGzip = `"58ca1b989121d0ab0631307ea679b8be-gz"`
)

// serve requests an entity once. fields are names and values of the request's header fields.
func serve(
	e *entity.Entity, method string, status int, fields ...string,
) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	for i := 0; i < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	w := httptest.NewRecorder()
	e.Serve(w, r, status)
	return w
}

func unzip(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestServe(t *testing.T) {
	png := []byte("\x89PNG\r\n")
	for _, c := range []struct {
		name, mediaType string
		body            []byte
		method          string
		status          int
		fields          []string
		want            http.Header
		length          int // of the body; -1: not checked
	}{
		{"plain", jsonType, sample, "GET", 200, nil, http.Header{
			"Content-Type": {jsonType}, "Content-Length": {"3912"}, "Vary": {"Accept-Encoding"},
			"Etag": {sampleTag}}, 3912},
		{"gzip", jsonType, sample, "GET", 200, []string{"Accept-Encoding", "gzip"}, http.Header{
			"Content-Type": {jsonType}, "Content-Encoding": {"gzip"}, "Vary": {"Accept-Encoding"},
			"Etag": {sampleTagGzip}}, -1},
		{"no twin of an image", "image/png", png, "GET", 200, []string{"Accept-Encoding", "gzip"},
			http.Header{
				"Content-Type": {"image/png"}, "Content-Length": {"6"},
				"Accept-Ranges": {"bytes"},
				"Etag":          {`"823ceb99fcef5252333ede1b2202341c"`}}, 6},
		{"empty", "text/plain", nil, "GET", 200, nil, http.Header{
			"Content-Type": {"text/plain"}, "Content-Length": {"0"}, "Vary": {"Accept-Encoding"},
			"Etag": {`"e3b0c44298fc1c149afbf4c8996fb924"`}}, 0},
		{"no tag with 404", "text/html", sample, "GET", 404, []string{"If-None-Match", "*"},
			http.Header{
				"Content-Type": {"text/html"}, "Content-Length": {"3912"},
				"Vary": {"Accept-Encoding"}},
			3912},
		{"404 for a POST", "text/html", sample, "POST", 404, nil, http.Header{
			"Content-Type": {"text/html"}, "Content-Length": {"3912"}, "Vary": {"Accept-Encoding"}},
			3912},
		{"neither tag nor 304 for a POST", jsonType, sample, "POST", 200,
			[]string{"If-None-Match", sampleTag}, http.Header{
				"Content-Type": {jsonType}, "Content-Length": {"3912"},
				"Vary": {"Accept-Encoding"}},
			3912},
	} {
		w := serve(entity.New(c.mediaType, c.body), c.method, c.status, c.fields...)
		got := w.Result()
		if c.length < 0 {
			c.length = int(got.ContentLength)
			c.want.Set("Content-Length", got.Header.Get("Content-Length"))
		}
		if got.StatusCode != c.status || w.Body.Len() != c.length {
			t.Errorf("%s: status %d with %d bytes, want %d with %d", c.name, got.StatusCode,
				w.Body.Len(), c.status, c.length)
		}
		if d := cmp.Diff(c.want, got.Header); d != "" {
			t.Errorf("%s: header fields (-want +got):\n%s", c.name, d)
		}
		body := w.Body.Bytes()
		if got.Header.Get("Content-Encoding") == "gzip" {
			body = unzip(t, body)
		}
		if !bytes.Equal(body, c.body) {
			t.Errorf("%s: body %.60q, want %.60q", c.name, body, c.body)
		}
	}
}

// TestServeRange asks for a part of a body that has no gzip variant, and of one that has.
func TestServeRange(t *testing.T) {
	body := []byte("0123456789")
	for _, c := range []struct {
		mediaType, asked string
		status           int
		body, served     string // served is Content-Range
	}{
		{"application/octet-stream", "bytes=2-4", 206, "234", "bytes 2-4/10"},
		{"application/octet-stream", "bytes=8-20", 206, "89", "bytes 8-9/10"},
		{"application/octet-stream", "lines=2-4", 416, "", ""},
		{"application/octet-stream", "bytes=10-12", 416, "", "bytes */10"},
		{jsonType, "bytes=2-4", 200, "0123456789", ""},
	} {
		w := serve(entity.New(c.mediaType, body), "GET", 200, "Range", c.asked)
		if got := w.Header().Get("Content-Range"); w.Code != c.status || got != c.served ||
			c.body != "" && w.Body.String() != c.body {
			t.Errorf("%s of %s: %d %q %q, want %+v", c.asked, c.mediaType, w.Code, got, w.Body, c)
		}
	}
}

// TestHead compares the header fields of the answers to HEAD and GET, for each coding and status.
func TestHead(t *testing.T) {
	e := entity.New(jsonType, sample)
	for _, fields := range [][]string{nil, {"Accept-Encoding", "gzip"},
		{"If-None-Match", sampleTag}, {"Accept-Encoding", "gzip", "If-None-Match", sampleTagGzip}} {
		for _, status := range []int{200, 404} {
			get, head := serve(e, "GET", status, fields...), serve(e, "HEAD", status, fields...)
			if head.Code != get.Code || head.Body.Len() != 0 {
				t.Errorf("HEAD with %q, status %d: %d with %d bytes, want %d with none", fields,
					status, head.Code, head.Body.Len(), get.Code)
			}
			if d := cmp.Diff(get.Header(), head.Header()); d != "" {
				t.Errorf("HEAD with %q, status %d: header fields (-GET +HEAD):\n%s", fields,
					status, d)
			}
		}
	}
}

// TestServeBeside checks that the caller's header fields stay, and that changing an answer's fields
// changes no other answer.
func TestServeBeside(t *testing.T) {
	e := entity.New(jsonType, sample)
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Origin")
	w.Header().Set("Cache-Control", "max-age=5")
	e.Serve(w, httptest.NewRequest("GET", "/", nil), 200)
	if d := cmp.Diff([]string{"Origin", "Accept-Encoding"}, w.Header()["Vary"]); d != "" {
		t.Errorf("Vary (-want +got):\n%s", d)
	}
	if got := w.Header().Get("Cache-Control"); got != "max-age=5" {
		t.Errorf("Cache-Control %q, want that of the caller", got)
	}
	for _, accept := range []string{"", "gzip"} {
		before := serve(e, "GET", 200, "Accept-Encoding", accept)
		want := before.Header().Clone()
		for name := range before.Header() {
			before.Header().Add(name, "x")
			before.Header().Set(name, "x")
		}
		if d := cmp.Diff(want, serve(e, "GET", 200, "Accept-Encoding", accept).Header()); d != "" {
			t.Errorf(
				"Accept-Encoding %q: an answer after one whose fields were changed (-want "+
					"+got):\n%s",
				accept, d)
		}
	}
}

// TestServeTogether requests a new entity concurrently: all requests get one gzip variant.
func TestServeTogether(t *testing.T) {
	e := entity.New(jsonType, sample)
	bodies := make([][]byte, 50)
	var wg sync.WaitGroup
	for i := range bodies {
		wg.Go(func() { bodies[i] = serve(e, "GET", 200, "Accept-Encoding", "gzip").Body.Bytes() })
	}
	wg.Wait()
	for i, b := range bodies {
		if !bytes.Equal(unzip(t, b), sample) || !bytes.Equal(b, bodies[0]) {
			t.Errorf(
				"caller %d got a twin of %d bytes that is not that of caller 0 or not of the body",
				i, len(b))
		}
	}
	if !bytes.Equal(e.Body(), sample) {
		t.Error("Body has changed")
	}
}

func TestAcceptEncoding(t *testing.T) {
	e := entity.New(jsonType, sample)
	for accept, gzip := range map[string]bool{
		"": false, "gzip": true, "GZip": true, "gzip, deflate, br, zstd": true, "br, zstd": false,
		"gzipped, xgzip": false, "br, gzip;q=0.5": true, "br , \tgzip ; Q=0.001 ": true,
		"gzip;q=1.000": true, "identity;q=0, gzip;q=0.1": true, "gzip;q=0": false,
		"gzip; q=0.000": false, "gzip;q=0, *": false, "*, gzip;q=0": false, ",,,gzip,,": true,
	} {
		got := serve(e, "GET", 200, "Accept-Encoding",
			accept).Header().Get("Content-Encoding") == "gzip"
		if got != gzip {
			t.Errorf("Accept-Encoding %q: gzip %t, want %t", accept, got, gzip)
		}
	}
	if serve(e, "GET", 200, "Accept-Encoding", "br", "Accept-Encoding",
		"deflate, gzip").Header().Get("Content-Encoding") != "gzip" {
		t.Error("gzip in the second line is not taken")
	}
}

func TestIfNoneMatch(t *testing.T) {
	e := entity.New(jsonType, sample)
	for _, c := range []struct {
		name   string
		accept string
		lines  []string
		status int
	}{
		{"the tag", "", []string{sampleTag}, 304},
		{"weak", "", []string{"W/" + sampleTag}, 304},
		{"of gzip", "gzip", []string{sampleTagGzip}, 304},
		{"of the other coding", "gzip", []string{sampleTag}, 200},
		{"of gzip for a plain answer", "", []string{sampleTagGzip}, 200},
		{"any", "", []string{"*"}, 304},
		{"any with white space", "", []string{" * "}, 304},
		{"in a list", "", []string{`"other", W/` + sampleTag}, 304},
		{"in a list without white space", "", []string{`"a",,"b",` + sampleTag + `,"c"`}, 304},
		{"in the second line", "", []string{`"other"`, sampleTag}, 304},
		{"after a tag with a comma", "", []string{`"a,b", ` + sampleTag}, 304},
		{"within a tag", "", []string{`"a` + strings.Trim(sampleTag, `"`) + `"`}, 200},
		{"another", "", []string{`"other"`}, 200},
		{"empty tag", "", []string{`""`}, 200},
		{"empty", "", []string{""}, 200},
		{"without quotes", "", []string{strings.Trim(sampleTag, `"`)}, 200},
		{"after one without quotes", "", []string{"other, " + sampleTag}, 304},
		{"never closed", "", []string{`"` + strings.Trim(sampleTag, `"`)}, 200},
		{"a star among letters", "", []string{"*x"}, 200},
		{"a star in a tag", "", []string{`"*"`}, 200},
		{"quotes alone", "", []string{`"`}, 200},
		{"long", "", []string{strings.Repeat(`"x",`, 100_000)}, 200},
	} {
		fields := []string{"Accept-Encoding", c.accept}
		for _, l := range c.lines {
			fields = append(fields, "If-None-Match", l)
		}
		w := serve(e, "GET", 200, fields...)
		if w.Code != c.status {
			t.Errorf("%s: If-None-Match %.80q: %d, want %d", c.name, c.lines, w.Code, c.status)
		}
		if w.Code != 304 {
			continue
		}
		want := http.Header{"Etag": {sampleTag}, "Vary": {"Accept-Encoding"}}
		if c.accept == "gzip" {
			want.Set("Etag", sampleTagGzip)
		}
		if d := cmp.Diff(want, w.Header()); d != "" || w.Body.Len() > 0 {
			t.Errorf("%s: 304 with %d bytes and header fields (-want +got):\n%s", c.name,
				w.Body.Len(), d)
		}
	}
}
