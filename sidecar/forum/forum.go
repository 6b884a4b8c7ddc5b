// Package forum is one Discourse forum as its topics' figures: how much is said, by how many, how
// recently. It does not know proposals, nor how its answers are sent.
package forum

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	linkedTopics = 4096
	otherTopics  = 1024

	// Topics that nobody's proposal links to can be enumerated by anybody. They get half of the calls
	// that run at a time, so that they cannot keep the others waiting.
	callsAtOnce      = 4
	otherCallsAtOnce = 2
)

// Config says which forum.
type Config struct {
	BaseURL   string            // its address, absolute http or https without userinfo and query; it becomes part of the topics' public addresses
	Transport http.RoundTripper // nil means one of its own
	UserAgent string            // empty means that of net/http
	Detached  bool              // a call goes on when nobody waits for it any more: for a server, not for a function that is frozen after its answer
	Now       func() time.Time  // nil means time.Now
	Log       *slog.Logger      // nil discards it
	Stats     *Stats            // nil disables counting
}

// Stats counts what a forum is asked and how. The zero value is ready; it outlives a Forum.
type Stats struct {
	Linked, Other, Slugs cache.Stats // topics that proposals link to, other ones, links without a number
	Host                 fetch.Stats
}

// Forum answers from its memory where it can. It is safe for concurrent use. Close it after use.
type Forum struct {
	base   string
	now    func() time.Time
	log    *slog.Logger
	budget budget
	linked client
	other  client
	topics *cache.Cache[int, api.ForumActivity]
	others *cache.Cache[int, api.ForumActivity]
	slugs  *cache.Cache[string, int]
}

// client is a way to the forum. What fails on one does not open the breaker of the other, so that
// callers that ask for odd topics cannot shut out the ones that proposals link to.
type client struct {
	host       *fetch.Host
	semaphores []chan struct{} // taken in this order; a semaphore is one call at a time
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
	if c.Stats == nil {
		c.Stats = &Stats{}
	}
	all := make(chan struct{}, callsAtOnce)
	for _, l := range []struct {
		client     *client
		semaphores []chan struct{}
	}{
		{&f.linked, []chan struct{}{all}},
		{&f.other, []chan struct{}{make(chan struct{}, otherCallsAtOnce), all}},
	} {
		l.client.semaphores = l.semaphores
		if l.client.host, err = fetch.New(f.base, fetch.Config{Transport: c.Transport, UserAgent: c.UserAgent, Now: f.now, Stats: &c.Stats.Host}); err != nil {
			return nil, fmt.Errorf("forum: %w", err)
		}
	}
	topics := cache.Config[api.ForumActivity]{
		Fresh: timing.FreshTopic, Keep: timing.StaleOnError, Retry: retryAfter(timing.MissingTopic), Gone: gone,
		Timeout: timing.Fetch, Entries: linkedTopics, Detached: c.Detached, Now: f.now, Stats: &c.Stats.Linked,
	}
	f.topics = cache.New[int](topics)
	topics.Entries, topics.Stats = otherTopics, &c.Stats.Other
	// What leaves an entry has cost a call. Refusals do not, or a caller that enumerates topics while the forum
	// is paused would push out everything.
	topics.Retry = func(err error) time.Duration {
		if notSent(err) {
			return 0
		}
		return retryAfter(timing.MissingTopic)(err)
	}
	f.others = cache.New[int](topics)
	f.slugs = cache.New[string](cache.Config[int]{
		Fresh: timing.FreshSlug, Keep: timing.FreshSlug + timing.StaleOnError, Retry: retryAfter(timing.MissingSlug), Gone: gone,
		Timeout: timing.Fetch, Entries: linkedTopics, Detached: c.Detached, Now: f.now, Stats: &c.Stats.Slugs,
	})
	return f, nil
}

// Answer is a topic's figures with their age. Err is why they are not newer, as Linked and Other
// would return it.
type Answer = cache.Entry[api.ForumActivity]

// Linked returns a topic that a proposal links to. It is asked for whenever it is due. Figures up to
// 24 h old stand in when the forum does not answer before ctx ends; without any the error is an [api.HTTPError].
func (f *Forum) Linked(ctx context.Context, topic int) (Answer, error) {
	if topic < 1 {
		return Answer{}, httpError(ErrNotFound)
	}
	a, err := f.topics.Get(ctx, topic, func(ctx context.Context) (api.ForumActivity, error) {
		return f.fetch(ctx, &f.linked, topic, nil)
	})
	return dated(a), httpError(err)
}

// Other is [Forum.Linked] for any other topic. All of them share 20 calls in any minute, redirects
// and retries included. When these are used up an older answer stands in, else the error is
// [ErrBusy].
func (f *Forum) Other(ctx context.Context, topic int) (Answer, error) {
	if topic < 1 {
		return Answer{}, httpError(ErrNotFound)
	}
	a, err := f.others.Get(ctx, topic, func(ctx context.Context) (api.ForumActivity, error) {
		// Before waiting for a semaphore: a caller that is refused learns it at once.
		p, err := f.budget.reserve(f.now())
		if err != nil {
			return api.ForumActivity{}, err
		}
		defer p.release()
		return f.fetch(ctx, &f.other, topic, func() error { return p.spend(f.now()) })
	})
	return dated(a), httpError(err)
}

// Close ends the calls under way and waits for them.
func (f *Forum) Close() {
	f.topics.Close()
	f.others.Close()
	f.slugs.Close()
	f.linked.host.Close()
	f.other.host.Close()
}

// dated writes the age of an answer into it.
func dated(a Answer) Answer {
	a.Value.FetchedAt, a.Value.Stale = mip.NewTime(a.At), a.Stale
	a.Err = httpError(a.Err)
	return a
}

const slugMost = 255 // runes, as in the forum's own table

// Resolve returns the number of the topic that a link names only by its slug (the last element of
// /t/SLUG, escaped or not). Discourse leads from there to the topic. An answer holds for 24 h and
// that there is none for an hour. Errors are those of [Forum.Linked].
func (f *Forum) Resolve(ctx context.Context, slug string) (int, error) {
	slug = plainSlug(slug)
	if strings.Trim(slug, "0123456789") == "" {
		return 0, httpError(ErrNotFound) // no slug, or a number, which would be read as the topic's
	}
	e, err := f.slugs.Get(ctx, slug, func(ctx context.Context) (int, error) {
		a, err := f.ask(ctx, &f.linked, "/t/"+url.PathEscape(slug)+".json", nil, func(body []byte) (api.ForumActivity, error) {
			return decode(body, f.base, f.now())
		})
		return a.TopicID, err
	})
	return e.Value, httpError(err)
}

// plainSlug is a slug without escapes, and empty if it is none: letters of any script, digits,
// hyphens and underscores.
func plainSlug(slug string) string {
	plain, err := url.PathUnescape(slug)
	if err != nil || !utf8.ValidString(plain) || utf8.RuneCountInString(plain) > slugMost {
		return ""
	}
	for _, c := range plain {
		if c != '-' && c != '_' && !unicode.In(c, unicode.L, unicode.M, unicode.Nd) {
			return ""
		}
	}
	return plain
}
