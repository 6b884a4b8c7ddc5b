package demo

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Hang never answers. It ends when the client leaves.
func Hang() Fault {
	return func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
}

// Delay answers well after a while, unless the client leaves before.
func Delay(d time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !wait(r, d) {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	}
}

// Drip answers with the status 200 and a JSON body that arrives byte by byte, the first at once.
func Drip(body string, every time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", typeJSON)
		for i := range len(body) {
			if i > 0 && !wait(r, every) {
				return
			}
			io.WriteString(w, body[i:i+1])
			if http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}
}

// wait returns true after d, or false as soon as the client has left.
func wait(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// Answer sends this answer instead. It is JSON unless the header, which may be nil, has a
// Content-Type.
func Answer(status int, header http.Header, body string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", typeJSON)
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// HTML answers with the status 200 and a page for people.
func HTML() Fault {
	return Answer(http.StatusOK, http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		"<!doctype html><html lang=en><title>One moment</title><p>We are making sure that you "+
			"are a person.</p></html>")
}

// Redirect redirects the client to an address, keeping its method.
func Redirect(to string) Fault {
	return Answer(http.StatusTemporaryRedirect, http.Header{"Location": {to}}, "")
}

// Loop redirects the client to the address that it requested.
func Loop() Fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		Redirect(r.URL.RequestURI())(w, r, next)
	}
}

// Disconnect closes the connection without an answer.
func Disconnect() Fault {
	return func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }
}

// Truncated announces the length of the good answer, sends half of the body and closes the
// connection.
func Truncated() Fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		good := capture(r, next)
		body := good.body.Bytes()
		maps.Copy(w.Header(), good.header)
		w.Header().Set("Content-Length", strconv.Itoa(max(len(body), 1)))
		w.WriteHeader(good.status)
		w.Write(body[:len(body)/2])
	}
}

// Rewrite sends the good answer with its body changed by f.
func Rewrite(f func(body []byte) []byte) Fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		good := capture(r, next)
		maps.Copy(w.Header(), good.header)
		w.Header().Del("Content-Length")
		w.WriteHeader(good.status)
		w.Write(f(good.body.Bytes()))
	}
}

// GzipBomb answers with 100 MB of zeros in less than 1 MB of gzip, whether or not the client
// accepts gzip.
func GzipBomb() Fault {
	const chunk, chunks = 1e6, 100
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", typeJSON)
		w.Header().Set("Content-Encoding", "gzip")
		zip, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level exists
		zeros := make([]byte, chunk)
		for range chunks {
			if _, err := zip.Write(zeros); err != nil {
				return
			}
		}
		zip.Close()
	}
}

// Huge sends the good answer enlarged to n bytes, by a first member of an object, or else by blanks
// at the end, so that it decodes to the same. Its length is not announced.
func Huge(n int64) Fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		good := capture(r, next)
		maps.Copy(w.Header(), good.header)
		w.Header().Del("Content-Length")
		w.WriteHeader(good.status)
		before, filler, after := good.body.String(), " ", ""
		if rest, ok := strings.CutPrefix(before, `{"`); ok {
			before, filler, after = `{"filler":"`, "x", `","`+rest
		}
		io.WriteString(w, before)
		piece := strings.Repeat(filler, 1<<16)
		for left := n - int64(len(before)+len(after)); left > 0; left -= int64(len(piece)) {
			piece = piece[:min(left, int64(len(piece)))]
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
		io.WriteString(w, after)
	}
}

// captured is an answer that was not sent.
type captured struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// capture runs a handler and returns its answer.
func capture(r *http.Request, h http.Handler) *captured {
	c := &captured{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(c, r)
	return c
}

// Header implements [http.ResponseWriter], as the next two methods do.
func (c *captured) Header() http.Header         { return c.header }
func (c *captured) WriteHeader(status int)      { c.status = status }
func (c *captured) Write(b []byte) (int, error) { return c.body.Write(b) }
