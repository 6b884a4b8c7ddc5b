package forum

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// Errors of a [Forum] by errors.Is, in addition to those of [fetch.Host.Do].
var (
	ErrNotFound = errors.New("the forum has no such public topic")
	ErrBusy     = errors.New("too many topics are being asked for")
)

// fetch asks for the topic at a path. A topic that is not public is [ErrNotFound]. want is the topic's number, 0 if it is
// unknown.
func (f *Forum) fetch(ctx context.Context, c *client, path string, want int, spend func() error) (a api.ForumActivity, err error) {
	for _, limit := range c.limit {
		if err := limit.Acquire(ctx, 1); err != nil {
			return a, fmt.Errorf("wait for a call to the forum: %w", err)
		}
		defer limit.Release(1)
	}
	// A missing topic is no failure of the forum, so Accept does not return it.
	missing := false
	_, err = c.host.Do(ctx, fetch.Request{
		Path: path, Spend: spend, Header: http.Header{"Accept": {"application/json"}},
		Accept: func(r *fetch.Response) (err error) {
			a, err = f.read(r)
			switch {
			case isNotFound(err):
				missing = true
				return nil
			case err == nil && want != 0 && a.TopicID != want:
				return fmt.Errorf("topic %d is not the one asked for", a.TopicID)
			}
			return err
		},
	})
	switch {
	case missing:
		return a, ErrNotFound
	case err != nil:
		f.pauseAfter(err)
		f.logFailure(ctx, path, err)
		return api.ForumActivity{}, err
	}
	return a, nil
}

// read reads the topic of an answer. Discourse answers 404 or 403 for a topic that is not public, and 410 for a deleted
// one.
func (f *Forum) read(r *fetch.Response) (api.ForumActivity, error) {
	switch {
	case r.Status == http.StatusOK:
		return decode(r.Body, f.base, f.now())
	case r.Status == http.StatusNotFound, r.Status == http.StatusGone, r.Status == http.StatusForbidden && isObject(r.Body):
		return api.ForumActivity{}, ErrNotFound
	}
	return api.ForumActivity{}, errors.New("no topic") // a 403 that is a page is a challenge to browsers
}

// isObject reports whether a body is a JSON object, as the answers of the application are. Pages come from a proxy.
func isObject(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) && json.Valid(body)
}

// pauseAfter pauses both clients for as long as a 429 says, and notes the time in the error.
func (f *Forum) pauseAfter(err error) {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Status != http.StatusTooManyRequests {
		return
	}
	if e.RetryAfter == 0 { // no field of that name
		e.RetryAfter = waitIn(e.Body)
	}
	if e.RetryAfter == 0 {
		e.RetryAfter = timing.FailedTopic
	}
	f.linked.host.Pause(e.RetryAfter)
	f.other.host.Pause(e.RetryAfter)
}

// retryAgain finds the seconds in the text of Discourse's middleware.
var retryAgain = regexp.MustCompile(`(?i)retry again in (\d{1,9}) seconds?`)

// waitIn finds the wait in the body of a 429: a JSON object of the application, in any language, or the text of its
// middleware. It is at most 10 min, and 0 when there is none.
func waitIn(body []byte) time.Duration {
	var answer struct {
		Extras struct {
			WaitSeconds float64 `json:"wait_seconds"`
		} `json:"extras"`
	}
	seconds := 0.0
	if json.Unmarshal(body, &answer) == nil {
		seconds = answer.Extras.WaitSeconds
	} else if m := retryAgain.FindSubmatch(body); m != nil {
		seconds, _ = strconv.ParseFloat(string(m[1]), 64) // nine digits
	}
	return time.Duration(math.Ceil(min(max(seconds, 0), timing.LongestPause.Seconds()))) * time.Second
}

// logFailure logs a failure of the forum, one line for each call that went out. Calls that did not are too many and say
// nothing new.
func (f *Forum) logFailure(ctx context.Context, path string, err error) {
	if _, ok := errors.AsType[*fetch.Error](err); ok && !isRefusal(err) {
		f.log.LogAttrs(ctx, slog.LevelWarn, "forum", slog.String("path", path), slog.String("error", err.Error()))
	}
}

// isRefusal reports whether no call went out because of the host's pause or breaker. A failure of that kind has a time
// but no status.
func isRefusal(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	return ok && e.Status == 0 && e.RetryAfter > 0
}

// isNotFound reports whether the forum has no such topic.
func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }

// retry is how long a failure stands. missing is the time for a missing topic.
func retry(missing time.Duration) func(error) time.Duration {
	return func(err error) time.Duration {
		e, ok := errors.AsType[*fetch.Error](err)
		switch {
		case isNotFound(err):
			return missing
		case errors.Is(err, ErrBusy): // no failure of the topic
			return 0
		case ok && e.RetryAfter > 0:
			return e.RetryAfter
		}
		return timing.FailedTopic
	}
}

// retryOther is retry for other topics. Only a call may leave an entry in their cache. Otherwise a caller who enumerates
// topics while the forum is paused would push out everything.
func retryOther(err error) time.Duration {
	if isRefusal(err) {
		return 0
	}
	return retry(timing.MissingTopic)(err)
}

// httpError is the meaning of an error for a caller. A caller that has left gets the code of a timeout.
func httpError(err error) error {
	if _, ok := errors.AsType[*api.HTTPError](err); ok || err == nil {
		return err
	}
	e := &api.HTTPError{
		Code: api.UpstreamUnavailable, Detail: "The forum gave no usable answer, and no earlier one is kept.", Err: err,
	}
	if cause, ok := errors.AsType[*fetch.Error](err); ok {
		e.RetryAfter = cause.RetryAfter
	}
	switch {
	case isNotFound(err):
		e.Code, e.Detail = api.NotFound, "The forum has no public topic of this number."
	case errors.Is(err, fetch.ErrTimeout), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Code, e.Detail = api.UpstreamTimeout, "The forum took too long, and no earlier answer is kept."
	}
	return e
}
