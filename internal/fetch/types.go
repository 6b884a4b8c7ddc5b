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

// Request is one question to a host.
type Request struct {
	// Method is GET when it is empty.
	Method string
	// Path is escaped. It is appended to the path of the address, whose query is kept. Empty means the address itself.
	Path string
	// Body is sent again with a retry and a redirect. Nil means none.
	Body []byte
	// Header is sent in addition to User-Agent and Accept-Encoding.
	Header http.Header
	// Once disables the retry.
	Once bool
}

// Response is an answer of status 2xx, or 4xx but 429.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // decoded, at most Config.MaxBytes
}

// Every [*Error] is one of these two by errors.Is, never both.
var (
	ErrTimeout     = errors.New("upstream did not answer in time")
	ErrUnavailable = errors.New("upstream is unavailable")
)

// ErrNotFound is for the decode of [Get], whose error wraps it: a sound answer says that there is no such thing. It is no
// failure of the host.
var ErrNotFound = errors.New("upstream has no such thing")

// Error is a failure of a host. Its text holds no part of the host's address and none of the host's own words.
type Error struct {
	// Timeout reports ErrTimeout: there was no whole answer in time. Otherwise the error is ErrUnavailable.
	Timeout bool
	// Status is that of the HTTP answer. Zero means that there was none.
	Status int
	// RetryAfter is when it makes sense to ask again, at most 10 min. Zero means unknown.
	RetryAfter time.Duration
	// Unasked reports that the last request of the call did not get to the host: it is paused, its breaker is open, or
	// nothing listens there.
	Unasked bool

	result Result
	retry  bool  // a second try may do better
	err    error // of the decode of Get, or one of this file
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
	// The status tells an operator more than any word of ours.
	if e.Status != 0 {
		text = fmt.Sprintf("%s (status %d)", text, e.Status)
	}
	return text
}

// Is reports whether target is the kind of the error.
func (e *Error) Is(target error) bool {
	return target == ErrTimeout && e.Timeout || target == ErrUnavailable && !e.Timeout
}

// Unwrap returns the error of the decode of [Get], if there is one.
func (e *Error) Unwrap() error { return e.err }

// The reasons of failures. The errors of net and net/http cannot be used: they hold addresses.
var (
	errPaused   = errors.New("it asked for a pause")
	errOpen     = errors.New("too many failures in a row")
	errConnect  = errors.New("no connection")
	errBroken   = errors.New("the answer broke off")
	errTooLarge = errors.New("the answer is too large")
	errEncoding = errors.New("the answer is in an unknown content coding")
	errStatus   = errors.New("it does not serve")
)

// contextError is the error of a context that has ended, nil before. unasked says that no request went out.
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

// transportError is the failure that an error of a try means. ctx is the caller's context, try that of the try.
func transportError(ctx, try context.Context, err error) error {
	// The client wraps the errors of a redirect.
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*SpentError](err); ok {
		return e
	}
	if err := contextError(ctx, false); err != nil {
		return err
	}
	// A dial may end by its deadline, which is a timeout.
	if timeout, ok := errors.AsType[net.Error](err); try.Err() != nil || ok && timeout.Timeout() {
		return &Error{Timeout: true, result: Timeout}
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return &Error{Unasked: true, result: Connection, retry: true, err: errConnect}
	}
	return &Error{result: Connection, err: errBroken}
}

// Stats counts the calls of hosts. The zero value is ready; hosts may share one. It is safe for concurrent use.
type Stats struct {
	// Calls counts calls of [Get] by [Result].
	Calls [len(results)]atomic.Uint64
	// Open is the number of hosts whose breaker is open, or waits for the call that decides.
	Open atomic.Int64
}

// Result is how a call ended.
type Result int

// The results.
const (
	OK         Result = iota // an answer, that of a missing resource included
	Timeout                  // no whole answer in time
	Status                   // 429, 5xx, or another status that is no answer
	Garbled                  // an answer that is unusable by its coding, its size or its text
	Connection               // no connection, or one that broke off
	Paused                   // not sent, because the host wants a pause
	Refused                  // not sent, because the breaker is open
	Cancelled                // the caller has left, or its own budget was used up
)

// results are the names of the results in metrics, in their order.
var results = [...]string{"ok", "timeout", "status", "garbled", "connection", "paused", "breaker_open", "cancelled"}

// String is the name in metrics.
func (r Result) String() string { return results[r] }

// resultOf is the result of a call with that error.
func resultOf(err error) Result {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.result
	}
	if err == nil || errors.Is(err, ErrNotFound) {
		return OK
	}
	return Cancelled
}
