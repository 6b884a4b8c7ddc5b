package sidecar

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// mipWatch answers GET /api/mip-watch. It never fails for what is behind it: a part that failed is
// named in errors.
func (s *Sidecar) mipWatch(ctx context.Context, _ http.ResponseWriter, r *http.Request) (*response, error) {
	p, err := partsOf(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	st, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	return s.cached(ctx, responseKey{state: st.number, route: r.URL.Path, number: int(p)}, func(ctx context.Context) (*response, error) {
		w, until := s.look(ctx, st, p)
		later := timing.FreshTopic
		switch {
		case p.has(onHeads):
			later = timing.StaleInCDN
		case len(w.Errors) > 0:
			later = 0
		}
		return s.newResponse(w, until, later)
	})
}

// Watch is the answer of GET /api/mip-watch as a value that is asked for anew. It takes as
// long as that answer does at the most, and fails as it does, only when nothing is known of the site.
func (s *Sidecar) Watch(ctx context.Context) (*api.MIPWatch, error) {
	ctx, cancel := context.WithTimeout(ctx, timing.Ask)
	defer cancel()
	st, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	w, _ := s.look(ctx, st, allParts)
	return &w, nil
}

// look asks the forum and the networks side by side, as far as the chosen parts need them. until is the
// moment from which one of them would be asked again.
func (s *Sidecar) look(ctx context.Context, st *state, p parts) (w api.MIPWatch, until time.Time) {
	until = s.Now().Add(timing.FreshTopic)
	var topics discussion
	var heads map[string]api.NetworkStatus
	var wg sync.WaitGroup
	if p.has(onForum) {
		wg.Go(func() { topics = s.discussions(ctx, st, p.has(partForum)) })
	}
	if p.has(onHeads) {
		wg.Go(func() { heads, until = s.heads(ctx, st) })
	}
	wg.Wait()
	if p.has(onForum) && topics.until.Before(until) {
		until = topics.until
	}
	return assemble(st, p, topics, heads, s.Now()), until
}

// assemble puts the chosen parts into one answer. now is the moment that forks are judged at where a chain
// does not say its own time.
func assemble(st *state, p parts, d discussion, heads map[string]api.NetworkStatus, now time.Time) api.MIPWatch {
	k := st.known
	w := api.MIPWatch{Errors: map[string]api.Code{}}
	all := withTopics(k.List.MIPs, d.found)
	if p.has(partMIPs) {
		w.MIPs, w.Freshness.MIPs = all, k.List.UpdatedAt
	}
	if p.has(partForum) {
		w.Forum = d.topics
		byTopic := linking(all)
		for i, t := range w.Forum {
			w.Forum[i].Proposals = byTopic[t.TopicID]
			w.Freshness.Forum = older(w.Freshness.Forum, &t.FetchedAt)
		}
	}
	if d.err != nil {
		w.Errors["forum"] = httpError(d.err).Code
	}
	if p.has(onHeads) {
		judge(&w, k, p, heads, now)
	}
	return w
}

// judge adds the parts that follow from the chains' heads.
func judge(w *api.MIPWatch, k *knowledge.Knowledge, p parts, heads map[string]api.NetworkStatus, now time.Time) {
	clock := newChainClock(heads, now)
	if p.has(partHardForks) {
		w.HardForks = make([]mip.HardFork, 0, len(k.HardForks))
		for _, f := range k.HardForks {
			f.Status = f.StatusAt(k.Site.Networks, clock.now)
			w.HardForks = append(w.HardForks, f)
		}
	}
	if p.has(partDiscrepancies) {
		w.Discrepancies = discrepancies(k, clock, now)
	}
	if p.has(partHardForks | partDiscrepancies) {
		w.Freshness.HardForks = new(mip.NewTime(clock.oldest()))
	}
	if p.has(partNetworks) {
		w.Networks = heads
	}
	for _, n := range k.Site.Networks {
		head := heads[n.ID]
		if p.has(partNetworks) {
			w.Freshness.Networks = older(w.Freshness.Networks, head.FetchedAt)
		}
		if _, named := w.Errors["networks"]; head.Error != nil && !named {
			w.Errors["networks"] = api.Code(*head.Error)
		}
	}
}

// older is the first of two times. Nil is none.
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

// linking are the proposals that link to each topic, in the order of the list.
func linking(all []mip.Summary) map[int][]api.ProposalRef {
	out := map[int][]api.ProposalRef{}
	for _, m := range all {
		if m.ForumTopicID != nil {
			out[*m.ForumTopicID] = append(out[*m.ForumTopicID], api.ProposalRef{Number: m.Number, ID: m.ID, Title: m.Title})
		}
	}
	return out
}

// parts is a choice of the members of [api.MIPWatch]: a bit for each name of [api.WatchParts], in that
// order. So any order of names is one choice, and one kept answer.
type parts uint8

const (
	partMIPs parts = 1 << iota
	partForum
	partNetworks
	partHardForks
	partDiscrepancies

	allParts = partMIPs | partForum | partNetworks | partHardForks | partDiscrepancies

	// onHeads are the parts that the chains' heads are needed for: forks are judged by their time.
	onHeads = partNetworks | partHardForks | partDiscrepancies
	// onForum are those that the forum is needed for: it knows the topics of links without a number.
	onForum = partMIPs | partForum
)

// has reports whether one of some parts is chosen.
func (p parts) has(some parts) bool { return p&some != 0 }

// partsOf reads the one parameter, which may be missing. Others are ignored. A value that cannot be read is
// refused, since its caller wants less than everything.
func partsOf(query string) (parts, error) {
	chosen := parts(0)
	given := false
	for field := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(field, "=")
		if key, err := url.QueryUnescape(key); err != nil || key != "parts" {
			continue
		}
		if given {
			return 0, wrongParts("is there more than once")
		}
		given = true
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
	if !given {
		return allParts, nil
	}
	return chosen, nil
}

// wrongParts repeats nothing of the parameter.
func wrongParts(why string) error {
	return badRequest("parts %s; want it once, with one or more of %s, each once, separated by commas.", why, strings.Join(api.WatchParts(), ", "))
}

// networkInfo answers GET /api/network-info.
func (s *Sidecar) networkInfo(ctx context.Context, _ http.ResponseWriter, r *http.Request) (*response, error) {
	st, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	return s.cached(ctx, responseKey{state: st.number, route: r.URL.Path}, func(ctx context.Context) (*response, error) {
		heads, until := s.heads(ctx, st)
		return s.newResponse(api.NetworkInfo{Networks: heads}, until, timing.StaleInCDN)
	})
}

// heads asks every network side by side. until is the moment from which one of them would be asked
// again.
func (s *Sidecar) heads(ctx context.Context, st *state) (heads map[string]api.NetworkStatus, until time.Time) {
	heads = make(map[string]api.NetworkStatus, len(st.networks))
	until = s.Now().Add(timing.FreshHead)
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
