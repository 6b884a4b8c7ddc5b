package render

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/graph"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Relations are the requirements and replacements of published proposals. They are immutable and
// safe for concurrent use.
type Relations struct {
	all []mip.Metadata
	// An edge of graph leads from a proposal to one that it requires, by position in all. An edge
	// of its order leads to one that it replaces.
	graph    graph.Graph
	replaces [][]int // by position, each in ascending order and without the proposal itself
	related  []bool  // by position: the proposal has relations
}

// NewRelations reads headers, which must be sorted by id. A header may name proposals that it
// replaces, and proposals that supersede it.
func NewRelations(all []mip.Metadata) *Relations {
	r := &Relations{
		all: all, graph: graph.Graph{Nodes: len(all)},
		replaces: make([][]int, len(all)), related: make([]bool, len(all)),
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
	// A header may name a proposal twice, and two headers may state the same relation.
	edges := func(to [][]int) (out [][2]int) {
		for i := range to {
			slices.Sort(to[i])
			to[i] = slices.Compact(to[i])
			for _, k := range to[i] {
				out = append(out, [2]int{i, k})
				r.related[i], r.related[k] = true, true
			}
		}
		return out
	}
	r.graph.Edges, r.graph.Order = edges(requires), edges(r.replaces)
	return r
}

// Has reports whether the proposal at a position has relations.
func (r *Relations) Has(i int) bool { return r.related[i] }
