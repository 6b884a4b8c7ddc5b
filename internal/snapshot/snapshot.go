// Package snapshot is the live snapshot of a site: a saved answer of GET /api/mip-watch, filtered by the proposals
// that are published now.
//
// The file may be old, edited, or of another site. Its form is checked by [Read], which refuses it as a whole. Its
// contents are compared with the site by [File.Filter], which leaves out the parts that do not fit and reports each as
// a notice: unknown proposals and topics, other chains, sentences about texts that have changed.
//
// The package asks no host, renders nothing, and believes nothing of a file about a proposal but the activity of its
// discussion.
package snapshot

import (
	"cmp"
	"slices"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Snapshot is the live data of one moment that pages may show. It is immutable; nil has none.
type Snapshot struct {
	// Topics are sorted by activity, the highest first. Each has at least one proposal.
	Topics []Topic
	// Networks are in the order of the site. One that the file lacks is left out.
	Networks []Network
	// ForumFailed is true when the forum did not answer for all topics.
	ForumFailed bool
}

// Topic is a discussion and what proposals it is about.
type Topic struct {
	api.ForumActivity
	// Proposals are ascending. They are those that link to the topic now.
	Proposals []mip.ID
}

// Network is a network's head.
type Network struct {
	ID string
	api.NetworkStatus
}

// Topic returns the discussion of a proposal, nil when nothing is known of it.
func (f *Snapshot) Topic(id mip.ID) *Topic {
	if f == nil {
		return nil
	}
	// There are few topics; a map would have to be kept in step with the list.
	for i := range f.Topics {
		if slices.Contains(f.Topics[i].Proposals, id) {
			return &f.Topics[i]
		}
	}
	return nil
}

// Heat is the activity score, from 0 to 100, of every proposal whose discussion is known. A topic of several proposals
// counts for each of them.
func (f *Snapshot) Heat() map[mip.ID]int {
	out := map[mip.ID]int{}
	if f == nil {
		return out
	}
	for _, t := range f.Topics {
		for _, id := range t.Proposals {
			out[id] = t.ActivityScore
		}
	}
	return out
}

// Network returns the head of a network, nil when nothing is known of it.
func (f *Snapshot) Network(id string) *api.NetworkStatus {
	if f == nil {
		return nil
	}
	for i := range f.Networks {
		if f.Networks[i].ID == id {
			return &f.Networks[i].NetworkStatus
		}
	}
	return nil
}

// ForumAt is the time of the oldest topic, nil without any: all topics were as shown then or later.
func (f *Snapshot) ForumAt() *mip.Time {
	if f == nil || len(f.Topics) == 0 {
		return nil
	}
	// The page names one time for all topics, and must not claim more than is true of each.
	oldest := slices.MinFunc(f.Topics, func(a, b Topic) int { return a.FetchedAt.UTC().Compare(b.FetchedAt.UTC()) })
	return &oldest.FetchedAt
}

// byHeat orders topics by activity, and by number where that is the same.
func byHeat(a, b Topic) int {
	return cmp.Or(cmp.Compare(b.ActivityScore, a.ActivityScore), cmp.Compare(a.TopicID, b.TopicID))
}
