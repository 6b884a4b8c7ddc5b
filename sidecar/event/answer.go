package event

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
)

// answer is what a gateway of either version is told. Both know Headers; MultiValueHeaders is for version
// 1 and Cookies for version 2.
type answer struct {
	StatusCode        int                 `json:"statusCode"`
	Headers           map[string]string   `json:"headers"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders,omitempty"`
	Cookies           []string            `json:"cookies,omitempty"`
	Body              string              `json:"body"`
	IsBase64Encoded   bool                `json:"isBase64Encoded"`
}

// recorder keeps what a handler writes.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK { // what is below only announces an answer
		w.status = status
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// answer is what was written, for the gateway that sent the event.
func (w *recorder) answer(e *event, method string) answer {
	w.WriteHeader(http.StatusOK)
	a := answer{StatusCode: w.status, Headers: make(map[string]string, len(w.header))}
	for name, values := range w.header {
		switch {
		case len(values) == 0 || ofConnection(name):
		case e.second() && name == "Set-Cookie":
			a.Cookies = values
		case e.second() || len(values) == 1:
			a.Headers[name] = strings.Join(values, ", ")
		case a.MultiValueHeaders == nil:
			a.MultiValueHeaders = map[string][]string{name: values}
		default:
			a.MultiValueHeaders[name] = values
		}
	}
	if method == http.MethodHead || w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		return a
	}
	if a.IsBase64Encoded = w.header.Get("Content-Encoding") != "" || !utf8.Valid(w.body.Bytes()); a.IsBase64Encoded {
		a.Body = base64.StdEncoding.EncodeToString(w.body.Bytes())
	} else {
		a.Body = w.body.String()
	}
	return a
}

// ofConnection reports whether a field speaks of the connection to the gateway, or of what the gateway
// counts for itself.
func ofConnection(name string) bool {
	switch name {
	case "Connection", "Content-Length", "Keep-Alive", "Transfer-Encoding":
		return true
	}
	return false
}

// Problem writes a problem of a function that cannot answer otherwise. No cache keeps it.
func Problem(w http.ResponseWriter, r *http.Request, c api.Code, detail string) {
	instance := "/" + strings.TrimLeft(r.URL.EscapedPath(), "/") // never of another host
	body, err := api.JSON(api.NewProblem("", c, instance, detail))
	if err != nil {
		body = nil // a problem is made of strings
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/problem+json; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(c.Status())
	w.Write(body)
}
