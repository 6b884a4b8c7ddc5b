package sidecar

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/assistant"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// refusal is an error that tells the caller what it may know.
type refusal struct {
	code   api.Code
	detail string
	wait   time.Duration // for Retry-After; 0: not said
	// limit and policy are, with rate_limited, the name of the limit that has no room left and what it
	// allows, as RateLimit-Policy has it. The caller's own limit is told by limit.take.
	limit, policy string
}

// The limits that all callers share.
const (
	limitForum = "forum" // of topics that no proposal links to
	limitModel = "model" // of questions to the model
)

func (e *refusal) Error() string { return string(e.code) + ": " + e.detail }

// refuse turns an error into a problem. What a host behind us said never reaches the caller.
func (s *Sidecar) refuse(w *recorder, r *http.Request, err error) {
	e := refusalOf(err)
	if e.code == api.Internal {
		s.Log.Error("answer", "path", r.URL.Path, "error", err)
	}
	h := w.Header()
	if e.limit != "" { // another limit than the caller's own, which still has room
		s.counts.limits[e.limit].Add(1)
		h["Ratelimit-Policy"] = []string{fmt.Sprintf("%q;%s", e.limit, e.policy)}
		h["Ratelimit"] = []string{rateLimit(e.limit, 0, assistant.Seconds(e.wait))}
	}
	if e.wait > 0 || e.limit != "" {
		h["Retry-After"] = []string{strconv.Itoa(assistant.Seconds(e.wait))}
	}
	s.fail(w, r, e.code, e.detail)
}

// refusalOf is the one table of what an error behind an answer means to its caller.
func refusalOf(err error) *refusal {
	if e, ok := errors.AsType[*refusal](err); ok {
		return e
	}
	if busy, ok := errors.AsType[*forum.BusyError](err); ok {
		return &refusal{code: api.RateLimited, wait: busy.RetryAfter, limit: limitForum, policy: "q=20;w=60",
			detail: "Too many different topics that no proposal links to are asked for; wait for as long as Retry-After says."}
	}
	wait := time.Duration(0)
	if cause, ok := errors.AsType[*upstream.Error](err); ok {
		wait = cause.RetryAfter
	}
	switch {
	case errors.Is(err, forum.ErrNotFound):
		return &refusal{code: api.NotFound, detail: "The forum has no public topic of this number."}
	case errors.Is(err, upstream.ErrTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &refusal{code: api.UpstreamTimeout, detail: "The forum took too long, and no earlier answer is kept.", wait: wait}
	case errors.Is(err, upstream.ErrUnavailable):
		return &refusal{code: api.UpstreamUnavailable, detail: "The forum gave no usable answer, and no earlier one is kept.", wait: wait}
	}
	return &refusal{code: api.Internal, detail: "Something failed on our side; the requestId finds it in the log."}
}

// refusalByAssistant is what an error of the assistant, or of waiting for it, means to its caller. One of
// our own is kept for the log.
func refusalByAssistant(err error) error {
	if err == nil {
		return nil
	}
	why := assistant.ErrorOf(err)
	if why.Code == api.Internal {
		return err
	}
	e := &refusal{code: why.Code, detail: why.Detail, wait: why.RetryAfter}
	if why.Code == api.RateLimited {
		e.limit, e.policy = limitModel, fmt.Sprintf("q=1;w=%d", assistant.Seconds(why.RetryAfter))
	}
	return e
}
