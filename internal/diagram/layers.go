package diagram

import (
	"cmp"
	"fmt"
	"slices"
)

// Sizes of a layered layout, in pixels.
const (
	spotGap = 20 // between two neighbors of a rank
	rankGap = 34 // between ranks, for the lines
	bandPad = 14 // between a frame and its contents
	sweeps  = 8  // of the ordering and of the placing
)

// spot has a place in a layered layout: a node, the label of an edge, or a bend of a line that
// passes a rank. Flow is the direction of edges, and cross is the other one.
type spot struct {
	rank, band int
	// size is the extent along the flow; before and after are those across it.
	size, before, after int
	flow, cross         int // of the middle
	in, out             []int
}

// layers is a layered layout (after Sugiyama, Tagawa and Toda, 1981). First nodes are ranked: each
// is after all nodes from which edges lead to it, except for the edges that close a cycle. Labels
// have ranks of their own, and a line over several ranks has a bend in each. Then each rank is
// sorted and placed by the mean position of the neighbors. Each group of nodes has a band across
// the ranks, so that no other node is within its frame.
type layers struct {
	spots []spot
	ranks [][]int // spots by rank, in order
	// paths are the spots of each edge, from the lower rank to the higher; reversed edges lead
	// backwards. An edge of a node to itself has no path.
	paths    [][]int
	reversed []bool
}

// add adds a spot.
func (l *layers) add(s spot) int {
	l.spots = append(l.spots, s)
	return len(l.spots) - 1
}

// arc connects two spots.
func (l *layers) arc(from, to int) {
	l.spots[from].out = append(l.spots[from].out, to)
	l.spots[to].in = append(l.spots[to].in, from)
}

// connect makes a path of each edge between the first spots, through its label if labels has one
// for it. Edges that would close a cycle are reversed.
func (l *layers) connect(edges [][2]int, labels []*spot) {
	l.paths, l.reversed = make([][]int, len(edges)), make([]bool, len(edges))
	back := backEdges(len(l.spots), edges)
	for i, e := range edges {
		if e[0] == e[1] {
			continue
		}
		from, to := e[0], e[1]
		if l.reversed[i] = back[i]; back[i] {
			from, to = to, from
		}
		l.paths[i] = []int{from, to}
		if labels[i] != nil {
			s := *labels[i]
			s.band = l.bandBetween(from, to)
			l.paths[i] = []int{from, l.add(s), to}
		}
		for k := range len(l.paths[i]) - 1 {
			l.arc(l.paths[i][k], l.paths[i][k+1])
		}
	}
}

// bandBetween returns the band of what is between two nodes.
func (l *layers) bandBetween(from, to int) int {
	if band := l.spots[from].band; band == l.spots[to].band {
		return band
	}
	return 0
}

// backEdges reports which edges a walk in depth finds to lead back to a node on its way.
func backEdges(nodes int, edges [][2]int) []bool {
	out := make([][]int, nodes) // edges by their node
	inDegree := make([]int, nodes)
	for i, e := range edges {
		if e[0] != e[1] {
			out[e[0]] = append(out[e[0]], i)
			inDegree[e[1]]++
		}
	}
	back, state, next := make([]bool, len(edges)), make([]int, nodes), make([]int, nodes)
	walk := func(start int) {
		const onWay, done = 1, 2
		if state[start] != 0 {
			return
		}
		way := []int{start}
		state[start] = onWay
		for len(way) > 0 {
			n := way[len(way)-1]
			if next[n] == len(out[n]) {
				state[n] = done
				way = way[:len(way)-1]
				continue
			}
			i := out[n][next[n]]
			next[n]++
			switch to := edges[i][1]; state[to] {
			case 0:
				state[to] = onWay
				way = append(way, to)
			case onWay:
				back[i] = true
			}
		}
	}
	for n := range nodes { // first where the author's edges begin
		if inDegree[n] == 0 {
			walk(n)
		}
	}
	for n := range nodes {
		walk(n)
	}
	return back
}

