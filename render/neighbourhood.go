package render

import (
	"slices"

	"github.com/mipwatch/mipwatch/internal/graph"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Relations are what published proposals require and replace. They do not change, and are safe for concurrent use.
type Relations struct {
	all []mip.Metadata
	// An edge of ties leads from a proposal to what it requires, by position in all; those of its order lead to what it
	// replaces.
	ties graph.Graph
	// By position, ascending and without itself: what a proposal requires and what it replaces, and the reverse.
	requires, replaces, requiredBy, replacedBy [][]int
}

// NewRelations reads headers, which must be in the order of ids. A header may say that its proposal replaces another or is
// superseded by it.
func NewRelations(all []mip.Metadata) *Relations {
	r := &Relations{all: all, ties: graph.Graph{Nodes: len(all)}}
	for _, to := range []*[][]int{&r.requires, &r.replaces, &r.requiredBy, &r.replacedBy} {
		*to = make([][]int, len(all))
	}
	each := func(i int, numbers []int, do func(k int)) {
		for _, n := range numbers {
			if k, ok := mip.Search(all, all[i].ID.Sibling(n)); ok && k != i {
				do(k)
			}
		}
	}
	for i, m := range all {
		each(i, m.Requires, func(k int) { r.requires[i] = append(r.requires[i], k) })
		each(i, m.Replaces, func(k int) { r.replaces[i] = append(r.replaces[i], k) })
		each(i, m.SupersededBy, func(k int) { r.replaces[k] = append(r.replaces[k], i) })
	}
	// A header may name a proposal twice, and two headers may say the same.
	edges := func(to, from [][]int) (out [][2]int) {
		for i := range to {
			slices.Sort(to[i])
			to[i] = slices.Compact(to[i])
			for _, k := range to[i] {
				out, from[k] = append(out, [2]int{i, k}), append(from[k], i)
			}
		}
		return out
	}
	r.ties.Edges, r.ties.Order = edges(r.requires, r.requiredBy), edges(r.replaces, r.replacedBy)
	return r
}

// Has reports whether the proposal at a position is tied to another.
func (r *Relations) Has(i int) bool {
	return len(r.requires[i])+len(r.replaces[i])+len(r.requiredBy[i])+len(r.replacedBy[i]) > 0
}

// neighbour is a proposal that one or two steps lead to from another.
type neighbour struct {
	Ref   ref
	Step  int    // 1 or 2
	How   string // requires, replaces, is required by or is replaced by
	Via   *ref   // between both, in the second step
	Drawn bool

	at, via int  // positions: its own, and that of the proposal a step nearer
	left    bool // of what the proposal builds on
}

// around are the proposals within two steps of one: those that it builds on, step by step, then those that build on it. One
// that several ways lead to is told once, by the shortest. Replacements, which are few, come first.
func (r *Relations) around(i int) (out []neighbour) {
	type way struct {
		how string
		to  [][]int
	}
	seen := map[int]bool{i: true}
	for _, side := range []struct {
		left bool
		ways []way
	}{
		{true, []way{{"replaces", r.replaces}, {"requires", r.requires}}},
		{false, []way{{"is replaced by", r.replacedBy}, {"is required by", r.requiredBy}}},
	} {
		from := []int{i}
		for step := 1; step <= 2; step++ {
			var next []int
			for _, via := range from {
				for _, way := range side.ways {
					for _, k := range way.to[via] {
						if seen[k] {
							continue
						}
						seen[k] = true
						next = append(next, k)
						n := neighbour{Ref: refTo(r.all[k]), Step: step, How: way.how, at: k, via: via, left: side.left}
						if step == 2 {
							n.Via = new(refTo(r.all[via]))
						}
						out = append(out, n)
					}
				}
			}
			from = next
		}
	}
	return out
}

// neighbourhoodView is /mip/{n}/graph/ in parts.
type neighbourhoodView struct {
	Metadata mip.Metadata
	Drawing  *drawing
	Rows     []neighbour
	More     int // of Rows that are not drawn
	// What kinds of lines the drawing has.
	Requires, Replaces, Circle bool
}

// Neighbourhood renders the page of the proposals within two steps of the one at a position: drawn as far as there is room,
// and all of them as a list. The drawing has what it builds on to its left.
func (p *Pages) Neighbourhood(r *Relations, i int) ([]byte, error) {
	const most = 8 // drawn, of each side and step
	v := neighbourhoodView{Metadata: r.all[i], Rows: r.around(i)}
	type side struct {
		step int
		left bool
	}
	drawn, count := []int{i}, map[side]int{}
	for k := range v.Rows {
		n := &v.Rows[k]
		of := side{n.Step, n.left}
		// Nothing is drawn without what is between.
		if n.Drawn = count[of] < most && slices.Contains(drawn, n.via); n.Drawn {
			count[of]++
			drawn = append(drawn, n.at)
		} else {
			v.More++
		}
	}
	slices.Sort(drawn)
	var members []mip.Metadata
	for _, k := range drawn {
		members = append(members, r.all[k])
	}
	l := layOut(NewRelations(members).ties, titleBoxes())
	d := l.draw(r.all[i].ID.String() + " and what is within two steps of it: a line leads to the left, to what is required or replaced")
	v.Drawing, v.Requires, v.Replaces, v.Circle = d, len(l.Wires) > 0, len(l.of.Order) > 0, len(l.Back) > 0
	place := func(k int) graph.Point {
		at, _ := slices.BinarySearch(drawn, k)
		return l.Nodes[at]
	}
	// The keyboard goes from the middle outwards.
	d.node(refTo(r.all[i]), true, place(i))
	for step := 1; step <= 2; step++ {
		for _, n := range v.Rows {
			if n.Drawn && n.Step == step {
				d.node(n.Ref, false, place(n.at))
			}
		}
	}
	title := fullTitle(v.Metadata)
	return p.page("neighbourhood", head{
		Section: "/", Title: "Around " + title, Route: v.Metadata.ID.Page() + "graph/", Script: graphScript,
		Description: "Which proposals " + title + " requires and replaces, and which require and replace it, two steps around.",
	}, v)
}
