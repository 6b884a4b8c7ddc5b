package graph

import (
	"cmp"
	"slices"
)

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
	// What needs nothing stands as near as it can to what needs it, which shortens the lines.
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

func (l *layering) join(from, to int) {
	l.left[from] = append(l.left[from], to)
	l.right[to] = append(l.right[to], from)
}
