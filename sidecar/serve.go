package sidecar

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/entity"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/limit"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// endpoint is what one path answers.
type endpoint struct {
	// method is GET, which includes HEAD, or POST.
	method string
	// limit is for requests with this method. Nil disables it, and logs them with the level debug.
	limit *limit.Limit
	// vary is Netlify-Vary, the parameter by which a CDN keeps responses apart. Empty keeps them out of caches.
	vary    string
	timeout time.Duration
	answer  handler
}

// handler answers a request whose context ends with the endpoint's timeout.
type handler func(w http.ResponseWriter, r *http.Request) (*response, error)

// newEndpoints returns the endpoints by path. All other paths are not found.
func (s *Sidecar) newEndpoints() map[string]*endpoint {
	newLimit := func(name string, perMinute int) *limit.Limit {
		return limit.New(limit.Config{Name: name, PerWindow: perMinute, Netlify: s.Netlify, Proxies: s.Proxies, Redis: s.Redis})
	}
	byDefault := newLimit("default", s.RequestsPerMinute)
	summaries := newLimit("ai-summary", s.AIRequestsPerMinute)
	translations := newLimit("ai-translate", s.AIRequestsPerMinute)
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
	// An id of the caller could be anything, and would be in the log.
	rec := &recorder{ResponseWriter: w, began: time.Now(), id: rand.Text(), route: other}
	h := w.Header()
	h.Set("X-Request-Id", rec.id)
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id")
	h.Set("X-Content-Type-Options", "nosniff")
	// A browser that shows an answer as a page must run nothing of it.
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	e := s.endpoints[r.URL.Path]
	if e != nil {
		rec.route = r.URL.Path
	}
	s.counts.inFlight.Add(1)
	defer s.counts.inFlight.Add(-1)
	defer s.finish(rec, r)
	// Every request has the deadline, since net/http reads the bodies of those that are refused as well.
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
	// net/http takes this value for the wish to cut the connection, and logs no stack.
	if p == http.ErrAbortHandler {
		s.counts.request(rec, r.Method)
		panic(p)
	}
	if p != nil {
		// The stack is for the log alone. The caller gets the request's id to ask about it.
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
	// A caller must not get round the limits, or fill the log, by preflights, unknown paths or other methods.
	counting := s.general
	if e.answers(r.Method) {
		counting = e.limit
	}
	if counting == nil {
		// Health checks come every few seconds from a balancer.
		rec.quiet = true
	} else if err := counting.Take(rec, r, s.current.Load().baseURL()); err != nil {
		// The lines of a caller in the log are limited as well.
		rec.quiet = true
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

// responsesKept bounds the cached responses: as many topics as the forum keeps fit into it.
const responsesKept = 5 << 10

// response is a body that is ready to send. It is shared and never changed.
type response struct {
	*entity.Entity
	// until is the time from which on a new response may differ.
	until time.Time
	// stale is how much longer a CDN may give the response while it asks again. A reader gets nothing older without
	// a mark but its time. It is zero when the response is marked stale itself.
	stale time.Duration
}

// newResponse encodes v. It makes until at least 250 ms from now.
func (s *Sidecar) newResponse(v any, until time.Time, stale time.Duration) (*response, error) {
	body, err := api.JSON(v)
	if err != nil {
		return nil, err
	}
	// A burst of requests while the hosts fail must not encode the response again and again.
	if least := s.Now().Add(timing.FreshLeast); until.Before(least) {
		until = least
	}
	return &response{entity.New("application/json; charset=utf-8", body), until, stale}, nil
}

// responseKey names the response to a GET: the state that it follows from, the route, and the parameter.
type responseKey struct {
	state uint64
	route string
	// number is a topic, or parts.
	number int
}

// newResponses makes the cache of the responses to GET. It keeps no failure and gives nothing stale: the caches
// of the forum and the chains do.
func (s *Sidecar) newResponses() *cache.Cache[responseKey, *response] {
	return cache.New[responseKey](cache.Config[*response]{
		Fresh: timing.FreshTopic, Until: func(r *response) time.Time { return r.until },
		Timeout: timing.Request, Entries: responsesKept, Detached: !s.Function, Now: s.Now, Stats: &s.counts.responses,
	})
}

// cached returns a response that is still good, or calls fetch, once for all callers that ask at the same time. fetch
// has less time than its caller, so that the caller gets what it returns.
func (s *Sidecar) cached(ctx context.Context, key responseKey, fetch func(context.Context) (*response, error)) (*response, error) {
	e, err := s.responses.Get(ctx, key, func(fetching context.Context) (*response, error) {
		// fetching has the timeout of the cache, and no deadline of a caller.
		if deadline, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			fetching, cancel = context.WithDeadline(fetching, deadline.Add(timing.Ask-timing.Request))
			defer cancel()
		}
		return fetch(fetching)
	})
	if errors.Is(err, cache.ErrClosed) {
		return nil, errStopping
	}
	return e.Value, err
}

// writeResponse writes a response with its cache fields. A browser asks each time, which the entity tag makes cheap.
// Netlify's CDN, which answers most requests by itself, has a targeted field (RFC 9213).
func (s *Sidecar) writeResponse(w http.ResponseWriter, r *http.Request, e *endpoint, res *response) {
	h := w.Header()
	if e.vary == "" {
		h.Set("Cache-Control", "no-store")
	} else {
		// durable keeps one response for all nodes of the CDN. max-age is at least a second, its smallest unit.
		cdn := fmt.Sprintf("public, durable, max-age=%d", max(1, int64(res.until.Sub(s.Now())/time.Second)))
		if res.stale > 0 {
			cdn += fmt.Sprintf(", stale-while-revalidate=%d", int64(res.stale/time.Second))
		}
		h.Set("Cache-Control", "public, max-age=0, must-revalidate")
		h.Set("Netlify-Cdn-Cache-Control", cdn)
		h.Set("Netlify-Vary", e.vary)
	}
	res.Serve(w, r, http.StatusOK)
}

// Errors of the sidecar itself. Those of hosts are made where the hosts are asked.
var (
	errStopping = &api.HTTPError{Code: api.NotReady, Detail: "This process is about to end.", RetryAfter: time.Second}
	errNotReady = &api.HTTPError{Code: api.NotReady, RetryAfter: time.Second,
		Detail: "The sidecar has not read the site's proposals yet; ask again in a moment."}
	errInternal = &api.HTTPError{Code: api.Internal, Detail: "Something failed on our side; the requestId finds it in the log."}
)

// badRequest is the error of a request that cannot be read.
func badRequest(format string, args ...any) error {
	return &api.HTTPError{Code: api.BadRequest, Detail: fmt.Sprintf(format, args...)}
}

// httpError returns the HTTPError in err, or the one that stands for a timeout or a defect.
func httpError(err error) *api.HTTPError {
	if e, ok := errors.AsType[*api.HTTPError](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &api.HTTPError{Code: api.UpstreamTimeout, Detail: "The answer takes longer than a request may."}
	}
	return errInternal
}

// writeError writes an error as a problem.
func (s *Sidecar) writeError(w *recorder, r *http.Request, err error) {
	e := httpError(err)
	// A defect has no other trace: its caller gets no cause.
	if e.Code == api.Internal && err != errInternal {
		s.Log.Error("answer", "path", r.URL.Path, "error", err)
	}
	w.code = e.Code
	s.counts.problem(e)
	h := w.Header()
	// The limit may be another one than the caller's own, whose fields are replaced.
	if e.Limit != "" {
		limit.SetFields(h, e.Limit, e.Policy, 0, e.RetryAfter)
	}
	if e.RetryAfter > 0 || e.Limit != "" {
		h.Set("Retry-After", strconv.Itoa(api.Seconds(e.RetryAfter)))
	}
	p := api.NewProblem(s.current.Load().baseURL(), e.Code, "", e.Detail)
	p.RequestID = w.id
	WriteProblem(w, r, p)
}

// WriteProblem writes a problem with its status, which no cache keeps. It sets the Instance to the path of the request
// as a URI reference: escaped, and never that of another host.
func WriteProblem(w http.ResponseWriter, r *http.Request, p api.Problem) {
	p.Instance = "/" + strings.TrimLeft(r.URL.EscapedPath(), "/")
	body, err := api.JSON(p)
	if err != nil {
		body = nil // a problem consists of strings, so there is no error
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/problem+json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}
