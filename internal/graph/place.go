package graph

import (
	"cmp"
	"slices"
)

// sweeps is how often the layers are sorted by their neighbours; more changes next to nothing.
const sweeps = 12

// order sorts the items of each layer so that few lines cross: by the mean place of their neighbours,
// from left to right and back, keeping the best order that was seen.
func (l *layering) order() {
	at := make([]int, len(l.layer)) // place within the layer
	mean := make([]int, len(l.layer))
	number := func(layer []int) {
		for i, item := range layer {
			at[item] = i
		}
	}
	for _, layer := range l.layers {
		number(layer)
	}
	// Sorting can make a layout worse: the best of all rounds counts.
	best, fewest := copyLayers(l.layers), l.crossings(at)
	for range sweeps {
		for k := 1; k < len(l.layers); k++ {
			byMean(l.layers[k], l.left, at, mean)
			number(l.layers[k])
		}
		for k := len(l.layers) - 2; k >= 0; k-- {
			byMean(l.layers[k], l.right, at, mean)
			number(l.layers[k])
		}
		if n := l.crossings(at); n < fewest {
			best, fewest = copyLayers(l.layers), n
		}
	}
	l.layers = best
}

// copyLayers copies an order, which is sorted in place.
func copyLayers(layers [][]int) [][]int {
	out := make([][]int, len(layers))
	for i := range layers {
		out[i] = slices.Clone(layers[i])
	}
	return out
}

// byMean sorts a layer by the mean place of each item's neighbours; an item without any stays about
// where it is. The slice mean is room to reckon in.
func byMean(layer []int, neighbours [][]int, at, mean []int) {
	const fine = 1 << 10 // parts of a place
	for _, item := range layer {
		sum, count := 0, len(neighbours[item])
		for _, n := range neighbours[item] {
			sum += at[n]
		}
		if count == 0 {
			sum, count = at[item], 1
		}
		mean[item] = sum * fine / count
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
}

// crossings counts the lines that cross, by the places of their ends (Barth, Jünger and Mutzel, 2002).
func (l *layering) crossings(at []int) int {
	total := 0
	for k := 1; k < len(l.layers); k++ {
		tree := make([]int, len(l.layers[k-1])+1) // Fenwick: lines so far by the place of their left end
		seen := 0
		for _, item := range l.layers[k] {
			for _, to := range l.left[item] {
				for i := at[to] + 1; i > 0; i -= i & -i {
					total -= tree[i]
				}
				total += seen
			}
			for _, to := range l.left[item] {
				seen++
				for i := at[to] + 1; i < len(tree); i += i & -i {
					tree[i]++
				}
			}
		}
	}
	return total
}

// place gives every item a height: as near to its neighbours as the order of its layer allows.
func (l *layering) place(s Spacing) Layout {
	const (
		rounds = 10
		fine   = 16 // parts of a unit while means are taken
	)
	size := func(item int) int {
		if item < l.nodes {
			return s.Node
		}
		return s.Wire
	}
	y := make([]int, len(l.layer))
	// offsets are the least distances of a layer's items from its first.
	offsets := make([][]int, len(l.layers))
	for k, layer := range l.layers {
		offsets[k] = make([]int, len(layer))
		for i := 1; i < len(layer); i++ {
			offsets[k][i] = offsets[k][i-1] + fine*((size(layer[i-1])+size(layer[i]))/2+s.Gap)
		}
		for i, item := range layer {
			y[item] = offsets[k][i]
		}
	}
	// settle gives the items of a column the heights nearest to the means of their neighbours that keep their order
	// and distances. Less the least offsets, that is a rising sequence.
	settle := func(k int, sides ...[][]int) {
		layer := l.layers[k]
		want := make([]int, len(layer))
		for i, item := range layer {
			sum, count := 0, 0
			for _, side := range sides {
				for _, n := range side[item] {
					sum, count = sum+y[n], count+1
				}
			}
			if count == 0 {
				sum, count = y[item], 1
			}
			want[i] = sum/count - offsets[k][i]
		}
		for i, v := range rising(want) {
			y[layer[i]] = v + offsets[k][i]
		}
	}
	// Each round pulls the columns towards their left neighbours and then towards their right ones.
	for range rounds {
		for k := 1; k < len(l.layers); k++ {
			settle(k, l.left)
		}
		for k := len(l.layers) - 2; k >= 0; k-- {
			settle(k, l.right)
		}
	}
	for k := range l.layers {
		settle(k, l.left, l.right)
	}
	return l.layout(y, fine, size)
}

// rising returns the values that never fall and are nearest to want by the sum of squares: neighbours that
// would fall are pooled at their mean.
func rising(want []int) []int {
	type pool struct{ sum, count int }
	var pools []pool
	for _, w := range want {
		p := pool{w, 1}
		for len(pools) > 0 && pools[len(pools)-1].sum*p.count > p.sum*pools[len(pools)-1].count {
			last := pools[len(pools)-1]
			pools = pools[:len(pools)-1]
			p = pool{p.sum + last.sum, p.count + last.count}
		}
		pools = append(pools, p)
	}
	out := make([]int, 0, len(want))
	for _, p := range pools {
		for range p.count {
			out = append(out, floor(p.sum, p.count))
		}
	}
	return out
}

// floor is a/b rounded down, for b over 0: rounding towards zero would move two values apart differently
// on both sides of it.
func floor(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// layout moves everything below zero and gathers the lines.
func (l *layering) layout(y []int, fine int, size func(int) int) Layout {
	out := Layout{Columns: len(l.layers), Back: l.back}
	top, first := 0, true
	for i := range y {
		y[i] = floor(y[i], fine)
		if edge := y[i] - size(i)/2; first || edge < top {
			top, first = edge, false
		}
	}
	point := func(item int) Point { return Point{l.layer[item], y[item] - top} }
	for i := range y {
		p := point(i)
		out.Height = max(out.Height, p.Y+(size(i)+1)/2)
		if i < l.nodes {
			out.Nodes = append(out.Nodes, p)
		}
		for _, to := range l.left[i] {
			out.Wires = append(out.Wires, Wire{p, point(to), i >= l.nodes})
		}
	}
	return out
}
