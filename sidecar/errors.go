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
)

var (
	errEnding   = &api.HTTPError{Code: api.NotReady, Detail: "This process is about to end.", RetryAfter: time.Second}
	errNotReady = &api.HTTPError{Code: api.NotReady, Detail: "The sidecar has not read the site's proposals yet; ask again in a moment.", RetryAfter: time.Second}
	errInternal = &api.HTTPError{Code: api.Internal, Detail: "Something failed on our side; the requestId finds it in the log."}
)

// badRequest is the error of a request that cannot be read.
func badRequest(format string, args ...any) error {
	return &api.HTTPError{Code: api.BadRequest, Detail: fmt.Sprintf(format, args...)}
}

// httpError is what the caller of a live endpoint may know of err.
func httpError(err error) *api.HTTPError {
	if e, ok := errors.AsType[*api.HTTPError](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &api.HTTPError{Code: api.UpstreamTimeout, Detail: "The answer takes longer than a request may."}
	}
	return errInternal
}

// writeError writes an error as a problem, which no cache keeps.
func (s *Sidecar) writeError(w *recorder, r *http.Request, err error) {
	e := httpError(err)
	if e.Code == api.Internal && err != errInternal {
		s.Log.Error("answer", "path", r.URL.Path, "error", err)
	}
	w.code = e.Code
	s.counts.problems[e.Code].Add(1)
	h := w.Header()
	if e.Limit != "" { // another limit than the caller's own, which still has room
		s.counts.limits[e.Limit].Add(1)
		h["Ratelimit-Policy"] = []string{fmt.Sprintf("%q;%s", e.Limit, e.Policy)}
		h["Ratelimit"] = []string{rateLimit(e.Limit, 0, api.Seconds(e.RetryAfter))}
	}
	if e.RetryAfter > 0 || e.Limit != "" {
		h["Retry-After"] = []string{strconv.Itoa(api.Seconds(e.RetryAfter))}
	}
	p := api.NewProblem(s.current.Load().site(), e.Code, instance(r), e.Detail)
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
