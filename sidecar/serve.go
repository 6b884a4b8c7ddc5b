package sidecar

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/entity"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/limit"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// endpoint is how one path is answered.
type endpoint struct {
	// method is GET, which includes HEAD, or POST.
	method string
	// limit is for requests with this method. Nil means no limit, and requests are then logged at
	// level debug.
	limit *limit.Limit
	// vary is the value of Netlify-Vary, the parameters by which a CDN keeps responses apart. Empty
	// means that no cache keeps a response.
	vary string
	// answer answers a request. The context ends with the time for an answer.
	answer func(w http.ResponseWriter, r *http.Request) (*response, error)
}

// newEndpoints returns the endpoints by route. A route is a path, except [ProposalRoute]. All other
// paths are not found.
func (s *Sidecar) newEndpoints() map[string]*endpoint {
	newLimit := func(name string, perMinute int) *limit.Limit {
		return limit.New(limit.Config{
			Name: name, PerWindow: perMinute, Netlify: s.Netlify, Proxies: s.Proxies,
			Redis: s.Redis,
		})
	}
	byDefault := newLimit("default", s.RequestsPerMinute)
	summaries := newLimit("ai-summary", s.AIRequestsPerMinute)
	translations := newLimit("ai-translate", s.AIRequestsPerMinute)
	s.general = byDefault
	const get, post = http.MethodGet, http.MethodPost
	// network-info names a parameter that it ignores: a CDN keeps responses apart by every
	// parameter of a route that names none.
	const varyTopic, varyParts = "query=topicId", "query=parts"
	varySearch := "query=" + strings.Join(searchParameters(), "|")
	return map[string]*endpoint{
		"/api/forum-activity": {get, byDefault, varyTopic, s.forumActivity},
		"/api/network-info":   {get, byDefault, varyTopic, s.networkInfo},
		"/api/mip-watch":      {get, byDefault, varyParts, s.mipWatch},
		"/api/search":         {get, byDefault, varySearch, s.search},
		"/api/ai-summary":     {post, summaries, "", s.aiSummary},
		"/api/ai-translate":   {post, translations, "", s.aiTranslate},
		ProposalRoute:         {get, byDefault, "", s.proposal},
		"/healthz":            {get, nil, "", s.health},
		"/readyz":             {get, nil, "", s.isReady},
	}
}

// allow returns the methods in the form of the Allow field.
func (e *endpoint) allow() string {
	if e.method == http.MethodGet {
		return "GET, HEAD, OPTIONS"
	}
	return e.method + ", OPTIONS"
}

// Other stands for every unknown path or method.
const Other = "other"

// Limits returns the names of all limits that can refuse a request.
func Limits() []string {
	return []string{"default", "ai-summary", "ai-translate", forum.Limit, ai.LimitModel}
}

// Request is one answered request. It has no text of the caller.
type Request struct {
	// Route is the route of an endpoint, or [Other]. Method is GET, HEAD, POST, OPTIONS or [Other].
	Route, Method string
	Status        int
	// Code is the code of the problem. Limit is the name of the limit that refused the request.
	// Both may be empty.
	Code  api.Code
	Limit string
	// Took is the time from the header of the request to the end of the answer.
	Took time.Duration
}

