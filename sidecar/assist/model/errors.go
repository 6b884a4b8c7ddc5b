package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// The kinds of [Error]. Each error is exactly one of them by errors.Is.
var (
	ErrTimeout     = errors.New("the model did not answer in time") // context.DeadlineExceeded too
	ErrUnavailable = errors.New("the model is unavailable")
	ErrRefused     = errors.New("the model refuses to answer")    // by itself, or the provider's filter does
	ErrTruncated   = errors.New("the model's answer is cut off")  // at the bound of tokens
	ErrGarbled     = errors.New("the model's answer is unusable") // not in the API's format, or empty
)

var (
	errNoAnswer = errors.New("no answer")             // what langchaingo is told
	errUnread   = errors.New("the answer was unread") // what it could not read
	errFormat   = errors.New("it is not in the format of the API")
)

// Error is why there is no answer. Its text holds no part of the address, no key and nothing that the
// provider sent.
type Error struct {
	Kind       error         // one of the kinds
	Status     int           // of the last HTTP answer; 0: there was none
	RetryAfter time.Duration // when it makes sense to ask again, at most 10 min; 0: unknown

	reason  string // in words of our own
	unasked bool
}

// Error implements error.
func (e *Error) Error() string {
	text := e.Kind.Error()
	if e.reason != "" {
		text += ": " + e.reason
	}
	if e.Status != 0 && e.Status != http.StatusOK {
		text = fmt.Sprintf("%s (status %d)", text, e.Status)
	}
	return text
}

// Is tells the kind of an error.
func (e *Error) Is(target error) bool {
	return target == e.Kind || target == context.DeadlineExceeded && e.Kind == ErrTimeout
}

// Wait is RetryAfter, for callers that do not know whom they ask.
func (e *Error) Wait() time.Duration { return e.RetryAfter }

// Unasked reports whether the question never got to the provider: nobody listens there, it asked for a
// pause, it failed too often in a row, or the configuration is wrong.
func (e *Error) Unasked() bool { return e.unasked }

// Free reports whether the provider wants no tokens for the question: it never got there, or was turned
// away unread, for its key, for the model's name, or because there are too many. What else fails may be
// on the bill, questions that a filter stops included.
func (e *Error) Free() bool {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		return e.Kind != ErrRefused
	}
	return e.unasked
}

// failed is what an error of the host means.
func failed(err error) error {
	e, ok := errors.AsType[*upstream.Error](err)
	if !ok {
		return fmt.Errorf("ask the model: %w", err) // cancelled
	}
	out := &Error{Kind: ErrUnavailable, Status: e.Status, RetryAfter: e.RetryAfter, unasked: e.Unasked}
	switch reason := errors.Unwrap(e); {
	case e.Timeout:
		out.Kind = ErrTimeout
	case errors.Is(reason, errFormat):
		out.Kind, out.reason = ErrGarbled, reason.Error()
	case reason != nil:
		out.reason = reason.Error()
	}
	return out
}

// rejected is what an answer of status 4xx means. What an operator can mend is said.
func (p provider) rejected(status int, body []byte) *Error {
	out := &Error{Kind: ErrUnavailable, Status: status}
	switch {
	case filtered(body):
		out.Kind = ErrRefused
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		out.reason = "it does not accept the key in " + p.keyVariable
	case status == http.StatusNotFound:
		out.reason = "there is no model of the name in AI_MODEL, or AI_BASE_URL is wrong"
	default:
		out.reason = "it does not accept the question"
	}
	return out
}
