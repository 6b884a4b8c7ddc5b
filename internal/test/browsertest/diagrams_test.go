package browsertest

import (
	"strings"
	"testing"
)

// TestWideDiagram opens diagrams that are wider than a phone. Each begins at its first node, and
// fits the paper when printed.
func TestWideDiagram(t *testing.T) {
	t.Parallel()
	start(t)
	var text strings.Builder
	text.WriteString("---\nmip: 1\ntitle: Wide\nauthor: Ada (@ada)\nstatus: Draft\n" +
		"created: 2025-01-01\n---\n\n")
	for _, source := range []string{
		"graph TD\nroot --> one[A first child] & two[A second child] & three[A third child]\n" +
			"root --> four[A fourth child] & five[A fifth child]",
		"sequenceDiagram\nAlice->>Bob: asks\nBob->>Carol: asks\nCarol->>Dave: asks\n" +
			"Dave->>Eve: asks",
		"graph TD\na --> b",
	} {
		text.WriteString("```mermaid\n" + source + "\n```\n\n")
	}
	tab := setup{folders: []string{}, more: map[string]string{"MIP-1.md": text.String()}}.serve(t).
		tab(t, View{Width: 390})
	tab.Go("/mip/1/")
	if got := Ask[[]string](tab, `[...document.querySelectorAll(".diagram .scroll")].map(box => {
		const at = box.querySelector(".box").getBoundingClientRect(), frame = box.getBoundingClientRect();
		return (box.scrollWidth > box.clientWidth ? "wide" : "narrow") + (at.left >= frame.left && at.right <= frame.right ? "" : ", and its first node is cut");
	})`); strings.Join(got, "; ") != "wide; wide; narrow" {
		t.Errorf("the diagrams are %q", got)
	}
	tab.Print()
	if got := Ask[[]string](tab, `[...document.querySelectorAll(".diagram .scroll")].filter(box => box.scrollWidth > box.clientWidth).map(box => box.ariaLabel)`); len(got) > 0 {
		t.Errorf("paper cuts %q", got)
	}
}
