package demo

import (
	"cmp"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Demo adds the hosts of a site to the network: its forum, with a topic for each discussion there
// to which a proposal links, and a chain behind each RPC address. Invalid addresses are left out.
//
// Everything follows from the clock, so two demos show the same at the same time, and another call,
// such as with changed proposals, continues where the one before was, except for topics whose
// activity it changes. Blocks follow each network's block time. The newest open proposal has the
// most active topic, with a post about every ten minutes, the next one a quieter one, and so on;
// topics of decided proposals are at rest. The first of several endpoints of a network is out of
// order for a minute and a half in ten.
func (n *Network) Demo(
	now func() time.Time, site mip.Site, proposals []mip.Metadata, endpoints []mip.Endpoints,
) {
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
	d, topics := NewDiscourse(now), demoTopics(forum, proposals)
	byID := map[int]demoTopic{}
	rank := 0
	for _, t := range topics {
		if t.rank = -1; open(t.proposal) {
			t.rank = rank
			rank++
		}
		d.Set(Topic{ID: t.id, Slug: t.slug, Title: t.proposal.Title})
		byID[t.id] = t
	}
	d.grow = func(t Topic, at time.Time) Topic { return byID[t.ID].grow(t, at) }
	n.Serve(addressOf(forum)+forum.Path, d)
}

// demoTopic is a topic and its proposal.
type demoTopic struct {
	id       int
	slug     string // empty: made from the title
	proposal mip.Metadata
	rank     int // number of more active topics, -1 for one at rest
}

// demoTopics returns the topics on the forum to which proposals link, newest proposals first. If
// two proposals link to one number, or to one slug without a number, the older one gives the title.
func demoTopics(forum *url.URL, proposals []mip.Metadata) []demoTopic {
	const slugTopics = 10_000 // lowest number of topics that are linked by their slug alone
	var topics []demoTopic
	slugs, ids := map[string]bool{"": true}, map[int]bool{}
	for _, numbered := range []bool{true, false} {
		for _, p := range proposals {
			slug, id := topicLink(forum, p.DiscussionsTo)
			if numbered != (p.ForumTopicID != nil) || !numbered && (slugs[slug] || id != 0) ||
				numbered && ids[*p.ForumTopicID] {
				continue
			}
			if numbered {
				id = *p.ForumTopicID
			} else {
				for id = slugTopics + p.Number; ids[id]; id++ {
				}
			}
			topics = append(topics, demoTopic{id: id, slug: slug, proposal: p})
			slugs[slug], ids[id] = true, true
		}
	}
	slices.SortFunc(topics, func(a, b demoTopic) int {
		return cmp.Or(b.proposal.Created.Time().Compare(a.proposal.Created.Time()),
			cmp.Compare(b.id, a.id))
	})
	return topics
}

// grow returns the topic at a time: its posts came evenly in its first weeks, and an active topic
// has one in each interval of this week. A function of the clock alone that rises each minute would
// otherwise reach unrealistic numbers.
func (d demoTopic) grow(t Topic, now time.Time) Topic {
	const day = 24 * time.Hour
	key := strconv.Itoa(d.id)
	t.Created = time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
	if !d.proposal.Created.IsZero() {
		t.Created = d.proposal.Created.Time()
	}
	t.Created = t.Created.Add(time.Duration(pick(key, "minute", 7*60, 20*60)) * time.Minute)
	if t.Created.After(now) { // the clock is set to the past
		t.Created = t.Created.AddDate(now.Year()-t.Created.Year()-1, 0, 0)
	}
	age := now.Sub(t.Created)
	first := time.Duration(pick(key, "posts", 2, 39))
	over := time.Duration(pick(key, "days", 20, 70)) * day
	said := first * min(age, over) / over
	t.Posts, t.LastPosted = 1+int(said), t.Created.Add(over*said/first)

	towards := 0.0 // progress to the next post, during which readers come and like
	every := time.Duration(pick(key, "interval", 8*60, 12*60)) * time.Second
	for range d.rank {
		every *= 3
	}
	if d.rank >= 0 && every <= 4*day {
		sinceMonday := time.Duration(now.UTC().Weekday()+6) % 7 * day
		since := min(now.Sub(now.UTC().Truncate(day).Add(-sinceMonday)), age)
		t.Posts += 1 + int(since/every)
		t.LastPosted = now.Add(-(since % every))
		towards = float64(since%every) / float64(every)
	}
	t.Views = int((float64(t.Posts)+towards)*float64(pick(key, "views", 15, 45))) +
		int(age/(6*time.Hour))
	t.Likes = int((float64(t.Posts) + towards) * float64(pick(key, "likes", 5, 20)) / 10)
	t.Participants = int(math.Pow(float64(t.Posts), float64(pick(key, "people", 60, 80))/100))
	t.Closed = d.proposal.Stage == mip.StageFinal || d.proposal.Status == mip.Withdrawn
	t.Archived = d.proposal.Status == mip.Withdrawn
	return t
}

// pick returns a number from low to high that looks random and is always the same for a key.
func pick(key, what string, low, high int) int {
	h := fnv.New32a()
	io.WriteString(h, key+" "+what)
	return low + int(h.Sum32()%uint32(high-low+1))
}

// topicLink parses /t/{slug}/{id}, /t/{slug} or /t/{id} below the forum's address. It returns an
// empty slug and no number for any other address.
func topicLink(forum *url.URL, address *string) (slug string, id int) {
	if address == nil {
		return "", 0
	}
	below, _ := mip.Below(*address, forum.String())
	topic, ok := strings.CutPrefix(below, "t/")
	if !ok {
		return "", 0
	}
	slug, rest, _ := strings.Cut(topic, "/")
	if id, err := strconv.Atoi(slug); err == nil {
		return "", id
	}
	number, _, _ := strings.Cut(rest, "/")
	id, _ = strconv.Atoi(number) // 0 if there is none
	return slug, id
}

// open reports whether a proposal is still under discussion.
func open(p mip.Metadata) bool {
	return !p.Settled() && p.Stage != mip.StageStopped
}

// demoChain puts one chain behind all endpoints of a network, so that they agree.
func (n *Network) demoChain(now func() time.Time, e mip.Endpoints) {
	const day = 24 * time.Hour
	genesis := time.Date(2025, time.January, 15, 12, 0, 0, 0, time.UTC)
	genesis = genesis.Add(-time.Duration(pick(e.ID, "genesis", 0, 90)) * day)
	if genesis.After(now()) {
		genesis = time.Unix(0, 0) // blocks follow a clock set to the past, too
	}
	blockTime := time.Duration(e.BlockTime * float64(time.Second))
	chain := NewChain(ChainConfig{
		ChainID: e.ChainID, BlockTime: blockTime, Genesis: genesis, Now: now,
	})
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

// outages wraps an endpoint that is out of order for some time in each ten minutes.
type outages struct {
	now     func() time.Time
	handler http.Handler
}

// ServeHTTP follows the wall clock, so that two demos are out of order at the same time.
func (o outages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const every, from, to = 10 * time.Minute, 4 * time.Minute, 5*time.Minute + 30*time.Second
	if at := time.Duration(o.now().UnixNano()) % every; at >= from && at < to {
		Answer(http.StatusBadGateway, http.Header{"Content-Type": {"text/html"}},
			"<html><head><title>502</title></head><body>The node behind this address does not "+
				"answer.</body></html>")(w, r, o.handler)
		return
	}
	o.handler.ServeHTTP(w, r)
}
