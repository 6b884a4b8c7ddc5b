package entity_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/mipwatch/mipwatch/internal/entity"
)

// sink is a ResponseWriter that discards everything but the header.
type sink struct{ head http.Header }

func (s *sink) Header() http.Header         { return s.head }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
func (s *sink) WriteHeader(int)             {}

// requests are the kinds of requests for a cached entity.
var requests = []struct {
	name   string
	fields http.Header
}{
	{"plain", http.Header{}},
	{"gzip", http.Header{"Accept-Encoding": {"gzip, deflate, br, zstd"}}},
	{"unchanged", http.Header{"Accept-Encoding": {"gzip"},
		"If-None-Match": {`"other", W/` + sampleTagGzip}}},
}

func BenchmarkServe(b *testing.B) {
	e := entity.New(jsonType, sample)
	for _, c := range requests {
		b.Run(c.name, func(b *testing.B) {
			w, r := &sink{http.Header{}}, httptest.NewRequest("GET", "/", nil)
			r.Header = c.fields
			b.ReportAllocs()
			for b.Loop() {
				clear(w.head)
				e.Serve(w, r, 200)
			}
		})
	}
}

// BenchmarkWire compares an entity with a minimal handler, both behind a real server and one
// connection. Compare the two with each other: a time alone means little.
func BenchmarkWire(b *testing.B) {
	e := entity.New(jsonType, sample)
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"bare", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonType)
			w.Header().Set("Content-Length", strconv.Itoa(len(sample)))
			w.Write(sample)
		}},
		{"entity", func(w http.ResponseWriter, r *http.Request) { e.Serve(w, r, 200) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			request := []byte("GET / HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n")
			in := bufio.NewReader(conn)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := conn.Write(request); err != nil {
					b.Fatal(err)
				}
				// The answer is the header up to an empty line, then the body.
				for {
					line, err := in.ReadSlice('\n')
					if err != nil {
						b.Fatal(err)
					}
					if len(line) == 2 {
						break
					}
				}
				if _, err := in.Discard(len(sample)); err != nil && err != io.EOF {
					b.Fatal(err)
				}
			}
		})
	}
}
