package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// MaxBytes bounds a file: the answer for 10,000 proposals is smaller.
	MaxBytes = 32 << 20
	// maxQuote bounds what is repeated of a file, in characters.
	maxQuote = 61
)

// File is a saved answer by itself, not yet compared with any proposals.
type File struct {
	name      string
	mips      []link
	forum     []api.ForumActivity
	networks  map[string]api.NetworkStatus
	freshness api.Freshness
	errors    map[string]api.Code
}

// link is all that is read of a proposal: which text the file speaks of, and which topic its link led to.
type link struct {
	Number        int     `json:"number"`
	ContentHash   string  `json:"contentHash"`
	DiscussionsTo *string `json:"discussionsTo"`
	ForumTopicID  *int    `json:"forumTopicId"`
}

// Read reads a saved answer of GET /api/mip-watch. name is what problems and errors call it. The error says which
// member is not as that answer has it. Unknown members are ignored, since the answer may gain some.
func Read(name string, r io.Reader) (*File, error) {
	// One byte more than the limit tells a file that is too large.
	raw, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err == nil && len(raw) > MaxBytes {
		err = fmt.Errorf("is larger than %d bytes, which no answer of GET /api/mip-watch is", MaxBytes)
	}
	// What the file says is believed only after all of it was read.
	f := &File{name: name}
	if err == nil {
		err = f.decode(raw)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// errWanted ends every error: the wrong file was named.
var errWanted = errors.New("want a saved answer of GET /api/mip-watch")

// wrong is the error about a member.
func wrong(at, why string) error { return fmt.Errorf("%s: %s; %w", at, why, errWanted) }

// decode reads the members one by one, so that an error names the one that is wrong. Each must be there: other answers
// of the sidecar have some of them, too.
func (f *File) decode(raw []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return fmt.Errorf("is no JSON object; %w", errWanted)
	}
	var judged []json.RawMessage // what pages say of hard forks is judged anew, by the reader's clock
	for _, m := range []struct {
		name string
		read func(b []byte, at string) error
	}{
		{"discrepancies", value(&judged)},
		{"errors", value(&f.errors)},
		{"forum", list(&f.forum, topicProblem)},
		{"freshness", value(&f.freshness)},
		{"hardforks", value(&judged)},
		{"mips", list(&f.mips, func(*link) string { return "" })},
		{"networks", value(&f.networks)},
	} {
		body, ok := members[m.name]
		if !ok {
			return fmt.Errorf("has no member %q; %w", m.name, errWanted)
		}
		if err := m.read(body, m.name); err != nil {
			return err
		}
	}
	states := []api.NetworkHealth{api.NetworkOK, api.NetworkStale, api.NetworkUnavailable}
	for _, id := range slices.Sorted(maps.Keys(f.networks)) {
		if !slices.Contains(states, f.networks[id].Status) {
			return wrong("networks."+quote(id)+".status", "want ok, stale or unavailable")
		}
	}
	return nil
}

// list returns a function that reads an array, whose elements have no problem, into out.
func list[T any](out *[]T, problem func(*T) string) func(b []byte, at string) error {
	return func(b []byte, at string) error {
		var all []json.RawMessage
		if err := value(&all)(b, at); err != nil {
			return err
		}
		if all == nil {
			return wrong(at, "want an array")
		}
		*out = make([]T, len(all))
		for i, raw := range all {
			at := fmt.Sprintf("%s[%d]", at, i)
			if err := value(&(*out)[i])(raw, at); err != nil {
				return err
			}
			if why := problem(&(*out)[i]); why != "" {
				return wrong(at, why)
			}
		}
		return nil
	}
}

// value returns a function that decodes one member into out. An error of its type names the place within it.
func value[T any](out *T) func(b []byte, at string) error {
	return func(b []byte, at string) error {
		err := json.Unmarshal(b, out)
		// The message of encoding/json names Go types, which mean nothing to a user.
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			if e.Field != "" {
				at += "." + e.Field
			}
			return wrong(at, fmt.Sprintf("is a JSON %s", strings.Fields(e.Value)[0]))
		}
		if err != nil { // such as of a time
			return wrong(at, quote(err.Error()))
		}
		return nil
	}
}

