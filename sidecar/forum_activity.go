package sidecar

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
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
	st, err := s.state(r.Context())
	if err != nil {
		return nil, err
	}
	if st.forum == nil {
		return nil, &api.HTTPError{Code: api.NotFound, Detail: "This site has no forum."}
	}
	key := responseKey{state: st.number, route: r.URL.Path, number: topic}
	return s.cached(r.Context(), key, func(ctx context.Context) (*response, error) {
		// Linked topics are refreshed whenever they are due. All others share a budget of calls, so that no caller
		// drives load through the sidecar.
		get := st.forum.Other
		if st.isLinked(topic) {
			get = st.forum.Linked
		}
		e, err := get(ctx, topic)
		// A topic whose link has only a slug passes for one that nobody links to until the slug is resolved.
		if errors.Is(err, forum.ErrBusy) && s.resolveSlugs(ctx, st) && st.isLinked(topic) {
			e, err = st.forum.Linked(ctx, topic)
		}
		if err != nil {
			return nil, err
		}
		// A topic that is stale already must not get staler in a CDN.
		stale := timing.FreshTopic
		if e.Stale {
			stale = 0
		}
		return s.newResponse(e.Value, e.Next, stale)
	})
}

// topicID reads the one parameter. Others are ignored.
func topicID(query string) (int, error) {
	values, _ := url.ParseQuery(query) // an error leaves out the parameters that cannot be read
	given, ok := values["topicId"]
	switch {
	case !ok:
		return 0, badRequest("topicId is missing; want the number of a forum topic, such as ?topicId=399.")
	case len(given) > 1:
		return 0, badRequest("topicId is there more than once; want one.")
	}
	// The forum counts in 32 bits. ParseInt takes signs and leading zeros, other spellings of the same topic.
	n, err := strconv.ParseInt(given[0], 10, 32)
	if err != nil || n < 1 || given[0] != strconv.FormatInt(n, 10) {
		return 0, badRequest("topicId is no topic's number; want decimal digits from 1 to 2147483647, without leading zeros.")
	}
	return int(n), nil
}

// resolveSlugs resolves the links that have only a slug, mostly from the forum's cache, and reports whether there are
// any.
func (s *Sidecar) resolveSlugs(ctx context.Context, st *state) bool {
	s.discussionsOf(ctx, st, false)
	return slices.ContainsFunc(st.links, func(l link) bool { return l.topic == 0 })
}
