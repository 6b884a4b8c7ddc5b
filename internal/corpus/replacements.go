package corpus

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// replacements makes both ends of a replacement know it: whoever a header names as its successor
// replaces it, and ReplacedBy is the inverse of Replaces. Until that successor is Final or Living it only asks to, unless
// the status of the other is a word for superseded; a status that this process does not have is no reason to doubt a header.
func replacements(proposals []*Proposal, published map[mip.ID]*Proposal) {
	for _, p := range proposals {
		for _, id := range p.ID.Siblings(p.SupersededBy) {
			if q := published[id]; q != nil && q != p && !slices.Contains(q.Replaces, p.Number) {
				q.Replaces = append(q.Replaces, p.Number)
				if !slices.Contains(q.Inferred, "replaces") {
					q.Inferred = append(q.Inferred, "replaces")
				}
			}
		}
		if !p.Status.Superseded() {
			p.SupersededBy = slices.DeleteFunc(p.SupersededBy, func(n int) bool {
				q := published[p.ID.Sibling(n)]
				return q != nil && slices.Contains([]mip.Status{mip.Draft, mip.Review, mip.LastCall, mip.Stagnant, mip.Withdrawn}, q.Status)
			})
		}
	}
	for _, p := range proposals {
		for _, id := range p.ID.Siblings(p.Replaces) {
			q := published[id]
			if q == nil || q == p {
				continue
			}
			q.ReplacedBy = append(q.ReplacedBy, p.Number)
			// A draft only asks to replace another one.
			if (p.Status == mip.Final || p.Status == mip.Living) && !slices.Contains(q.SupersededBy, p.Number) {
				q.SupersededBy = append(q.SupersededBy, p.Number)
				if !slices.Contains(q.Inferred, "supersededBy") {
					q.Inferred = append(q.Inferred, "supersededBy")
				}
			}
		}
	}
}
