// Package graph lays directed graphs out in layers (after Sugiyama, Tagawa and Toda, 1981): it says in
// which column and at which height each node stands and which way its edges take.
//
// The layout takes three steps. Nodes are ranked: each stands in the first column behind all that it needs, and an
// edge that would close a circle is left out of the ranking. Edges over several columns get a bend in each of them.
// Then the columns are sorted, once and from left to right, by the mean place of what their nodes need, and stacked
// around one middle line.
//
// One graph has one layout on any machine. The time grows with the number of nodes and bends; [Size] tells that number
// before a layout is made.
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
	// Order are further edges that place nodes and have no wires.
	Order [][2]int
}

// Spacing is how much room things take from top to bottom, in the caller's unit.
type Spacing struct {
	// Node is the height of a node, Wire that of a line that passes between nodes.
	Node, Wire int
	// Gap is the distance of two neighbours.
	Gap int
}

// Layout is where everything stands.
type Layout struct {
	Columns int
	// Height is that of the highest column.
	Height int
	// Nodes are the places by node. A node is to the right of all that it needs, but for the edges in Back.
	Nodes []Point
	// Wires are where lines run. Those to one node join before they reach it.
	Wires []Wire
	// Back are the edges that would close a circle.
	Back [][2]int
}

// Point is a place: a column, counted from the left, and the height of its middle from the top.
type Point struct{ Column, Y int }

// Wire is a piece of a line, from the left side of From to the right side of To, in the column before it.
type Wire struct {
	From, To Point
	// Through is true when From is no node: the line goes through its column.
	Through bool
}

// Lay computes the layout of a graph, best of one whose parts all are connected.
func Lay(g Graph, s Spacing) Layout {
	l, neededBy := rank(g)
	l.connect(neededBy)
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

// Components groups the nodes that are connected, each ascending, the largest first. A node without
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
	for _, e := range slices.Concat(g.Edges, g.Order) {
		a, b := find(e[0]), find(e[1])
		root[max(a, b)] = min(a, b)
	}
	out := make([][]int, g.Nodes)
	for i := range root {
		out[find(i)] = append(out[find(i)], i)
	}
	out = slices.DeleteFunc(out, func(members []int) bool { return members == nil })
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

// rank gives every node the first layer after all that it needs. neededBy are the edges by the node that they
// lead to, without those in back.
func rank(g Graph) (l *layering, neededBy [][]int) {
	l = &layering{nodes: g.Nodes, layer: make([]int, g.Nodes)}
	needs := make([][]int, g.Nodes)
	neededBy = make([][]int, g.Nodes)
	wired := map[[2]int]bool{}
	for _, e := range g.Edges {
		wired[e] = true
	}
	for _, e := range slices.Concat(g.Edges, g.Order) {
		needs[e[0]] = append(needs[e[0]], e[1])
	}
	// A depth-first search: an edge to an open node closes a circle. It is drawn, but places nothing.
	seen, open := make([]bool, g.Nodes), make([]bool, g.Nodes)
	var visit func(n int)
	visit = func(n int) {
		if seen[n] {
			return
		}
		seen[n], open[n] = true, true
		slices.Sort(needs[n])
		needs[n] = slices.DeleteFunc(needs[n], func(to int) bool {
			if visit(to); open[to] {
				if wired[[2]int{n, to}] {
					l.back = append(l.back, [2]int{n, to})
				}
				return true
			}
			l.layer[n] = max(l.layer[n], l.layer[to]+1)
			return false
		})
		open[n] = false
	}
	for n := range g.Nodes {
		visit(n)
	}
	for n, to := range needs {
		for _, t := range slices.Compact(to) {
			if wired[[2]int{n, t}] {
				neededBy[t] = append(neededBy[t], n)
			}
		}
	}
	// A node without needs stands as near as possible to the nodes that need it, which shortens the lines.
	for n := range needs {
		if len(needs[n]) == 0 && len(neededBy[n]) > 0 {
			nearest := slices.MinFunc(neededBy[n], func(a, b int) int { return cmp.Compare(l.layer[a], l.layer[b]) })
			l.layer[n] = l.layer[nearest] - 1
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

// order sorts the items of each layer by the mean place of those in the layer before that they lead to, so that lines
// cross seldom. An item that leads nowhere comes first.
func (l *layering) order() {
	at := make([]float64, len(l.layer)) // place within the layer
	for _, layer := range l.layers {
		mean := func(item int) (sum float64) {
			for _, to := range l.left[item] {
				sum += at[to]
			}
			return sum / float64(max(len(l.left[item]), 1))
		}
		slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(mean(a), mean(b)) })
		for i, item := range layer {
			at[item] = float64(i)
		}
	}
}

// place stacks the items of each layer, in the middle of the highest one, and gathers the lines.
func (l *layering) place(s Spacing) Layout {
	out := Layout{Columns: len(l.layers), Back: l.back}
	size := func(item int) int {
		if item < l.nodes {
			return s.Node
		}
		return s.Wire
	}
	heights := make([]int, len(l.layers))
	for k, layer := range l.layers {
		for i, item := range layer {
			heights[k] += size(item) + s.Gap*min(i, 1)
		}
		out.Height = max(out.Height, heights[k])
	}
	points := make([]Point, len(l.layer))
	for k, layer := range l.layers {
		y := (out.Height - heights[k]) / 2
		for _, item := range layer {
			points[item] = Point{k, y + size(item)/2}
			y += size(item) + s.Gap
		}
	}
	out.Nodes = append(out.Nodes, points[:l.nodes]...)
	for item, all := range l.left {
		for _, to := range all {
			out.Wires = append(out.Wires, Wire{points[item], points[to], item >= l.nodes})
		}
	}
	return out
}
