package forum

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// Errors of a [Forum], beside [upstream.ErrTimeout] and [upstream.ErrUnavailable].
var (
	ErrNotFound = errors.New("the forum has no such public topic")
	ErrBusy     = errors.New("too many topics are being asked for")
)

// outward turns every error into one that the package promises.
func outward(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrNotFound), errors.Is(err, ErrBusy), errors.Is(err, upstream.ErrTimeout),
		errors.Is(err, upstream.ErrUnavailable), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return upstream.ErrTimeout
	}
	return fmt.Errorf("%w: %w", upstream.ErrUnavailable, err)
}

// standing says how long a failure is believed.
func standing(notFound time.Duration) func(error) time.Duration {
	return func(err error) time.Duration {
		switch e, ok := errors.AsType[*upstream.Error](err); {
		case errors.Is(err, ErrNotFound):
			return notFound
		case errors.Is(err, ErrBusy), errors.Is(err, context.Canceled):
			return 0 // no failure of the topic
		case ok && e.RetryAfter > 0:
			return e.RetryAfter
		}
		return failedFor
	}
}

// unasked reports whether a failure is that of the host's pause or breaker: no call went out.
func unasked(err error) bool {
	e, ok := errors.AsType[*upstream.Error](err)
	return ok && e.Status == 0 && e.RetryAfter > 0
}

func gone(err error) bool { return errors.Is(err, ErrNotFound) }
