package sidecar

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// endpoint is one address.
type endpoint struct {
	methods methods
	limit   *limit        // of the methods that it answers. Nil disables it, and logs them with the level debug
	vary    []string      // by which parameters a CDN tells kept responses apart; nil means that it keeps none
	timeout time.Duration // of the answer, beside the time of writing it
	answer  handler
	counts  *routeCounts // see newCounts
}

// handler answers a request, or says why not.
type handler func(ctx context.Context, w http.ResponseWriter, r *http.Request) (*response, error)

// methods are those that an address answers.
type methods struct {
	allow string // as the Allow field has them
	names []string
}

var (
	reading = methods{"GET, HEAD, OPTIONS", []string{http.MethodGet, http.MethodHead}}
	posting = methods{"POST, OPTIONS", []string{http.MethodPost}}
)

// table lists the addresses. Others are not found.
func (s *Sidecar) table() (map[string]*endpoint, error) {
	byDefault, err := s.newLimit("default", s.RequestsPerMinute)
	if err != nil {
		return nil, err
	}
	summaries, err := s.newLimit("ai-summary", s.AIRequestsPerMinute)
	if err != nil {
		return nil, err
	}
	translations, err := s.newLimit("ai-translate", s.AIRequestsPerMinute)
	if err != nil {
		return nil, err
	}
	s.general = byDefault
	live := func(vary []string, answer handler) *endpoint {
		return &endpoint{methods: reading, limit: byDefault, vary: vary, timeout: timing.Request, answer: answer}
	}
	return map[string]*endpoint{
		"/api/forum-activity": live(varyTopic, s.forumActivity),
		"/api/network-info":   live(varyTopic, s.networkInfo),
		"/api/mip-watch":      live(varyParts, s.mipWatch),
		"/api/ai-summary":     {methods: posting, limit: summaries, timeout: timing.AIRequest, answer: s.aiSummary},
		"/api/ai-translate":   {methods: posting, limit: translations, timeout: timing.AIRequest, answer: s.aiTranslate},
		"/healthz":            {methods: reading, timeout: timing.Ask, answer: s.health},
		"/readyz":             {methods: reading, timeout: timing.Ask, answer: s.ready},
	}, nil
}

// Header values that many answers share. net/http does not change them.
var (
	anyOrigin     = []string{"*"}
	exposedFields = []string{"ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"}
	revalidate    = []string{"public, max-age=0, must-revalidate"}
	noStore       = []string{"no-store"}
	noSniff       = []string{"nosniff"}
	noPage        = []string{"default-src 'none'; frame-ancestors 'none'"} // for a browser that takes an answer for a page
	// Other parameters than the named one are ignored, so they make no answer of their own in a CDN either. A
	// route without one names one all the same: a CDN without the field counts them all.
	varyTopic = []string{"query=topicId"}
	varyParts = []string{"query=parts"}
)

// ServeHTTP answers one request.
func (s *Sidecar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	id := rand.Text()
	rec := &recorder{ResponseWriter: w}
	h := w.Header()
	h["X-Request-Id"] = []string{id}
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposedFields
	h["X-Content-Type-Options"] = noSniff
	h["Content-Security-Policy"] = noPage
	e, known := s.endpoints[r.URL.Path]
	route, counts := other, s.counts.routes[other]
	if known {
		route, counts = r.URL.Path, e.counts
	}
	s.counts.inFlight.Add(1)
	defer func() {
		defer s.counts.inFlight.Add(-1)
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				counts.count(r.Method, 0, time.Since(began))
				panic(p)
			}
			s.Log.Error("panic", "id", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			if rec.status == 0 {
				s.writeError(rec, r, errInternal)
			}
		}
		took := time.Since(began)
		counts.count(r.Method, rec.status, took)
		s.logRequest(r, rec, route, id, took)
	}()
	limitBody(rec, r)
	limit := s.general // preflights and what no route answers
	if known && slices.Contains(e.methods.names, r.Method) {
		limit, rec.quiet = e.limit, e.limit == nil
	}
	switch {
	case limit != nil && !limit.take(rec, r, s.clients.of(r)):
		rec.quiet = true // the lines of a caller are limited as well
		s.counts.limits[limit.name].Add(1)
		s.writeError(rec, r, &api.HTTPError{
			Code: api.RateLimited, Detail: fmt.Sprintf("More than %d requests in a minute; wait for as long as Retry-After says.", limit.tokens)})
	case !known:
		s.writeError(rec, r, &api.HTTPError{Code: api.NotFound, Detail: "Nothing is served at this address."})
	case r.Method == http.MethodOptions:
		preflight(rec, e.methods)
	case !slices.Contains(e.methods.names, r.Method):
		h.Set("Allow", e.methods.allow)
		s.writeError(rec, r, &api.HTTPError{Code: api.MethodNotAllowed, Detail: "This address answers " + e.methods.allow + "."})
	default:
		s.serve(rec, r, e)
	}
}

