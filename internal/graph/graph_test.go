package graph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/graph"
)

var room = graph.Spacing{Node: 20, Wire: 6, Gap: 4}

func TestComponents(t *testing.T) {
	got := graph.Components(graph.Graph{Nodes: 7, Edges: [][2]int{{5, 1}, {1, 6}, {3, 2}}})
	if diff := cmp.Diff([][]int{{1, 5, 6}, {2, 3}, {0}, {4}}, got); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
}

func TestLay(t *testing.T) {
	for _, c := range []struct {
		name string
		g    graph.Graph
		want graph.Layout
	}{
		{"nothing", graph.Graph{}, graph.Layout{Columns: 1}},
		{"one", graph.Graph{Nodes: 1},
			graph.Layout{Columns: 1, Height: 20, Nodes: []graph.Point{{0, 10}}}},
		{"two that need one", graph.Graph{Nodes: 3, Edges: [][2]int{{1, 0}, {2, 0}}}, graph.Layout{
			Columns: 2, Height: 44, Nodes: []graph.Point{{0, 22}, {1, 10}, {1, 34}},
			Wires: []graph.Wire{{From: graph.Point{Column: 1, Y: 10}, To: graph.Point{Y: 22}},
				{From: graph.Point{Column: 1, Y: 34}, To: graph.Point{Y: 22}}},
		}},
		{"a circle", graph.Graph{Nodes: 2, Edges: [][2]int{{0, 1}, {1, 0}}}, graph.Layout{
			Columns: 2, Height: 20, Nodes: []graph.Point{{1, 10}, {0, 10}},
			Wires: []graph.Wire{{From: graph.Point{Column: 1, Y: 10}, To: graph.Point{Y: 10}}},
			Back:  [][2]int{{1, 0}},
		}},
	} {
		if diff := cmp.Diff(c.want, graph.Lay(c.g, room)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// A node without needs is beside the node that needs it, and a long line takes a position of its
// own in each column.
func TestLayLongLine(t *testing.T) {
	// 3 needs 2, 1 and 4; 2 needs 1; 1 needs 0. 4 is beside 3, and the line from 3 to 1 goes round
	// 2.
	l := graph.Lay(graph.Graph{Nodes: 5, Edges: [][2]int{{3, 2}, {3, 1}, {3, 4}, {2, 1}, {1, 0}}},
		room)
	var columns []int
	through := 0
	for _, p := range l.Nodes {
		columns = append(columns, p.Column)
	}
	for _, w := range l.Wires {
		if w.Through {
			through++
			if w.From.Column == l.Nodes[2].Column && w.From.Y == l.Nodes[2].Y {
				t.Errorf("a line goes through a node: %+v", w)
			}
		}
	}
	if want := []int{0, 1, 2, 3, 2}; !slices.Equal(columns, want) || through != 1 {
		t.Errorf("columns %v with %d lines through one, want %v with 1", columns, through, want)
	}
}

// Properties of every layout: nodes keep their distance, lines go from one column to the previous
// one, needed nodes are on the left, and the order of the edges does not matter.
func TestLayProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		g := graph.Graph{Nodes: 1 + random.IntN(40)}
		for from := range g.Nodes {
			for range random.IntN(4) {
				if e := [2]int{from, random.IntN(g.Nodes)}; e[1] != from &&
					!slices.Contains(g.Edges, e) {
					g.Edges = append(g.Edges, e)
				}
			}
		}
		l := graph.Lay(g, room)
		if got, want := graph.Size(g), len(l.Nodes)+len(l.Wires); got != want {
			t.Fatalf("%v: size %d, want %d as the layout has", g, got, want)
		}
		for i, a := range l.Nodes {
			if a.Column < 0 || a.Column >= l.Columns || a.Y < room.Node/2 ||
				a.Y > l.Height-room.Node/2 {
				t.Fatalf("%v: node %d at %v is outside of %d columns, height %d",
					g, i, a, l.Columns, l.Height)
			}
			for k, b := range l.Nodes[:i] {
				if a.Column == b.Column && max(a.Y-b.Y, b.Y-a.Y) < room.Node+room.Gap {
					t.Fatalf("%v: nodes %d and %d are too near: %v %v", g, k, i, b, a)
				}
			}
		}
		for _, w := range l.Wires {
			if w.From.Column != w.To.Column+1 {
				t.Fatalf("%v: a piece of a line leads from column %d to %d",
					g, w.From.Column, w.To.Column)
			}
		}
		for _, e := range g.Edges {
			if !slices.Contains(l.Back, e) && l.Nodes[e[0]].Column <= l.Nodes[e[1]].Column {
				t.Fatalf("%v: %d needs %d, which is not on its left", g, e[0], e[1])
			}
		}
		shuffled := graph.Graph{Nodes: g.Nodes, Edges: slices.Clone(g.Edges)}
		random.Shuffle(len(shuffled.Edges), func(i, k int) {
			shuffled.Edges[i], shuffled.Edges[k] = shuffled.Edges[k], shuffled.Edges[i]
		})
		if diff := cmp.Diff(l, graph.Lay(shuffled, room)); diff != "" {
			t.Fatalf("%v: another order of edges gives another layout:\n%s", g, diff)
		}
	}
}
