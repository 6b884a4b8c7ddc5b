package render

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/graph"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Relations are what published proposals require and replace. They do not change, and are safe for
// concurrent use.
type Relations struct {
	all []mip.Metadata
	// An edge of ties leads from a proposal to what it requires, by position in all. An edge of its
	// order leads to what the proposal replaces.
	ties     graph.Graph
	replaces [][]int // by position, each ascending and without the proposal itself
	tied     []bool  // by position: the proposal is tied to another
}

// NewRelations reads headers, which must be in the order of ids. A header may name what its proposal
// replaces, and what supersedes it.
func NewRelations(all []mip.Metadata) *Relations {
	r := &Relations{
		all: all, ties: graph.Graph{Nodes: len(all)},
		replaces: make([][]int, len(all)), tied: make([]bool, len(all)),
	}
	requires := make([][]int, len(all))
	each := func(i int, numbers []int, do func(k int)) {
		for _, n := range numbers {
			if k, ok := mip.Search(all, all[i].ID.Sibling(n)); ok && k != i {
				do(k)
			}
		}
	}
	for i, m := range all {
		each(i, m.Requires, func(k int) { requires[i] = append(requires[i], k) })
		each(i, m.Replaces, func(k int) { r.replaces[i] = append(r.replaces[i], k) })
		each(i, m.SupersededBy, func(k int) { r.replaces[k] = append(r.replaces[k], i) })
	}
	// A header may name a proposal twice, and two headers may say the same.
	edges := func(to [][]int) (out [][2]int) {
		for i := range to {
			slices.Sort(to[i])
			to[i] = slices.Compact(to[i])
			for _, k := range to[i] {
				out = append(out, [2]int{i, k})
				r.tied[i], r.tied[k] = true, true
			}
		}
		return out
	}
	r.ties.Edges, r.ties.Order = edges(requires), edges(r.replaces)
	return r
}

// Has reports whether the proposal at a position is tied to another.
func (r *Relations) Has(i int) bool { return r.tied[i] }
