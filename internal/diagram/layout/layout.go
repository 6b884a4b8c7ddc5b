// Package layout places the boxes of a flowchart, and the labels and bends of its edges, in ranks
// across its flow. It does not know texts, shapes or how anything is drawn.
package layout

import (
	"cmp"
	"fmt"
	"slices"
)

// sweeps is the number of passes of the ordering and of the placing.
const sweeps = 8

// BendWidth is the space on each side of a line that passes a rank. Labels are wider. Gap is the
// distance between two neighbors in a rank. Both are in pixels.
const (
	BendWidth = 4
	Gap       = 20
)

// maxBends bounds the bends of lines over several ranks. It is many times the number in any known
// proposal.
const maxBends = 1500

// Spot is a box, the label of an edge, or a bend of a line that passes a rank. Flow is the
// direction of edges, and cross is the other one. Lengths are in pixels.
type Spot struct {
	// Band is the group of the spot. No spot of another band is within its frame. Band 0 has the
	// spots without a group.
	Band int
	// Size is the extent along the flow. Before and After are the extents across it, on either side
	// of the middle.
	Size, Before, After int
	// Flow and Cross are the place of the middle, which the layout computes.
	Flow, Cross int

	rank    int
	in, out []int
}

// Layout is a layered layout (after Sugiyama, Tagawa and Toda, 1981). First boxes are ranked: each
// is after all boxes from which edges lead to it, except for the edges that close a cycle. Labels
// have ranks of their own, and a line over several ranks has a bend in each. Then each rank is
// sorted and placed by the mean position of the neighbors. Each group of boxes has a band across
// the ranks, so that no other box is within its frame.
type Layout struct {
	// Spots are the boxes, the labels and the bends, in this order.
	Spots []Spot
	// Paths are the spots of each edge, from the lower rank to the higher; reversed edges lead
	// backwards. An edge of a box to itself has no path.
	Paths    [][]int
	Reversed []bool

	ranks [][]int // spots by rank, in order
}

// Place places boxes. Edges are pairs of positions in boxes, and labels has the label of each edge,
// nil for none. bands is the order of the bands, and gap the distance between two ranks. Place
// returns an error if the edges have too many bends.
func Place(boxes []Spot, edges [][2]int, labels []*Spot, bands []int, gap int) (*Layout, error) {
	l := &Layout{Spots: boxes}
	l.connect(edges, labels)
	if err := l.rank(); err != nil {
		return nil, err
	}
	l.order(bands)
	l.align()
	l.stack(gap)
	return l, nil
}

// add adds a spot.
func (l *Layout) add(s Spot) int {
	l.Spots = append(l.Spots, s)
	return len(l.Spots) - 1
}

// arc connects two spots.
func (l *Layout) arc(from, to int) {
	l.Spots[from].out = append(l.Spots[from].out, to)
	l.Spots[to].in = append(l.Spots[to].in, from)
}

// connect makes a path of each edge between the first spots, through its label if labels has one
// for it. Edges that would close a cycle are reversed.
func (l *Layout) connect(edges [][2]int, labels []*Spot) {
	l.Paths, l.Reversed = make([][]int, len(edges)), make([]bool, len(edges))
	back := backEdges(len(l.Spots), edges)
	for i, e := range edges {
		if e[0] == e[1] {
			continue
		}
		from, to := e[0], e[1]
		if l.Reversed[i] = back[i]; back[i] {
			from, to = to, from
		}
		l.Paths[i] = []int{from, to}
		if labels[i] != nil {
			s := *labels[i]
			s.Band = l.bandBetween(from, to)
			l.Paths[i] = []int{from, l.add(s), to}
		}
		for k := range len(l.Paths[i]) - 1 {
			l.arc(l.Paths[i][k], l.Paths[i][k+1])
		}
	}
}

// bandBetween returns the band of what is between two nodes.
func (l *Layout) bandBetween(from, to int) int {
	if band := l.Spots[from].Band; band == l.Spots[to].Band {
		return band
	}
	return 0
}

