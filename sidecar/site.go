package sidecar

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
	"github.com/mipwatch/mipwatch/sidecar/chain"
	"github.com/mipwatch/mipwatch/sidecar/forum"
)

// siteState is a catalog with the state that depends on it. It is replaced as a whole.
type siteState struct {
	// catalog is nil before the first one is read.
	catalog *catalog.Catalog
	*hosts
	// links are the links to discussions in the forum.
	links []link
	// linked has the topics of links. A slug's topic is added when the slug is resolved.
	linked sync.Map
}

// hosts are the upstream hosts of a site. They are kept while their addresses stay the same: most
// updates change only texts, and the cached answers of hosts are still valid.
type hosts struct {
	// forumURL is nil for a site without a forum.
	forumURL *string
	// endpoints, chains and chainStats are in the site's order.
	endpoints []mip.Endpoints
	// forum is nil for a site without one.
	forum      *forum.Forum
	chains     []*chain.Chain
	forumStats forum.Stats
	chainStats []chain.Stats
}

// userAgent names the sidecar to the forum and the chains.
const userAgent = "mipwatch-sidecar"

// link is a proposal's link to a discussion in the forum.
type link struct {
	// proposal is a position in the list.
	proposal int
	// topic is zero if the link has only a slug, such as /t/SLUG.
	topic int
	// slug is empty if the link has a number.
	slug string
}

// site returns the site. It waits for the first one until ctx ends, so that the first request to a
// new process is answered like any other.
func (s *Sidecar) site(ctx context.Context) (*siteState, error) {
	select {
	case <-s.updated:
	case <-ctx.Done():
	}
	st := s.current.Load()
	if st.catalog == nil {
		return nil, errNotReady
	}
	return st, nil
}

// newSite returns the site of a catalog. It reuses the old hosts if their addresses are unchanged.
func (s *Sidecar) newSite(c *catalog.Catalog, old *hosts) (*siteState, error) {
	st := &siteState{catalog: c, hosts: old, links: links(c)}
	// A link with only a slug has the topic zero, which no topic has.
	for _, l := range st.links {
		st.linked.Store(l.topic, true)
	}
	// The published site names the networks. It never has their RPC addresses.
	var endpoints []mip.Endpoints
	for _, n := range c.Site.Networks {
		e := mip.Endpoints{Network: n}
		i := slices.IndexFunc(c.Endpoints, func(e mip.Endpoints) bool { return e.ID == n.ID })
		if i >= 0 {
			e.RPC, e.BlockTime = c.Endpoints[i].RPC, cmp.Or(c.Endpoints[i].BlockTime, n.BlockTime)
		}
		endpoints = append(endpoints, e)
	}
	if reflect.DeepEqual(old.forumURL, c.Site.Forum) &&
		reflect.DeepEqual(old.endpoints, endpoints) {
		return st, nil
	}
	var err error
	st.hosts, err = s.openHosts(c.Site.Forum, endpoints)
	return st, err
}

// openHosts returns the hosts at some addresses, without asking any of them. The error is about an
// invalid address.
func (s *Sidecar) openHosts(forumURL *string, endpoints []mip.Endpoints) (*hosts, error) {
	h := &hosts{forumURL: forumURL, endpoints: endpoints,
		chainStats: make([]chain.Stats, len(endpoints))}
	if forumURL != nil {
		f, err := forum.New(forum.Config{
			BaseURL: *forumURL, Transport: s.Transport, UserAgent: userAgent,
			Background: !s.Function, Now: s.Now, Log: s.Log, Stats: &h.forumStats,
		})
		if err != nil {
			return nil, err
		}
		h.forum = f
	}
	for i, e := range endpoints {
		c, err := chain.New(chain.Config{
			Endpoints: e, Transport: s.Transport, UserAgent: userAgent,
			Background: !s.Function, Now: s.Now, Log: s.Log, Stats: &h.chainStats[i],
		})
		if err != nil {
			h.close()
			return nil, fmt.Errorf("network %s: %w", e.ID, err)
		}
		h.chains = append(h.chains, c)
	}
	return h, nil
}

// close cancels every call to a host.
func (h *hosts) close() {
	if h.forum != nil {
		h.forum.Close()
	}
	for _, c := range h.chains {
		c.Close()
	}
}

// links returns the links to the site's forum: one for each topic, and every link that has only a
// slug.
func links(c *catalog.Catalog) []link {
	if c.Site.Forum == nil {
		return nil
	}
	var out []link
	seen := map[int]bool{}
	for i, m := range c.List.MIPs {
		// Several proposals may link to one topic, which is fetched once.
		switch {
		case m.ForumTopicID != nil && !seen[*m.ForumTopicID]:
			seen[*m.ForumTopicID] = true
			out = append(out, link{proposal: i, topic: *m.ForumTopicID})
		case m.ForumTopicID == nil && m.DiscussionsTo != nil:
			if slug := slugOf(*m.DiscussionsTo, *c.Site.Forum); slug != "" {
				out = append(out, link{proposal: i, slug: slug})
			}
		}
	}
	return out
}

// slugOf returns the slug in a topic's address in the forum, or "".
func slugOf(address, forum string) string {
	rest, _ := mip.Below(address, forum)
	slug, ok := strings.CutPrefix(rest, "t/")
	if !ok || strings.Contains(slug, "/") {
		return ""
	}
	return slug
}

// baseURL returns the site's base address, or "" before the first catalog.
func (st *siteState) baseURL() string {
	if st.catalog == nil {
		return ""
	}
	return st.catalog.Site.BaseURL
}
