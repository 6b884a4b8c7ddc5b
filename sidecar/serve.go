package sidecar

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/api"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// endpoint is one address that answers GET and HEAD.
type endpoint struct {
	limited bool                        // and may be cached
	check   func(r *http.Request) error // of what needs no knowledge of the site; nil: nothing does
	answer  func(ctx context.Context, st *state, r *http.Request) (*answer, error)
}

// table lists the addresses. Others are not found.
func (s *Sidecar) table() map[string]*endpoint {
	return map[string]*endpoint{
		"/api/forum-activity": {limited: true, check: checkTopicID, answer: s.forumActivity},
		"/api/network-info":   {limited: true, answer: s.networkInfo},
		"/api/mip-watch":      {limited: true, answer: s.mipWatch},
		"/healthz":            {answer: s.health},
		"/readyz":             {answer: s.ready},
	}
}

// Header values that many answers share. net/http does not change them.
var (
	anyOrigin     = []string{"*"}
	exposedFields = []string{"ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"}
	revalidate    = []string{"public, max-age=0, must-revalidate"}
	noStore       = []string{"no-store"}
	noSniff       = []string{"nosniff"}
	// Other parameters than this one are ignored, so they make no answer of their own in a CDN either.
	varyQuery = []string{"query=topicId"}
)

// Methods that every address answers.
const methods = "GET, HEAD, OPTIONS"

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
	e, known := s.endpoints[r.URL.Path]
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.Log.Error("panic", "id", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			if rec.status == 0 {
				s.fail(rec, r, api.Internal, "Something failed on our side; the requestId finds it in the log.")
			}
		}
		s.logRequest(r, rec, known, id, began)
	}()
	switch {
	case !known:
		s.fail(rec, r, api.NotFound, "Nothing is served at this address.")
	case r.Method == http.MethodOptions:
		preflight(rec)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", methods)
		s.fail(rec, r, api.MethodNotAllowed, "This address answers GET, HEAD and OPTIONS.")
	case e.limited && !s.limit.take(rec, r, s.clients.of(r)):
		s.fail(rec, r, api.RateLimited, fmt.Sprintf("More than %d requests in a minute; wait for as long as Retry-After says.", s.RequestsPerMinute))
	default:
		s.serve(rec, r, e)
	}
}

// preflight answers OPTIONS, CORS or not.
func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Allow", methods)
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", "Content-Type, If-None-Match")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

func (s *Sidecar) serve(w http.ResponseWriter, r *http.Request, e *endpoint) {
	ctx, cancel := context.WithTimeout(r.Context(), patience+grace)
	defer cancel()
	if e.check != nil {
		if err := e.check(r); err != nil {
			s.refuse(w, r, err)
			return
		}
	}
	if e.limited {
		s.await(ctx)
	}
	a, err := e.answer(ctx, s.current.Load(), r)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	h := w.Header()
	if e.limited {
		h["Cache-Control"] = revalidate
		h["Netlify-Cdn-Cache-Control"] = []string{a.cdnCache(s.Now())}
		h["Netlify-Vary"] = varyQuery
	} else {
		h["Cache-Control"] = noStore
	}
	a.Serve(w, r, http.StatusOK)
}

// await waits until the site is known: the first request to a process that has just started is to be
// answered like any other.
func (s *Sidecar) await(ctx context.Context) {
	select {
	case <-s.knows:
		return
	default:
	}
	select {
	case <-s.knows:
	case <-ctx.Done():
	}
}

// refusal is an error that tells the caller what it may know.
type refusal struct {
	code   api.Code
	detail string
	wait   time.Duration // for Retry-After; 0: not said
}

func (e *refusal) Error() string { return string(e.code) + ": " + e.detail }

// refuse turns an error into a problem. What a host behind us said never reaches the caller.
func (s *Sidecar) refuse(w http.ResponseWriter, r *http.Request, err error) {
	e := refusalOf(err)
	if e.code == api.Internal {
		s.Log.Error("answer", "path", r.URL.Path, "error", err)
	}
	if e.code == api.RateLimited { // another limit than the caller's own, which still has room
		wait := strconv.Itoa(max(1, int((e.wait+time.Second-1)/time.Second)))
		w.Header()["Ratelimit-Policy"] = []string{`"forum";q=20;w=60`}
		w.Header()["Ratelimit"] = []string{`"forum";r=0;t=` + wait}
	}
	if e.wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int((e.wait+time.Second-1)/time.Second))))
	}
	s.fail(w, r, e.code, e.detail)
}

// refusalOf is the one table of what an error behind an answer means to its caller.
func refusalOf(err error) *refusal {
	if e, ok := errors.AsType[*refusal](err); ok {
		return e
	}
	if busy, ok := errors.AsType[*forum.BusyError](err); ok {
		return &refusal{api.RateLimited, "Too many different topics that no proposal links to are asked for; wait for as long as Retry-After says.", busy.RetryAfter}
	}
	wait := time.Duration(0)
	if cause, ok := errors.AsType[*upstream.Error](err); ok {
		wait = cause.RetryAfter
	}
	switch {
	case errors.Is(err, forum.ErrNotFound):
		return &refusal{code: api.NotFound, detail: "The forum has no public topic of this number."}
	case errors.Is(err, upstream.ErrTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &refusal{api.UpstreamTimeout, "The forum took too long, and no earlier answer is kept.", wait}
	case errors.Is(err, upstream.ErrUnavailable):
		return &refusal{api.UpstreamUnavailable, "The forum gave no usable answer, and no earlier one is kept.", wait}
	}
	return &refusal{code: api.Internal, detail: "Something failed on our side; the requestId finds it in the log."}
}

// fail writes a problem. No cache keeps it.
func (s *Sidecar) fail(w http.ResponseWriter, r *http.Request, c api.Code, detail string) {
	h := w.Header()
	p := s.current.Load().problem(c, instance(r), detail)
	p.RequestID = h.Get("X-Request-Id")
	body, err := api.JSON(p)
	if err != nil {
		body = nil // a problem is made of strings
	}
	h["Cache-Control"] = noStore
	h.Set("Content-Type", "application/problem+json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// instance is the path that was asked for as a URI reference: escaped, and never that of another host.
func instance(r *http.Request) string {
	return "/" + strings.TrimLeft(r.URL.EscapedPath(), "/")
}

// recorder remembers what was answered, for the log.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

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
// wrote, and no line says who asked.
func (s *Sidecar) logRequest(r *http.Request, rec *recorder, known bool, id string, began time.Time) {
	level := slog.LevelInfo
	if rec.status >= http.StatusInternalServerError {
		level = slog.LevelWarn
	}
	if !s.Log.Enabled(r.Context(), level) {
		return
	}
	route := "other"
	if known {
		route = r.URL.Path
	}
	s.Log.LogAttrs(r.Context(), level, "request",
		slog.String("id", id), slog.String("method", knownMethod(r.Method)), slog.String("route", route), slog.Int("status", rec.status), slog.Int("bytes", rec.bytes),
		slog.Float64("ms", float64(time.Since(began).Microseconds())/1000))
}

func knownMethod(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect, http.MethodTrace:
		return m
	}
	return "other"
}
