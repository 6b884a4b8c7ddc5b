package corpus

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// relate fills RequiredBy and reports oddities of Requires. What a number under another prefix
// means that is not published here is a proposal of that prefix's site, if it is known. proposals
// are in the order of their ids.
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
		first.report.Add(first.requireLine, "requires-cycle", circle(first))
	}
}

// leadOut makes references to another site of the numbers that the header states under that site's
// prefix and that are not published here: 1559 in a header that begins with eip: 20.
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
			e := mip.External{Relation: mip.RelationType(f.Name), Text: other.String(), URL: &address}
			p.External = append(slices.Clip(p.External), e)
		}
		*numbers = here
	}
}

// inverse is what a proposal is to the one that names it in a relation.
var inverse = map[mip.RelationType]mip.RelationType{
	mip.Requires: mip.RequiredBy, mip.Replaces: mip.ReplacedBy, mip.SupersededBy: mip.Replaces, mip.Related: mip.Related,
}

// leadAcross makes both ends of a reference to a proposal of another kind of the site know it, and
// takes the address from one to a proposal that is not published. all are in the order of their
// ids.
func leadAcross(all []*Proposal, sites mip.References, kinds []string, published map[mip.ID]*Proposal) {
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
				back := mip.External{Relation: inverse[e.Relation], Text: p.ID.String(), URL: &address}
				if e.Relation == mip.Replaces && p.Settled() {
					back.Relation = mip.SupersededBy // a draft only asks to
				}
				if !slices.ContainsFunc(q.External, func(other mip.External) bool { return other.Relation == back.Relation && other.Text == back.Text }) {
					q.External = append(q.External, back)
				}
			}
		}
	}
}

// replacements makes both ends of a replacement know it: whoever a header names as its successor
// replaces it, and ReplacedBy is the inverse of Replaces. Until that successor is settled it only
// asks to, unless the status of the other is a word for superseded. Where a status is not one of
// this process, the header is believed.
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

// components returns the groups of two proposals or more that all depend on each other: strongly
// connected components, after R. Tarjan, Depth-first search and linear graph algorithms, SIAM J.
// Comput. 1 (1972).
func components(proposals []*Proposal) (groups [][]*Proposal) {
	// low is the earliest proposal on the stack that can be reached, by when it was met; 0 once
	// it is in a group. The stack holds the proposals that were met and are in no group yet.
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

// circle writes the shortest way from a proposal back to it, found breadth first. There must be
// one.
func circle(first *Proposal) string {
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
