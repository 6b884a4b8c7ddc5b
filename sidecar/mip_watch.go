package sidecar

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// mipWatch answers GET /api/mip-watch. A part that failed is named in errors, and the answer is a 200 all the same.
func (s *Sidecar) mipWatch(_ http.ResponseWriter, r *http.Request) (*response, error) {
	p, err := partsOf(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	st, err := s.state(r.Context())
	if err != nil {
		return nil, err
	}
	key := responseKey{state: st.number, route: r.URL.Path, number: int(p)}
	return s.cached(r.Context(), key, func(ctx context.Context) (*response, error) {
		w, until := s.watch(ctx, st, p)
		// Heads are soon too old to be shown. An answer with a failed part is asked for again as soon as it may be.
		stale := timing.FreshTopic
		switch {
		case p.has(needHeads):
			stale = timing.StaleInCDN
		case len(w.Errors) > 0:
			stale = 0
		}
		return s.newResponse(w, until, stale)
	})
}

// Watch returns the body of GET /api/mip-watch, made anew. It takes as long as that answer at the most. The error is
// that of a sidecar without an index.
func (s *Sidecar) Watch(ctx context.Context) (*api.MIPWatch, error) {
	ctx, cancel := context.WithTimeout(ctx, timing.Ask)
	defer cancel()
	st, err := s.state(ctx)
	if err != nil {
		return nil, err
	}
	w, _ := s.watch(ctx, st, allParts)
	return &w, nil
}

// watch makes the chosen parts. It asks the forum and the networks at the same time, as far as the parts need them.
// until is when the first of them is due to be asked again.
func (s *Sidecar) watch(ctx context.Context, st *state, p parts) (w api.MIPWatch, until time.Time) {
	// Both have the same deadline, so that the slower one decides and a failed one delays nothing.
	var wg sync.WaitGroup
	d := discussions{until: s.Now().Add(timing.FreshTopic)}
	if p.has(needForum) {
		wg.Go(func() { d = s.discussionsOf(ctx, st, p.has(partForum)) })
	}
	var heads map[string]api.NetworkStatus
	headsUntil := d.until
	if p.has(needHeads) {
		heads, headsUntil = s.heads(ctx, st)
	}
	wg.Wait()
	w.Errors = map[string]api.Code{}
	addForum(&w, st, p, d)
	if p.has(needHeads) {
		addHeads(&w, st, p, heads, s.Now())
	}
	if headsUntil.Before(d.until) {
		return w, headsUntil
	}
	return w, d.until
}

// addForum adds the list and the forum's topics.
func addForum(w *api.MIPWatch, st *state, p parts, d discussions) {
	all := st.index.List.MIPs
	// The index is shared and never changed.
	if len(d.resolved) > 0 {
		all = slices.Clone(all)
		for i, topic := range d.resolved {
			all[i].ForumTopicID = &topic
		}
	}
	if p.has(partMIPs) {
		w.MIPs, w.Freshness.MIPs = all, st.index.List.UpdatedAt
	}
	if p.has(partForum) {
		w.Forum = d.topics
		proposals := map[int][]api.ProposalRef{} // by topic
		for _, m := range all {
			if m.ForumTopicID != nil {
				proposals[*m.ForumTopicID] = append(proposals[*m.ForumTopicID], api.ProposalRef{Number: m.Number, ID: m.ID, Title: m.Title})
			}
		}
		for i, t := range w.Forum {
			w.Forum[i].Proposals = proposals[t.TopicID]
			w.Freshness.Forum = earlier(w.Freshness.Forum, &t.FetchedAt)
		}
	}
	if d.err != nil {
		w.Errors["forum"] = httpError(d.err).Code
	}
}

// addHeads adds the parts that follow from the heads of the chains. now is the time of a chain that has no head.
func addHeads(w *api.MIPWatch, st *state, p parts, heads map[string]api.NetworkStatus, now time.Time) {
	x := st.index
	// All parts are judged at the same times, so that they agree with each other.
	clock := newChainClock(heads, now)
	if p.has(partHardForks) {
		w.HardForks = make([]mip.HardFork, 0, len(x.HardForks))
		for _, f := range x.HardForks {
			f.Status = f.StatusAt(x.Site.Networks, clock.now)
			w.HardForks = append(w.HardForks, f)
		}
	}
	if p.has(partDiscrepancies) {
		w.Discrepancies = discrepancies(x, clock, now)
	}
	if p.has(partHardForks | partDiscrepancies) {
		w.Freshness.HardForks = new(mip.NewTime(clock.oldest()))
	}
	if p.has(partNetworks) {
		w.Networks = heads
	}
	// errors names one code for all networks: that of the first one, in the site's order, that failed.
	for _, n := range x.Site.Networks {
		head := heads[n.ID]
		if p.has(partNetworks) {
			w.Freshness.Networks = earlier(w.Freshness.Networks, head.FetchedAt)
		}
		if _, named := w.Errors["networks"]; head.Error != nil && !named {
			w.Errors["networks"] = api.Code(*head.Error)
		}
	}
}

// earlier returns the first of two times. Nil is none.
func earlier(a, b *mip.Time) *mip.Time {
	if a == nil || b != nil && b.UTC().Before(a.UTC()) {
		return b
	}
	return a
}

// discussions is the activity of all linked topics.
type discussions struct {
	// topics has the highest score first.
	topics []api.ForumActivity
	// resolved has the topics of links that have only a slug, by the proposal's position in the list.
	resolved map[int]int
	// err is that of the first topic, in the order of the list, that could not be renewed.
	err error
	// until is when the first topic is due to be asked for again.
	until time.Time
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
	// Results are taken in the order of the list, so that equal input gives equal answers.
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
	// topic is zero when the slug leads to none.
	topic  int
	answer forum.Answer
	err    error
}

// follow resolves the slug of a link that has no number, whose topic counts as linked from then on, and gets the
// topic's activity if it is wanted.
func (s *Sidecar) follow(ctx context.Context, st *state, l link, activity bool) linkResult {
	r := linkResult{topic: l.topic}
	if r.topic == 0 {
		if r.topic, r.err = st.forum.Resolve(ctx, l.slug); r.err != nil {
			// The forum keeps the failure for as long as it stands. This only bounds the response.
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

// networkInfo answers GET /api/network-info.
func (s *Sidecar) networkInfo(_ http.ResponseWriter, r *http.Request) (*response, error) {
	st, err := s.state(r.Context())
	if err != nil {
		return nil, err
	}
	return s.cached(r.Context(), responseKey{state: st.number, route: r.URL.Path}, func(ctx context.Context) (*response, error) {
		heads, until := s.heads(ctx, st)
		return s.newResponse(api.NetworkInfo{Networks: heads}, until, timing.StaleInCDN)
	})
}

// heads gets the heads of all networks, by id and all at the same time. until is when the first of them is due to be
// asked for again.
func (s *Sidecar) heads(ctx context.Context, st *state) (heads map[string]api.NetworkStatus, until time.Time) {
	heads = make(map[string]api.NetworkStatus, len(st.networks))
	until = s.Now().Add(timing.FreshHead)
	// The networks are asked at the same time, so that a slow one delays no other.
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, n := range st.networks {
		wg.Go(func() {
			head, next := n.Status(ctx)
			mu.Lock()
			defer mu.Unlock()
			heads[n.endpoints.ID] = head
			if next.Before(until) {
				until = next
			}
		})
	}
	wg.Wait()
	return heads, until
}

// parts is a choice of the members of [api.MIPWatch], a bit for each name of [api.WatchParts] in that order. Every
// order of the names is thus one choice and one cached response.
type parts uint8

// The parts, in the order of [api.WatchParts].
const (
	partMIPs parts = 1 << iota
	partForum
	partNetworks
	partHardForks
	partDiscrepancies

	allParts = partMIPs | partForum | partNetworks | partHardForks | partDiscrepancies

	// needHeads are the parts that need the heads of the chains, by whose time forks activate.
	needHeads = partNetworks | partHardForks | partDiscrepancies
	// needForum are the parts that need the forum, which resolves links that have only a slug.
	needForum = partMIPs | partForum
)

// has reports whether one of some parts is chosen.
func (p parts) has(some parts) bool { return p&some != 0 }

// partsOf reads the one parameter, which may be missing. Others are ignored, and a value that cannot be read is an
// error.
func partsOf(query string) (parts, error) {
	chosen := parts(0) // a value that is sound chooses at least one
	// url.ParseQuery would drop a value that it cannot read.
	for field := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(field, "=")
		if key, err := url.QueryUnescape(key); err != nil || key != "parts" {
			continue
		}
		if chosen != 0 {
			return 0, wrongParts("is there more than once")
		}
		names, err := url.QueryUnescape(value)
		if err != nil {
			return 0, wrongParts("is not escaped as an address has it")
		}
		for name := range strings.SplitSeq(names, ",") {
			at := slices.Index(api.WatchParts(), name)
			switch {
			case name == "":
				return 0, wrongParts("holds an empty name")
			case at < 0:
				return 0, wrongParts("holds a name that is not known")
			case chosen.has(1 << at):
				return 0, wrongParts("names " + name + " more than once")
			}
			chosen |= 1 << at
		}
	}
	return cmp.Or(chosen, allParts), nil
}

// wrongParts repeats nothing of the parameter.
func wrongParts(why string) error {
	return badRequest("parts %s; want it once, with one or more of %s, each once, separated by commas.", why, strings.Join(api.WatchParts(), ", "))
}
