package forum

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// Errors of a [Forum] by errors.Is, beside [fetch.ErrTimeout], [fetch.ErrUnavailable] and [context.Canceled].
// Each is an [api.HTTPError].
var (
	ErrNotFound = errors.New("the forum has no such public topic")
	ErrBusy     = errors.New("too many topics are being asked for")
)

// Limit names the limit of topics that no proposal links to.
const Limit = "forum"

// busy is the error of a topic beyond that limit, with the time after which asking makes sense again, 1 s to 1 min in
// whole seconds.
func busy(wait time.Duration) error {
	return &api.HTTPError{
		Code: api.RateLimited, RetryAfter: wait, Limit: Limit, Policy: fmt.Sprintf("q=%d;w=%d", budgetCalls, int(budgetWindow.Seconds())),
		Detail: "Too many different topics that no proposal links to are asked for; wait for as long as Retry-After says.", Err: ErrBusy,
	}
}

// httpError says what an error means to a caller.
func httpError(err error) error {
	if _, ok := errors.AsType[*api.HTTPError](err); ok || err == nil {
		return err
	}
	e := &api.HTTPError{Code: api.UpstreamUnavailable, Detail: "The forum gave no usable answer, and no earlier one is kept.", Err: err}
	if cause, ok := errors.AsType[*fetch.Error](err); ok {
		e.RetryAfter = cause.RetryAfter
	}
	switch {
	case errors.Is(err, ErrNotFound):
		e.Code, e.Detail = api.NotFound, "The forum has no public topic of this number."
	case errors.Is(err, fetch.ErrUnavailable):
	case errors.Is(err, fetch.ErrTimeout), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Code, e.Detail = api.UpstreamTimeout, "The forum took too long, and no earlier answer is kept."
		if errors.Is(err, context.DeadlineExceeded) {
			e.Err = fmt.Errorf("%w: %w", fetch.ErrTimeout, err)
		}
	default:
		e.Err = fmt.Errorf("%w: %w", fetch.ErrUnavailable, err)
	}
	return e
}

// retryAfter says how long a failure is believed.
func retryAfter(missing time.Duration) func(error) time.Duration {
	return func(err error) time.Duration {
		switch e, ok := errors.AsType[*fetch.Error](err); {
		case errors.Is(err, ErrNotFound):
			return missing
		case errors.Is(err, ErrBusy), errors.Is(err, context.Canceled):
			return 0 // no failure of the topic
		case ok && e.RetryAfter > 0:
			return e.RetryAfter
		}
		return timing.FailedTopic
	}
}

// notSent reports whether a failure is that of the host's pause or breaker: no call went out.
func notSent(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	return ok && e.Status == 0 && e.RetryAfter > 0
}

// gone reports whether an older topic is dropped: the forum says that there is none.
func gone(err error) bool { return errors.Is(err, ErrNotFound) }