// backEdges reports which edges a walk in depth finds to lead back to a node on its path.
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
		stack := []int{start}
		state[start] = onWay
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			if next[n] == len(out[n]) {
				state[n] = done
				stack = stack[:len(stack)-1]
				continue
			}
			i := out[n][next[n]]
			next[n]++
			switch to := edges[i][1]; state[to] {
			case 0:
				state[to] = onWay
				stack = append(stack, to)
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
func (l *Layout) rank() error {
	waits := make([]int, len(l.Spots))
	var ready []int
	for i, s := range l.Spots {
		if waits[i] = len(s.in); waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for k := 0; k < len(ready); k++ {
		s := l.Spots[ready[k]]
		for _, to := range s.out {
			l.Spots[to].rank = max(l.Spots[to].rank, s.rank+1)
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	// A box to which no edge leads moves next to the boxes after it.
	for i := len(ready) - 1; i >= 0; i-- {
		s := &l.Spots[ready[i]]
		if len(s.in) == 0 && len(s.out) > 0 {
			s.rank = l.Spots[s.out[0]].rank
			for _, to := range s.out {
				s.rank = min(s.rank, l.Spots[to].rank)
			}
			s.rank--
		}
	}
	return l.bend()
}

// bend adds a bend to each path in each rank that the path passes.
func (l *Layout) bend() error {
	for i := range l.Spots {
		l.Spots[i].in, l.Spots[i].out = nil, nil
	}
	bends := 0
	for i, path := range l.Paths {
		if path == nil {
			continue
		}
		band := l.bandBetween(path[0], path[len(path)-1])
		bent := path[:1:1]
		for _, to := range path[1:] {
			for from := bent[len(bent)-1]; l.Spots[from].rank+1 < l.Spots[to].rank; {
				if bends++; bends > maxBends {
					return fmt.Errorf("want lines that pass at most %d ranks, got more", maxBends)
				}
				b := l.add(Spot{rank: l.Spots[from].rank + 1, Band: band, Before: BendWidth,
					After: BendWidth})
				l.arc(from, b)
				bent, from = append(bent, b), b
			}
			l.arc(bent[len(bent)-1], to)
			bent = append(bent, to)
		}
		l.Paths[i] = bent
	}
	for i, s := range l.Spots {
		for len(l.ranks) <= s.rank {
			l.ranks = append(l.ranks, nil)
		}
		l.ranks[s.rank] = append(l.ranks[s.rank], i)
	}
	return nil
}

// order sorts each rank by bands, and within a band by the mean place of the neighbors. order is
// the place of each band.
func (l *Layout) order(order []int) {
	place := make([]int, len(l.Spots)) // in its rank, in thousandths
	sorted := func(rank []int, neighbors func(s Spot) []int) {
		key := make(map[int]int, len(rank))
		for i, n := range rank {
			key[n] = i * 1000
			if near := neighbors(l.Spots[n]); len(near) > 0 {
				sum := 0
				for _, m := range near {
					sum += place[m]
				}
				key[n] = sum / len(near)
			}
		}
		slices.SortStableFunc(rank, func(a, b int) int {
			return cmp.Or(cmp.Compare(order[l.Spots[a].Band], order[l.Spots[b].Band]),
				cmp.Compare(key[a], key[b]))
		})
		for i, n := range rank {
			place[n] = i * 1000
		}
	}
	for i := range sweeps {
		if i%2 == 0 {
			for _, rank := range l.ranks {
				sorted(rank, func(s Spot) []int { return s.in })
			}
		} else {
			for _, rank := range slices.Backward(l.ranks) {
				sorted(rank, func(s Spot) []int { return s.out })
			}
		}
	}
}

// align computes the position of each spot across the flow, within its band.
func (l *Layout) align() {
	for i := range sweeps {
		if i%2 == 0 {
			for _, rank := range l.ranks {
				l.alignRank(rank, func(s Spot) []int { return s.in })
			}
		} else {
			for _, rank := range slices.Backward(l.ranks) {
				l.alignRank(rank, func(s Spot) []int { return s.out })
			}
		}
	}
}

// alignRank moves the spots of a rank as near as possible to the mean of their neighbors: it
// minimizes the sum of the squared distances, by joining spots that would overlap to blocks.
func (l *Layout) alignRank(rank []int, neighbors func(s Spot) []int) {
	type block struct{ sum, count int }
	for start := 0; start < len(rank); {
		end := start + 1
		for end < len(rank) && l.Spots[rank[end]].Band == l.Spots[rank[start]].Band {
			end++
		}
		var blocks []block
		offsets, offset := make([]int, 0, end-start), 0
		for i, n := range rank[start:end] {
			s := l.Spots[n]
			if i > 0 {
				offset += l.Spots[rank[start+i-1]].After + Gap + s.Before
			}
			offsets = append(offsets, offset)
			sum, count := 0, 0
			for _, m := range neighbors(s) {
				if l.Spots[m].Band == s.Band {
					sum, count = sum+l.Spots[m].Cross, count+1
				}
			}
			if count == 0 {
				sum, count = s.Cross, 1
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
				l.Spots[rank[i]].Cross = b.sum/b.count + offsets[i-start]
				i++
			}
		}
		start = end
	}
}

// stack computes the position of each rank along the flow, with gaps of that height.
func (l *Layout) stack(gap int) {
	flow := 0
	for _, rank := range l.ranks {
		size := 0
		for _, n := range rank {
			size = max(size, l.Spots[n].Size)
		}
		for _, n := range rank {
			l.Spots[n].Flow = flow + size/2
			if l.Spots[n].Size == 0 {
				l.Spots[n].Size = size // a line passes the whole rank
			}
		}
		flow += size + gap
	}
}
