package sidecar

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/api"
)

// mipWatch answers GET /api/mip-watch. It never fails for what is behind it: a part that failed is
// named in errors.
func (s *Sidecar) mipWatch(ctx context.Context, _ http.ResponseWriter, _ *http.Request) (*answer, error) {
	st, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	return st.watch.get(ctx, struct{}{}, s.Now, func(ctx context.Context) (*answer, error) {
		w, until := s.look(ctx, st)
		return newAnswer(w, until, networkLater)
	})
}

// Watch is the answer of GET /api/mip-watch as a value, asked anew: for who wants to keep it. It takes as
// long as that answer does at the most, and fails as it does, only when nothing is known of the site.
func (s *Sidecar) Watch(ctx context.Context) (*api.MIPWatch, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	st, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	w, _ := s.look(ctx, st)
	return &w, nil
}

// look asks the forum and the networks side by side. until is the moment from which one of them would be
// asked again.
func (s *Sidecar) look(ctx context.Context, st *state) (w api.MIPWatch, until time.Time) {
	var topics discussion
	var heads map[string]api.NetworkStatus
	var wg sync.WaitGroup
	wg.Go(func() { topics = s.discussions(ctx, st) })
	wg.Go(func() { heads, until = s.heads(ctx, st) })
	wg.Wait()
	if topics.until.Before(until) {
		until = topics.until
	}
	return assemble(st, topics, heads, s.Now()), until
}

// assemble puts the parts into one answer. now is the moment that forks are judged at where a chain
// does not say its own time.
func assemble(st *state, d discussion, heads map[string]api.NetworkStatus, now time.Time) api.MIPWatch {
	k := st.known
	clock := newChainClock(heads, now)
	w := api.MIPWatch{
		MIPs:      withTopics(k.List.MIPs, d.found),
		Forum:     d.topics,
		Networks:  heads,
		HardForks: make([]mip.HardFork, 0, len(k.HardForks)),
		Freshness: api.Freshness{MIPs: k.List.UpdatedAt},
		Errors:    map[string]api.Code{},
	}
	for _, f := range k.HardForks {
		f.Status = f.StatusAt(k.Site.Networks, clock.now)
		w.HardForks = append(w.HardForks, f)
	}
	w.Discrepancies = discrepancies(k, clock, now)
	judged := mip.NewTime(clock.oldest())
	w.Freshness.HardForks = &judged
	for _, t := range d.topics {
		w.Freshness.Forum = older(w.Freshness.Forum, &t.FetchedAt)
	}
	if d.err != nil {
		w.Errors["forum"] = refusalOf(d.err).code
	}
	for _, n := range k.Site.Networks {
		head := heads[n.ID]
		w.Freshness.Networks = older(w.Freshness.Networks, head.FetchedAt)
		if _, named := w.Errors["networks"]; head.Error != nil && !named {
			w.Errors["networks"] = api.Code(*head.Error)
		}
	}
	return w
}

func older(a, b *mip.Time) *mip.Time {
	if a == nil || b != nil && b.UTC().Before(a.UTC()) {
		return b
	}
	return a
}

// withTopics is the list with the topics that were found for links without a number.
func withTopics(all []mip.Summary, found map[int]int) []mip.Summary {
	if len(found) == 0 {
		return all
	}
	all = slices.Clone(all)
	for i, topic := range found {
		all[i].ForumTopicID = &topic
	}
	return all
}
