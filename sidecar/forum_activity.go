package sidecar

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

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

// discussions is the activity of all linked topics.
type discussions struct {
	topics   []api.ForumActivity // highest score first
	resolved map[int]int         // topics of links that have only a slug, by the proposal's position in the list
	err      error               // of the first topic, in the order of the list, that could not be renewed
	until    time.Time           // when the first of them is due to be asked for again
}

// discussionsOf gets every linked topic, all at the same time. The forum bounds how many calls go out at once. Without
// activity it only resolves slugs.
func (s *Sidecar) discussionsOf(ctx context.Context, st *state, activity bool) discussions {
	results := make([]linkResult, len(st.links))
	var wg sync.WaitGroup
	for i, l := range st.links {
		if activity || l.topic == 0 {
			wg.Go(func() { results[i] = s.follow(ctx, st, l, activity) })
		}
	}
	wg.Wait()
	d := discussions{topics: []api.ForumActivity{}, resolved: map[int]int{}, until: s.Now().Add(timing.FreshTopic)}
	seen := map[int]bool{}
	for i, f := range results {
		if st.links[i].topic == 0 && f.topic != 0 {
			d.resolved[st.links[i].proposal] = f.topic
		}
		if activity && f.err == nil && !seen[f.topic] {
			seen[f.topic] = true
			d.topics = append(d.topics, f.answer.Value)
		}
		// A topic that does not exist is left out and is no failure.
		if err := cmp.Or(f.err, f.answer.Err); d.err == nil && !errors.Is(err, forum.ErrNotFound) {
			d.err = err
		}
		if next := f.answer.Next; !next.IsZero() && next.Before(d.until) {
			d.until = next
		}
	}
	slices.SortFunc(d.topics, func(a, b api.ForumActivity) int {
		return cmp.Or(cmp.Compare(b.ActivityScore, a.ActivityScore), cmp.Compare(a.TopicID, b.TopicID))
	})
	return d
}

// linkResult is what the forum answers about a link.
type linkResult struct {
	topic  int // zero when the slug leads to none
	answer forum.Answer
	err    error
}

// follow resolves the slug of a link that has no number, whose topic counts as linked from then on, and gets the
// topic's activity if it is wanted.
func (s *Sidecar) follow(ctx context.Context, st *state, l link, activity bool) linkResult {
	r := linkResult{topic: l.topic}
	if r.topic == 0 {
		if r.topic, r.err = st.forum.Resolve(ctx, l.slug); r.err != nil {
			r.answer.Next = s.Now().Add(timing.FreshHead)
			return r
		}
		st.setLinked(r.topic)
	}
	if activity {
		r.answer, r.err = st.forum.Linked(ctx, r.topic)
	}
	return r
}

// resolveSlugs resolves the links that have only a slug, mostly from the forum's cache, and reports whether there are
// any.
func (s *Sidecar) resolveSlugs(ctx context.Context, st *state) bool {
	s.discussionsOf(ctx, st, false)
	return slices.ContainsFunc(st.links, func(l link) bool { return l.topic == 0 })
}
