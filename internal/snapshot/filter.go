package snapshot

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// longestMessage is how much of a discrepancy is shown, in characters; the sidecar's own are shorter.
const longestMessage = 500

// Filter returns the part of a file that these proposals, ascending by number, and this site bear out. The
// problems are notices of what was left out and why. Which topic a proposal has is for the
// proposal to say: the file is believed only where a link to the forum holds no number, and only if it
// is still that link. A discrepancy is kept while the text that it speaks of is the same.
func (f *File) Filter(all []mip.Summary, site mip.SiteInfo, forks []mip.HardFork) (*Snapshot, []mip.Problem) {
	h := filter{File: *f, all: all, site: site, forks: forks}
	h.problems = slices.Clone(f.problems)
	out := &Snapshot{Topics: []Topic{}, Networks: []Network{}, Discrepancies: []api.Discrepancy{}}
	out.Topics = h.topics()
	out.Networks = h.heads()
	out.Discrepancies = h.disagreements()
	_, out.ForumFailed = f.errors["forum"]
	if j := f.freshness.HardForks; j != nil && people(*j) {
		out.ComparedAt = j
	}
	return out, mip.SortProblems(h.problems)
}

// filter is one call of Filter.
type filter struct {
	File
	all   []mip.Summary
	site  mip.SiteInfo
	forks []mip.HardFork
}

// proposal finds a published proposal of the main kind by its number.
func (h *filter) proposal(n int) (mip.Summary, bool) {
	return mip.Find(h.all, mip.ID{Kind: h.site.Prefix, Number: n})
}

// topics are those of the file that published proposals link to.
func (h *filter) topics() []Topic {
	// Without a forum the site shows no discussions.
	proposals := map[int][]mip.ID{} // by topic
	if h.site.Forum != nil {
		for _, s := range h.all {
			if s.ForumTopicID != nil {
				proposals[*s.ForumTopicID] = append(proposals[*s.ForumTopicID], s.ID)
			}
		}
	}
	// A link without a number leads to the topic that the sidecar found behind it.
	for i, l := range h.mips {
		s, ok := h.proposal(l.Number)
		switch {
		case !ok:
			h.notice("unknown-proposal", "mips[%d]: proposal %d is not published here", i, l.Number)
		case s.ForumTopicID == nil && l.ForumTopicID != nil && h.sameLink(s, l) && !slices.Contains(proposals[*l.ForumTopicID], s.ID):
			proposals[*l.ForumTopicID] = append(proposals[*l.ForumTopicID], s.ID)
			slices.SortFunc(proposals[*l.ForumTopicID], mip.ID.Compare)
		}
	}
	out := []Topic{}
	// A file that was edited by hand may repeat a topic.
	seen := map[int]bool{}
	for i, t := range h.forum {
		switch {
		case seen[t.TopicID]:
			h.notice("topic-twice", "forum[%d]: topic %d is there twice; the first counts", i, t.TopicID)
		case len(proposals[t.TopicID]) == 0:
			h.notice("unknown-topic", "forum[%d]: no proposal that is published here is discussed in topic %d", i, t.TopicID)
		default:
			seen[t.TopicID] = true
			t.Title, t.URL, t.Proposals = "", "", nil // the proposal's own are shown
			out = append(out, Topic{t, proposals[t.TopicID]})
		}
	}
	slices.SortFunc(out, byHeat)
	return out
}

// sameLink reports whether a link to the site's forum is the one that the file speaks of.
func (h *filter) sameLink(s mip.Summary, l link) bool {
	// A link to another site says nothing about this forum.
	if h.site.Forum == nil || s.DiscussionsTo == nil || l.DiscussionsTo == nil || *s.DiscussionsTo != *l.DiscussionsTo {
		return false
	}
	return strings.HasPrefix(strings.ToLower(*s.DiscussionsTo), strings.ToLower(strings.TrimSuffix(*h.site.Forum, "/"))+"/")
}

// heads are those of the site's networks that the file has, under the site's names.
func (h *filter) heads() []Network {
	out := []Network{}
	for _, n := range h.site.Networks {
		head, ok := h.networks[n.ID]
		// Figures of another chain under the same name would be wrong on every page.
		if ok && head.ChainID != n.ChainID {
			h.notice("other-chain", "networks.%s: chain id %d is not that of the site, %d", n.ID, head.ChainID, n.ChainID)
			continue
		}
		if ok {
			head.Name = n.Name
			out = append(out, Network{n.ID, head})
		}
	}
	// In the order of their names, so that the same file gives the same notices.
	for _, id := range slices.Sorted(maps.Keys(h.networks)) {
		if !slices.ContainsFunc(h.site.Networks, func(n mip.Network) bool { return n.ID == id }) {
			h.notice("unknown-network", "networks.%s: the site has no such network", clip(id))
		}
	}
	return out
}

// disagreements are those that still concern the site as it is.
func (h *filter) disagreements() []api.Discrepancy {
	out := []api.Discrepancy{}
	// Each of the others is named once, with the reason.
	for i, d := range h.discrepancies {
		if why := h.outdated(d); why != "" {
			h.notice("outdated-discrepancy", "discrepancies[%d]: %s", i, why)
			continue
		}
		// Its message is shown as it is, as text.
		out = append(out, d)
	}
	return out
}

// outdated says why a discrepancy cannot be shown; empty: it can.
func (h *filter) outdated(d api.Discrepancy) string {
	if d.MIP != nil {
		s, ok := h.proposal(*d.MIP)
		at := slices.IndexFunc(h.mips, func(l link) bool { return l.Number == *d.MIP })
		switch {
		case !ok:
			return "its proposal is not published here"
		case at < 0 || h.mips[at].ContentHash != s.ContentHash:
			return "the text of " + s.ID.String() + " has changed since"
		}
	}
	if d.Hardfork != nil && !slices.ContainsFunc(h.forks, func(f mip.HardFork) bool { return f.Name == *d.Hardfork }) {
		return "the site has no such hard fork"
	}
	if d.Network != nil && !slices.ContainsFunc(h.site.Networks, func(n mip.Network) bool { return n.ID == *d.Network }) {
		return "the site has no such network"
	}
	// The sidecar writes none that is longer, so that somebody else did.
	if utf8.RuneCountInString(d.Message) > longestMessage {
		return "its message is too long"
	}
	if strings.ContainsFunc(d.Message, func(c rune) bool { return mip.ClassOf(c) != mip.Visible }) {
		return "its message holds hidden characters"
	}
	return ""
}
