package forum

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// Failures as other processes are told of them.
const (
	toldMissing     = "missing"
	toldTimeout     = "timeout"
	toldUnavailable = "unavailable"
)

// errOther is the error of a value that other processes left and that is none of the key's.
var errOther = errors.New("not what was asked for")

// sharedTopics is how topics get to other processes; nil: they do not.
func (f *Forum) sharedTopics(c Config) *cache.Sharing[int, api.ForumActivity] {
	return sharing(c,
		func(topic int) string { return cache.Name(c.Site, "topic", f.base, strconv.Itoa(topic)) },
		func(topic int, a api.ForumActivity) error {
			switch {
			case a.TopicID != topic, !strings.HasPrefix(a.URL, f.base+"/t/"), a.Title == "", a.Title != plain(a.Title),
				a.ActivityScore < 0, a.ActivityScore > 100, min(a.Posts, a.Replies, a.Participants, a.Views, a.Likes) < 0,
				a.Stale, a.Proposals != nil:
				return errOther
			}
			return nil
		})
}

// sharedSlugs is the same for the topics that slugs lead to.
func (f *Forum) sharedSlugs(c Config) *cache.Sharing[string, int] {
	return sharing(c,
		func(slug string) string { return cache.Name(c.Site, "slug", f.base, slug) },
		func(_ string, topic int) error {
			if topic < 1 {
				return errOther
			}
			return nil
		})
}

func sharing[K comparable, V any](c Config, key func(K) string, check func(K, V) error) *cache.Sharing[K, V] {
	if c.Shared == nil {
		return nil
	}
	return &cache.Sharing[K, V]{With: c.Shared, Key: key, Check: check, Keep: topicKeep, Told: told, Heard: heard}
}

// told is a failure of the forum's. What was not asked is none.
func told(err error) string {
	switch {
	case errors.Is(err, ErrNotFound):
		return toldMissing
	case unasked(err), errors.Is(err, ErrBusy):
		return ""
	}
	switch err = outward(err); {
	case errors.Is(err, upstream.ErrTimeout):
		return toldTimeout
	case errors.Is(err, upstream.ErrUnavailable):
		return toldUnavailable
	}
	return ""
}

func heard(word string, left time.Duration) error {
	switch word {
	case toldMissing:
		return ErrNotFound
	case toldTimeout:
		return fmt.Errorf("another process says: %w", &upstream.Error{Timeout: true, RetryAfter: left})
	case toldUnavailable:
		return fmt.Errorf("another process says: %w", &upstream.Error{RetryAfter: left})
	}
	return nil
}
