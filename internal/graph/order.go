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
