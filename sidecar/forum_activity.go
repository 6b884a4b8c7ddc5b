package sidecar

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// forumActivity answers GET /api/forum-activity.
func (s *Sidecar) forumActivity(_ http.ResponseWriter, r *http.Request) (*response, error) {
	topic, err := topicID(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	st, err := s.site(r.Context())
	if err != nil {
		return nil, err
	}
	if st.forum == nil {
		return nil, &api.HTTPError{Code: api.NotFound, Detail: "This site has no forum."}
	}
	// Callers of one topic share its response, linked or not.
	key := responseKey{site: st, route: r.URL.Path, number: topic}
	return s.cached(r.Context(), key, func(ctx context.Context) (*response, error) {
		// Linked topics are refreshed whenever they are due. All others share a budget of calls, so
		// that callers cannot make the sidecar load the forum.
		get := st.forum.Other
		if _, linked := st.linked.Load(topic); linked {
			get = st.forum.Linked
		}
		e, err := get(ctx, topic)
		// A topic whose link has only a slug counts as unlinked until the slug is resolved.
		if errors.Is(err, forum.ErrBusy) {
			s.discuss(ctx, st, false)
			if _, linked := st.linked.Load(topic); linked {
				e, err = st.forum.Linked(ctx, topic)
			}
		}
		if err != nil {
			return nil, err
		}
		// A CDN must not make a stale topic staler.
		stale := timing.FreshTopic
		if e.Stale {
			stale = 0
		}
		return s.newResponse(e.Value, e.Next, stale)
	})
}

// networkInfo answers GET /api/network-info.
func (s *Sidecar) networkInfo(_ http.ResponseWriter, r *http.Request) (*response, error) {
	st, err := s.site(r.Context())
	if err != nil {
		return nil, err
	}
	key := responseKey{site: st, route: r.URL.Path}
	return s.cached(r.Context(), key, func(ctx context.Context) (*response, error) {
		heads, until := s.heads(ctx, st)
		return s.newResponse(api.NetworkInfo{Networks: heads}, until, timing.StaleInCDN)
	})
}

// topicID parses the one parameter and ignores others. The forum has 32-bit ids. Other spellings of
// a number are refused, since each would have its own entry in a CDN's cache.
func topicID(query string) (int, error) {
	values, _ := url.ParseQuery(query) // on an error it leaves out the invalid parameters
	given := values["topicId"]
	if len(given) == 1 {
		n, err := strconv.ParseInt(given[0], 10, 32)
		if err == nil && n > 0 && given[0] == strconv.FormatInt(n, 10) {
			return int(n), nil
		}
	}
	return 0, badRequest("topicId is there once, and is the number of a forum topic, such as " +
		"?topicId=399: digits from 1 to 2147483647, without leading zeros.")
}
