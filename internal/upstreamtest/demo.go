package upstreamtest

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Demo puts on the network what a site looks at: its forum, with a topic for every discussion there
// that a proposal links to, and a chain behind every RPC address. Addresses that are none are left out.
//
// Everything follows from the clock, so two demos show the same at the same moment, and another call,
// such as with changed proposals, goes on where the one before was, but for topics whose liveliness it
// changes. Blocks come in each network's block time.
// The newest proposal that is still open has the liveliest topic, with a post every ten minutes or so,
// the next one a quieter one, and so on; the topics of all that is decided are at rest. The first of
// several endpoints of a network is out of order for a minute and a half in ten.
func (n *Network) Demo(now func() time.Time, site mip.SiteInfo, proposals []mip.Summary, endpoints []mip.Endpoints) {
	for _, e := range endpoints {
		n.demoChain(now, e)
	}
	if site.Forum == nil {
		return
	}
	forum, err := url.Parse(*site.Forum)
	if err != nil || forum.Host == "" {
		return
	}
	topics := demoTopics(forum, proposals)
	ranks := alive(topics)
	d, paces := NewDiscourse(now), map[int]pace{}
	for _, t := range topics {
		d.Set(Topic{ID: t.id, Slug: t.slug, Title: t.proposal.Title})
		paces[t.id] = paceOf(t, slices.Index(ranks, t.id))
	}
	d.grow = func(t Topic, at time.Time) Topic { return paces[t.ID].grow(t, at) }
	n.Serve(addressOf(forum)+forum.Path, d)
}

// demoTopic is a topic and the proposal that it is about.
type demoTopic struct {
	id       int
	slug     string // empty: made of the title
	proposal mip.Summary
}

// slugTopics is the lowest number of a topic that proposals link to by its slug alone.
const slugTopics = 10_000

// demoTopics returns the topics on the forum that proposals link to, those with a number first. Two
// with one number, or with one slug and no number, are one topic, and the first of them gives its title.
func demoTopics(forum *url.URL, proposals []mip.Summary) []demoTopic {
	var topics, unnumbered []demoTopic
	slugs, ids := map[string]bool{}, map[int]bool{}
	add := func(t demoTopic) {
		topics = append(topics, t)
		slugs[t.slug], ids[t.id] = true, true
	}
	for _, p := range proposals {
		slug, id := topicLink(forum, p.DiscussionsTo)
		switch {
		case p.ForumTopicID == nil && slug != "" && id == 0:
			unnumbered = append(unnumbered, demoTopic{slugTopics + p.Number, slug, p})
		case p.ForumTopicID == nil || ids[*p.ForumTopicID]:
		case id != 0 && id != *p.ForumTopicID:
			add(demoTopic{*p.ForumTopicID, "", p}) // the link is to another topic
		default:
			add(demoTopic{*p.ForumTopicID, slug, p})
		}
	}
	for _, t := range unnumbered {
		for ids[t.id] {
			t.id++
		}
		if !slugs[t.slug] {
			add(t)
		}
	}
	return topics
}

// topicLink reads /t/{slug}/{id}, /t/{slug} or /t/{id} below the forum's address. It returns an empty
// slug and no number for any other address.
func topicLink(forum *url.URL, address *string) (slug string, id int) {
	if address == nil {
		return "", 0
	}
	u, err := url.Parse(*address)
	if err != nil || !strings.EqualFold(u.Hostname(), forum.Hostname()) {
		return "", 0
	}
	path, ok := strings.CutPrefix(u.Path, strings.TrimSuffix(forum.Path, "/")+"/t/")
	if !ok {
		return "", 0
	}
	slug, rest, _ := strings.Cut(path, "/")
	if id, err = strconv.Atoi(slug); err == nil {
		return "", id
	}
	number, _, _ := strings.Cut(rest, "/")
	id, _ = strconv.Atoi(number) // 0 when there is none
	return slug, id
}

// open reports whether a proposal is still being discussed.
func open(p mip.Summary) bool {
	switch p.Status {
	case mip.Final, mip.Living, mip.Stagnant, mip.Withdrawn:
		return false
	}
	return true
}

// alive returns the topics of open proposals, or all when none is open, the newest proposal's first.
func alive(topics []demoTopic) []int {
	found := slices.DeleteFunc(slices.Clone(topics), func(t demoTopic) bool { return !open(t.proposal) })
	if len(found) == 0 {
		found = slices.Clone(topics)
	}
	slices.SortFunc(found, func(a, b demoTopic) int {
		return cmp.Or(b.proposal.Created.Time().Compare(a.proposal.Created.Time()), cmp.Compare(b.id, a.id))
	})
	var ids []int
	for _, t := range found {
		ids = append(ids, t.id)
	}
	return ids
}

// demoChain puts one chain behind all endpoints of a network, so that they agree.
func (n *Network) demoChain(now func() time.Time, e mip.Endpoints) {
	const day = 24 * time.Hour
	genesis := time.Date(2025, time.January, 15, 12, 0, 0, 0, time.UTC).Add(-time.Duration(pick(e.ID, "genesis", 0, 90)) * day)
	if genesis.After(now()) {
		genesis = time.Unix(0, 0) // a clock that is set to the past sees blocks come too
	}
	chain := NewChain(ChainConfig{ChainID: e.ChainID, BlockTime: time.Duration(e.BlockTime * float64(time.Second)), Genesis: genesis, Now: now})
	for i, address := range e.RPC {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" {
			continue
		}
		var h http.Handler = chain
		if i == 0 && len(e.RPC) > 1 {
			h = outages{now, chain}
		}
		n.Serve(addressOf(u)+u.Path, h)
	}
}

// outages stands in front of an endpoint that is out of order for some time in every ten minutes.
type outages struct {
	now     func() time.Time
	handler http.Handler
}

func (o outages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const every, from, to = 10 * time.Minute, 4 * time.Minute, 5*time.Minute + 30*time.Second
	if at := time.Duration(o.now().UnixNano()) % every; at >= from && at < to {
		Answer(http.StatusBadGateway, http.Header{"Content-Type": {"text/html"}},
			"<html><head><title>502</title></head><body>The node behind this address does not answer.</body></html>")(w, r, o.handler)
		return
	}
	o.handler.ServeHTTP(w, r)
}
