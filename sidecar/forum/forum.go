// Package forum reads topics of one Discourse forum: how many posts they have, by how many people, how recently. It does
// not know proposals, nor how its answers are sent.
package forum

import (
	"cmp"
	"context"
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
	// The bounds of the caches, in topics.
	linkedTopics = 4096
	otherTopics  = 1024

	// Anybody can enumerate the topics that no proposal links to. They get half of the calls that run at a time, so
	// that they cannot keep the linked ones waiting.
	callsAtOnce      = 4
	otherCallsAtOnce = 2
)

// Config says which forum, and how it is reached.
type Config struct {
	// BaseURL is an absolute http or https URL without userinfo and query. It becomes part of the topics' public
	// addresses.
	BaseURL string
	// Transport sends the HTTP requests. Nil means connections of its own.
	Transport http.RoundTripper
	// UserAgent is sent with each request. Empty means that of net/http.
	UserAgent string
	// Detached lets a call go on without its caller: in a server, not in a function that is frozen after its answer.
	Detached bool
	// Now is the wall clock. Nil means time.Now.
	Now func() time.Time
	// Log gets a line for each call that failed. Nil discards them.
	Log *slog.Logger
	// Stats counts the questions. Nil disables counting.
	Stats *Stats
}

// Stats counts the questions to a forum. The zero value is ready; it outlives a Forum.
type Stats struct {
	// Linked counts topics that proposals link to, Other other ones, and Slugs links without a number.
	Linked, Other, Slugs cache.Stats
	// Host counts the calls of both clients.
	Host fetch.Stats
}

// Forum answers from memory where it can. It is safe for concurrent use. The caller closes it.
type Forum struct {
	base   string
	now    func() time.Time
	log    *slog.Logger
	budget budget // of other topics
	linked client
	other  client
	topics *cache.Cache[int, api.ForumActivity]
	others *cache.Cache[int, api.ForumActivity]
	slugs  *cache.Cache[string, int]
}

// client is a way to the forum. A failure of one does not open the breaker of the other, so that callers who ask for odd
// topics cannot shut out the linked ones.
type client struct {
	host  *fetch.Host
	limit []*semaphore.Weighted // of calls at a time, acquired in this order
}

// New returns the forum at an address, without asking it.
func New(c Config) (*Forum, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("forum address %q: not an absolute http or https URL without userinfo, query and fragment", c.BaseURL)
	}
	f := &Forum{base: strings.TrimRight(u.String(), "/"), now: c.Now, log: cmp.Or(c.Log, slog.New(slog.DiscardHandler))}
	if f.now == nil {
		f.now = time.Now
	}
	stats := cmp.Or(c.Stats, &Stats{})
	all := semaphore.NewWeighted(callsAtOnce)
	f.linked.limit = []*semaphore.Weighted{all}
	f.other.limit = []*semaphore.Weighted{semaphore.NewWeighted(otherCallsAtOnce), all}
	for _, client := range []*client{&f.linked, &f.other} {
		client.host, err = fetch.New(f.base, fetch.Config{
			Transport: c.Transport, UserAgent: c.UserAgent, Now: f.now, Stats: &stats.Host,
		})
		if err != nil {
			return nil, fmt.Errorf("forum: %w", err)
		}
	}

	// Two caches, so that other topics cannot push out linked ones.
	topics := cache.Config[api.ForumActivity]{
		Fresh: timing.FreshTopic, Keep: timing.StaleOnError, Retry: retry(timing.MissingTopic), Gone: isNotFound,
		Timeout: timing.Fetch, Entries: linkedTopics, Detached: c.Detached, Now: f.now, Stats: &stats.Linked,
	}
	f.topics = cache.New[int](topics)
	topics.Retry, topics.Entries, topics.Stats = retryOther, otherTopics, &stats.Other
	f.others = cache.New[int](topics)
	f.slugs = cache.New[string](cache.Config[int]{
		Fresh: timing.FreshSlug, Keep: timing.FreshSlug + timing.StaleOnError, Retry: retry(timing.MissingSlug), Gone: isNotFound,
		Timeout: timing.Fetch, Entries: linkedTopics, Detached: c.Detached, Now: f.now, Stats: &stats.Slugs,
	})
	return f, nil
}

// Close ends the calls under way and waits for them.
func (f *Forum) Close() {
	f.topics.Close()
	f.others.Close()
	f.slugs.Close()
	f.linked.host.Close()
	f.other.host.Close()
}

// Answer is a topic with its age. Its Err is an [api.HTTPError], like the errors of Linked and Other.
type Answer = cache.Entry[api.ForumActivity]

// Linked returns a topic that a proposal links to, and asks for it whenever it is due. A topic up to 24 h old stands in
// when the forum does not answer before ctx ends. Without one the error is an [api.HTTPError].
func (f *Forum) Linked(ctx context.Context, topic int) (Answer, error) {
	return f.topic(ctx, f.topics, topic, func(ctx context.Context) (api.ForumActivity, error) {
		return f.fetch(ctx, &f.linked, topicPath(topic), topic, nil)
	})
}

// Other is [Forum.Linked] for any other topic. All of them share 20 HTTP requests in any minute, redirects and retries
// included. When these are used up an older topic stands in, else the error is [ErrBusy].
func (f *Forum) Other(ctx context.Context, topic int) (Answer, error) {
	return f.topic(ctx, f.others, topic, func(ctx context.Context) (api.ForumActivity, error) {
		// The reservation comes before the wait for other calls: a caller that is refused learns it at once.
		if err := f.budget.reserve(f.now()); err != nil {
			return api.ForumActivity{}, err
		}
		reserved := true
		defer func() {
			if reserved {
				f.budget.release()
			}
		}()
		return f.fetch(ctx, &f.other, topicPath(topic), topic, func() error {
			if !reserved {
				if err := f.budget.reserve(f.now()); err != nil {
					return err
				}
			}
			reserved = false
			f.budget.spend(f.now())
			return nil
		})
	})
}

// topic is the answer of one of the two caches.
func (f *Forum) topic(ctx context.Context, c *cache.Cache[int, api.ForumActivity], topic int,
	fetch func(context.Context) (api.ForumActivity, error)) (Answer, error) {
	if topic < 1 {
		return Answer{}, httpError(ErrNotFound)
	}
	a, err := c.Get(ctx, topic, fetch)
	a.Value.FetchedAt, a.Value.Stale = mip.NewTime(a.At), a.Stale
	a.Err = httpError(a.Err)
	return a, httpError(err)
}

// topicPath is the path of a topic's JSON.
func topicPath(topic int) string { return "/t/" + strconv.Itoa(topic) + ".json" }

// Resolve returns the number of the topic that a link names only by its slug (the last element of /t/SLUG, escaped or
// not): Discourse redirects from there to the topic. A number is kept for 24 h, and for an hour that there is none.
// Errors are those of [Forum.Linked].
func (f *Forum) Resolve(ctx context.Context, slug string) (int, error) {
	slug = plainSlug(slug)
	if strings.Trim(slug, "0123456789") == "" { // none, or one that Discourse would take for a topic's number
		return 0, httpError(ErrNotFound)
	}
	e, err := f.slugs.Get(ctx, slug, func(ctx context.Context) (int, error) {
		a, err := f.fetch(ctx, &f.linked, "/t/"+url.PathEscape(slug)+".json", 0, nil)
		return a.TopicID, err
	})
	return e.Value, httpError(err)
}
