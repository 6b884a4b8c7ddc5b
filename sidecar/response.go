package sidecar

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/entity"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// responsesKept bounds the cached responses: as many topics as the forum keeps fit into it.
const responsesKept = 5 << 10

// response is a body that is ready to send. It is shared and never changed.
type response struct {
	*entity.Entity
	until time.Time // from then on a new response may be another one
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
	if least := s.Now().Add(timing.FreshLeast); until.Before(least) {
		until = least
	}
	return &response{entity.New("application/json; charset=utf-8", body), until, stale}, nil
}

// responseKey names the response to a GET: the state that it follows from, the route, and the parameter.
type responseKey struct {
	state  uint64
	route  string
	number int // a topic, or parts
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
	if e.Code == api.Internal && err != errInternal {
		s.Log.Error("answer", "path", r.URL.Path, "error", err)
	}
	w.code = e.Code
	s.counts.problem(e)
	h := w.Header()
	if e.Limit != "" {
		setRateLimit(h, e.Limit, e.Policy, 0, e.RetryAfter)
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
