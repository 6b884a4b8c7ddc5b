package ai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
)

// What an [*Error] can be by errors.Is, one of them each.
var (
	ErrTimeout     = errors.New("the model did not answer in time") // context.DeadlineExceeded too
	ErrUnavailable = errors.New("the model is unavailable")
	ErrRefused     = errors.New("the model refuses to answer")     // by itself, or the provider's filter does
	ErrTruncated   = errors.New("the model's answer is cut off")   // at the bound of tokens
	ErrGarbled     = errors.New("the model's answer is unusable")  // not in the API's format, or empty
	ErrFailed      = errors.New("the model gave no usable answer") // it breaks the rules of a summary or translation
	ErrExhausted   = errors.New("the budget for the model is used up")
	ErrTooLarge    = errors.New("the question is larger than the budget for the model of a whole day")
	ErrNoSection   = errors.New("no such section")
)

// Error is why there is no answer, made where that is known. Nothing in it comes from a provider, and it holds
// no address and no key.
type Error struct {
	Code       api.Code
	Detail     string        // a sentence for callers
	RetryAfter time.Duration // when it makes sense to ask again, at most 24 h; 0: unknown
	Err        error         // for the log and errors.Is

	status  int  // of the last HTTP answer of the provider; 0: there was none
	unasked bool // the question never got to the provider
}

// Error implements error, for the log.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is adds to what Err is.
func (e *Error) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded:
		return errors.Is(e.Err, ErrTimeout)
	case ErrExhausted:
		return e.Code == api.RateLimited
	}
	return false
}

// free reports whether the provider wants no tokens for the question: it never got there, or was turned away
// unread, for its key, for the model's name, or because there are too many. Whatever else fails may be on the
// bill, questions that a filter stops included.
func (e *Error) free() bool {
	switch e.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		return !errors.Is(e.Err, ErrRefused)
	}
	return e.unasked
}

// NewError is a failure of the model: kind is one of ErrTimeout, ErrUnavailable, ErrRefused, ErrTruncated,
// ErrGarbled and ErrFailed. The reason is for the log, empty when there is none, in words of our own.
func NewError(kind error, reason string) *Error {
	e := &Error{Err: kind, Code: api.AIFailed}
	if reason != "" {
		e.Err = fmt.Errorf("%w: %s", kind, reason)
	}
	switch kind {
	case ErrTimeout:
		e.Code, e.Detail = api.UpstreamTimeout, "The language model did not answer in time."
	case ErrUnavailable:
		e.Code, e.Detail = api.UpstreamUnavailable, "The language model is not available."
	case ErrRefused:
		e.Detail = "The language model refuses to answer."
	default:
		e.Detail = "What the language model answered does not hold against the text, so nothing of it is shown."
	}
	return e
}

// withStatus adds the status of an HTTP answer.
func (e *Error) withStatus(status int) *Error {
	e.status = status
	if status != 0 && status != http.StatusOK {
		e.Err = fmt.Errorf("%w (status %d)", e.Err, status)
	}
	return e
}

// hostError is what an error of the host means.
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
	e := NewError(kind, reason).withStatus(h.Status)
	e.RetryAfter, e.unasked = h.RetryAfter, h.Unasked
	return e
}

// rejection is what an answer of status 4xx means. What an operator can mend is said.
func (p provider) rejection(status int, body []byte) *Error {
	kind, reason := ErrUnavailable, "it does not accept the question"
	switch {
	case filtered(body):
		kind, reason = ErrRefused, ""
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		reason = "it does not accept the key in " + p.keyVariable
	case status == http.StatusNotFound:
		reason = "there is no model of the name in AI_MODEL, or AI_BASE_URL is wrong"
	}
	return NewError(kind, reason).withStatus(status)
}

// exhausted says that a budget is used up, in words fit for everybody.
func exhausted(wait time.Duration, which string) *Error {
	return &Error{Code: api.RateLimited, Detail: "What this site spends on its language model is used up for now.", RetryAfter: wait, Err: errors.New(which)}
}

// tooLarge says that no day has budget for a question: it never makes sense to ask again.
func tooLarge() *Error {
	return &Error{Code: api.AIFailed, Detail: "The proposal is longer than what this site spends on its language model in a day.", Err: ErrTooLarge}
}

// NoSection says that a proposal has no section of that id.
func NoSection(id string) *Error {
	return &Error{Code: api.BadRequest, Err: fmt.Errorf("%w: %s", ErrNoSection, quoteName(id)),
		Detail: "sections names an id that the proposal does not have; its ids are in /api/v1/mips/{n}."}
}

// retryAfter is how long whatever failed asks to be left alone; 0: that is not known.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}
