package sidecar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// mipWatch answers GET /api/mip-watch. A part that failed is named in errors, and the answer is a 200 all the same.
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
		// A CDN gives heads stale for a short time only, since they are soon too old to be shown, and an answer with a
		// failed part never.
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
	partAI

	allParts = partMIPs | partForum | partNetworks | partHardForks | partDiscrepancies | partAI

	// needHeads are the parts that need the heads of the chains, by whose time forks activate.
	needHeads = partNetworks | partHardForks | partDiscrepancies
	// needForum are the parts that need the forum, which resolves links that have only a slug.
	needForum = partMIPs | partForum
)

// has reports whether one of some parts is chosen.
func (p parts) has(some parts) bool { return p&some != 0 }

// partsOf reads the parameter, which may be missing or be there several times. Others are ignored.
func partsOf(query string) (parts, error) {
	values, _ := url.ParseQuery(query) // an error leaves out the parameters that cannot be read
	given := values["parts"]
	if len(given) == 0 && !strings.Contains("&"+query, "&parts=") {
		return allParts, nil
	}
	names := api.WatchParts()
	// A value that is sound chooses at least one part.
	chosen, sound := parts(0), true
	for name := range strings.SplitSeq(strings.Join(given, ","), ",") {
		at := slices.Index(names, name)
		sound = sound && at >= 0 && !chosen.has(1<<at)
		chosen |= 1 << max(0, at)
	}
	if !sound {
		const detail = "parts names one or more of %s, each once, with commas between them or a parameter for each."
		return 0, badRequest(detail, strings.Join(names, ", "))
	}
	return chosen, nil
}

