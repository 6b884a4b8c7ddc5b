package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// relate fills RequiredBy and reports what is odd about Requires. proposals are ascending by number.
func relate(proposals []*Proposal, reportOf func(*Proposal) *report) {
	byNumber := make(map[int]*Proposal, len(proposals))
	for _, p := range proposals {
		byNumber[p.Number] = p
	}
	for _, p := range proposals {
		r := reportOf(p)
		for _, n := range p.Requires {
			q := byNumber[n]
			switch {
			case n == p.Number:
				r.warnf(p.requireLine, "requires-self", "the proposal requires itself")
				continue
			case q == nil:
				r.warnf(p.requireLine, "requires-missing", "required number %d is not published here", n)
				continue
			case p.Status == mip.Final && q.Status == mip.Draft:
				r.warnf(p.requireLine, "final-requires-draft", "the proposal is Final and requires %s, which is a Draft", q.ID)
			}
			q.RequiredBy = append(q.RequiredBy, p.Number)
		}
	}
	for _, cycle := range cycles(proposals, byNumber) {
		p := byNumber[cycle[0]]
		ids := make([]string, len(cycle))
		for i, n := range cycle {
			ids[i] = byNumber[n].ID
		}
		reportOf(p).warnf(p.requireLine, "requires-cycle", "the proposals require each other in a circle: %s", strings.Join(append(ids, p.ID), " > "))
	}
}

// cycles returns one circle for every group of proposals that all depend on each other (a strongly
// connected component): the shortest one through its lowest number, beginning there.
func cycles(proposals []*Proposal, byNumber map[int]*Proposal) [][]int {
	t := tarjan{byNumber: byNumber, index: map[int]int{}, low: map[int]int{}, onStack: map[int]bool{}}
	for _, p := range proposals {
		if _, visited := t.index[p.Number]; !visited {
			t.visit(p.Number)
		}
	}
	var out [][]int
	for _, group := range t.groups {
		out = append(out, circle(group, byNumber))
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

// tarjan finds strongly connected components: R. Tarjan, Depth-first search and linear graph
// algorithms, SIAM J. Comput. 1 (1972). It keeps its own stack, since a chain of proposals may be as
// long as the corpus.
type tarjan struct {
	byNumber map[int]*Proposal
	index    map[int]int
	low      map[int]int
	onStack  map[int]bool
	stack    []int
	groups   [][]int // of two members or more
}

// step is a proposal on the way and how many of its requirements have been followed.
type step struct{ number, next int }

func (t *tarjan) visit(from int) {
	path := []step{{from, 0}}
	t.enter(from)
	for len(path) > 0 {
		top := &path[len(path)-1]
		requires := t.byNumber[top.number].Requires
		if top.next < len(requires) {
			n := requires[top.next]
			top.next++
			if t.byNumber[n] == nil {
				continue
			}
			if _, visited := t.index[n]; !visited {
				t.enter(n)
				path = append(path, step{n, 0})
			} else if t.onStack[n] {
				t.low[top.number] = min(t.low[top.number], t.index[n])
			}
			continue
		}
		done := top.number
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1].number
			t.low[up] = min(t.low[up], t.low[done])
		}
		if t.low[done] == t.index[done] {
			t.leave(done)
		}
	}
}

func (t *tarjan) enter(n int) {
	t.index[n] = len(t.index)
	t.low[n] = t.index[n]
	t.stack = append(t.stack, n)
	t.onStack[n] = true
}

func (t *tarjan) leave(root int) {
	at := slices.Index(t.stack, root)
	group := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, n := range group {
		t.onStack[n] = false
	}
	if len(group) > 1 {
		t.groups = append(t.groups, group)
	}
}

// circle searches breadth first from the group's lowest number back to itself.
func circle(group []int, byNumber map[int]*Proposal) []int {
	lowest := slices.Min(group)
	cameFrom := map[int]int{}
	queue := []int{lowest}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, n := range byNumber[at].Requires {
			if n == lowest && at != lowest {
				path := []int{at}
				for at != lowest {
					at = cameFrom[at]
					path = append(path, at)
				}
				slices.Reverse(path)
				return path
			}
			if _, seen := cameFrom[n]; !seen && n != lowest && slices.Contains(group, n) {
				cameFrom[n] = at
				queue = append(queue, n)
			}
		}
	}
	panic(fmt.Sprintf("corpus: no circle through %d in %v", lowest, group))
}
