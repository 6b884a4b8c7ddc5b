package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/markdown"
)

// TestDiagramBudget fills a document with diagrams: those beyond the bound remain source.
func TestDiagramBudget(t *testing.T) {
	const fence = "```mermaid\n%s\n```\n\n"
	names := make([]string, 150)
	for i := range names {
		names[i] = fmt.Sprint("n", i)
	}
	all := strings.Join(names, "&")
	for _, tt := range []struct {
		name, source string
		drawn        bool
	}{
		{"small", "sequenceDiagram\na->>b:c", true},
		{"edges that multiply", "graph\n" + all + "-->" + all, false},
		{"wide", "graph LR\n" + strings.Join(names, "-->"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			block := fmt.Sprintf(fence, tt.source)
			n := (1 << 18) / len(block)
			article, err := New(true).Render(markdown.Parse(strings.Repeat(block, n)), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			out := string(article.HTML)
			drawn, sources := strings.Count(out, "<svg"), strings.Count(out, "Diagram code")
			if drawn > 0 != tt.drawn || drawn == n || sources != n {
				t.Errorf("%d of %d diagrams are drawn, and %d have a source", drawn, n, sources)
			}
		})
	}
}
