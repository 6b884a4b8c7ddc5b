package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar"
)

const (
	// reserve is the part of the platform's time limit that is left for sending the answer.
	reserve = 300 * time.Millisecond
	// maxResult is the longest result that Lambda accepts, in bytes of JSON. A longer one would end
	// the process.
	maxResult = 6 << 20
)

// function answers events as a Handler of aws-lambda-go. It is safe for concurrent use. A panic of
// its handler would end the process, so the handler must recover.
type function struct {
	handler http.Handler
	// log gets the paths of answers that are too long.
	log *slog.Logger
}

// Invoke answers one event. It returns an error if the event is not an HTTP request. The request's
// context ends a little before ctx.
func (f *function) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	// Another kind of event, such as a timer's, is a mistake in the configuration: AWS shows the
	// error.
	var e event
	err := json.Unmarshal(payload, &e)
	switch {
	case err != nil:
	case e.Resource != "":
		err = errors.New("want the payload format 2.0 of API Gateway, got 1.0")
	case cmp.Or(e.Context.HTTP.Method, e.Method) == "":
		err = errors.New("want httpMethod (Netlify) or requestContext.http.method (AWS)")
	}
	if err != nil {
		return nil, fmt.Errorf("the event is no HTTP request: %w", err)
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve))
		defer cancel()
	}
	r := e.request(ctx)
	// The gateway gets the whole answer at once.
	w := &recorder{header: http.Header{}}
	f.handler.ServeHTTP(w, r)
	out, err := api.JSON(w.result(r.Method))
	if len(out) > maxResult {
		f.log.Error("answer too long", "bytes", len(out), "most", maxResult)
		const detail = "The answer is longer than the %d MiB that a function may give; ask for " +
			"parts of it."
		w = &recorder{header: http.Header{}}
		problem := api.NewProblem("", api.Internal, "", fmt.Sprintf(detail, maxResult>>20))
		sidecar.WriteProblem(w, r, problem)
		out, err = api.JSON(w.result(r.Method))
	}
	return out, err
}

// event is an HTTP request in Netlify's form, or in the payload format 2.0 of Amazon API Gateway,
// which Lambda function URLs use too. It has only the members that an answer needs, so no cookies.
type event struct {
	Method string `json:"httpMethod"` // Netlify
	Path   string `json:"path"`       // Netlify: as requested, before any rewrite
	Query  string `json:"rawQuery"`   // Netlify: as requested

	RawPath  string `json:"rawPath"`        // AWS
	RawQuery string `json:"rawQueryString"` // AWS

	Headers  map[string]string `json:"headers"` // multiple values are separated by commas
	Body     string            `json:"body"`
	IsBase64 bool              `json:"isBase64Encoded"`

	Context struct { // AWS
		HTTP struct {
			Method   string `json:"method"`
			SourceIP string `json:"sourceIp"`
		} `json:"http"`
		DomainName string `json:"domainName"`
	} `json:"requestContext"`

	Resource string `json:"resource"` // only in the payload format 1.0 of API Gateway
}

// request returns the event as a request to a server. RemoteAddr is empty for Netlify, which names
// the caller in a field.
func (e *event) request(ctx context.Context) *http.Request {
	r := &http.Request{
		Method: cmp.Or(e.Context.HTTP.Method, e.Method), RemoteAddr: e.Context.HTTP.SourceIP,
		URL:   location(cmp.Or(e.RawPath, e.Path), cmp.Or(e.RawQuery, e.Query)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody,
	}
	for name, value := range e.Headers {
		r.Header.Add(name, value)
	}
	if e.Method != "" { // Netlify compresses by itself.
		r.Header.Del("Accept-Encoding")
	}
	r.Host = cmp.Or(r.Header.Get("Host"), e.Context.DomainName)
	r.RequestURI = r.URL.RequestURI()
	if e.Body != "" {
		var body io.Reader = strings.NewReader(e.Body)
		r.ContentLength = int64(len(e.Body))
		if e.IsBase64 { // the length is unknown before the body is read
			body, r.ContentLength = base64.NewDecoder(base64.StdEncoding, body), -1
		}
		r.Body = io.NopCloser(body)
	}
	return r.WithContext(ctx)
}

// location returns the URL of an unchecked path and query. An invalid escape in the path is taken
// literally.
func location(path, query string) *url.URL {
	// The gateway checks neither. Without a leading slash the path would make a URL of another
	// form.
	path = "/" + strings.TrimPrefix(path, "/")
	u := &url.URL{Path: path, RawQuery: query}
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = plain, path
	}
	return u
}

// result is the answer to an event.
type result struct {
	StatusCode      int               `json:"statusCode"`
	Headers         map[string]string `json:"headers"` // multiple values are separated by commas
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
}

// result returns the answer to a request. It leaves out the fields of the connection, which the
// gateway sets itself.
func (w *recorder) result(method string) result {
	out := result{StatusCode: cmp.Or(w.status, http.StatusOK), Headers: map[string]string{}}
	for name, values := range w.header {
		out.Headers[name] = strings.Join(values, ", ")
	}
	for _, name := range []string{"Connection", "Content-Length", "Keep-Alive",
		"Transfer-Encoding"} {
		delete(out.Headers, name)
	}
	if method == http.MethodHead || out.StatusCode == http.StatusNoContent ||
		out.StatusCode == http.StatusNotModified {
		return out
	}
	// JSON has no bytes, so encode them in base64.
	out.Body = w.body.String()
	if w.header.Get("Content-Encoding") != "" || !utf8.ValidString(out.Body) {
		out.IsBase64Encoded, out.Body = true, base64.StdEncoding.EncodeToString(w.body.Bytes())
	}
	return out
}

// recorder records the answer of a handler.
type recorder struct {
	header http.Header
	// status is zero before the header is written.
	status int
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter].
func (w *recorder) WriteHeader(status int) { w.status = cmp.Or(w.status, status) }

// Write implements [http.ResponseWriter].
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
