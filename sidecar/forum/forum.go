// Package forum reads topics of one Discourse forum: the number of posts and participants, and the
// latest activity. It does not know proposals, nor how its answers are sent.
package forum

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	// Bounds of the caches, in topics.
	linkedTopics = 4096
	otherTopics  = 1024

	// Bounds of concurrent calls.
	linkedCalls = 4
	otherCalls  = 2

	// Limit is the name of the limit for topics that no proposal links to: perMinute HTTP requests
	// in any minute.
	Limit     = "forum"
	perMinute = 20
)

// Errors of a [Forum] by errors.Is, in addition to the errors of [fetch.Get].
var (
	ErrNotFound = fmt.Errorf("the forum has no such public topic: %w", fetch.ErrNotFound)
	ErrBusy     = errors.New("too many topics are being asked for")
)

// Config configures a [Forum].
type Config struct {
	// BaseURL is an absolute http or https URL without userinfo and query. It becomes a part of the
	// topics' public addresses.
	BaseURL string
	// Transport sends the HTTP requests. Nil means a transport for each client.
	Transport http.RoundTripper
	// UserAgent is sent with each request. Empty means the default of net/http.
	UserAgent string
	// Background lets a call continue after its caller has left: use it in a server, not in a
	// function that is frozen after its answer.
	Background bool
	// Now is the wall clock. Nil means time.Now.
	Now func() time.Time
	// Log gets a line for each failed call. Nil discards them.
	Log *slog.Logger
	// Stats counts requests. Nil disables counting.
	Stats *Stats
}

// Stats counts requests to a forum. The zero value is ready; it may outlive a Forum.
type Stats struct {
	// Linked counts topics that proposals link to, Other counts other topics, and Slugs counts
	// links without a number.
	Linked, Other, Slugs cache.Stats
	// Host counts the calls of both clients.
	Host fetch.Stats
}

// Forum caches topics. It is safe for concurrent use. The caller closes it.
//
// Anybody can enumerate the topics that no proposal links to. These have a separate client, cache
// and budget, so that they can neither delay nor evict the linked ones, nor open their breaker.
type Forum struct {
	base   string
	now    func() time.Time
	log    *slog.Logger
	linked client
	other  client
	slugs  *cache.Cache[string, int]
}

// client is a connection to the forum.
type client struct {
	host   *fetch.Host
	calls  *semaphore.Weighted
	queue  *semaphore.Weighted // bounds running and waiting calls; nil means no bound
	topics *cache.Cache[int, api.ForumActivity]
}

// New returns the forum at an address, without contacting it.
func New(c Config) (*Forum, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf(
			"forum address %q: not an absolute URL without userinfo, query and fragment",
			c.BaseURL)
	}
	f := &Forum{base: strings.TrimRight(u.String(), "/"), now: c.Now,
		log: cmp.Or(c.Log, slog.New(slog.DiscardHandler))}
	if f.now == nil {
		f.now = time.Now
	}
	stats := cmp.Or(c.Stats, &Stats{})
	topics := cache.Config[api.ForumActivity]{
		Fresh: timing.FreshTopic, Keep: timing.StaleOnError, Retry: retry(timing.MissingTopic),
		Gone: isNotFound, Timeout: timing.Fetch, Entries: linkedTopics,
		Background: c.Background, Now: f.now, Stats: &stats.Linked,
	}
	f.linked.calls, f.linked.topics = semaphore.NewWeighted(linkedCalls), cache.New[int](topics)
	topics.Entries, topics.Stats = otherTopics, &stats.Other
	f.other.calls, f.other.topics = semaphore.NewWeighted(otherCalls), cache.New[int](topics)
	f.other.queue = semaphore.NewWeighted(perMinute)
	host := fetch.Config{Transport: c.Transport, UserAgent: c.UserAgent, Now: f.now,
		Stats: &stats.Host}
	if f.linked.host, err = fetch.New(f.base, host); err != nil {
		return nil, fmt.Errorf("forum: %w", err)
	}
	host.PerMinute = perMinute
	if f.other.host, err = fetch.New(f.base, host); err != nil {
		return nil, fmt.Errorf("forum: %w", err)
	}
	f.slugs = cache.New[string](cache.Config[int]{
		Fresh: timing.FreshSlug, Keep: timing.FreshSlug + timing.StaleOnError,
		Retry: retry(timing.MissingSlug), Gone: isNotFound, Timeout: timing.Fetch,
		Entries:    linkedTopics,
		Background: c.Background, Now: f.now, Stats: &stats.Slugs,
	})
	return f, nil
}

