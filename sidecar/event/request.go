package event

import (
	"cmp"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// request is the event as a server would have received it. An event that names no address leaves
// RemoteAddr empty.
func (e *event) request(ctx context.Context) *http.Request {
	r := &http.Request{
		Method: e.HTTPMethod, URL: location(e.Path, e.query()), Header: e.header(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		RemoteAddr: e.RequestContext.Identity.SourceIP,
	}
	if e.second() {
		r.Method, r.RemoteAddr = e.RequestContext.HTTP.Method, e.RequestContext.HTTP.SourceIP
		r.URL = location(e.RawPath, e.RawQueryString)
	} else {
		// A gateway of version 1 turns base64 back into bytes only where it is set up to, and Netlify
		// compresses by itself.
		r.Header.Del("Accept-Encoding")
	}
	r.Host = cmp.Or(r.Header.Get("Host"), e.RequestContext.DomainName)
	r.RequestURI = r.URL.RequestURI()
	r.Body, r.ContentLength = http.NoBody, 0
	switch {
	case e.Body == "":
	case e.IsBase64Encoded:
		// Its length is not known before it is read; neither is whether it is base64 at all.
		r.Body, r.ContentLength = io.NopCloser(base64.NewDecoder(base64.StdEncoding, strings.NewReader(e.Body))), -1
	default:
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(e.Body)), int64(len(e.Body))
	}
	return r.WithContext(ctx)
}

// location is the address of a path and a query that nobody has checked. A path that is not escaped well
// is taken as it stands.
func location(path, query string) *url.URL {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	u := &url.URL{Path: path, RawQuery: query}
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = plain, path
	}
	return u
}

// query is that of an event of version 1, in the form that loses least.
func (e *event) query() string {
	if e.RawQuery != "" {
		return e.RawQuery
	}
	if len(e.MultiQuery) > 0 {
		return url.Values(e.MultiQuery).Encode()
	}
	single := make(url.Values, len(e.Query))
	for name, value := range e.Query {
		single.Set(name, value)
	}
	return single.Encode()
}

func (e *event) header() http.Header {
	h := make(http.Header, len(e.Headers)+len(e.MultiHeaders))
	if len(e.MultiHeaders) > 0 {
		for name, values := range e.MultiHeaders {
			for _, value := range values {
				h.Add(name, value)
			}
		}
		return h
	}
	for name, value := range e.Headers {
		h.Add(name, value)
	}
	if len(e.Cookies) > 0 {
		h.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	return h
}
