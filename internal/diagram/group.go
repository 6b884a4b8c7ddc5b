package diagram

import (
	"fmt"
	"slices"
)

// group is a frame around nodes. parent is the group around it, or -1, and precedes it.
type group struct {
	id     string
	lines  []string
	parent int
	// filled reports that it holds a node or a filled group. It is known after [flow.finish].
	filled bool
}

// group returns the innermost open group, or -1.
func (f *flow) group() int {
	if n := len(f.open); n > 0 {
		return f.open[n-1]
	}
	return -1
}

// subgraph opens a group.
func (f *flow) subgraph(text string) bool {
	id, title := text, text
	if unquoted, ok := unquote(text); ok {
		id, title = unquoted, unquoted
	} else if m := groupHead.FindStringSubmatch(text); m == nil || m[1] == "" {
		return false
	} else if id = m[1]; m[2] != "" {
		if title, ok = unquote(m[2]); !ok {
			title = m[2]
		}
	}
	return f.startGroup(id, title)
}

// startGroup opens a group. It returns false if there is one with the id.
func (f *flow) startGroup(id, title string) bool {
	for _, g := range f.groups {
		if g.id == id {
			return false
		}
	}
	f.groups = append(f.groups,
		group{id: id, lines: flowLabel(title, wrapMessage), parent: f.group()})
	f.open = append(f.open, len(f.groups)-1)
	return true
}

// endGroup closes the innermost group, if there is one.
func (f *flow) endGroup() bool {
	n := len(f.open)
	f.open = f.open[:max(0, n-1)]
	return n > 0
}

// within reports whether a group is another one, or within it.
func (f *flow) within(g, other int) bool {
	for g >= 0 && g != other {
		g = f.groups[g].parent
	}
	return g == other
}

// finish turns empty groups into nodes, as Mermaid does. Edges to other groups then end at nodes in
// them.
func (f *flow) finish() error {
	if len(f.open) > 0 {
		return &Error{0, "a frame has no end"}
	}
	frame := map[int]int{} // groups by the nodes that stand for them in edges
	for g := range f.groups {
		if i, named := f.index[f.groups[g].id]; named {
			frame[i] = g
		}
	}
	fill := func(g int) {
		for ; g >= 0; g = f.groups[g].parent {
			f.groups[g].filled = true
		}
	}
	for i, n := range f.nodes {
		if _, ok := frame[i]; !ok {
			fill(n.group)
		}
	}
	for g, group := range slices.Backward(f.groups) {
		if group.filled {
			continue
		}
		i, named := f.index[group.id]
		if !named {
			i = f.node(group.id, group.parent)
		}
		f.nodes[i].lines, f.nodes[i].group = f.groups[g].lines, group.parent
		delete(frame, i)
		fill(group.parent)
	}
	if len(f.nodes) == len(frame) {
		return &Error{0, "the diagram is empty"}
	}
	return f.endAtFrames(frame)
}

// endAtFrames replaces the nodes that stand for groups by nodes in them. frame has the group of
// each such node.
func (f *flow) endAtFrames(frame map[int]int) error {
	if len(frame) == 0 {
		return nil
	}
	for i, g := range frame {
		if at := f.nodes[i].group; at >= 0 && !f.within(f.groups[g].parent, at) {
			return &Error{0, fmt.Sprintf("the frame %q is within two others", f.groups[g].id)}
		}
	}
	// ends returns the nodes at one end of an edge. For a group these are its nodes without an edge
	// in the group on that side, so that the whole group is before or after the other end.
	ends := func(node int, leaves func(e flowEdge) (inner, outer int)) (nodes []int, g int) {
		g, ok := frame[node]
		if !ok {
			return []int{node}, -1
		}
		linked := map[int]bool{}
		for _, e := range f.edges {
			a, b := leaves(e)
			if f.within(f.nodes[a].group, g) && f.within(f.nodes[b].group, g) && a != b {
				linked[a] = true
			}
		}
		for i, n := range f.nodes {
			if _, stands := frame[i]; !stands && f.within(n.group, g) && !linked[i] {
				nodes = append(nodes, i)
			}
		}
		for i, n := range f.nodes { // all of them are in a cycle
			if _, stands := frame[i]; len(nodes) == 0 && !stands && f.within(n.group, g) {
				nodes = append(nodes, i)
			}
		}
		return nodes, g
	}
	var edges []flowEdge
	for _, e := range f.edges {
		from, fromFrame := ends(e.from, func(e flowEdge) (int, int) { return e.from, e.to })
		to, toFrame := ends(e.to, func(e flowEdge) (int, int) { return e.to, e.from })
		if fromFrame >= 0 || toFrame >= 0 {
			e.fromFrame, e.toFrame = fromFrame, toFrame
			for i, a := range from {
				for k, b := range to {
					if drawn := i == len(from)/2 && k == len(to)/2; !drawn {
						// An empty label makes it as long as the drawn edge.
						edges = append(edges, flowEdge{from: a, to: b, fromFrame: -1, toFrame: -1,
							lines: make([]string, min(1, len(e.lines)))})
					}
				}
			}
		}
		e.from, e.to = from[len(from)/2], to[len(to)/2]
		if edges = append(edges, e); len(edges) > maxEdges {
			return tooLarge(0, "at most %d edges, with those to each node of a frame, got more",
				maxEdges)
		}
	}
	f.edges = edges
	// Remove the nodes that stood for groups.
	kept, place := f.nodes[:0], make([]int, len(f.nodes))
	for i, n := range f.nodes {
		place[i] = len(kept)
		if _, stands := frame[i]; !stands {
			kept = append(kept, n)
		}
	}
	f.nodes = kept
	for i := range f.edges {
		f.edges[i].from, f.edges[i].to = place[f.edges[i].from], place[f.edges[i].to]
	}
	return nil
}