// Close ends the calls under way and waits for them.
func (f *Forum) Close() {
	f.linked.topics.Close()
	f.other.topics.Close()
	f.slugs.Close()
	f.linked.host.Close()
	f.other.host.Close()
}

// Answer is a topic with its age. Its Err is an [api.HTTPError], as are the errors of Linked and
// Other.
type Answer = cache.Entry[api.ForumActivity]

// Linked returns a topic that a proposal links to, and requests it whenever it is due. A topic up
// to 24 h old is returned if the forum does not answer before ctx ends. Otherwise the error is an
// [api.HTTPError].
func (f *Forum) Linked(ctx context.Context, topic int) (Answer, error) {
	return f.topic(ctx, &f.linked, topic)
}

// Other is like [Forum.Linked], for any other topic. All of these share 20 HTTP requests in any
// minute, including redirects and retries. Beyond that an older topic is returned, else the error
// is [ErrBusy].
func (f *Forum) Other(ctx context.Context, topic int) (Answer, error) {
	return f.topic(ctx, &f.other, topic)
}

// topic returns the answer by one of the two clients.
func (f *Forum) topic(ctx context.Context, c *client, topic int) (Answer, error) {
	if topic < 1 {
		return Answer{}, httpError(ErrNotFound)
	}
	a, err := c.topics.Get(ctx, topic, func(ctx context.Context) (api.ForumActivity, error) {
		return f.fetch(ctx, c, "/t/"+strconv.Itoa(topic)+".json", topic)
	})
	a.Value.FetchedAt, a.Value.Stale = mip.NewTime(a.At), a.Stale
	a.Err = httpError(a.Err)
	return a, httpError(err)
}

// Resolve returns the number of the topic that a link identifies only by its slug (the last element
// of /t/SLUG, escaped or not): Discourse redirects from there to the topic. A number is cached for
// 24 h, and its absence for an hour. It fails like [Forum.Linked].
func (f *Forum) Resolve(ctx context.Context, slug string) (int, error) {
	slug = plainSlug(slug)
	// empty, or Discourse would read it as a topic's number
	if strings.Trim(slug, "0123456789") == "" {
		return 0, httpError(ErrNotFound)
	}
	e, err := f.slugs.Get(ctx, slug, func(ctx context.Context) (int, error) {
		a, err := f.fetch(ctx, &f.linked, "/t/"+url.PathEscape(slug)+".json", 0)
		return a.TopicID, err
	})
	return e.Value, httpError(err)
}

// fetch requests the topic at a path. If it is not public, the error is [ErrNotFound]. want is the
// topic's number, 0 if it is unknown.
func (f *Forum) fetch(
	ctx context.Context, c *client, path string, want int,
) (a api.ForumActivity, err error) {
	// At most as many wait as the budget allows, whatever the forum does.
	if c.queue != nil {
		if !c.queue.TryAcquire(1) {
			return a, busy(time.Second)
		}
		defer c.queue.Release(1)
	}
	if err := c.calls.Acquire(ctx, 1); err != nil {
		return a, fmt.Errorf("wait for a call to the forum: %w", err)
	}
	defer c.calls.Release(1)
	q := fetch.Request{Path: path, Header: http.Header{"Accept": {"application/json"}}}
	a, err = fetch.Get(ctx, c.host, q, func(r *fetch.Response) (api.ForumActivity, error) {
		return f.read(r, want)
	})
	if spent, ok := errors.AsType[*fetch.SpentError](err); ok {
		return a, busy(spent.RetryAfter)
	}
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		// A 429 applies to both clients.
		if e.Status == http.StatusTooManyRequests {
			f.linked.host.Pause(e.RetryAfter)
			f.other.host.Pause(e.RetryAfter)
		}
		// Refused calls are too many to log, and add no information.
		if !isRefusal(e) {
			f.log.WarnContext(ctx, "forum", "path", path, "error", err.Error())
		}
	}
	return a, err
}

