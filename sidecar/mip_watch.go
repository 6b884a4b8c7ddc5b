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

// mipWatch answers GET /api/mip-watch. The status is 200 even if a part fails, which errors then
// names.
func (s *Sidecar) mipWatch(_ http.ResponseWriter, r *http.Request) (*response, error) {
	p, err := partsOf(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	st, err := s.site(r.Context())
	if err != nil {
		return nil, err
	}
	key := responseKey{site: st, route: r.URL.Path, number: int(p)}
	return s.cached(r.Context(), key, func(ctx context.Context) (*response, error) {
		w, until := s.watch(ctx, st, p)
		// A CDN serves stale heads for a short time only, since they are soon too old to be shown,
		// and never an answer with a failed part.
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

// parts is a set of members of [api.MIPWatch], with one bit for each name of [api.WatchParts], in
// that order. Any order of the names thus gives one set and one cached response.
type parts uint8

// The parts, in the order of [api.WatchParts].
const (
	partMIPs parts = 1 << iota
	partForum
	partNetworks
	partHardForks
	partDiscrepancies
	partAI

	allParts = partMIPs | partForum | partNetworks | partHardForks | partDiscrepancies | partAI

	// needHeads are the parts that need the heads of the chains, whose time activates forks.
	needHeads = partNetworks | partHardForks | partDiscrepancies
	// needForum are the parts that need the forum, which resolves links that have only a slug.
	needForum = partMIPs | partForum
)

// has reports whether p contains any of some.
func (p parts) has(some parts) bool { return p&some != 0 }

// partsOf parses the parameter parts, which may be missing or repeated. It ignores other
// parameters.
func partsOf(query string) (parts, error) {
	values, _ := url.ParseQuery(query) // on an error it leaves out the invalid parameters
	given := values["parts"]
	if len(given) == 0 && !strings.Contains("&"+query, "&parts=") {
		return allParts, nil
	}
	names := api.WatchParts()
	// A sound value has at least one part.
	chosen, sound := parts(0), true
	for name := range strings.SplitSeq(strings.Join(given, ","), ",") {
		at := slices.Index(names, name)
		sound = sound && at >= 0 && !chosen.has(1<<at)
		chosen |= 1 << max(0, at)
	}
	if !sound {
		const detail = "parts names one or more of %s, each once, with commas between them or a " +
			"parameter for each."
		return 0, badRequest(detail, strings.Join(names, ", "))
	}
	return chosen, nil
}

// watch makes the chosen parts. It asks the forum and the networks concurrently, if the parts need
// them. until is the earliest time at which one of them is due again.
func (s *Sidecar) watch(
	ctx context.Context, st *siteState, p parts,
) (w api.MIPWatch, until time.Time) {
	// Both have the same deadline, so the slower one decides, and a failed one delays nothing.
	var wg sync.WaitGroup
	until = s.Now().Add(timing.FreshTopic)
	d := discussions{until: until}
	if p.has(needForum) {
		wg.Go(func() { d = s.discuss(ctx, st, p.has(partForum)) })
	}
	var heads map[string]api.NetworkStatus
	if p.has(needHeads) {
		heads, until = s.heads(ctx, st)
	}
	wg.Wait()
	w.Errors = map[string]api.Code{}
	if p.has(partAI) {
		works := s.AI.Unusable == nil && s.AI.Model != nil
		w.AI = &api.Offers{Summaries: works, Translations: works}
	}
	if p.has(partMIPs) {
		w.MIPs, w.Freshness.MIPs = d.mips, st.catalog.List.UpdatedAt
	}
	if p.has(partForum) {
		w.Forum = d.topics
		for _, t := range d.topics {
			w.Freshness.Forum = earlier(w.Freshness.Forum, &t.FetchedAt)
		}
	}
	if d.err != nil {
		w.Errors["forum"] = httpError(d.err).Code
	}
	if p.has(needHeads) {
		addHeads(&w, st, p, chainClock{s.Now(), heads})
	}
	if d.until.Before(until) {
		until = d.until
	}
	return w, until
}

// addHeads adds the parts that depend on the heads of the chains. One clock judges all of them, so
// that they agree with each other.
func addHeads(w *api.MIPWatch, st *siteState, p parts, clock chainClock) {
	c := st.catalog
	if p.has(partHardForks | partDiscrepancies) {
		w.Freshness.HardForks = new(mip.NewTime(clock.wall))
		for _, n := range c.Site.Networks {
			w.Freshness.HardForks = earlier(w.Freshness.HardForks,
				new(mip.NewTime(clock.now(n.ID))))
		}
	}
	if p.has(partHardForks) {
		w.HardForks = append([]mip.HardFork{}, c.HardForks...)
		for i, f := range w.HardForks {
			w.HardForks[i].Status = f.StatusAt(c.Site.Networks, clock.now)
			w.HardForks[i].StatusAsOf = w.Freshness.HardForks
		}
	}
	if p.has(partDiscrepancies) {
		w.Discrepancies, w.Compared = compare(c, clock)
	}
	if p.has(partNetworks) {
		w.Networks = clock.heads
	}
	// errors has one code for all networks: the error of the first failed network, in the site's
	// order.
	for _, n := range c.Site.Networks {
		head := clock.heads[n.ID]
		if p.has(partNetworks) {
			w.Freshness.Networks = earlier(w.Freshness.Networks, head.FetchedAt)
		}
		if _, named := w.Errors["networks"]; head.Error != nil && !named {
			w.Errors["networks"] = api.Code(*head.Error)
		}
	}
}

// earlier returns the earlier of two times. Nil means no time.
func earlier(a, b *mip.Time) *mip.Time {
	if a == nil || b != nil && b.UTC().Before(a.UTC()) {
		return b
	}
	return a
}

// discussions is the activity of all linked topics.
type discussions struct {
	// mips are the site's proposals, with the resolved topics of links that have only a slug.
	mips []mip.Metadata
	// topics are sorted by score, highest first.
	topics []api.ForumActivity
	// err is the error of the first topic, in the order of the list, that could not be renewed.
	err error
	// until is the earliest time at which a topic is due again.
	until time.Time
}

// discuss gets every linked topic, all concurrently. The forum bounds how many calls go out at
// once. Without activity it only resolves slugs.
func (s *Sidecar) discuss(ctx context.Context, st *siteState, activity bool) discussions {
	answers := make([]forum.Answer, len(st.links))
	// A topic is zero if its slug does not resolve.
	topics := make([]int, len(st.links))
	var wg sync.WaitGroup
	for i, l := range st.links {
		wg.Go(func() { topics[i], answers[i] = s.follow(ctx, st, l, activity) })
	}
	wg.Wait()
	// The catalog is shared and immutable, so clone the list.
	d := discussions{mips: slices.Clone(st.catalog.List.MIPs), topics: []api.ForumActivity{}}
	d.until = s.Now().Add(timing.FreshTopic)
	for i, l := range st.links {
		if l.topic == 0 && topics[i] != 0 {
			d.mips[l.proposal].ForumTopicID = &topics[i]
		}
	}
	// The proposals of a topic are in the order of the list.
	proposals := map[int][]api.ProposalRef{}
	for _, m := range d.mips {
		if m.ForumTopicID != nil {
			ref := api.ProposalRef{Number: m.Number, ID: m.ID, Title: m.Title}
			proposals[*m.ForumTopicID] = append(proposals[*m.ForumTopicID], ref)
		}
	}
	seen := map[int]bool{}
	// Take answers in the order of the list, so that equal input gives equal output.
	for i, a := range answers {
		if !a.At.IsZero() && !seen[topics[i]] {
			seen[topics[i]] = true
			a.Value.Proposals = proposals[topics[i]]
			d.topics = append(d.topics, a.Value)
		}
		// A topic that does not exist is left out. It is no failure.
		if a.Err != nil && d.err == nil && !errors.Is(a.Err, forum.ErrNotFound) {
			d.err = a.Err
		}
		if !a.Next.IsZero() && a.Next.Before(d.until) {
			d.until = a.Next
		}
	}
	slices.SortFunc(d.topics, func(a, b api.ForumActivity) int {
		return cmp.Or(cmp.Compare(b.ActivityScore, a.ActivityScore),
			cmp.Compare(a.TopicID, b.TopicID))
	})
	return d
}

// follow resolves the slug of a link without a number, and marks its topic as linked. If activity
// is wanted, it also gets the topic's activity. The topic is zero if the slug does not resolve.
func (s *Sidecar) follow(
	ctx context.Context, st *siteState, l link, activity bool,
) (topic int, a forum.Answer) {
	var err error
	if topic = l.topic; topic == 0 {
		if topic, err = st.forum.Resolve(ctx, l.slug); err != nil {
			// The forum caches the failure. This only bounds the response.
			return 0, forum.Answer{Err: err, Next: s.Now().Add(timing.FreshHead)}
		}
		st.linked.Store(topic, true)
	}
	if activity {
		a, err = st.forum.Linked(ctx, topic)
		a.Err = cmp.Or(err, a.Err)
	}
	return topic, a
}

// heads gets the heads of all networks by id, all concurrently, so that a slow network delays no
// other. until is the earliest time at which one of them is due again.
func (s *Sidecar) heads(
	ctx context.Context, st *siteState,
) (heads map[string]api.NetworkStatus, until time.Time) {
	heads, until = make(map[string]api.NetworkStatus, len(st.chains)), s.Now().Add(timing.FreshHead)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, c := range st.chains {
		wg.Go(func() {
			head, next := c.Status(ctx)
			mu.Lock()
			defer mu.Unlock()
			heads[st.endpoints[i].ID] = head
			if next.Before(until) {
				until = next
			}
		})
	}
	wg.Wait()
	return heads, until
}
