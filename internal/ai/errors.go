package ai

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
)

// Why there is no answer. Every error of this package is an [api.HTTPError] that wraps one of them, but for that of a
// budget without room and those of a context. Nothing in it comes from a provider, and it holds no address and no key.
var (
	ErrTimeout     = errors.New("the model did not answer in time")
	ErrUnavailable = errors.New("the model is unavailable")
	ErrRefused     = errors.New("the model refuses to answer")     // by itself, or the provider's filter does
	ErrTruncated   = errors.New("the model's answer is cut off")   // at the bound of tokens
	ErrGarbled     = errors.New("the model's answer is unusable")  // not in the API's format, or empty
	ErrFailed      = errors.New("the model gave no usable answer") // it breaks the rules of a summary or translation
	ErrTooLarge    = errors.New("the question is larger than the budget for the model of a whole day")
	ErrNoSection   = errors.New("no such section")
)

// failure is a kind of failure of a model.
type failure struct {
	kind   error
	word   string // in records that processes share
	code   api.Code
	detail string // for callers
}

// notSupported is for callers when an answer came and cannot be used: they need not know how it failed.
const notSupported = "What the language model answered does not hold against the text, so nothing of it is shown."

// failures are all of them. A record holds the word alone: no process believes a text of another one. The list is not
// changed.
var failures = []failure{
	{ErrTimeout, "timeout", api.UpstreamTimeout, "The language model did not answer in time."},
	{ErrUnavailable, "unavailable", api.UpstreamUnavailable, "The language model is not available."},
	{ErrRefused, "refused", api.AIFailed, "The language model refuses to answer."},
	{ErrTruncated, "truncated", api.AIFailed, notSupported},
	{ErrGarbled, "garbled", api.AIFailed, notSupported},
	{ErrFailed, "failed", api.AIFailed, notSupported},
}

// newError is a failure of the model. The reason is for the log, in words of our own; empty means that there is none.
func newError(kind error, reason string) *api.HTTPError {
	err := kind
	if reason != "" {
		err = fmt.Errorf("%w: %s", kind, reason)
	}
	for _, f := range failures {
		if f.kind == kind {
			return &api.HTTPError{Code: f.code, Detail: f.detail, Err: err}
		}
	}
	return &api.HTTPError{Code: api.Internal, Err: err}
}

// hostError is the failure that an error of the provider's host means.
func hostError(err error) error {
	h, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		return fmt.Errorf("ask the model: %w", err) // cancelled
	}
	kind, reason := ErrUnavailable, ""
	if err := errors.Unwrap(h); err != nil {
		reason = err.Error()
	}
	switch {
	case h.Timeout:
		kind, reason = ErrTimeout, ""
	case errors.Is(h, errFormat):
		kind = ErrGarbled
	}
	e := withStatus(newError(kind, reason), h.Status)
	e.RetryAfter = h.RetryAfter
	return e
}

// withStatus adds the status of an HTTP answer for the log; 0 means that there was none.
func withStatus(e *api.HTTPError, status int) *api.HTTPError {
	if status != 0 && status != http.StatusOK {
		e.Err = fmt.Errorf("%w (status %d)", e.Err, status)
	}
	return e
}

// LimitModel names the limit of questions to the model, which all callers share.
const LimitModel = "model"

// exhausted says that a budget is used up. The reason is for the log.
func exhausted(wait time.Duration, reason string) *api.HTTPError {
	return &api.HTTPError{
		Code: api.RateLimited, Detail: "What this site spends on its language model is used up for now.",
		RetryAfter: wait, Limit: LimitModel, Policy: fmt.Sprintf("q=1;w=%d", api.Seconds(wait)), Err: errors.New(reason),
	}
}

// NoSection says that a proposal has no section of that id.
func NoSection(id string) error {
	const detail = "sections names an id that the proposal does not have; its ids are in /api/v1/mips/{n}."
	return &api.HTTPError{Code: api.BadRequest, Detail: detail, Err: fmt.Errorf("%w: %s", ErrNoSection, quoteName(id))}
}
