package assistant

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// LimitModel names the limit of questions to the model, which all callers share.
const LimitModel = "model"

// later is when to ask again for what is still being made.
const later = 5 * time.Second

// disabled says that nothing can be asked, because no model is configured or the one that is cannot be used.
func disabled(why error) *api.HTTPError {
	return &api.HTTPError{Code: api.AIDisabled, Err: fmt.Errorf("no model: %w", why),
		Detail: "This site has no language model for that: " + strings.ReplaceAll(why.Error(), "\n", "; ") + "."}
}

// notPublished says that the site has no proposal of a number.
func notPublished(err error) *api.HTTPError {
	return &api.HTTPError{Code: api.NotFound, Detail: "No proposal of this number is published.", Err: err}
}

// errSite is wrapped by the error of a document of the site that cannot be read at the moment.
var errSite = errors.New("the site cannot be read")

func siteError(err error) *api.HTTPError {
	e := &api.HTTPError{Code: api.UpstreamUnavailable, Detail: "The site's own documents cannot be read at the moment.", RetryAfter: later, Err: fmt.Errorf("%w: %w", errSite, err)}
	if errors.Is(err, context.DeadlineExceeded) {
		e.Code, e.Detail = api.UpstreamTimeout, "The site's own documents could not be read in time."
	}
	return e
}

// Explain is what an error of this package, or of waiting for it, means to a caller. The end of a context means
// that the answer takes too long. Anything unknown is internal. Nothing in it comes from a provider.
func Explain(err error) *api.HTTPError {
	if e, ok := errors.AsType[*api.HTTPError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*ai.Error](err); ok {
		out := &api.HTTPError{Code: e.Code, Detail: e.Detail, RetryAfter: e.RetryAfter, Err: err}
		if e.Code == api.RateLimited {
			out.Limit, out.Policy = LimitModel, fmt.Sprintf("q=1;w=%d", api.Seconds(e.RetryAfter))
		}
		return out
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &api.HTTPError{Code: api.UpstreamTimeout, Detail: "The answer takes longer than a request may.", RetryAfter: later, Err: err}
	}
	return &api.HTTPError{Code: api.Internal, Detail: "Something failed on our side; the requestId finds it in the log.", Err: err}
}

// pause is how long a failure stands before the same is asked again. A budget answers by itself.
func pause(err error) time.Duration {
	const least = 5 * time.Second // what fails is likely to fail again, and costs each time
	switch e := Explain(err); e.Code {
	case api.AIFailed, api.UpstreamTimeout, api.UpstreamUnavailable:
		return min(max(e.RetryAfter, least), timing.LongestPause)
	}
	return 0
}