// watch makes the chosen parts. It asks the forum and the networks at the same time, as far as the parts need them.
// until is when the first of them is due to be asked again.
func (s *Sidecar) watch(ctx context.Context, st *siteState, p parts) (w api.MIPWatch, until time.Time) {
	// Both have the same deadline, so that the slower one decides and a failed one delays nothing.
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

// addHeads adds the parts that follow from the heads of the chains. All are judged by one clock, so that they agree
// with each other.
func addHeads(w *api.MIPWatch, st *siteState, p parts, clock chainClock) {
	c := st.catalog
	if p.has(partHardForks | partDiscrepancies) {
		w.Freshness.HardForks = new(mip.NewTime(clock.wall))
		for _, n := range c.Site.Networks {
			w.Freshness.HardForks = earlier(w.Freshness.HardForks, new(mip.NewTime(clock.now(n.ID))))
		}
	}
	if p.has(partHardForks) {
		w.HardForks = append([]mip.HardFork{}, c.HardForks...)
		for i, f := range w.HardForks {
			w.HardForks[i].Status, w.HardForks[i].StatusAsOf = f.StatusAt(c.Site.Networks, clock.now), w.Freshness.HardForks
		}
	}
	if p.has(partDiscrepancies) {
		w.Discrepancies, w.Compared = compare(c, clock)
	}
	if p.has(partNetworks) {
		w.Networks = clock.heads
	}
	// errors names one code for all networks: that of the first one, in the site's order, that failed.
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

// earlier returns the first of two times. Nil is none.
func earlier(a, b *mip.Time) *mip.Time {
	if a == nil || b != nil && b.UTC().Before(a.UTC()) {
		return b
	}
	return a
}

// discussions is the activity of all linked topics.
type discussions struct {
	// mips are those of the site, with the topics of links that have only a slug.
	mips []mip.Metadata
	// topics has the highest score first.
	topics []api.ForumActivity
	// err is that of the first topic, in the order of the list, that could not be renewed.
	err error
	// until is when the first topic is due to be asked for again.
	until time.Time
}

// discuss gets every linked topic, all at the same time. The forum bounds how many calls go out at once. Without
// activity it only resolves slugs.
func (s *Sidecar) discuss(ctx context.Context, st *siteState, activity bool) discussions {
	answers := make([]forum.Answer, len(st.links))
	// A topic is zero where a slug leads to none.
	topics := make([]int, len(st.links))
	var wg sync.WaitGroup
	for i, l := range st.links {
		wg.Go(func() { topics[i], answers[i] = s.follow(ctx, st, l, activity) })
	}
	wg.Wait()
	// The catalog is shared and never changed.
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
	// Answers are taken in the order of the list, so that equal input gives equal answers.
	for i, a := range answers {
		if !a.At.IsZero() && !seen[topics[i]] {
			seen[topics[i]] = true
			a.Value.Proposals = proposals[topics[i]]
			d.topics = append(d.topics, a.Value)
		}
		// A topic that does not exist is left out and is no failure.
		if a.Err != nil && d.err == nil && !errors.Is(a.Err, forum.ErrNotFound) {
			d.err = a.Err
		}
		if !a.Next.IsZero() && a.Next.Before(d.until) {
			d.until = a.Next
		}
	}
	slices.SortFunc(d.topics, func(a, b api.ForumActivity) int {
		return cmp.Or(cmp.Compare(b.ActivityScore, a.ActivityScore), cmp.Compare(a.TopicID, b.TopicID))
	})
	return d
}

// follow resolves the slug of a link that has no number, whose topic counts as linked from then on, and gets the
// topic's activity if it is wanted. The topic is zero when the slug leads to none.
func (s *Sidecar) follow(ctx context.Context, st *siteState, l link, activity bool) (topic int, a forum.Answer) {
	var err error
	if topic = l.topic; topic == 0 {
		if topic, err = st.forum.Resolve(ctx, l.slug); err != nil {
			// The forum keeps the failure for as long as it stands. This only bounds the response.
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

// heads gets the heads of all networks, by id and all at the same time, so that a slow one delays no other. until is
// when the first of them is due to be asked for again.
func (s *Sidecar) heads(ctx context.Context, st *siteState) (heads map[string]api.NetworkStatus, until time.Time) {
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

// chainClock has the time of each network: that of its latest block if the head is fresh, else the wall clock's.
type chainClock struct {
	wall  time.Time
	heads map[string]api.NetworkStatus
}

// block returns the time of the latest block of a network. ok is false for a network whose head is not fresh.
func (c chainClock) block(network string) (t time.Time, ok bool) {
	h := c.heads[network]
	if h.BlockTime == nil || h.Error != nil || h.BlockTime.UTC().Unix() <= 0 {
		return c.wall, false
	}
	// A node whose clock is ahead must not activate a fork early.
	if t = h.BlockTime.UTC(); c.wall.Before(t) {
		t = c.wall
	}
	return t, true
}

// now returns the time at which the forks of a network are judged.
func (c chainClock) now(network string) time.Time {
	t, _ := c.block(network)
	return t
}

// minute is how the message of a discrepancy has a time, in UTC: people read it.
const minute = "2 Jan 2006, 15:04 UTC"

// source says where a network's time comes from, for the message of a discrepancy.
func (c chainClock) source(network string) string {
	t, ok := c.block(network)
	at := t.UTC().Format(minute)
	switch {
	case !ok:
		return "judged by the clock at " + at + ", since its head is not known"
	case c.heads[network].Stale:
		return "its head has not advanced since a block of " + at
	}
	return "its latest block is of " + at
}

// compare lists where the texts and the chains disagree now, by proposal and then in the order of the forks, and counts
// what was compared: see [mip.Compare]. A last call whose last day is over in UTC comes before a proposal's others.
func compare(c *catalog.Catalog, clock chainClock) ([]api.Discrepancy, *mip.Compared) {
	out := []api.Discrepancy{}
	for _, m := range c.List.MIPs {
		if last := m.CommentsUntil(); last != nil && !clock.wall.Before(last.Time().AddDate(0, 0, 1)) {
			message := fmt.Sprintf("%s is in %s, and its deadline %s has passed.", m.ID, m.Status, last)
			out = append(out, api.Discrepancy{ID: m.ID, MIP: mainNumber(c, m.ID), Code: "last-call-overdue", Message: message})
		}
	}
	compared, found := mip.Compare(c.List.MIPs, mip.ID{Kind: c.Site.Prefix}, c.HardForks, c.Site.Networks)
	for _, d := range found {
		// A fork without an activation time on the network is not active there.
		if !d.Holds(d.Activation.Reached(clock.now(d.Network.ID))) {
			continue
		}
		now := api.Discrepancy{ID: d.ID, MIP: mainNumber(c, d.ID), Hardfork: &d.Fork, Code: d.Code, Message: clock.message(d)}
		if d.Network.ID != "" {
			now.Network = &d.Network.ID
		}
		out = append(out, now)
	}
	// The sort is stable, so that the forks of a proposal stay in their order.
	slices.SortStableFunc(out, func(a, b api.Discrepancy) int { return a.ID.Compare(b.ID) })
	return out, &compared
}

// mainNumber is the number of a proposal of the main kind, and nil for one of another, whose number would name another.
func mainNumber(c *catalog.Catalog, id mip.ID) *int {
	if id.Kind != c.Site.Prefix {
		return nil
	}
	return &id.Number
}

// message says what disagrees now, with its evidence.
func (c chainClock) message(d mip.Disagreement) string {
	a, network, source := d.Activation, d.Network.ID, c.source(d.Network.ID)
	since := "from the first block"
	when := "has no activation time"
	if a.Time != nil {
		when = "activates on " + a.Time.UTC().Format(minute)
		if *a.Timestamp != 0 {
			since = "since " + a.Time.UTC().Format(minute)
		}
	}
	switch d.Code {
	case mip.ActiveNotFinal:
		return fmt.Sprintf("%s is active on %s %s (%s), and %s, which it bundles, is %s.", d.Fork, network, since, source, d.ID, d.Status)
	case mip.ActiveWithoutStatus:
		return fmt.Sprintf("%s is active on %s %s (%s), and %s, which it bundles, states no status.", d.Fork, network, since, source, d.ID)
	case mip.FinalNotActive:
		return fmt.Sprintf("%s is %s, and %s, which bundles it, %s on %s (%s).", d.ID, d.Status, d.Fork, when, network, source)
	case mip.BundledNotPublished:
		return fmt.Sprintf("%s bundles %s, which is not published here.", d.Fork, d.ID)
	}
	return fmt.Sprintf("The text of %s says %q for %s, where %s %s.", d.ID, d.Stated, network, d.Fork, when)
}
