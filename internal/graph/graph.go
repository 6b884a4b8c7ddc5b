// Package graph lays directed graphs out in layers (after Sugiyama, Tagawa and Toda, 1981): it says in
// which column and at which height each node stands and which way its edges take. It knows nothing of
// proposals, SVG or text, and reckons in whole numbers, so that one graph has one layout on any machine.
package graph

import (
	"cmp"
	"slices"
)

// Graph is what is drawn: nodes are numbers from 0 to Nodes-1, an edge leads from a node to one that it
// needs. Edges must be unique and none may lead from a node to itself. Numbers are the tie-breaker
// everywhere, so the caller's order of nodes is what the layout follows from.
type Graph struct {
	Nodes int
	Edges [][2]int
}

// Spacing is how much room things take from top to bottom, in the caller's unit.
type Spacing struct {
	Node int // height of a node
	Wire int // height of a line that passes between nodes
	Gap  int // between two neighbours
}

// Layout is where everything stands.
type Layout struct {
	Columns int
	Height  int
	Nodes   []Point // by node; a node is to the right of all that it needs, but for the edges in Back
	Wires   []Wire  // where lines run; those to one node join before they reach it
	Back    [][2]int
}

// Point is a place: a column, counted from the left, and the height of its middle from the top.
type Point struct{ Column, Y int }

// Wire is a piece of a line, from the left side of From to the right side of To, in the column before it.
type Wire struct {
	From, To Point
	Through  bool // From is no node: the line goes through its column
}

// Lay computes the layout of a graph, best of one whose parts all hang together.
func Lay(g Graph, s Spacing) Layout {
	l := newLayering(g)
	l.order()
	return l.place(s)
}

// Size is how many nodes and wires the layout of a graph has. It takes time and memory in proportion to the
// graph; the layout can be far larger, as a wire has a piece in each column that it crosses.
func Size(g Graph) int {
	l, neededBy := rank(g)
	size := g.Nodes
	for n, by := range neededBy {
		last := l.layer[n] + 1 // the layer up to which the lines to n have run
		for _, from := range by {
			last = max(last, l.layer[from])
		}
		size += len(by) + last - l.layer[n] - 1
	}
	return size
}

// Components groups the nodes that hang together, each ascending, the largest first. A node without
// an edge is a component of its own.
func Components(g Graph) [][]int {
	root := make([]int, g.Nodes)
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, e := range g.Edges {
		a, b := find(e[0]), find(e[1])
		root[max(a, b)] = min(a, b)
	}
	at := map[int]int{}
	var out [][]int
	for i := range root {
		r := find(i)
		k, ok := at[r]
		if !ok {
			k = len(out)
			at[r] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	slices.SortStableFunc(out, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	return out
}
