// Package graph lays out directed graphs in layers (after Sugiyama, Tagawa and Toda, 1981): it
// computes the column and the height of each node and the course of its edges.
//
// The layout has three steps. First nodes are ranked: each is in the first column after all nodes
// that it needs. An edge that would close a cycle is left out of the ranking. An edge over several
// columns gets a bend in each of them. Then each column is sorted by the mean position of the
// needed nodes, once, from left to right. Finally the columns are stacked around a common middle
// line.
//
// The layout is deterministic. The time grows with the number of nodes and bends, which [Size]
// computes in advance.
//
// The package does not know proposals, SVG or text.
package graph

import (
	"cmp"
	"slices"
)

// Graph is the input of a layout. Nodes are numbers from 0 to Nodes-1. An edge leads from a node to
// a node that it needs. Edges must be unique, and none may be a loop. Ties are broken by number, so
// the layout depends on the caller's order of nodes.
type Graph struct {
	Nodes int
	Edges [][2]int
	// Order are additional edges that affect positions and have no wires.
	Order [][2]int
}

// Spacing has the vertical sizes, in the caller's unit.
type Spacing struct {
	// Node is the height of a node. Wire is the height of a line that passes between nodes.
	Node, Wire int
	// Gap is the distance between two neighbors.
	Gap int
}

// Layout is the position of everything.
type Layout struct {
	Columns int
	// Height is the height of the highest column.
	Height int
	// Nodes are the positions by node. A node is to the right of all nodes that it needs, except
	// for the edges in Back.
	Nodes []Point
	// Wires are the lines. Lines to one node join before they reach it.
	Wires []Wire
	// Back are the edges that would close a cycle.
	Back [][2]int
}

// Point is a position: the column, counted from the left, and the height of the middle, from the
// top.
type Point struct{ Column, Y int }

// Wire is a segment of a line, from the left side of From to the right side of To, in the previous
// column.
type Wire struct {
	From, To Point
	// Through is true if From is not a node: the line passes through its column.
	Through bool
}

// Lay computes the layout of a graph. A connected graph gives the best result.
func Lay(g Graph, s Spacing) Layout {
	l, neededBy := rank(g)
	l.connect(neededBy)
	l.order()
	return l.place(s)
}

// Size is the number of nodes and wires in the layout of a graph. Its time and memory are linear in
// the graph. The layout can be far larger, since a wire has a segment in each column that it
// crosses.
func Size(g Graph) int {
	l, neededBy := rank(g)
	size := g.Nodes
	for n, by := range neededBy {
		last := l.layer[n] + 1 // lines to n have reached this layer
		for _, from := range by {
			last = max(last, l.layer[from])
		}
		size += len(by) + last - l.layer[n] - 1
	}
	return size
}

// Components returns the connected components, each in ascending order, the largest first. A node
// without edges is a component of its own.
func Components(g Graph) [][]int {
	root := make([]int, g.Nodes)
	for i := range root {
		root[i] = i
	}
	// Union-find. The root of a set is its smallest node, so the result is in ascending order.
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

// layering is a graph during the layout. Its items are the nodes and, after them, the bends of
// edges that pass through a layer.
type layering struct {
	layer  []int // by item
	nodes  int
	layers [][]int // items from top to bottom, by layer
	left   [][]int // by item: the items of the previous layer that it leads to
	right  [][]int // the same edges in the other direction
	back   [][2]int
}

// rank assigns each node the first layer after all nodes that it needs. neededBy has the edges by
// target, without the edges in back.
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
	// Depth-first search: an edge to an open node closes a cycle. It is drawn, but affects no
	// position.
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
	// A node without needs is as close as possible to the nodes that need it, which shortens the
	// lines.
	for n := range needs {
		if len(needs[n]) == 0 && len(neededBy[n]) > 0 {
			nearest := slices.MinFunc(neededBy[n], func(a, b int) int {
				return cmp.Compare(l.layer[a], l.layer[b])
			})
			l.layer[n] = l.layer[nearest] - 1
		}
	}
	return l, neededBy
}

// connect routes all edges to one node through the same bend in each layer, so that they join.
func (l *layering) connect(neededBy [][]int) {
	l.left, l.right = make([][]int, l.nodes), make([][]int, l.nodes)
	for n := range l.nodes {
		end := n // the item that edges lead to so far
		by := slices.Clone(neededBy[n])
		slices.SortStableFunc(by, func(a, b int) int { return cmp.Compare(l.layer[a], l.layer[b]) })
		// From the nearest to the farthest node, so that each continues from the bends of the
		// previous one.
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

// join connects an item to an item in the previous layer.
func (l *layering) join(from, to int) {
	l.left[from] = append(l.left[from], to)
	l.right[to] = append(l.right[to], from)
}

// order sorts the items of each layer by the mean position of their targets in the previous layer,
// which reduces crossings. An item without targets comes first.
func (l *layering) order() {
	at := make([]float64, len(l.layer)) // position within the layer
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

// place stacks the items of each layer around the middle of the highest layer, and collects the
// lines.
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
