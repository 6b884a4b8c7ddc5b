package sidecar

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/chain"
	"github.com/mipwatch/mipwatch/sidecar/forum"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

// state is what is known of the site, and what follows from it. It is replaced as a whole; only the
// topics that were found change. The zero value knows nothing.
type state struct {
	number   uint64               // rises from state to state
	known    *knowledge.Knowledge // nil before the first Know
	forum    *forum.Forum         // nil for a site without one
	networks []network            // in the site's order
	targets  []target             // the discussions that proposals link to

	mu     sync.Mutex
	linked map[int]bool // topics that a proposal links to, as far as they are known

	forumURL string
}

// network is a chain with what it was made from.
type network struct {
	endpoints mip.Endpoints
	*chain.Chain
	stats *chain.Stats // goes on when the chain is another one of the same id
}

// target is a discussion that a proposal links to.
type target struct {
	mip   int    // position in the list
	topic int    // 0: named by words only
	slug  string // those words
}

// newState keeps the forum and the chains of old that are still the same.
func (s *Sidecar) newState(k *knowledge.Knowledge, old *state) (*state, error) {
	n := &state{number: old.number + 1, known: k, linked: map[int]bool{}}
	if err := s.openForum(n, old); err != nil {
		return nil, err
	}
	n.targets = targets(k)
	for _, t := range n.targets {
		n.linked[t.topic] = true
	}
	for _, public := range k.Site.Networks {
		e := mip.Endpoints{Network: public}
		if i := slices.IndexFunc(k.Endpoints, func(e mip.Endpoints) bool { return e.ID == public.ID }); i >= 0 {
			e.RPC, e.BlockTime = k.Endpoints[i].RPC, k.Endpoints[i].BlockTime
		}
		stats := &chain.Stats{}
		if i := slices.IndexFunc(old.networks, func(o network) bool { return o.endpoints.ID == e.ID }); i >= 0 {
			stats = old.networks[i].stats
		}
		c, err := s.openChain(n, e, old, stats)
		if err != nil {
			n.closeBut(old)
			return nil, err
		}
		n.networks = append(n.networks, network{e, c, stats})
	}
	return n, nil
}

// openForum keeps the forum of old, with its topics, if the address is the same.
func (s *Sidecar) openForum(n, old *state) error {
	address := n.known.Site.Forum
	if address == nil {
		return nil
	}
	n.forumURL = *address
	if old.forum != nil && old.forumURL == *address {
		n.forum = old.forum
		return nil
	}
	var err error
	n.forum, err = forum.New(forum.Config{
		BaseURL: *address, Transport: s.Transport, UserAgent: s.UserAgent, Detached: !s.Function, Now: s.Now, Log: s.Log, Stats: &s.counts.forum,
	})
	return err
}

// openChain keeps the chain of old, with its head, if the network and its addresses are the same.
func (s *Sidecar) openChain(n *state, e mip.Endpoints, old *state, stats *chain.Stats) (*chain.Chain, error) {
	for _, o := range old.networks {
		if o.endpoints.Network == e.Network && o.endpoints.BlockTime == e.BlockTime && slices.Equal(o.endpoints.RPC, e.RPC) {
			return o.Chain, nil
		}
	}
	c, err := chain.New(chain.Config{Endpoints: e, Transport: s.Transport, UserAgent: s.UserAgent, Detached: !s.Function, Now: s.Now, Log: s.Log, Stats: stats})
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", e.ID, err)
	}
	return c, nil
}

// closeBut closes what kept does not use.
func (st *state) closeBut(kept *state) {
	if st.forum != nil && st.forum != kept.forum {
		st.forum.Close()
	}
	for _, n := range st.networks {
		if !slices.ContainsFunc(kept.networks, func(o network) bool { return o.Chain == n.Chain }) {
			n.Chain.Close()
		}
	}
}

// targets are the forum topics that proposals link to, each once, and the links to the forum that hold
// no number (/t/words).
func targets(k *knowledge.Knowledge) []target {
	if k.Site.Forum == nil {
		return nil
	}
	base, err := url.Parse(*k.Site.Forum)
	if err != nil {
		return nil
	}
	var out []target
	seen := map[int]bool{}
	for i, m := range k.List.MIPs {
		switch {
		case m.ForumTopicID != nil && !seen[*m.ForumTopicID]:
			seen[*m.ForumTopicID] = true
			out = append(out, target{mip: i, topic: *m.ForumTopicID})
		case m.ForumTopicID == nil && m.DiscussionsTo != nil:
			if slug, ok := slugOf(*m.DiscussionsTo, base); ok {
				out = append(out, target{mip: i, slug: slug})
			}
		}
	}
	return out
}

// slugOf reads the words of a link to a topic of the forum.
func slugOf(link string, forum *url.URL) (string, bool) {
	u, err := url.Parse(link)
	if err != nil || !strings.EqualFold(u.Host, forum.Host) {
		return "", false
	}
	slug, ok := strings.CutPrefix(u.Path, strings.TrimSuffix(forum.Path, "/")+"/t/")
	slug = strings.TrimSuffix(slug, "/")
	return slug, ok && slug != "" && !strings.Contains(slug, "/")
}

// isLinked reports whether a proposal links to a topic, as far as is known by now.
func (st *state) isLinked(topic int) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.linked[topic]
}

// link counts a topic among the linked ones.
func (st *state) link(topic int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.linked[topic] = true
}

// site is the base address of the site, empty while none is known.
func (st *state) site() string {
	if st.known == nil {
		return ""
	}
	return st.known.Site.BaseURL
}
