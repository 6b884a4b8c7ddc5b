package browsertest

import (
	"fmt"
	"testing"
)

// TestKinds has the actions of a reader on a site whose kinds share numbers.
func TestKinds(t *testing.T) {
	t.Parallel()
	start(t)
	texts := map[string]string{}
	for _, id := range []string{"MIP-1", "MIP-2", "MRC-1", "MRC-2"} {
		texts[id+".md"] = fmt.Sprintf("---\ntitle: Title of %s\nstatus: Draft\n---\n\n"+
			"## Abstract\n\nWords.\n", id)
	}
	r := setup{folders: []string{}, more: texts, kinds: []string{"MIP", "MRC"}}.serve(t)
	tab := r.tab(t, View{})
	for _, c := range []struct {
		path string
		want []string
	}{
		{"/?kind=mrc", []string{"MRC-2", "MRC-1"}},
		{"/?q=1", []string{"MIP-1"}},
		{"/?q=mrc-1", []string{"MRC-1", "MRC-2"}},
		{"/?q=MIP+2&kind=mrc", []string{}},
	} {
		tab.Go(c.path)
		shows(tab, c.want)
	}
	tab.Expect(`Failed to load resource.*404`)
	for path, want := range map[string]string{"/mrc/0002": "Did you mean MRC-2: Title of MRC-2?",
		"/x/mrcs/mrc-002a_b": "Did you mean MRC-2: Title of MRC-2?",
		"/MIPS/mip-0002":     "Did you mean MIP-2: Title of MIP-2?"} {
		tab.Go(path)
		tab.Wait(`document.querySelector("#offer a")`)
		if got := Ask[string](tab, `document.querySelector("#offer").textContent`); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
