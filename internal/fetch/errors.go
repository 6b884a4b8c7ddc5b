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

// Error is what a host did instead of answering. Its text tells no part of the host's address and
// nothing that the host sent.
type Error struct {
	Timeout    bool          // no whole answer in time: ErrTimeout. Otherwise ErrUnavailable
	Status     int           // 0: there was none
	Body       []byte        // the beginning of a 429 or 5xx, at most 4 KiB
	RetryAfter time.Duration // when it makes sense to ask again, at most 10 min; 0: unknown
	Unasked    bool          // no request of the call got to the host: it is paused, its breaker is open, nobody listens

	err     error // what Request.Accept said, or one of our own
	held    bool  // no call went out: paused, or the breaker is open
	connect bool  // there was no connection
	waits   bool  // RetryAfter is known, and be it 0
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

// Is tells which of the two an error is.
func (e *Error) Is(target error) bool {
	return target == ErrTimeout && e.Timeout || target == ErrUnavailable && !e.Timeout
}

// Unwrap returns what Request.Accept said, if that is why.
func (e *Error) Unwrap() error { return e.err }

// What a host does, in words of our own: those of net and net/http tell addresses.
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

// ended is the error of a context that is over, nil before.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, ErrTimeout) {
		return &Error{Timeout: true}
	}
	return fmt.Errorf("ask upstream: %w", ctx.Err())
}

// failure says what an error of the transport or of a body means. ctx is the caller's, try that of
// the try.
func failure(ctx, try context.Context, err error) error {
	if over := ended(ctx); over != nil {
		return over
	}
	// A dial that was given up counts as the deadline that ended it.
	if timeout, ok := errors.AsType[net.Error](err); try.Err() != nil || ok && timeout.Timeout() {
		return &Error{Timeout: true}
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return &Error{err: errConnect, connect: true}
	}
	if badCoding(err) {
		return &Error{err: errEncoding}
	}
	return &Error{err: errBroken}
}

// badCoding tells what is wrong with the content coding from what is wrong with the connection.
func badCoding(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, errEncoding)
}
