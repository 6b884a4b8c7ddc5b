package demo

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
)

// Script wraps a handler, records requests and injects faults on demand. It is safe for concurrent
// use.
type Script struct {
	handler http.Handler

	mu       sync.Mutex
	requests []string
	next     []Fault
	always   Fault
}

// Fault answers a request badly. next is the handler that would answer it well.
type Fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

// NewScript returns a script that passes all requests to h.
func NewScript(h http.Handler) *Script { return &Script{handler: h} }

// Next sets the faults of the next requests, one each, which take precedence over Always; nil means
// none. It adds to the remaining ones of an earlier call.
func (s *Script) Next(f ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, f...)
}

// Always sets the fault of all requests from now on; nil means none.
func (s *Script) Always(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = f
}

// Calls returns the number of requests so far.
func (s *Script) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// Requests returns the requests in order: method, path and query, such as GET /t/399.json.
func (s *Script) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP applies the next fault, or passes the request on.
func (s *Script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := s.take(r.Method + " " + r.URL.RequestURI())
	if f == nil {
		s.handler.ServeHTTP(w, r)
		return
	}
	f(w, withBodyRead(r), s.handler)
}

// take records a request and returns its fault.
func (s *Script) take(request string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	if len(s.next) == 0 {
		return s.always
	}
	f := s.next[0]
	s.next = s.next[1:]
	return f
}

// withBodyRead returns the request with its body in memory, unless that is over a mebibyte. A
// server notices that a client has left only when the body has been read, and a waiting fault must
// notice it.
func withBodyRead(r *http.Request) *http.Request {
	const most = 1 << 20
	body, _ := io.ReadAll(io.LimitReader(r.Body, most)) // the handler gets the error again
	rest := r.Body
	r = r.WithContext(r.Context())
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), rest))
	return r
}
