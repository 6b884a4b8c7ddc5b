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
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar"
)

const (
	// reserve is the part of the platform's time limit that an answer leaves for its way back.
	reserve = 300 * time.Millisecond
	// maxResult is the longest result that Lambda takes, in bytes of JSON. A longer one would end the process.
	maxResult = 6 << 20
)

// function answers events as a Handler of aws-lambda-go. It is safe for concurrent use.
type function struct {
	handler http.Handler
	// log gets the panics, and the answers that are too long.
	log *slog.Logger
}

// Invoke answers one event. The error is that of an event that is no HTTP request. Every other failure, a panic
// included, is answered with a problem. The request's context ends a little before ctx.
func (f *function) Invoke(ctx context.Context, payload []byte) (out []byte, err error) {
	// An event of another kind, such as one of a timer, is a mistake of configuration: AWS shows the error.
	var e event
	err = json.Unmarshal(payload, &e)
	if method := cmp.Or(e.Context.HTTP.Method, e.Method); err == nil && method == "" {
		err = errors.New("want httpMethod (version 1) or requestContext.http.method (version 2)")
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
	fail := func(detail string) {
		w := &recorder{header: http.Header{}}
		sidecar.WriteProblem(w, r, api.NewProblem("", api.Internal, "", detail))
		out, err = api.JSON(e.result(w, r.Method))
	}
	// A panic that left this method would end the process, and the next event would wait for a new one.
	defer func() {
		if p := recover(); p != nil {
			f.log.Error("panic", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			fail("Something failed on our side.")
		}
	}()
	// The whole answer is in memory before the gateway gets it.
	w := &recorder{header: http.Header{}}
	f.handler.ServeHTTP(w, r)
	if out, err = api.JSON(e.result(w, r.Method)); len(out) > maxResult {
		f.log.Error("answer too long", "bytes", len(out), "most", maxResult)
		const detail = "The answer is longer than the %d MiB that a function may give; ask for parts of it."
		fail(fmt.Sprintf(detail, maxResult>>20))
	}
	return out, err
}

// event is a proxy event of the Amazon API Gateway of version 1, which Netlify sends too, or of version 2, which Lambda
// function URLs send. Members that no answer needs, such as cookies, are left out. Netlify's events have no address and
// no host, and only some gateways send all forms of a query.
type event struct {
	Method       string              `json:"httpMethod"` // version 1
	Path         string              `json:"path"`       // version 1: as the client asked, before any rewrite
	Query        string              `json:"rawQuery"`   // Netlify: as the client wrote it
	MultiQuery   url.Values          `json:"multiValueQueryStringParameters"`
	SingleQuery  map[string]string   `json:"queryStringParameters"`
	MultiHeaders map[string][]string `json:"multiValueHeaders"`

	Path2  string `json:"rawPath"`        // version 2
	Query2 string `json:"rawQueryString"` // version 2

	Headers  map[string]string `json:"headers"` // version 2: several values with commas between them
	Body     string            `json:"body"`
	IsBase64 bool              `json:"isBase64Encoded"`

	Context struct {
		Identity struct {
			SourceIP string `json:"sourceIp"` // version 1
		} `json:"identity"`
		HTTP struct {
			Method   string `json:"method"` // version 2
			SourceIP string `json:"sourceIp"`
		} `json:"http"`
		DomainName string `json:"domainName"`
	} `json:"requestContext"`
}

// isV2 reports whether the event is of version 2.
func (e *event) isV2() bool { return e.Context.HTTP.Method != "" }

// request returns the event as a server would have received it. RemoteAddr is empty for an event without an address.
func (e *event) request(ctx context.Context) *http.Request {
	r := &http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: e.header(), Body: http.NoBody}
	if e.isV2() {
		r.Method, r.RemoteAddr = e.Context.HTTP.Method, e.Context.HTTP.SourceIP
		r.URL = location(e.Path2, e.Query2)
	} else {
		// Take the first form of the query that the event has: each of the later ones loses more.
		single := url.Values{}
		for name, value := range e.SingleQuery {
			single.Set(name, value)
		}
		r.Method, r.RemoteAddr = e.Method, e.Context.Identity.SourceIP
		r.URL = location(e.Path, cmp.Or(e.Query, e.MultiQuery.Encode(), single.Encode()))
		// Only some gateways of version 1 decode base64, and Netlify compresses by itself.
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

// location returns the address of an unchecked path and query. A path that is not escaped well is taken literally.
func location(path, query string) *url.URL {
	// The gateway has checked neither.
	// A path without a slash before it would make a URL of another form.
	path = "/" + strings.TrimPrefix(path, "/")
	u := &url.URL{Path: path, RawQuery: query}
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = plain, path
	}
	return u
}

// header returns the fields of the request. Those of version 2 have no MultiHeaders.
func (e *event) header() http.Header {
	h := http.Header{}
	// Headers has only the last of several values where there is MultiHeaders.
	for name, values := range e.MultiHeaders {
		for _, value := range values {
			h.Add(name, value)
		}
	}
	for name, value := range e.Headers {
		if len(e.MultiHeaders) == 0 {
			h.Add(name, value)
		}
	}
	return h
}

// result is the answer to an event of either version.
type result struct {
	StatusCode        int                 `json:"statusCode"`
	Headers           map[string]string   `json:"headers"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders,omitempty"` // version 1
	Body              string              `json:"body"`
	IsBase64Encoded   bool                `json:"isBase64Encoded"`
}

// result returns what a handler has written. It leaves out the fields of the connection, which the gateway sets itself.
func (e *event) result(w *recorder, method string) result {
	out := result{
		StatusCode: cmp.Or(w.status, http.StatusOK),
		Headers:    map[string]string{}, MultiValueHeaders: map[string][]string{},
	}
	for _, name := range []string{"Connection", "Content-Length", "Keep-Alive", "Transfer-Encoding"} {
		w.header.Del(name)
	}
	// A gateway of version 2 takes several values with commas between them.
	for name, values := range w.header {
		if e.isV2() || len(values) == 1 {
			out.Headers[name] = strings.Join(values, ", ")
		} else {
			out.MultiValueHeaders[name] = values
		}
	}
	if method == http.MethodHead || out.StatusCode == http.StatusNoContent || out.StatusCode == http.StatusNotModified {
		return out
	}
	// The result is JSON, which has no bytes but in base64.
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
