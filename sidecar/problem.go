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
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/limit"
)

// Errors of the sidecar itself. The packages that ask upstream hosts make the errors of these.
var (
	errStopping = &api.HTTPError{Code: api.NotReady, Detail: "This process is about to end.",
		RetryAfter: time.Second}
	errNotReady = &api.HTTPError{Code: api.NotReady, RetryAfter: time.Second,
		Detail: "The sidecar has not read the site's proposals yet; ask again in a moment."}
	errInternal = &api.HTTPError{Code: api.Internal,
		Detail: "Something failed on our side; the requestId finds it in the log."}
)

// badRequest is the error of an invalid request.
func badRequest(format string, args ...any) error {
	return &api.HTTPError{Code: api.BadRequest, Detail: fmt.Sprintf(format, args...)}
}

// httpError returns the HTTPError in err, or the one for a timeout or a defect.
func httpError(err error) *api.HTTPError {
	if e, ok := errors.AsType[*api.HTTPError](err); ok {
		return e
	}
	if errors.Is(err, cache.ErrClosed) {
		return errStopping
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		// An answer that outlives its caller soon arrives.
		const again = 5 * time.Second
		const detail = "The answer takes longer than a request may."
		return &api.HTTPError{Code: api.UpstreamTimeout, Detail: detail, RetryAfter: again,
			Err: err}
	}
	return errInternal
}

// writeError writes an error as a problem.
func (s *Sidecar) writeError(w *recorder, r *http.Request, err error) {
	e := httpError(err)
	// Log a defect here: its caller gets no cause.
	if e.Code == api.Internal && err != errInternal {
		s.Log.Error("answer", "path", r.URL.Path, "error", err)
	}
	w.Code, w.Limit = e.Code, e.Limit
	h := w.Header()
	// A limit other than the caller's own may have refused the request. The header already has the
	// caller's own.
	if e.Limit != "" {
		limit.Room{Limit: e.Limit, Policy: e.Policy, Left: e.RetryAfter}.Add(h)
	}
	if e.RetryAfter > 0 || e.Limit != "" {
		h.Set("Retry-After", strconv.Itoa(api.Seconds(e.RetryAfter)))
	}
	p := api.NewProblem(s.current.Load().baseURL(), e.Code, "", e.Detail)
	p.RequestID = w.id
	WriteProblem(w, r, p)
}

// WriteProblem writes a problem with its status. No cache keeps it. It sets Instance to the path of
// the request as a URI reference: escaped, and never on another host.
func WriteProblem(w http.ResponseWriter, r *http.Request, p api.Problem) {
	p.Instance = "/" + strings.TrimLeft(r.URL.EscapedPath(), "/")
	body, _ := api.JSON(p) // it consists of strings
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/problem+json; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}
