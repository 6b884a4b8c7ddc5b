package assistant

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/assist"
	"github.com/mipwatch/mipwatch/sidecar/assist/budget"
	"github.com/mipwatch/mipwatch/sidecar/assist/model"
)

// DisabledError says that nothing can be asked, because no model is configured or the one that is
// cannot be used.
type DisabledError struct{ Why error }

// Error implements error.
func (e *DisabledError) Error() string { return "no model: " + e.Why.Error() }

// Unwrap returns why.
func (e *DisabledError) Unwrap() error { return e.Why }

// Explanation is what an error means to a caller. Nothing in it comes from a provider.
type Explanation struct {
	Code   api.Code
	Detail string
	Wait   time.Duration // until it makes sense to ask again; 0: unknown
}

// later is when to ask again for what is still being made.
const later = 5 * time.Second

// Explain is the one table of what an error of this package means. Anything unknown is internal.
func Explain(err error) *Explanation {
	wait := waitOf(err)
	if e, ok := errors.AsType[*DisabledError](err); ok {
		return &Explanation{Code: api.AIDisabled, Detail: "This site has no language model for that: " + strings.ReplaceAll(e.Why.Error(), "\n", "; ") + "."}
	}
	switch {
	case errors.Is(err, ErrNotPublished):
		return &Explanation{Code: api.NotFound, Detail: "No proposal of this number is published."}
	case errors.Is(err, errSite) && errors.Is(err, context.DeadlineExceeded):
		return &Explanation{api.UpstreamTimeout, "The site's own documents could not be read in time.", later}
	case errors.Is(err, errSite):
		return &Explanation{api.UpstreamUnavailable, "The site's own documents cannot be read at the moment.", later}
	case errors.Is(err, assist.ErrNoSection):
		return &Explanation{Code: api.BadRequest, Detail: "sections names an id that the proposal does not have; its ids are in /api/v1/mips/{n}."}
	case errors.Is(err, budget.ErrTooLarge):
		return &Explanation{Code: api.AIFailed, Detail: "The proposal is longer than what this site spends on its language model in a day."}
	case errors.Is(err, budget.ErrExhausted):
		return &Explanation{api.RateLimited, "What this site spends on its language model is used up for now.", wait}
	case errors.Is(err, model.ErrTimeout):
		return &Explanation{api.UpstreamTimeout, "The language model did not answer in time.", wait}
	case errors.Is(err, model.ErrUnavailable):
		return &Explanation{api.UpstreamUnavailable, "The language model is not available.", wait}
	case errors.Is(err, model.ErrRefused):
		return &Explanation{Code: api.AIFailed, Detail: "The language model refuses to answer."}
	case errors.Is(err, assist.ErrFailed), errors.Is(err, model.ErrTruncated), errors.Is(err, model.ErrGarbled):
		return &Explanation{Code: api.AIFailed, Detail: "What the language model answered does not hold against the text, so nothing of it is shown."}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &Explanation{api.UpstreamTimeout, "The answer takes longer than a request may.", later}
	}
	return &Explanation{Code: api.Internal, Detail: "Something failed on our side; the requestId finds it in the log."}
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

// Seconds is a wait as Retry-After has it: whole seconds, rounded up, one at the least.
func Seconds(wait time.Duration) int { return max(1, int(math.Ceil(wait.Seconds()))) }

// maxPause is as long as a host may ask for.
const maxPause = 10 * time.Minute

// pause is how long a failure stands before the same is asked again. A budget answers by itself.
func pause(err error) time.Duration {
	const least = 5 * time.Second // what fails is likely to fail again, and costs each time
	switch Explain(err).Code {
	case api.AIFailed, api.UpstreamTimeout, api.UpstreamUnavailable:
		return min(max(waitOf(err), least), maxPause)
	}
	return 0
}
