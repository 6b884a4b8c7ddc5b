// Package graph lays directed graphs out in layers (after Sugiyama, Tagawa and Toda, 1981): it says in
// which column and at which height each node stands and which way its edges take.
//
// The layout takes three steps. Nodes are ranked: each stands in the first column behind all that it needs, and an
// edge that would close a circle is left out of the ranking. Edges over several columns get a bend in each of them.
// Then every column is sorted by the mean place of its neighbours, from left to right and back, and the order with
// the fewest crossings is kept. At last heights are assigned: each item as near to the mean of its neighbours as the
// order of its column allows.
//
// All numbers are whole, so that one graph has one layout on any machine. The time grows with the number of nodes
// and bends; [Size] tells that number before a layout is made.
//
// The package knows nothing of proposals, SVG or text.
package graph

import (
	"cmp"
	"slices"
)

// Graph is the input of a layout: nodes are numbers from 0 to Nodes-1, an edge leads from a node to one that it
// needs. Edges must be unique and none may lead from a node to itself. Numbers are the tie-breaker
// everywhere, so the layout follows from the caller's order of nodes.
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
	// Union and find; the root of a set is its smallest node, which makes the result ascend.
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

// layering is a graph while it is laid out. Its items are the nodes and, after them, the bends of edges
// that pass through a layer.
type layering struct {
	layer  []int // by item
	nodes  int
	layers [][]int // items from top to bottom, by layer
	left   [][]int // by item: items of the layer before it that it leads to
	right  [][]int // the same edges from the other end
	back   [][2]int
}

// newLayering puts the nodes of a graph into layers and its edges through them.
func newLayering(g Graph) *layering {
	l, neededBy := rank(g)
	l.connect(neededBy)
	return l
}

// rank gives every node the first layer after all that it needs. neededBy are the edges by the node that they
// lead to, without those in back.
func rank(g Graph) (l *layering, neededBy [][]int) {
	l = &layering{nodes: g.Nodes, layer: make([]int, g.Nodes)}
	needs := make([][]int, g.Nodes)
	neededBy = make([][]int, g.Nodes)
	for _, e := range g.Edges {
		needs[e[0]] = append(needs[e[0]], e[1])
	}
	const (
		unseen = iota
		open
		done
	)
	// A depth-first search: an edge to an open node closes a circle.
	state := make([]int, g.Nodes)
	var visit func(n int)
	visit = func(n int) {
		state[n] = open
		slices.Sort(needs[n])
		forward := needs[n][:0:0]
		for _, to := range needs[n] {
			if state[to] == unseen {
				visit(to)
			}
			if state[to] == open { // a circle: this edge is drawn, but places nothing
				l.back = append(l.back, [2]int{n, to})
				continue
			}
			forward = append(forward, to)
			l.layer[n] = max(l.layer[n], l.layer[to]+1)
		}
		needs[n] = forward
		state[n] = done
	}
	for n := range g.Nodes {
		if state[n] == unseen {
			visit(n)
		}
	}
	for n, to := range needs {
		for _, t := range to {
			neededBy[t] = append(neededBy[t], n)
		}
	}
	// A node without needs stands as near as possible to the nodes that need it, which shortens the lines.
	for n := range needs {
		if len(needs[n]) == 0 && len(neededBy[n]) > 0 {
			near := func(by int) int { return l.layer[by] - 1 }
			l.layer[n] = near(slices.MinFunc(neededBy[n], func(a, b int) int { return cmp.Compare(near(a), near(b)) }))
		}
	}
	return l, neededBy
}

// connect leads all edges to one node through the same bend of each layer, so that they join.
func (l *layering) connect(neededBy [][]int) {
	l.left, l.right = make([][]int, l.nodes), make([][]int, l.nodes)
	for n := range l.nodes {
		end := n // the item that edges lead to so far
		by := slices.Clone(neededBy[n])
		slices.SortStableFunc(by, func(a, b int) int { return cmp.Compare(l.layer[a], l.layer[b]) })
		// From the nearest node to the farthest, so that each goes on from the bends of the one before.
		for _, from := range by {
			for l.layer[end] < l.layer[from]-1 {
				bend := len(l.layer)
				l.layer = append(l.layer, l.layer[end]+1)
				l.left, l.right = append(l.left, nil), append(l.right, nil)
				l.join(bend, end)
				end = bend
			}
			l.join(from, end)
		}
	}
	l.layers = make([][]int, slices.Max(append(l.layer, 0))+1)
	for i, k := range l.layer {
		l.layers[k] = append(l.layers[k], i)
	}
}

// join leads a piece of an edge from an item to one in the layer before.
func (l *layering) join(from, to int) {
	l.left[from] = append(l.left[from], to)
	l.right[to] = append(l.right[to], from)
}