// read decodes the topic in a response. Discourse answers 404 or 403 for a topic that is not
// public, and 410 for a deleted one. A 403 with a page in place of JSON is a challenge for
// browsers. want is as in fetch.
func (f *Forum) read(r *fetch.Response, want int) (api.ForumActivity, error) {
	switch {
	case r.Status == http.StatusOK:
		a, err := decode(r.Body, f.base, f.now())
		if err == nil && want != 0 && a.TopicID != want {
			err = fmt.Errorf("topic %d is not the one asked for", a.TopicID)
		}
		return a, err
	case r.Status == http.StatusNotFound, r.Status == http.StatusGone,
		r.Status == http.StatusForbidden && bytes.HasPrefix(bytes.TrimSpace(r.Body), []byte("{")):
		return api.ForumActivity{}, ErrNotFound
	}
	return api.ForumActivity{}, errors.New("no topic")
}

// isNotFound reports whether the forum has no such topic.
func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }

// isRefusal reports whether no call went out because the host is paused or its breaker is open.
// Such a failure has a RetryAfter but no status.
func isRefusal(e *fetch.Error) bool { return e.Status == 0 && e.RetryAfter > 0 }

// retry returns how long a failure is cached. missing is the time for a missing topic. Only a
// call's failure is cached. A caller who waits without a call gets the context's error. Otherwise a
// caller who enumerates topics while the forum is paused or hangs would evict everything.
func retry(missing time.Duration) func(error) time.Duration {
	return func(err error) time.Duration {
		e, ok := errors.AsType[*fetch.Error](err)
		switch {
		case isNotFound(err):
			return missing
		case errors.Is(err, ErrBusy), errors.Is(err, context.DeadlineExceeded), ok && isRefusal(e):
			return 0
		case ok && e.RetryAfter > 0:
			return e.RetryAfter
		}
		return timing.FailedTopic
	}
}

// httpError converts an error for a caller. A canceled caller gets the code of a timeout.
func httpError(err error) error {
	if _, ok := errors.AsType[*api.HTTPError](err); ok || err == nil {
		return err
	}
	e := &api.HTTPError{
		Code:   api.UpstreamUnavailable,
		Detail: "The forum gave no usable answer, and no earlier one is kept.", Err: err,
	}
	if cause, ok := errors.AsType[*fetch.Error](err); ok {
		e.RetryAfter = cause.RetryAfter
	}
	switch {
	case isNotFound(err):
		e.Code, e.Detail = api.NotFound, "The forum has no public topic of this number."
	case errors.Is(err, fetch.ErrTimeout), errors.Is(err, context.Canceled),
		errors.Is(err, context.DeadlineExceeded):
		e.Code = api.UpstreamTimeout
		e.Detail = "The forum took too long, and no earlier answer is kept."
	}
	return e
}

// busy returns the error of a topic beyond the limit.
func busy(wait time.Duration) error {
	return &api.HTTPError{
		Code: api.RateLimited,
		Detail: "Too many different topics that no proposal links to are asked for; " +
			"wait for as long as Retry-After says.",
		RetryAfter: wait,
		Limit:      Limit,
		Policy:     fmt.Sprintf("q=%d;w=%d", perMinute, int(time.Minute.Seconds())),
		Err:        ErrBusy,
	}
}