// recorder records a request for the log and the metrics.
type recorder struct {
	http.ResponseWriter
	Request
	began time.Time
	// id is the X-Request-Id.
	id string
	// bytes is the length of the body.
	bytes int
	// quiet logs the request at level debug.
	quiet bool
}

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) {
	r.Status = cmp.Or(r.Status, status)
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *recorder) Write(b []byte) (int, error) {
	r.Status = cmp.Or(r.Status, http.StatusOK)
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap is for [http.ResponseController].
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// ServeHTTP answers one request.
func (s *Sidecar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Ignore the caller's request id: it could be anything, and it would be logged.
	rec := &recorder{ResponseWriter: w, began: time.Now(), id: rand.Text()}
	rec.Route, rec.Method = Other, Other
	h := w.Header()
	h.Set("X-Request-Id", rec.id)
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers",
		"Allow, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id")
	h.Set("X-Content-Type-Options", "nosniff")
	// A browser that shows an answer as a page must not run any of it.
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	// Use the escaped path: a CDN keeps /api%2fsearch apart from /api/search.
	route := r.URL.EscapedPath()
	if strings.HasPrefix(route, api.ProposalPath) {
		route = ProposalRoute
	}
	e := s.endpoints[route]
	if e != nil {
		rec.Route = route
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions:
		rec.Method = r.Method
	}
	defer s.finish(rec, r)
	// Every request has the deadline, since net/http also reads the bodies of refused requests.
	limitBody(rec, r)
	res, err := s.answer(rec, r, e)
	switch {
	case err != nil:
		s.writeError(rec, r, err)
	case res != nil:
		s.writeResponse(rec, r, e, res)
	}
}

