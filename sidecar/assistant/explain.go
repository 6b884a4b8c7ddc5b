package assistant

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/assist"
	"github.com/mipwatch/mipwatch/sidecar/assist/budget"
	"github.com/mipwatch/mipwatch/sidecar/assist/model"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// DisabledError says that nothing can be asked, because no model is configured or the one that is
// cannot be used.
type DisabledError struct{ Why error }

// Error implements error.
func (e *DisabledError) Error() string { return "no model: " + e.Why.Error() }

// Unwrap returns why.
func (e *DisabledError) Unwrap() error { return e.Why }

// LimitModel names the limit of questions to the model, which all callers share.
const LimitModel = "model"

// later is when to ask again for what is still being made.
const later = 5 * time.Second

// Explain says what an error of this package means to a caller. Anything unknown is internal. Nothing in it comes from
// a provider.
func Explain(err error) *api.HTTPError {
	e := &api.HTTPError{Err: err}
	e.Code, e.Detail, e.RetryAfter = meaning(err)
	if e.Code == api.RateLimited {
		e.Limit, e.Policy = LimitModel, fmt.Sprintf("q=1;w=%d", api.Seconds(e.RetryAfter))
	}
	return e
}

// meaning is the one table of what an error of this package means.
func meaning(err error) (code api.Code, detail string, wait time.Duration) {
	if e, ok := errors.AsType[*DisabledError](err); ok {
		return api.AIDisabled, "This site has no language model for that: " + strings.ReplaceAll(e.Why.Error(), "\n", "; ") + ".", 0
	}
	switch wait = waitOf(err); {
	case errors.Is(err, ErrNotPublished):
		return api.NotFound, "No proposal of this number is published.", 0
	case errors.Is(err, errSite) && errors.Is(err, context.DeadlineExceeded):
		return api.UpstreamTimeout, "The site's own documents could not be read in time.", later
	case errors.Is(err, errSite):
		return api.UpstreamUnavailable, "The site's own documents cannot be read at the moment.", later
	case errors.Is(err, assist.ErrNoSection):
		return api.BadRequest, "sections names an id that the proposal does not have; its ids are in /api/v1/mips/{n}.", 0
	case errors.Is(err, budget.ErrTooLarge):
		return api.AIFailed, "The proposal is longer than what this site spends on its language model in a day.", 0
	case errors.Is(err, budget.ErrExhausted):
		return api.RateLimited, "What this site spends on its language model is used up for now.", wait
	case errors.Is(err, model.ErrTimeout):
		return api.UpstreamTimeout, "The language model did not answer in time.", wait
	case errors.Is(err, model.ErrUnavailable):
		return api.UpstreamUnavailable, "The language model is not available.", wait
	case errors.Is(err, model.ErrRefused):
		return api.AIFailed, "The language model refuses to answer.", 0
	case errors.Is(err, assist.ErrFailed), errors.Is(err, model.ErrTruncated), errors.Is(err, model.ErrGarbled):
		return api.AIFailed, "What the language model answered does not hold against the text, so nothing of it is shown.", 0
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return api.UpstreamTimeout, "The answer takes longer than a request may.", later
	}
	return api.Internal, "Something failed on our side; the requestId finds it in the log.", 0
}

// waitOf is how long whatever failed asks to be left alone.
func waitOf(err error) time.Duration {
	type waiter interface {
		error
		Wait() time.Duration
	}
	if e, ok := errors.AsType[waiter](err); ok {
		return e.Wait()
	}
	return 0
}

// pause is how long a failure stands before the same is asked again. A budget answers by itself.
func pause(err error) time.Duration {
	const least = 5 * time.Second // what fails is likely to fail again, and costs each time
	switch Explain(err).Code {
	case api.AIFailed, api.UpstreamTimeout, api.UpstreamUnavailable:
		return min(max(waitOf(err), least), timing.LongestPause)
	}
	return 0
}
