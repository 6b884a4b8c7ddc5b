package sidecar

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// endpoint is what one path answers.
type endpoint struct {
	method  string // GET, which includes HEAD, or POST
	limit   *limit // of requests with this method. Nil disables it, and logs them with the level debug
	vary    string // Netlify-Vary, the parameter by which a CDN keeps responses apart. Empty keeps them out of caches
	timeout time.Duration
	answer  handler
}

// handler answers a request whose context ends with the endpoint's timeout.
type handler func(w http.ResponseWriter, r *http.Request) (*response, error)

// newEndpoints returns the endpoints by path. All other paths are not found.
func (s *Sidecar) newEndpoints() map[string]*endpoint {
	byDefault := s.newLimit("default", s.RequestsPerMinute, requestsPerMinute)
	summaries := s.newLimit("ai-summary", s.AIRequestsPerMinute, aiRequestsPerMinute)
	translations := s.newLimit("ai-translate", s.AIRequestsPerMinute, aiRequestsPerMinute)
	s.general = byDefault
	const get, post = http.MethodGet, http.MethodPost
	// A CDN counts every parameter of a route that names none, so network-info names one that it ignores.
	const varyTopic, varyParts = "query=topicId", "query=parts"
	return map[string]*endpoint{
		"/api/forum-activity": {get, byDefault, varyTopic, timing.Request, s.forumActivity},
		"/api/network-info":   {get, byDefault, varyTopic, timing.Request, s.networkInfo},
		"/api/mip-watch":      {get, byDefault, varyParts, timing.Request, s.mipWatch},
		"/api/ai-summary":     {post, summaries, "", timing.AIRequest, s.aiSummary},
		"/api/ai-translate":   {post, translations, "", timing.AIRequest, s.aiTranslate},
		"/healthz":            {get, nil, "", timing.Ask, s.health},
		"/readyz":             {get, nil, "", timing.Ask, s.ready},
	}
}

// answers reports whether a method is the endpoint's. A nil endpoint answers none.
func (e *endpoint) answers(method string) bool {
	return e != nil && (method == e.method || method == http.MethodHead && e.method == http.MethodGet)
}

// allow returns the methods as the Allow field has them.
func (e *endpoint) allow() string {
	if e.method == http.MethodGet {
		return "GET, HEAD, OPTIONS"
	}
	return e.method + ", OPTIONS"
}

// ServeHTTP answers one request.
func (s *Sidecar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := &recorder{ResponseWriter: w, began: time.Now(), id: rand.Text(), route: other}
	h := w.Header()
	h.Set("X-Request-Id", rec.id)
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'") // for a browser that shows it as a page
	e := s.endpoints[r.URL.Path]
	if e != nil {
		rec.route = r.URL.Path
	}
	s.counts.inFlight.Add(1)
	defer s.counts.inFlight.Add(-1)
	defer s.finish(rec, r)
	limitBody(rec, r)
	res, err := s.answer(rec, r, e)
	switch {
	case err != nil:
		s.writeError(rec, r, err)
	case res != nil:
		s.writeResponse(rec, r, e, res)
	}
}

// finish is deferred: it writes the problem of a panic, counts the request and logs it.
func (s *Sidecar) finish(rec *recorder, r *http.Request) {
	p := recover()
	if p == http.ErrAbortHandler {
		s.counts.request(rec, r.Method)
		panic(p)
	}
	if p != nil {
		s.Log.Error("panic", "id", rec.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		if rec.status == 0 {
			s.writeError(rec, r, errInternal)
		}
	}
	s.counts.request(rec, r.Method)
	s.logRequest(r, rec)
}

// answer returns the response of an endpoint, which is nil for paths that have none. The response is nil for a
// preflight, which answer writes itself.
func (s *Sidecar) answer(rec *recorder, r *http.Request, e *endpoint) (*response, error) {
	limit := s.general // of preflights and of what no endpoint answers
	if e.answers(r.Method) {
		limit = e.limit
	}
	if limit == nil {
		rec.quiet = true
	} else if err := limit.take(rec, r, s.client(r)); err != nil {
		rec.quiet = true // a caller's lines of the log are limited as well
		return nil, err
	}
	switch {
	case e == nil:
		return nil, &api.HTTPError{Code: api.NotFound, Detail: "Nothing is served at this address."}
	case r.Method == http.MethodOptions:
		writePreflight(rec, e)
		return nil, nil
	case !e.answers(r.Method):
		rec.Header().Set("Allow", e.allow())
		return nil, &api.HTTPError{Code: api.MethodNotAllowed, Detail: "This address answers " + e.allow() + "."}
	}
	ctx, cancel := context.WithTimeout(r.Context(), e.timeout)
	defer cancel()
	return e.answer(rec, r.WithContext(ctx))
}

// writePreflight answers OPTIONS, with or without CORS.
func writePreflight(w http.ResponseWriter, e *endpoint) {
	h := w.Header()
	h.Set("Allow", e.allow())
	h.Set("Access-Control-Allow-Methods", e.allow())
	h.Set("Access-Control-Allow-Headers", "Content-Type, If-None-Match")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// state returns the state of the site. It waits for the first one until ctx ends, so that the first request to a
// process that has just started is answered like any other.
func (s *Sidecar) state(ctx context.Context) (*state, error) {
	select {
	case <-s.updated:
	case <-ctx.Done():
	}
	st := s.current.Load()
	if st.index == nil {
		return nil, errNotReady
	}
	return st, nil
}

// health is the body of GET /healthz and GET /readyz, which only the plain server has.
type health struct {
	Status   string `json:"status"`             // ok
	Version  string `json:"version,omitempty"`  // of the program
	Revision string `json:"revision,omitempty"` // the commit that the program was built from
	Commit   string `json:"commit,omitempty"`   // of the site: the newest one that touched a proposal
	Shared   string `json:"shared,omitempty"`   // ok or away: the Redis. A sidecar is healthy without it
}

// health answers GET /healthz while the process lives.
func (s *Sidecar) health(http.ResponseWriter, *http.Request) (*response, error) {
	h := health{Status: "ok", Version: s.Version, Revision: s.Revision}
	if x := s.current.Load().index; x != nil && x.Site.Commit != nil {
		h.Commit = *x.Site.Commit
	}
	if s.Redis != nil {
		h.Shared = "ok"
		if s.Redis.Down() {
			h.Shared = "away"
		}
	}
	return s.newResponse(h, time.Time{}, 0)
}

// ready answers GET /readyz while requests may be sent here.
func (s *Sidecar) ready(w http.ResponseWriter, r *http.Request) (*response, error) {
	if s.draining.Load() {
		return nil, errStopping
	}
	if s.current.Load().index == nil {
		return nil, errNotReady
	}
	return s.health(w, r)
}