// finish is deferred. It writes the problem after a panic, and logs the request.
func (s *Sidecar) finish(rec *recorder, r *http.Request) {
	p := recover()
	// net/http closes the connection for this value, and logs no stack.
	if p == http.ErrAbortHandler {
		panic(p)
	}
	if p != nil {
		// Only the log has the stack. The caller gets the request's id and can ask about it.
		s.Log.Error("panic", "id", rec.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		if rec.Status == 0 {
			s.writeError(rec, r, errInternal)
		}
	}
	rec.Took = time.Since(rec.began)
	s.Observe(rec.Request)
	level := slog.LevelInfo
	switch {
	case rec.quiet:
		level = slog.LevelDebug
	case rec.Status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	}
	var code slog.Attr // the log leaves out an empty attribute
	if rec.Code != "" {
		code = slog.String("code", string(rec.Code))
	}
	// The caller's address is not logged. Microseconds are exact enough, and keep the number short.
	milliseconds := float64(rec.Took.Microseconds()) / 1000
	s.Log.LogAttrs(r.Context(), level, "request",
		slog.String("id", rec.id), slog.String("method", rec.Method),
		slog.String("route", rec.Route), slog.Int("status", rec.Status), code,
		slog.Int("bytes", rec.bytes), slog.Float64("ms", milliseconds))
}

// answer returns the response of an endpoint. e is nil for an unknown path. The response is nil for
// a preflight, which answer writes itself.
func (s *Sidecar) answer(rec *recorder, r *http.Request, e *endpoint) (*response, error) {
	// Limit preflights, unknown paths and other methods too, so that no caller evades the limits or
	// fills the log.
	counting := s.general
	answers := e != nil &&
		(r.Method == e.method || r.Method == http.MethodHead && e.method == http.MethodGet)
	if answers {
		counting = e.limit
	}
	h := rec.Header()
	// Log this once: all callers behind an untrusted proxy share one limit, and nothing else shows
	// it.
	if proxy := s.general.Untrusted(r); proxy.IsValid() {
		s.untrusted.Do(func() {
			s.Log.Warn(fmt.Sprintf("X-Forwarded-For from %s is not trusted, so all callers "+
				"behind it share one limit; if it is your proxy, set TRUSTED_PROXIES=%s",
				proxy, proxy))
		})
	}
	if counting == nil {
		// A balancer checks health every few seconds.
		rec.quiet = true
	} else {
		room, err := counting.Take(r.Context(), s.general.Caller(r), s.current.Load().baseURL())
		if err != nil {
			// Refused requests must not fill the log.
			rec.quiet = true
			return nil, err
		}
		room.Add(h)
	}
	switch {
	case e == nil:
		return nil, &api.HTTPError{Code: api.NotFound, Detail: "Nothing is served at this address."}
	case r.Method == http.MethodOptions: // with or without CORS
		h.Set("Allow", e.allow())
		h.Set("Access-Control-Allow-Methods", e.allow())
		h.Set("Access-Control-Allow-Headers", "Content-Type, If-None-Match")
		h.Set("Access-Control-Max-Age", "86400")
		rec.WriteHeader(http.StatusNoContent)
		return nil, nil
	case !answers:
		h.Set("Allow", e.allow())
		return nil, &api.HTTPError{Code: api.MethodNotAllowed,
			Detail: "This address answers " + e.allow() + "."}
	}
	if err := namesAsWritten(r.URL.RawQuery); err != nil {
		return nil, err
	}
	timeout := timing.Request
	if e.method == http.MethodPost {
		timeout = timing.AIRequest
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	return e.answer(rec, r.WithContext(ctx))
}

// response is a body that is ready to send. It is shared and immutable.
type response struct {
	*entity.Entity
	// movedTo is the address to redirect to. The response then has no entity. Empty means no
	// redirect.
	movedTo string
	// until is the time from which a new response may differ.
	until time.Time
	// stale is how much longer a CDN may serve the response while it revalidates. It is zero if the
	// response itself is marked stale.
	stale time.Duration
}

// newResponse encodes v. The response lasts until the given time, but for at least 250 ms.
func (s *Sidecar) newResponse(v any, until time.Time, stale time.Duration) (*response, error) {
	body, err := api.JSON(v)
	if err != nil {
		return nil, err
	}
	// A burst of requests must not encode the response again and again while upstream hosts fail.
	if least := s.Now().Add(timing.FreshLeast); until.Before(least) {
		until = least
	}
	return &response{
		Entity: entity.New("application/json; charset=utf-8", body), until: until, stale: stale,
	}, nil
}

// responseKey identifies the response to a GET: the site that it is made of, the route, and the
// parameter.
type responseKey struct {
	site  *siteState
	route string
	// number is a topic id or the bits of parts.
	number int
}

// newResponseCache makes the cache of the responses to GET, which holds as many topics as the
// forum's. It keeps no failure and serves nothing stale: the caches of the forum and the chains do.
// A fetch has less time than its caller, so the caller gets its result.
func (s *Sidecar) newResponseCache() *cache.Cache[responseKey, *response] {
	return cache.New[responseKey](cache.Config[*response]{
		Fresh: timing.FreshTopic, Until: func(r *response) time.Time { return r.until },
		Timeout: timing.Ask, Entries: 5 << 10, Background: !s.Function, Now: s.Now,
		Stats: &s.counts.responses,
	})
}

// cached returns a cached response, or calls fetch, once for all concurrent callers.
func (s *Sidecar) cached(
	ctx context.Context, key responseKey, fetch func(context.Context) (*response, error),
) (*response, error) {
	e, err := s.responses.Get(ctx, key, fetch)
	return e.Value, err
}

// writeResponse writes a response with its cache fields. A browser revalidates each time, which the
// entity tag makes cheap. Netlify's CDN, which answers most requests by itself, has its own field
// (RFC 9213).
func (s *Sidecar) writeResponse(
	w http.ResponseWriter, r *http.Request, e *endpoint, res *response,
) {
	h := w.Header()
	if e.vary == "" {
		h.Set("Cache-Control", "no-store")
	} else {
		// durable keeps one response for all nodes of the CDN. The unit of max-age is a second, so
		// it is at least 1.
		cdn := fmt.Sprintf("public, durable, max-age=%d",
			max(1, int64(res.until.Sub(s.Now())/time.Second)))
		if res.stale > 0 {
			cdn += fmt.Sprintf(", stale-while-revalidate=%d", int64(res.stale/time.Second))
		}
		h.Set("Cache-Control", "public, max-age=0, must-revalidate")
		h.Set("Netlify-Cdn-Cache-Control", cdn)
		h.Set("Netlify-Vary", e.vary)
	}
	if res.movedTo != "" {
		h.Set("Location", res.movedTo)
		w.WriteHeader(http.StatusMovedPermanently)
		return
	}
	res.Serve(w, r, http.StatusOK)
}
