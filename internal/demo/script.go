package demo

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
)

// Script stands in front of a handler, records requests and misbehaves on demand. It is safe for
// concurrent use.
type Script struct {
	handler http.Handler

	mu       sync.Mutex
	requests []string
	next     []Fault
	always   Fault
}

// Fault answers a request badly. next is the handler that would answer it well.
type Fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

// NewScript returns a script that lets every request through to h.
func NewScript(h http.Handler) *Script { return &Script{handler: h} }

// Next sets what happens to the next requests, one each and before what Always says; nil lets one
// through. It adds to what an earlier call left.
func (s *Script) Next(f ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, f...)
}

// Always sets what happens to every request from now on; nil lets them through.
func (s *Script) Always(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = f
}

// Calls is how many requests have come.
func (s *Script) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// Requests returns what has been asked, in order: method, path and query, such as GET /t/399.json.
func (s *Script) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP takes the next fault, or lets the request through.
func (s *Script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := s.take(r.Method + " " + r.URL.RequestURI())
	if f == nil {
		s.handler.ServeHTTP(w, r)
		return
	}
	f(w, withBodyRead(r), s.handler)
}

// take notes a request and returns what is to happen to it.
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

// withBodyRead returns the request with its body in memory, unless that is over a mebibyte. A server
// looks for a client that leaves only when the body has been read, and a fault that waits has to
// notice.
func withBodyRead(r *http.Request) *http.Request {
	const most = 1 << 20
	body, _ := io.ReadAll(io.LimitReader(r.Body, most)) // the handler meets the error again
	rest := r.Body
	r = r.WithContext(r.Context())
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), rest))
	return r
}
