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
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// state is an index with the hosts that follow from it. It is replaced as a whole. The zero value has no index.
type state struct {
	// number rises from state to state, and is part of the key of cached responses.
	number uint64
	index  *index.Index
	// forum is nil for a site without one.
	forum *forum.Forum
	// networks are in the site's order.
	networks []network
	// links are those to discussions in the forum.
	links []link

	mu sync.Mutex
	// linked has the topics of links. A slug's topic is added when the slug is resolved.
	linked map[int]bool
}

// network is a chain with the configuration that it was made from.
type network struct {
	endpoints mip.Endpoints
	*chain.Chain
}

// link is a proposal's link to a discussion in the forum.
type link struct {
	// proposal is a position in the list.
	proposal int
	// topic is zero when the link has only a slug, as /t/SLUG has.
	topic int
	// slug is empty when the link has a number.
	slug string
}

// newState keeps the forum and the chains of old that are still the same.
func (s *Sidecar) newState(x *index.Index, old *state) (*state, error) {
	n := &state{number: old.number + 1, index: x, links: links(x), linked: map[int]bool{}}
	for _, l := range n.links {
		n.linked[l.topic] = true
	}
	if err := s.openForum(n, old); err != nil {
		return nil, err
	}
	for _, public := range x.Site.Networks {
		// The site says which networks there are. RPC addresses are never part of what it publishes.
		e := mip.Endpoints{Network: public}
		if i := slices.IndexFunc(x.Endpoints, func(e mip.Endpoints) bool { return e.ID == public.ID }); i >= 0 {
			e.RPC, e.BlockTime = x.Endpoints[i].RPC, x.Endpoints[i].BlockTime
		}
		c, err := s.openChain(e, old)
		if err != nil {
			n.closeUnused(old)
			return nil, err
		}
		n.networks = append(n.networks, network{e, c})
	}
	return n, nil
}

// openForum keeps the forum of old, with its topics, if the address is the same.
func (s *Sidecar) openForum(n, old *state) error {
	address := n.index.Site.Forum
	if address == nil {
		return nil
	}
	// Most updates change only texts, and the cached topics are still good.
	if old.forum != nil && *old.index.Site.Forum == *address {
		n.forum = old.forum
		return nil
	}
	var err error
	n.forum, err = forum.New(forum.Config{
		BaseURL: *address, Transport: s.Transport, UserAgent: s.UserAgent,
		Detached: !s.Function, Now: s.Now, Log: s.Log, Stats: &s.counts.forum,
	})
	return err
}

// openChain keeps the chain of old, with its head, if the network and its addresses are the same.
func (s *Sidecar) openChain(e mip.Endpoints, old *state) (*chain.Chain, error) {
	// A renamed network is another one, since the name is part of its status.
	for _, o := range old.networks {
		if o.endpoints.Network == e.Network && o.endpoints.BlockTime == e.BlockTime && slices.Equal(o.endpoints.RPC, e.RPC) {
			return o.Chain, nil
		}
	}
	c, err := chain.New(chain.Config{
		Endpoints: e, Transport: s.Transport, UserAgent: s.UserAgent,
		Detached: !s.Function, Now: s.Now, Log: s.Log, Stats: s.counts.chain(e.ID),
	})
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", e.ID, err)
	}
	return c, nil
}

// closeUnused closes the forum and the chains that other does not use.
func (st *state) closeUnused(other *state) {
	if st.forum != nil && st.forum != other.forum {
		st.forum.Close()
	}
	for _, n := range st.networks {
		if !slices.ContainsFunc(other.networks, func(o network) bool { return o.Chain == n.Chain }) {
			n.Chain.Close()
		}
	}
}

// links returns the links to the site's forum: one for each topic, and every one that has only a slug.
func links(x *index.Index) []link {
	if x.Site.Forum == nil {
		return nil
	}
	// The forum refuses an address that cannot be parsed.
	base, err := url.Parse(*x.Site.Forum)
	if err != nil {
		return nil
	}
	var out []link
	seen := map[int]bool{}
	for i, m := range x.List.MIPs {
		// Several proposals may link to one topic, which is asked for once.
		switch {
		case m.ForumTopicID != nil && !seen[*m.ForumTopicID]:
			seen[*m.ForumTopicID] = true
			out = append(out, link{proposal: i, topic: *m.ForumTopicID})
		case m.ForumTopicID == nil && m.DiscussionsTo != nil:
			if slug, ok := slugOf(*m.DiscussionsTo, base); ok {
				out = append(out, link{proposal: i, slug: slug})
			}
		}
	}
	return out
}

// slugOf reads the slug of a topic's address in the forum.
func slugOf(address string, forum *url.URL) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(u.Host, forum.Host) {
		return "", false
	}
	slug, ok := strings.CutPrefix(u.Path, strings.TrimSuffix(forum.Path, "/")+"/t/")
	slug = strings.TrimSuffix(slug, "/")
	return slug, ok && slug != "" && !strings.Contains(slug, "/")
}

// isLinked reports whether a proposal links to a topic, as far as that is known.
func (st *state) isLinked(topic int) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.linked[topic]
}

// setLinked counts a topic among the linked ones.
func (st *state) setLinked(topic int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.linked[topic] = true
}

// baseURL returns the site's base address, which is empty before the first index.
func (st *state) baseURL() string {
	if st.index == nil {
		return ""
	}
	return st.index.Site.BaseURL
}
