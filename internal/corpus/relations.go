package corpus

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// relate fills RequiredBy and reports problems of Requires. A number under another prefix that is
// not published here means a proposal of that prefix's site, if it is known. proposals are sorted
// by id.
func relate(proposals []*Proposal, sites mip.References, kinds []string) {
	published := make(map[mip.ID]*Proposal, len(proposals))
	for _, p := range proposals {
		published[p.ID] = p
	}
	for _, p := range proposals {
		p.leadOut(sites, published)
	}
	leadAcross(proposals, sites, kinds, published)
	for _, p := range proposals {
		for _, id := range p.ID.Siblings(p.Requires) {
			q := published[id]
			switch {
			case q == p:
				p.report.Add(p.requireLine, "requires-self")
				continue
			case q == nil:
				p.report.Add(p.requireLine, "requires-missing", id.Number)
				continue
			case p.Stage == mip.StageFinal && q.Stage == mip.StageDraft:
				p.report.Add(p.requireLine, "final-requires-draft", q.ID)
			}
			p.requires = append(p.requires, q)
			q.RequiredBy = append(q.RequiredBy, p.Number)
		}
	}
	replacements(proposals, published)
	for _, p := range proposals {
		for _, q := range p.requires {
			if slices.Contains(slices.Concat(p.SupersededBy, p.ReplacedBy), q.Number) {
				p.report.Add(p.requireLine, "requires-successor", q.ID)
			}
		}
	}
	for _, group := range components(proposals) {
		first := slices.MinFunc(group, byID)
		first.report.Add(first.requireLine, "requires-cycle", cycle(first))
	}
}

// leadOut turns numbers under another site's prefix that are not published here into references to
// that site: 1559 in a header that begins with eip: 20.
func (p *Proposal) leadOut(sites mip.References, published map[mip.ID]*Proposal) {
	for _, f := range mip.Fields {
		if f.Kind != mip.FieldNumbers {
			continue
		}
		here, numbers := []int{}, f.In(&p.Metadata).(*[]int)
		for _, id := range p.ID.Siblings(*numbers) {
			other, address, known := sites.Find(p.alias, id.Number)
			if published[id] != nil || !known {
				here = append(here, id.Number)
				continue
			}
			e := mip.External{Relation: mip.RelationType(f.Name), Text: other.String(),
				URL: &address}
			p.External = append(slices.Clip(p.External), e)
		}
		*numbers = here
	}
}

// inverse has the relation of the other end.
var inverse = map[mip.RelationType]mip.RelationType{
	mip.Requires: mip.RequiredBy, mip.Replaces: mip.ReplacedBy,
	mip.SupersededBy: mip.Replaces, mip.Related: mip.Related,
}

// leadAcross sets both ends of references between kinds of the site, and removes the address of a
// reference to an unpublished proposal. all is sorted by id.
func leadAcross(
	all []*Proposal, sites mip.References, kinds []string, published map[mip.ID]*Proposal,
) {
	if len(kinds) < 2 {
		return
	}
	stated := make([][]mip.External, len(all))
	for i, p := range all {
		stated[i], p.External = p.External, slices.Clone(p.External)
	}
	for i, p := range all {
		for j, e := range stated[i] {
			id, err := mip.ParseID(e.Text)
			q := published[id]
			switch {
			case err != nil || !slices.Contains(kinds, id.Kind):
			case q == nil:
				p.External[j].URL = nil
				p.report.Add(p.requireLine, "requires-missing/kind", id)
			default:
				_, address, _ := sites.Find(p.ID.Kind, p.Number)
				back := mip.External{Relation: inverse[e.Relation], Text: p.ID.String(),
					URL: &address}
				if e.Relation == mip.Replaces && p.Settled() {
					back.Relation = mip.SupersededBy // a draft only asks to
				}
				if !slices.ContainsFunc(q.External, func(other mip.External) bool {
					return other.Relation == back.Relation && other.Text == back.Text
				}) {
					q.External = append(q.External, back)
				}
			}
		}
	}
}

// replacements sets both ends of replacements: a successor in a header replaces the proposal, and
// ReplacedBy is the inverse of Replaces. A successor that is not final yet only asks to replace,
// unless the other's status is a word for superseded. If a status is not one of the process, the
// header is trusted.
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
				return q != nil && q.Stage != "" && !q.Settled()
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
			if p.Settled() && !slices.Contains(q.SupersededBy, p.Number) {
				q.SupersededBy = append(q.SupersededBy, p.Number)
				if !slices.Contains(q.Inferred, "supersededBy") {
					q.Inferred = append(q.Inferred, "supersededBy")
				}
			}
		}
	}
}

// components returns the strongly connected components of two proposals or more, which all depend
// on each other: R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1
// (1972).
func components(proposals []*Proposal) (groups [][]*Proposal) {
	// low is the earliest reachable proposal on the stack, by visiting order, or 0 once it is in a
	// group. The stack has the visited proposals that are in no group yet.
	met, low := map[*Proposal]int{}, map[*Proposal]int{}
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
	return groups
}

// cycle formats the shortest path from a proposal back to itself, found breadth first. There must
// be one.
func cycle(first *Proposal) string {
	cameFrom := map[*Proposal]*Proposal{}
	for queue := []*Proposal{first}; ; queue = queue[1:] {
		for _, q := range queue[0].requires {
			if q == first {
				way := first.ID.String()
				for at := queue[0]; at != nil; at = cameFrom[at] {
					way = at.ID.String() + " > " + way
				}
				return way
			}
			if cameFrom[q] == nil {
				cameFrom[q] = queue[0]
				queue = append(queue, q)
			}
		}
	}
}