// topicProblem is why a topic cannot be one of a forum, empty if it can: pages would show its values.
func topicProblem(t *api.ForumActivity) string {
	switch {
	case t.TopicID < 1:
		return "want a topicId from 1"
	case t.ActivityScore < 0 || t.ActivityScore > 100:
		return fmt.Sprintf("want an activityScore of 0 to 100, got %d", t.ActivityScore)
	case min(t.Posts, t.Replies, t.Participants, t.Views, t.Likes) < 0:
		return "want no negative count"
	case !recent(t.FetchedAt) || !recent(t.CreatedAt) || t.LastPostedAt != nil && !recent(*t.LastPostedAt):
		return "want times of the years 1970 to 9999"
	}
	return ""
}

// recent reports whether a time is one that forums and chains can have.
func recent(t mip.Time) bool { return t.UTC().Year() >= 1970 && t.UTC().Year() <= 9999 }

// quote bounds and quotes words of a file before they are repeated.
func quote(s string) string { return fmt.Sprintf("%q", mip.ShortenRunes(s, maxQuote)) }

// Filter returns the part of a file that these proposals, ascending by number, and this site bear out. The problems are
// notices of what was left out and why.
//
// Which topic a proposal has is for the proposal to say: the file is believed only where a link to the forum holds no
// number, and only if it is still that link.
func (f *File) Filter(all []mip.Summary, site mip.SiteInfo) (*Snapshot, []mip.Problem) {
	h := filter{File: f, all: all, site: site}
	out := &Snapshot{Topics: h.topics(), Networks: h.heads()}
	_, out.ForumFailed = f.errors["forum"]
	return out, mip.SortProblems(h.problems)
}

// filter is one call of Filter.
type filter struct {
	*File
	all      []mip.Summary
	site     mip.SiteInfo
	problems []mip.Problem
}

// notice records a problem that leaves the rest of the file usable.
func (h *filter) notice(code, format string, a ...any) {
	message := fmt.Sprintf(format, a...)
	h.problems = append(h.problems, mip.Problem{Level: mip.Notice, Code: code, File: h.name, Message: message})
}

// proposal finds a published proposal of the main kind by its number.
func (h *filter) proposal(n int) (mip.Summary, bool) {
	return mip.Find(h.all, mip.ID{Kind: h.site.Prefix, Number: n})
}

// topics are those of the file that published proposals link to. Without a forum the site shows no discussions.
func (h *filter) topics() []Topic {
	proposals := map[int][]mip.ID{} // by topic
	link := func(topic *int, id mip.ID) {
		if h.site.Forum != nil && topic != nil && !slices.Contains(proposals[*topic], id) {
			proposals[*topic] = append(proposals[*topic], id)
			slices.SortFunc(proposals[*topic], mip.ID.Compare)
		}
	}
	for _, s := range h.all {
		link(s.ForumTopicID, s.ID)
	}
	// A link without a number leads to the topic that the sidecar found behind it.
	for i, l := range h.mips {
		if s, ok := h.proposal(l.Number); !ok {
			h.notice("unknown-proposal", "mips[%d]: proposal %d is not published here", i, l.Number)
		} else if s.ForumTopicID == nil && h.sameLink(s, l) {
			link(l.ForumTopicID, s.ID)
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

// sameLink reports whether a proposal's link is the one that the file speaks of, and leads to the site's forum: a link
// to another site says nothing about this forum.
func (h *filter) sameLink(s mip.Summary, l link) bool {
	if h.site.Forum == nil || s.DiscussionsTo == nil || l.DiscussionsTo == nil || *s.DiscussionsTo != *l.DiscussionsTo {
		return false
	}
	_, ours := mip.Below(*s.DiscussionsTo, *h.site.Forum)
	return ours
}

// heads are those of the site's networks that the file has, under the site's names.
func (h *filter) heads() []Network {
	out := []Network{}
	for _, n := range h.site.Networks {
		head, ok := h.networks[n.ID]
		// Values of another chain under the same name would be wrong on every page.
		if ok && head.ChainID != n.ChainID {
			h.notice("other-chain", "networks.%s: chain id %d is not that of the site, %d", n.ID, head.ChainID, n.ChainID)
		} else if ok {
			head.Name = n.Name
			out = append(out, Network{n.ID, head})
		}
	}
	for id := range h.networks {
		if !slices.ContainsFunc(h.site.Networks, func(n mip.Network) bool { return n.ID == id }) {
			h.notice("unknown-network", "networks.%s: the site has no such network", quote(id))
		}
	}
	return out
}
