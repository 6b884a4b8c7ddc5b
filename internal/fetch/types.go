package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Request is one request to a host.
type Request struct {
	// Method is the HTTP method. Empty means GET.
	Method string
	// Path is an escaped path. It is appended to the path of the address, whose query is kept.
	// Empty means the address itself.
	Path string
	// Body is sent again on a retry and a redirect. Nil means none.
	Body []byte
	// Header is sent in addition to User-Agent and Accept-Encoding.
	Header http.Header
	// Once disables the retry.
	Once bool
}

// Response is a response of status 2xx, or 4xx except 429.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // decoded, at most Config.MaxBytes
}

// Each [*Error] is one of these two by errors.Is, never both.
var (
	ErrTimeout     = errors.New("upstream did not answer in time")
	ErrUnavailable = errors.New("upstream is unavailable")
)

// ErrNotFound is wrapped by the error of a decode function of [Get] if a sound response reports
// that there is no such thing. It is no failure of the host.
var ErrNotFound = errors.New("upstream has no such thing")

// Error is a failure of a host. Its text contains no part of the host's address and no text of the
// host.
type Error struct {
	// Timeout reports ErrTimeout: no complete response arrived in time. Otherwise the error is
	// ErrUnavailable.
	Timeout bool
	// Status is the status of the HTTP response. Zero means that there was no response.
	Status int
	// RetryAfter is the time until another request makes sense, at most 10 min. Zero means unknown.
	RetryAfter time.Duration
	// Unasked reports that the last request of the call did not reach the host: it is paused, its
	// breaker is open, or nothing listens there.
	Unasked bool

	result Result
	retry  bool  // a second try may do better
	err    error // from the decode function of Get, or one of this file
}

// Error implements error.
func (e *Error) Error() string {
	text := ErrUnavailable.Error()
	if e.Timeout {
		text = ErrTimeout.Error()
	}
	if e.err != nil {
		text += ": " + e.err.Error()
	}
	// The status helps an operator most.
	if e.Status != 0 {
		text = fmt.Sprintf("%s (status %d)", text, e.Status)
	}
	return text
}

// Is reports whether target is the kind of e.
func (e *Error) Is(target error) bool {
	return target == ErrTimeout && e.Timeout || target == ErrUnavailable && !e.Timeout
}

// Unwrap returns the error of the decode function of [Get], if any.
func (e *Error) Unwrap() error { return e.err }

// Reasons of failures. Errors of net and net/http are not used: they contain addresses.
var (
	errPaused   = errors.New("it asked for a pause")
	errOpen     = errors.New("too many failures in a row")
	errConnect  = errors.New("no connection")
	errBroken   = errors.New("the answer broke off")
	errTooLarge = errors.New("the answer is too large")
	errEncoding = errors.New("the answer is in an unknown content coding")
	errStatus   = errors.New("it does not serve")
)

// contextError returns the error of a context that has ended, nil before. unasked reports that no
// request went out.
func contextError(ctx context.Context, unasked bool) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(context.Cause(ctx), ErrTimeout):
		return &Error{Timeout: true, Unasked: unasked, result: Timeout}
	default:
		return fmt.Errorf("ask upstream: %w", err)
	}
}

// transportError converts the error of a try into a failure. ctx is the caller's context, try the
// context of the try.
func transportError(ctx, try context.Context, err error) error {
	// The client wraps errors of its redirect function.
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*SpentError](err); ok {
		return e
	}
	if err := contextError(ctx, false); err != nil {
		return err
	}
	// A dial that reaches its deadline is a timeout.
	if timeout, ok := errors.AsType[net.Error](err); try.Err() != nil || ok && timeout.Timeout() {
		return &Error{Timeout: true, result: Timeout}
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return &Error{Unasked: true, result: Connection, retry: true, err: errConnect}
	}
	return &Error{result: Connection, err: errBroken}
}

// Stats counts the calls of hosts. The zero value is ready; several hosts may share one. It is safe
// for concurrent use.
type Stats struct {
	// Calls counts calls of [Get] by [Result].
	Calls [len(results)]atomic.Uint64
	// Open is the number of hosts whose breaker is open or half open.
	Open atomic.Int64
}

// Result is the outcome of a call.
type Result int

// The results.
const (
	OK         Result = iota // a response, including 404
	Timeout                  // no whole answer in time
	Status                   // 429, 5xx, or another status that is not accepted
	Garbled                  // a response whose coding, size or text is unusable
	Connection               // no connection, or one that broke off
	Paused                   // not sent, because the host wants a pause
	Refused                  // not sent, because the breaker is open
	Canceled                 // the caller left, or used up its own budget
)

// results holds the names of the results in metrics, in the order of the constants.
var results = [...]string{"ok", "timeout", "status", "garbled", "connection", "paused",
	"breaker_open", "cancelled"}

// String returns the name in metrics.
func (r Result) String() string { return results[r] }

// resultOf returns the result of a call that ended with err.
func resultOf(err error) Result {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.result
	}
	if err == nil || errors.Is(err, ErrNotFound) {
		return OK
	}
	return Canceled
}
