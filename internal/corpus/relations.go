package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// relate fills RequiredBy and reports what is odd about Requires. proposals are ascending by number.
func relate(proposals []*Proposal, reportOf func(*Proposal) *report) {
	byID := make(map[mip.ID]*Proposal, len(proposals))
	for _, p := range proposals {
		byID[p.ID] = p
	}
	for _, p := range proposals {
		r := reportOf(p)
		for _, id := range p.ID.Siblings(p.Requires) {
			q := byID[id]
			switch {
			case id == p.ID:
				r.warnf(p.requireLine, "requires-self", "the proposal requires itself")
				continue
			case q == nil:
				r.warnf(p.requireLine, "requires-missing", "required number %d is not published here", id.Number)
				continue
			case p.Status == mip.Final && q.Status == mip.Draft:
				r.warnf(p.requireLine, "final-requires-draft", "the proposal is Final and requires %s, which is a Draft", q.ID)
			}
			q.RequiredBy = append(q.RequiredBy, p.Number)
		}
	}
	for _, cycle := range cycles(proposals, byID) {
		p := byID[cycle[0]]
		ids := make([]string, len(cycle))
		for i, id := range cycle {
			ids[i] = id.String()
		}
		reportOf(p).warnf(p.requireLine, "requires-cycle", "the proposals require each other in a circle: %s", strings.Join(append(ids, p.ID.String()), " > "))
	}
}

// cycles returns one circle for every group of proposals that all depend on each other (a strongly
// connected component): the shortest one through its lowest number, beginning there.
func cycles(proposals []*Proposal, byID map[mip.ID]*Proposal) [][]mip.ID {
	t := tarjan{byID: byID, index: map[mip.ID]int{}, low: map[mip.ID]int{}, onStack: map[mip.ID]bool{}}
	for _, p := range proposals {
		if _, visited := t.index[p.ID]; !visited {
			t.visit(p.ID)
		}
	}
	var out [][]mip.ID
	for _, group := range t.groups {
		out = append(out, circle(group, byID))
	}
	slices.SortFunc(out, func(a, b []mip.ID) int { return slices.CompareFunc(a, b, mip.ID.Compare) })
	return out
}

// tarjan finds strongly connected components: R. Tarjan, Depth-first search and linear graph
// algorithms, SIAM J. Comput. 1 (1972). It keeps its own stack, since a chain of proposals may be as
// long as the corpus.
type tarjan struct {
	byID    map[mip.ID]*Proposal
	index   map[mip.ID]int
	low     map[mip.ID]int
	onStack map[mip.ID]bool
	stack   []mip.ID
	groups  [][]mip.ID // of two members or more
}

// step is a proposal on the way and how many of its requirements have been followed.
type step struct {
	id   mip.ID
	next int
}

func (t *tarjan) visit(from mip.ID) {
	path := []step{{from, 0}}
	t.enter(from)
	for len(path) > 0 {
		top := &path[len(path)-1]
		requires := t.byID[top.id].Requires
		if top.next < len(requires) {
			n := top.id.Sibling(requires[top.next])
			top.next++
			if t.byID[n] == nil {
				continue
			}
			if _, visited := t.index[n]; !visited {
				t.enter(n)
				path = append(path, step{n, 0})
			} else if t.onStack[n] {
				t.low[top.id] = min(t.low[top.id], t.index[n])
			}
			continue
		}
		done := top.id
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1].id
			t.low[up] = min(t.low[up], t.low[done])
		}
		if t.low[done] == t.index[done] {
			t.leave(done)
		}
	}
}

func (t *tarjan) enter(n mip.ID) {
	t.index[n] = len(t.index)
	t.low[n] = t.index[n]
	t.stack = append(t.stack, n)
	t.onStack[n] = true
}

func (t *tarjan) leave(root mip.ID) {
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
func circle(group []mip.ID, byID map[mip.ID]*Proposal) []mip.ID {
	lowest := slices.MinFunc(group, mip.ID.Compare)
	cameFrom := map[mip.ID]mip.ID{}
	queue := []mip.ID{lowest}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, n := range at.Siblings(byID[at].Requires) {
			if n == lowest && at != lowest {
				path := []mip.ID{at}
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
	panic(fmt.Sprintf("corpus: no circle through %s in %v", lowest, group))
}
