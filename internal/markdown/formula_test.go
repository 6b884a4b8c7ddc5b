package markdown_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/mipwatch/mipwatch/internal/markdown"
)

// formulas returns the sources found, displayed ones after a blank and blocks after two.
func formulas(source string) []string {
	var out []string
	b := []byte(source)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM,
		markdown.Formulas{})).Parser().Parse(text.NewReader(b))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *markdown.Formula:
			if entering {
				out = append(out, map[bool]string{true: " "}[n.Display]+n.Source(b))
			}
		case *markdown.FormulaBlock:
			if entering {
				out = append(out, "  "+n.Source(b))
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

func TestFormulas(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         []string
	}{
		{"inline", "a $x$, ($y$) **$z$** and $`w`$.", []string{"x", "y", "z", "w"}},
		{"marks of emphasis and links", "$a_1 * b_2 * c$ [$d$](/x) $[e](f)$",
			[]string{"a_1 * b_2 * c", "d", "[e](f)"}},
		{"two lines", "a $x\n= y$ b", []string{"x\n= y"}},
		{"two lines after a price", "a $5 and\n$x$ b", []string{"x"}},
		{"two lines of a quote", "> a $x\n> = y$ b", []string{"x\n= y"}},
		{"prices", "$5 and $6, US$7 to US$8, $9.", nil},
		{"blanks inside", "$ x$ and $x $", nil},
		{"a digit or a word behind", "$x$1 $x$y", nil},
		{"escaped", `\$x$ $a\$b$`, []string{`a\$b`}},
		{"shell", "$HOME/$USER:$PATH", nil},
		{"code first", "`$x` $a `b$` c$", nil},
		{"script without blanks", "数$x$数", []string{"x"}},
		{"fences and indented code", "```\n$x$\n$$\ny\n$$\n```\n\n    $z$\n", nil},
		{"addresses and HTML", `<https://a.example/$x$> <b title="$y$"> [a](/$z$)`, nil},
		{"a block", "$$\nx\n= y\n$$\n", []string{"  x\n= y"}},
		{"a block of one line", "$$x$$\nafter", []string{"  x"}},
		{"a block within a paragraph", "a\n$$\n- x\n$$\nb", []string{"  - x"}},
		{"a block in a list", "- a\n\n  $$\n  x\n  $$", []string{"  x"}},
		{"a block after a tab", "-\t$$\n\tx\n\t$$", []string{"  x"}},
		{"display within a line", "a $$x$$ b", []string{" x"}},
		{"an empty line", "$$\nx\n\ny\n$$", nil},
		{"never closed", "$$\n# x", nil},
		{"closed outside its quote", "> $$\n> x\n\ny $$", nil},
		{"a quote that ends first", "> $$\n> x\ny $$", nil},
		{"a bar in a table", "| a |\n|-|\n| $\\|x\\|$ |", []string{"|x|"}},
		{"too long", "$" + strings.Repeat("x", 5000) + "$", nil},
	} {
		if got := formulas(tt.source); !slices.Equal(got, tt.want) {
			t.Errorf("%s: formulas in %.60q: %q, want %q", tt.name, tt.source, got, tt.want)
		}
	}
}

// TestText checks that what is no formula stays text: a block that its quote ends too early.
func TestText(t *testing.T) {
	var b strings.Builder
	err := goldmark.New(goldmark.WithExtensions(markdown.Formulas{})).Convert(
		[]byte("> $$\n> # x\n\ny"), &b)
	if err != nil || !strings.Contains(b.String(), "<p>$$</p>\n<h1>x</h1>") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// FuzzFormulas checks that each formula is in the text, and that there is none without dollar
// signs.
func FuzzFormulas(f *testing.F) {
	for _, s := range []string{"a $x$ b", "> $$\n> x\n> $$", "-\t$$\n\tx\n\t$$\n",
		"$`a`$ $$b$$ `$c$`", "| $x\\|y$ |\n|--|\n", "| $x\\\\|y$ |\n|--|\n", "$a\n\tb$\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 4096 || strings.ContainsAny(source, "\x00") {
			t.Skip("long inputs are slow to parse; no proposal holds NUL")
		}
		for _, found := range formulas(source) {
			for line := range strings.Lines(found) {
				// In a table one backslash before a bar is removed.
				s := strings.TrimSpace(line)
				if !strings.Contains(source, s) &&
					!strings.Contains(strings.ReplaceAll(source, `\|`, "|"), s) {
					t.Errorf("%q has the formula %q", source, found)
				}
			}
			if !strings.Contains(source, "$") {
				t.Errorf("%q has the formula %q", source, found)
			}
		}
	})
}