// rank gives each spot a rank and adds the bends. The error is that of too many bends.
func (l *layers) rank() error {
	waits := make([]int, len(l.spots))
	var ready []int
	for i, s := range l.spots {
		if waits[i] = len(s.in); waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for k := 0; k < len(ready); k++ {
		s := l.spots[ready[k]]
		for _, to := range s.out {
			l.spots[to].rank = max(l.spots[to].rank, s.rank+1)
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	// What nothing leads to moves next to what it leads to.
	for i := len(ready) - 1; i >= 0; i-- {
		s := &l.spots[ready[i]]
		if len(s.in) == 0 && len(s.out) > 0 {
			s.rank = l.spots[s.out[0]].rank
			for _, to := range s.out {
				s.rank = min(s.rank, l.spots[to].rank)
			}
			s.rank--
		}
	}
	return l.bend()
}

// bend adds a bend to each path in each rank that the path passes.
func (l *layers) bend() error {
	for i := range l.spots {
		l.spots[i].in, l.spots[i].out = nil, nil
	}
	bends := 0
	for i, path := range l.paths {
		if path == nil {
			continue
		}
		band := l.bandBetween(path[0], path[len(path)-1])
		bent := path[:1:1]
		for _, to := range path[1:] {
			for from := bent[len(bent)-1]; l.spots[from].rank+1 < l.spots[to].rank; {
				if bends++; bends > maxBends {
					return fmt.Errorf("lines pass more than %d ranks", maxBends)
				}
				b := l.add(spot{rank: l.spots[from].rank + 1, band: band, before: 4, after: 4})
				l.arc(from, b)
				bent, from = append(bent, b), b
			}
			l.arc(bent[len(bent)-1], to)
			bent = append(bent, to)
		}
		l.paths[i] = bent
	}
	for i, s := range l.spots {
		for len(l.ranks) <= s.rank {
			l.ranks = append(l.ranks, nil)
		}
		l.ranks[s.rank] = append(l.ranks[s.rank], i)
	}
	return nil
}

// order sorts each rank by bands, and within a band by the mean place of the neighbors. order is
// the place of each band.
func (l *layers) order(order []int) {
	place := make([]int, len(l.spots)) // in its rank, in thousandths
	sorted := func(rank []int, neighbors func(s spot) []int) {
		key := make(map[int]int, len(rank))
		for i, n := range rank {
			key[n] = i * 1000
			if near := neighbors(l.spots[n]); len(near) > 0 {
				sum := 0
				for _, m := range near {
					sum += place[m]
				}
				key[n] = sum / len(near)
			}
		}
		slices.SortStableFunc(rank, func(a, b int) int {
			return cmp.Or(cmp.Compare(order[l.spots[a].band], order[l.spots[b].band]),
				cmp.Compare(key[a], key[b]))
		})
		for i, n := range rank {
			place[n] = i * 1000
		}
	}
	for i := range sweeps {
		if i%2 == 0 {
			for _, rank := range l.ranks {
				sorted(rank, func(s spot) []int { return s.in })
			}
		} else {
			for _, rank := range slices.Backward(l.ranks) {
				sorted(rank, func(s spot) []int { return s.out })
			}
		}
	}
}

// align computes the position of each spot across the flow, within its band.
func (l *layers) align() {
	for i := range sweeps {
		if i%2 == 0 {
			for _, rank := range l.ranks {
				l.alignRank(rank, func(s spot) []int { return s.in })
			}
		} else {
			for _, rank := range slices.Backward(l.ranks) {
				l.alignRank(rank, func(s spot) []int { return s.out })
			}
		}
	}
}

// alignRank moves the spots of a rank as near as possible to the mean of their neighbors: it
// minimizes the sum of the squared distances, by joining spots that would overlap to blocks.
func (l *layers) alignRank(rank []int, neighbors func(s spot) []int) {
	type block struct{ sum, count int }
	for start := 0; start < len(rank); {
		end := start + 1
		for end < len(rank) && l.spots[rank[end]].band == l.spots[rank[start]].band {
			end++
		}
		var blocks []block
		offsets, offset := make([]int, 0, end-start), 0
		for i, n := range rank[start:end] {
			s := l.spots[n]
			if i > 0 {
				offset += l.spots[rank[start+i-1]].after + spotGap + s.before
			}
			offsets = append(offsets, offset)
			sum, count := 0, 0
			for _, m := range neighbors(s) {
				if l.spots[m].band == s.band {
					sum, count = sum+l.spots[m].cross, count+1
				}
			}
			if count == 0 {
				sum, count = s.cross, 1
			}
			b := block{sum/count - offset, 1}
			for k := len(blocks); k > 0 && blocks[k-1].sum/blocks[k-1].count >= b.sum/b.count; k-- {
				b = block{b.sum + blocks[k-1].sum, b.count + blocks[k-1].count}
				blocks = blocks[:k-1]
			}
			blocks = append(blocks, b)
		}
		i := start
		for _, b := range blocks {
			for range b.count {
				l.spots[rank[i]].cross = b.sum/b.count + offsets[i-start]
				i++
			}
		}
		start = end
	}
}

// stack computes the position of each rank along the flow, with gaps of that height.
func (l *layers) stack(gap int) {
	flow := 0
	for _, rank := range l.ranks {
		size := 0
		for _, n := range rank {
			size = max(size, l.spots[n].size)
		}
		for _, n := range rank {
			l.spots[n].flow = flow + size/2
			if l.spots[n].size == 0 {
				l.spots[n].size = size // a line passes the whole rank
			}
		}
		flow += size + gap
	}
}
