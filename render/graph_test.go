package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// graphList is a list with requirements: 2 and 3 require 1, 4 and 5 require each other, 6 requires
// a missing proposal and itself, 7 none.
func graphList() []mip.Metadata {
	all := pageList()[:7]
	for i, needs := range [][]int{nil, {1}, {1, 1}, {5}, {4}, {6, 99}, nil} {
		all[i].Requires = needs
	}
	all[4].Title = "MIP-5" // the title of a proposal without one
	return all
}

func TestGraph(t *testing.T) {
	p := newTestPages(t, pageInfo("https://example.org/p"), nil)
	page, err := p.Graph(NewRelations(graphList()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range pageFaults(t, page) {
		t.Error(f)
	}
	var drawn, listed, paths []string
	var words string
	for _, e := range pageElements(t, page) {
		switch {
		case e.tag == "a" && strings.HasPrefix(e.attr["class"], "s-"):
			drawn = append(drawn, e.attr["href"])
		case e.tag == "path":
			paths = append(paths, e.attr["class"])
		case e.tag == "tr":
			listed = append(listed, strings.Join(strings.Fields(e.text), " "))
		case e.tag == "main":
			words = strings.Join(strings.Fields(e.text), " ")
		}
	}
	if want := strings.Fields("/p/mip/1/ /p/mip/2/ /p/mip/3/ /p/mip/4/ " +
		"/p/mip/5/"); !slices.Equal(drawn, want) {
		t.Errorf("drawn %q, want %q", drawn, want)
	}
	if want := strings.Fields("e back e tip tip"); !slices.Equal(
		slices.Sorted(slices.Values(paths)), slices.Sorted(slices.Values(want))) {
		t.Errorf("lines of the classes %q, want %q", paths, want)
	}
	if want := []string{
		"Proposal Requires", "MIP-2 Title code 2 MIP-1", "MIP-3 Title code 3 MIP-1, MIP-1",
		"MIP-4 Title code 4 MIP-5", "MIP-5 MIP-4",
		"MIP-6 Title code 6 MIP-6, MIP-99 (its text is not here)",
	}; !slices.Equal(listed, want) {
		t.Errorf("listed %q, want %q", listed, want)
	}
	for _, want := range []string{"5 proposals are connected by 4 relations: what requires what.",
		"MIP-5 requires MIP-4, which depends on it in turn"} {
		if !strings.Contains(words, want) {
			t.Errorf("the page does not say %q in %q", want, words)
		}
	}
}

// A proposal that is tied to a published one leads to the drawing of all.
func TestRelationsLink(t *testing.T) {
	p, all := newTestPages(t, pageInfo("https://example.org"), nil), graphList()
	for _, c := range []struct {
		name                 string
		requires, requiredBy []int
		want                 bool
	}{
		{"alone", nil, nil, false},
		{"only itself", []int{1}, nil, false},
		{"only a missing one", []int{99}, nil, false},
		{"requires", []int{2, 3, 3}, nil, true},
		{"is required, one missing", []int{99}, []int{4}, true},
	} {
		of := slices.Clone(all)
		of[0].Requires, of[0].RequiredBy = c.requires, c.requiredBy
		page, err := p.Proposal(ProposalPage{All: of})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(page), `href="/graph/?q=MIP-1"`); got != c.want {
			t.Errorf("%s: a link to the drawing: %t, want %t", c.name, got, c.want)
		}
	}
}

func BenchmarkGraph(b *testing.B) {
	p, all := newTestPages(b, pageInfo("https://example.org"), nil), manyList()
	for i := range all {
		all[i].Requires = []int{(i*7)%(i+1) + 1, i / 2}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Graph(NewRelations(all)); err != nil {
			b.Fatal(err)
		}
	}
}

// A graph whose drawing would be far larger than itself is a list, with a notice on the page.
// Others are still drawn.
func TestGraphOfTooManyLines(t *testing.T) {
	const many, pair = 2000, 2
	all := make([]mip.Metadata, many+pair)
	for i := range all {
		all[i] = pageList()[0]
		all[i].Number, all[i].ID, all[i].Requires = i+1, mip.ID{Kind: "MIP", Number: i + 1}, nil
		// A chain in which each also requires distant ones: about a million bends.
		for _, n := range []int{i, i / 2, i / 3} {
			if n > 0 && i < many && !slices.Contains(all[i].Requires, n) {
				all[i].Requires = append(all[i].Requires, n)
			}
		}
	}
	all[many].Requires = []int{many + pair}
	page, err := newTestPages(t, pageInfo("https://example.org"), nil).Graph(NewRelations(all))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if got := strings.Count(text, `<svg class="g"`); got != 1 {
		t.Errorf("%d drawings, want that of the pair alone", got)
	}
	for _, want := range []string{"2,000 of them are in larger groups than a drawing can show",
		"MIP-2000", `href="#list"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	const most = 400 // bytes of the page for each relation
	if relations := 3 * many; len(page) > most*relations {
		t.Errorf("%d bytes for %d relations, want at most %d", len(page), relations, most*relations)
	}
}
