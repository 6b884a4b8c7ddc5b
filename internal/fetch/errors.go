package fetch

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// Every [*Error] is one of these two by errors.Is, never both.
var (
	ErrTimeout     = errors.New("upstream did not answer in time")
	ErrUnavailable = errors.New("upstream is unavailable")
)

// Error is a failure of a host. Its text holds no part of the host's address and none of the host's own words.
type Error struct {
	// Timeout reports ErrTimeout: there was no whole answer in time. Otherwise the error is ErrUnavailable.
	Timeout bool
	// Status is that of the HTTP answer. Zero means that there was none.
	Status int
	// Body is the beginning of a 429 or 5xx, at most 4 KiB.
	Body []byte
	// RetryAfter is when it makes sense to ask again, at most 10 min. Zero means unknown.
	RetryAfter time.Duration
	// Unasked reports that no request of the call got to the host: it is paused, its breaker is open, or nothing
	// listens there.
	Unasked bool

	result Result
	retry  bool  // a second try may do better
	err    error // of Request.Accept, or one of this file
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
	if e.Status != 0 {
		text = fmt.Sprintf("%s (status %d)", text, e.Status)
	}
	return text
}

// Is reports whether target is the kind of the error.
func (e *Error) Is(target error) bool {
	return target == ErrTimeout && e.Timeout || target == ErrUnavailable && !e.Timeout
}

// Unwrap returns the error of Request.Accept, if there is one.
func (e *Error) Unwrap() error { return e.err }

// The reasons of failures. The errors of net and net/http cannot be used: they hold addresses.
var (
	errPaused    = errors.New("it asked for a pause")
	errOpen      = errors.New("too many failures in a row")
	errConnect   = errors.New("no connection")
	errBroken    = errors.New("the answer broke off")
	errTooLarge  = errors.New("the answer is too large")
	errEncoding  = errors.New("the answer is not in its content coding")
	errRedirects = errors.New("it redirects in a circle")
	errForeign   = errors.New("it redirects elsewhere")
	errStatus    = errors.New("it does not serve")
)

// contextError is the error of a context that has ended, nil before.
func contextError(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, ErrTimeout) {
		return &Error{Timeout: true, result: Timeout}
	}
	return fmt.Errorf("ask upstream: %w", ctx.Err())
}

// transportError is the failure that an error of a try means. ctx is the caller's context, try that of the try.
func transportError(ctx, try context.Context, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if err := contextError(ctx); err != nil {
		return err
	}
	switch timeout, ok := errors.AsType[net.Error](err); {
	case try.Err() != nil, ok && timeout.Timeout(): // before the next case: a dial may end by its deadline
		return &Error{Timeout: true, result: Timeout}
	case isConnectError(err):
		return &Error{result: Connection, retry: true, err: errConnect}
	case isEncodingError(err):
		return &Error{result: Garbled, err: errEncoding}
	}
	return &Error{result: Connection, err: errBroken}
}

// isConnectError reports whether there was no connection to the host.
func isConnectError(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial"
}

// isEncodingError reports whether a body is not in its content coding.
func isEncodingError(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, errEncoding)
}
