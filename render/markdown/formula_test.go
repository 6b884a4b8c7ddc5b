package markdown

import (
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/markdown"
)

// TestFormulaBudget fills a document with formulas: those beyond the bound remain source.
func TestFormulaBudget(t *testing.T) {
	article, err := New(false).Render(markdown.Parse(strings.Repeat("$($ ", 100_000)), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	out := string(article.HTML)
	set, plain := strings.Count(out, "<math>"), strings.Count(out, `<code class="math">(</code>`)
	if set == 0 || plain == 0 || set+plain != 100_000 {
		t.Errorf("%d formulas are set and %d are their source, of 100,000", set, plain)
	}
}