// preflight answers OPTIONS, CORS or not.
func preflight(w http.ResponseWriter, m methods) {
	h := w.Header()
	h.Set("Allow", m.allow)
	h.Set("Access-Control-Allow-Methods", m.allow)
	h.Set("Access-Control-Allow-Headers", "Content-Type, If-None-Match")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// serve answers a request that its limit has let through.
func (s *Sidecar) serve(w *recorder, r *http.Request, e *endpoint) {
	ctx, cancel := context.WithTimeout(r.Context(), e.timeout)
	defer cancel()
	res, err := e.answer(ctx, w, r)
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	s.writeResponse(w, r, e.vary, res)
}

// known returns the state of the site. It waits for the first one until ctx ends, so that the first request to a
// process that has just started is answered like any other.
func (s *Sidecar) known(ctx context.Context) (*state, error) {
	select {
	case <-s.knows:
	case <-ctx.Done():
	}
	st := s.current.Load()
	if st.known == nil {
		return nil, errNotReady
	}
	return st, nil
}

// recorder remembers what was answered, for the log.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int
	code   api.Code // of the problem; empty for another answer
	quiet  bool     // its line has the level debug
}

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// logRequest writes the line of a request. The address is the one that was served, never what a caller
// wrote, and no line has the caller.
func (s *Sidecar) logRequest(r *http.Request, rec *recorder, route, id string, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case rec.quiet:
		level = slog.LevelDebug
	case rec.status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	}
	if !s.Log.Enabled(r.Context(), level) {
		return
	}
	code := slog.Attr{} // left out
	if rec.code != "" {
		code = slog.String("code", string(rec.code))
	}
	s.Log.LogAttrs(r.Context(), level, "request",
		slog.String("id", id), slog.String("method", knownMethod(r.Method)), slog.String("route", route),
		slog.Int("status", rec.status), code, slog.Int("bytes", rec.bytes), slog.Float64("ms", float64(took.Microseconds())/1000))
}

// knownMethod keeps words of callers out of the log.
func knownMethod(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodTrace:
		return m
	}
	return other
}

// health is the body of GET /healthz and GET /readyz, which only the plain server has.
type health struct {
	Status   string `json:"status"`             // ok
	Version  string `json:"version,omitempty"`  // of the program
	Revision string `json:"revision,omitempty"` // the commit that the program was built from
	Commit   string `json:"commit,omitempty"`   // of the site: the newest one that touched a proposal
	Shared   string `json:"shared,omitempty"`   // ok or away: the Redis of several sidecars. They are healthy without it
}

// health answers GET /healthz: the process lives.
func (s *Sidecar) health(context.Context, http.ResponseWriter, *http.Request) (*response, error) {
	return s.healthOf(s.current.Load())
}

// healthOf is the body while all is well. A Redis that is down is no reason to restart or to avoid a sidecar.
func (s *Sidecar) healthOf(st *state) (*response, error) {
	h := health{Status: "ok", Version: s.Version, Revision: s.Revision}
	if st.known != nil && st.known.Site.Commit != nil {
		h.Commit = *st.known.Site.Commit
	}
	switch {
	case s.Shared == nil:
	case s.Shared.Down():
		h.Shared = "away"
	default:
		h.Shared = "ok"
	}
	return s.newResponse(h, time.Time{}, 0)
}

// ready answers GET /readyz: requests may be sent here.
func (s *Sidecar) ready(context.Context, http.ResponseWriter, *http.Request) (*response, error) {
	st := s.current.Load()
	if s.draining.Load() {
		return nil, errEnding
	}
	if st.known == nil {
		return nil, errNotReady
	}
	return s.healthOf(st)
}
