package markdown

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTexts compares the visible text below each heading.
func TestTexts(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{" \n\n", ""},
		{
			"See [the *fee*](./a.md \"t\").\n\n## One\n- ![a fee](b(c).png)\n* __x__ | " +
				"y\n\nTwo\nlines\n===\n> `c` <b>d</b> <!-- fee\nno --> https://x.example/y?z w",
			"See the fee.|a fee x | y|c d w",
		},
		{
			"| a | b | fee |\n| :-- | :---: | --: |\n| c: | d | e |\n\n|fee|-|\n|-|-|\n|fee|-|",
			"a b fee c: d e fee - fee -",
		},
		{"- one\r\n- fee\r\n\r\n---\r\n+ two", "one fee two"},
		{
			"# A\n```go\nx := m[Key](v) // Vec<u8>\n\n\ty\n```\n    four < five\n",
			"x := m[Key](v) // Vec<u8> y four < five",
		},
		{
			"`Vec<u8>` and `a[0](c)`, x < y > z, m\\[0\\]\\(c\\) &lt;i&gt; 1<br>2<sup>3</sup>",
			"Vec<u8> and a[0](c), x < y > z, m[0](c) <i> 1 23",
		},
		{"$a_1[b](c)$ and\n\n$$\n\\frac{a}{b}\n$$\n", "a_1[b](c) and \\frac{a}{b}"},
		{
			"<details><summary>More &amp; more</summary>\n<!-- no " +
				"--><td>x</td>\n<style>p{}</style>\n</details>\n\n<script>\nno()\n</script>\n",
			"More & more x",
		},
		{"[a]: /b\n\nOne[^1] [a] two.\n\n[^1]: A note.\n\n## B\n\nc", "One a two.|c A note."},
		{"\u202eb\u200blob\u00a0fee\u2003x", "blob fee x"},
		{"- a - b -- c\n- [ ] task\n", "a - b -- c task"},
		{strings.Repeat("> ", 20) + "deep", "deep"},
		{"<!-- no end", "<!-- no end"},
	} {
		got := strings.Join(Parse(strings.ReplaceAll(tt.in, "\r\n", "\n")).Texts(), "|")
		if got != tt.want {
			t.Errorf("%q has the texts %q, want %q", tt.in, got, tt.want)
		}
	}
}

// FuzzTexts checks that there is one text per section, on one line.
func FuzzTexts(f *testing.F) {
	f.Add("a\n\n# b\nc <!-- d\n\n```\ne")
	f.Fuzz(func(t *testing.T, body string) {
		trial, refused := Check(body)
		if !utf8.ValidString(body) || trial != (Trial{}) || refused != nil {
			return
		}
		d := Parse(body)
		texts := d.Texts()
		if len(texts) != len(d.Sections) {
			t.Fatalf("%d texts of %d sections", len(texts), len(d.Sections))
		}
		for _, text := range texts {
			if strings.ContainsAny(text, "\r\n\t") || strings.TrimSpace(text) != text ||
				!utf8.ValidString(text) {
				t.Fatalf("a text %q", text)
			}
		}
	})
}
