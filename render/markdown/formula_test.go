package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/tex"
)

// TestFormulaCorpora holds real proposals to formulas that are understood, of which one in fifty may not be.
func TestFormulaCorpora(t *testing.T) {
	understood, lost := map[string]int{}, 0
	for _, file := range corpusFiles(t) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc := markdown.Parse(string(source))
		corpus := filepath.Base(filepath.Dir(file))
		_ = ast.Walk(doc.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			f, ok := n.(interface{ Source(source []byte) string })
			if !entering || !ok {
				return ast.WalkContinue, nil
			}
			if _, ok := tex.Parse(f.Source(doc.Body), n.Kind() == markdown.KindFormulaBlock); ok {
				understood[corpus]++
			} else {
				lost++
				t.Logf("%s: not understood: %q", filepath.Base(file), f.Source(doc.Body))
			}
			return ast.WalkContinue, nil
		})
	}
	t.Logf("understood: %v, not: %d", understood, lost)
	sum := lost
	for _, n := range understood {
		sum += n
	}
	if lost*50 > sum {
		t.Errorf("%d of %d formulas are not understood", lost, sum)
	}
}

// TestFormulaBudget fills a document with formulas: those beyond what it may grow by stay their source.
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
