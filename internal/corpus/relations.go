package corpus

import (
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// relate fills RequiredBy and reports oddities of Requires. proposals are in the order of their
// ids.
func relate(proposals []*Proposal) {
	byID := make(map[mip.ID]*Proposal, len(proposals))
	for _, p := range proposals {
		byID[p.ID] = p
	}
	for _, p := range proposals {
		for _, id := range p.ID.Siblings(p.Requires) {
			q := byID[id]
			switch {
			case q == p:
				p.report.warnf(p.requireLine, "requires-self", "the proposal requires itself")
				continue
			case q == nil:
				p.report.warnf(p.requireLine, "requires-missing", "required number %d is not published here", id.Number)
				continue
			case p.Status == mip.Final && q.Status == mip.Draft:
				p.report.warnf(p.requireLine, "final-requires-draft", "the proposal is Final and requires %s, which is a Draft", q.ID)
			}
			p.requires = append(p.requires, q)
			q.RequiredBy = append(q.RequiredBy, p.Number)
		}
	}
	for _, group := range components(proposals) {
		var ids []string
		for _, p := range circle(group) {
			ids = append(ids, p.ID.String())
		}
		first := group[0]
		first.report.warnf(first.requireLine, "requires-cycle", "the proposals require each other in a circle: %s", strings.Join(append(ids, first.ID.String()), " > "))
	}
}

// components returns the groups of two proposals or more that all depend on each other, each in
// the order of proposals: strongly connected components, after R. Tarjan, Depth-first search
// and linear graph algorithms, SIAM J. Comput. 1 (1972).
func components(proposals []*Proposal) (groups [][]*Proposal) {
	// low is the earliest proposal on the stack that can be reached, by when it was met; 0 once
	// it is in a group.
	met, low := map[*Proposal]int{}, map[*Proposal]int{}
	// The stack holds the proposals that were met and are in no group yet.
	var stack []*Proposal
	var visit func(p *Proposal)
	visit = func(p *Proposal) {
		met[p] = len(met) + 1
		low[p] = met[p]
		stack = append(stack, p)
		for _, q := range p.requires {
			if met[q] == 0 {
				visit(q)
			}
			if low[q] > 0 {
				low[p] = min(low[p], low[q])
			}
		}
		// An earlier proposal can be reached: p is in its group.
		if low[p] < met[p] {
			return
		}
		at := slices.Index(stack, p)
		group := slices.Clone(stack[at:])
		stack = stack[:at]
		for _, q := range group {
			low[q] = 0
		}
		if len(group) > 1 {
			groups = append(groups, group)
		}
	}
	for _, p := range proposals {
		if met[p] == 0 {
			visit(p)
		}
	}
	for _, group := range groups {
		slices.SortFunc(group, byID)
	}
	return groups
}

// circle is the shortest way from the first proposal of a group back to it, found breadth
// first.
func circle(group []*Proposal) []*Proposal {
	first := group[0]
	inGroup := map[*Proposal]bool{}
	for _, p := range group {
		inGroup[p] = true
	}
	cameFrom := map[*Proposal]*Proposal{}
	for queue := []*Proposal{first}; ; queue = queue[1:] {
		at := queue[0]
		for _, q := range at.requires {
			if q == first {
				way := []*Proposal{at}
				for at != first {
					at = cameFrom[at]
					way = append(way, at)
				}
				slices.Reverse(way)
				return way
			}
			if cameFrom[q] == nil && inGroup[q] {
				cameFrom[q] = at
				queue = append(queue, q)
			}
		}
	}
}
