package ai

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// sectionOf returns the only section of a proposal, with its passages.
func sectionOf(markdown string) *section {
	p := &mip.Proposal{Sections: []mip.Section{{Markdown: markdown}}}
	return &newTranslationSource(p).sections[0]
}

// shown returns the passages of a text between « and ».
func shown(markdown string) string {
	got, _ := sectionOf(markdown).with(func(p *passage) string {
		return "«" + strings.ReplaceAll(p.source, "\n", "⏎") + "»"
	})
	return got
}

func TestPassages(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"headings", "## Votes ##\n\n###\n# #5\n####### no\n",
			"## «Votes» ##\n\n###\n# «#5»\n«####### no»\n"},
		{"underlined", "Two\nlines\n===\ntext\n---\n", "«Two⏎lines»\n===\n«text»\n---\n"},
		{"paragraph", "  one  \n two\n\nthree", "  «one  ⏎two»\n\n«three»"},
		{"fence", "a\n```go\nb\n\n``` c\n````\nd\n", "«a»\n```go\nb\n\n``` c\n````\n«d»\n"},
		{"fence never closed", "~~~\n# a\n", "~~~\n# a\n"},
		{"code span of three backticks", "```a``` b\n", "«```a``` b»\n"},
		{"indented code", "a\n\n    b\n\n\tc\nd\n    e\n", "«a»\n\n    b\n\n\tc\n«d⏎e»\n"},
		{"list", "- a\n  b\n- [x] c\n\n  d\n\n      e\n1. f\n   - g\n",
			"- «a⏎b»\n- [x] «c»\n\n  «d»\n\n      e\n1. «f»\n   - «g»\n"},
		{"fence in an item", "- a\n  ```\n  b\n  ```\n  c\n", "- «a»\n  ```\n  b\n  ```\n  «c»\n"},
		{"fence ended by its item", "- ```\n  b\nc\n", "- ```\n  b\n«c»\n"},
		{"tabs", "-\ta\n\n\tb\n\n\t\tc\n\n\t    d\n", "-\t«a»\n\n\t«b»\n\n\t\tc\n\n\t    d\n"},
		{"number that interrupts nothing", "in the year\n2026. That\n1. item\n",
			"«in the year⏎2026. That»\n1. «item»\n"},
		{"quote", "> a\n> b\nc\n>\n> > d\n\ne\n", "> «a⏎b⏎c»\n>\n> > «d»\n\n«e»\n"},
		{"quoted code", "> ```\n> a\nb\n", "> ```\n> a\n«b»\n"},
		{"break", "a\n* * *\nb\n___\n", "«a»\n* * *\n«b»\n___\n"},
		{"html", "<div>\na\n</div>\n\nb <b>c</b>\n<!-- d\n\ne --> f\ng\n",
			"<div>\na\n</div>\n\n«b <b>c</b>»\n<!-- d\n\ne --> f\n«g»\n"},
		{"raw text of html", "<script>\n\na\n</script>\nb\n", "<script>\n\na\n</script>\n«b»\n"},
		{"lone tag", "<mark>\na\n\nb\n<mark>\n", "<mark>\na\n\n«b⏎<mark>»\n"},
		{"table", "a\n| b | c \\| d |\n| :-- | --: |\n| `e|f` |  | g |\nh\n\ni\n",
			"«a»\n| «b» | «c \\| d» |\n| :-- | --: |\n| «`e»|«f`» |  | g |\n«h»\n\n«i»\n"},
		{"table without outer bars", "a | b\n--|--\nc | d", "«a» | «b»\n--|--\n«c» | «d»"},
		{"delimiters that fit no header", "a | b\n|---|\n", "«a | b⏎|---|»\n"},
		{"definitions", "[a]: https://b.example \"c\"\n[d]:\n  e\n  'f'\n[g]: h i\n",
			"[a]: https://b.example \"c\"\n[d]:\n  e\n  'f'\n«[g]: h i»\n"},
		{"footnote", "[^1]: a\n    b\n\n    c\n\n        d\n",
			"[^1]: «a⏎b»\n\n    «c»\n\n        d\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, shown(tt.in)); diff != "" {
				t.Errorf("passages of %q (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}
