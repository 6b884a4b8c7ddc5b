package markdown

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// TestBareLinks checks that the quick test misses no address that goldmark's own parser finds.
func TestBareLinks(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
	}{
		{"https://a.example", 1}, {"(http://a.example)", 1}, {"see *www.a.example*", 1},
		{"ftp://a.example", 1}, {"a b@c.example d", 1},
		{strings.Repeat("a", 64) + "@b.example", 1},
		{"x " + strings.Repeat("a", 64) + "@b.example", 1},
		{strings.Repeat("a", 65) + "@b.example", 0},
		{"plain text", 0}, {"gopher://a.example", 0}, {"@handle", 0},
	} {
		got := 0
		err := ast.Walk(Parse(tt.in).Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if n.Kind() == ast.KindAutoLink && entering {
				got++
			}
			return ast.WalkContinue, nil
		})
		if err != nil || got != tt.want {
			t.Errorf("%q: %d links, want %d (%v)", tt.in, got, tt.want, err)
		}
	}
}
