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
func (s *Sidecar) forumActivity(ctx context.Context, _ http.ResponseWriter, r *http.Request) (*response, error) {
	topic, err := topicID(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	st, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	if st.forum == nil {
		return nil, &api.HTTPError{Code: api.NotFound, Detail: "This site has no forum."}
	}
	return s.cached(ctx, responseKey{state: st.number, route: r.URL.Path, number: topic}, func(ctx context.Context) (*response, error) {
		ask := st.forum.Other
		if st.isLinked(topic) {
			ask = st.forum.Linked
		}
		e, err := ask(ctx, topic)
		if errors.Is(err, forum.ErrBusy) && s.findLinked(ctx, st) && st.isLinked(topic) {
			e, err = st.forum.Linked(ctx, topic)
		}
		if err != nil {
			return nil, err
		}
		later := timing.FreshTopic
		if e.Stale {
			later = 0
		}
		return s.newResponse(e.Value, e.Next, later)
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
	// The forum counts in 32 bits. ParseInt takes signs and leading zeros, which would be other
	// spellings of the same topic.
	n, err := strconv.ParseInt(given[0], 10, 32)
	if err != nil || n < 1 || given[0] != strconv.FormatInt(n, 10) {
		return 0, badRequest("topicId is no topic's number; want decimal digits from 1 to 2147483647, without leading zeros.")
	}
	return int(n), nil
}

// discussion is what the forum says of all linked topics.
type discussion struct {
	topics []api.ForumActivity // hottest first
	found  map[int]int         // topic by position in the list, for links without a number
	err    error               // of the first topic, by proposal, that could not be renewed
	until  time.Time           // from when one of them would be asked again
}

// discussions asks for every linked topic side by side; how many calls go out at once is the forum's
// business. Without figures it only finds the topics of links that hold no number, and leaves the others
// alone.
func (s *Sidecar) discussions(ctx context.Context, st *state, figures bool) discussion {
	found := make([]discovery, len(st.targets))
	var wg sync.WaitGroup
	for i, t := range st.targets {
		if figures || t.topic == 0 {
			wg.Go(func() { found[i] = s.discover(ctx, st, t, figures) })
		}
	}
	wg.Wait()
	d := discussion{topics: []api.ForumActivity{}, found: map[int]int{}, until: s.Now().Add(timing.FreshTopic)}
	seen := map[int]bool{}
	for i, f := range found {
		if st.targets[i].topic == 0 && f.topic != 0 {
			d.found[st.targets[i].mip] = f.topic
		}
		if figures && f.err == nil && !seen[f.topic] {
			seen[f.topic] = true
			d.topics = append(d.topics, f.answer.Value)
		}
		// A topic that is gone is left out: nothing failed.
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

// discovery is what was found of a target.
type discovery struct {
	topic  int // 0: the words lead to none
	answer forum.Answer
	err    error
}

// discover asks for one target. A topic that words lead to counts as linked from then on.
func (s *Sidecar) discover(ctx context.Context, st *state, t target, figures bool) (d discovery) {
	if d.topic = t.topic; d.topic == 0 {
		if d.topic, d.err = st.forum.Resolve(ctx, t.slug); d.err != nil {
			d.answer.Next = s.Now().Add(timing.FreshHead)
			return d
		}
		st.link(d.topic)
	}
	if figures {
		d.answer, d.err = st.forum.Linked(ctx, d.topic)
	}
	return d
}

// findLinked looks up the topics of links that hold no number, which the forum's memory mostly answers,
// and reports whether there are such links. Until then they pass for topics that nobody links to.
func (s *Sidecar) findLinked(ctx context.Context, st *state) bool {
	s.discussions(ctx, st, false)
	return slices.ContainsFunc(st.targets, func(t target) bool { return t.topic == 0 })
}
