package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPassages checks that passages are the visible text, in order, without code and HTML.
func TestPassages(t *testing.T) {
	d := Parse(
		"# A *b*\n\nc\nd[^1]\n\n- e\n- f\n\n  g\n\n> h\n\n| i | j |\n|-|-|\n| k | l `m` " +
			"|\n\n```\nn\n```\n\n<div>o</div>\n\n[^1]: p\n")
	var got []string
	for _, n := range Passages(d.Root) {
		got = append(got, strings.TrimSpace(string(n.Lines().Value(d.Body))))
	}
	want := []string{"A *b*", "c\nd[^1]", "e", "f", "g", "h", "i", "j", "k", "l `m`", "p"}
	if !slices.Equal(got, want) {
		t.Errorf("passages %q, want %q", got, want)
	}
	if got := PlainText(d.Root.FirstChild(), d.Body); got != "A b" {
		t.Errorf("PlainText of the heading: %q", got)
	}
}

// BenchmarkBombs times the most expensive shapes within the limits.
func BenchmarkBombs(b *testing.B) {
	for name, body := range map[string]string{
		"lines":     strings.Repeat("a\n", 99_999),
		"emphasis":  strings.Repeat("*a_ ", 5_700),
		"links":     strings.Repeat("[a](b ", 4_600),
		"tags":      strings.Repeat("<a b=' c=\"", 99_000),
		"backticks": strings.Repeat("`a`` ", 200_000),
		"quotes":    strings.Repeat(strings.Repeat("> ", 64)+"a\n", 8_000),
		"brackets":  strings.Repeat("[", 99_999),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, refused := Check(body); refused != nil {
					b.Fatal(refused)
				}
				Parse(body)
			}
		})
	}
}

func TestTasks(t *testing.T) {
	d := Parse(
		"- [x] before\n\n## Steps\n\n1. [ ] `one`, [two](x)\n   - [X] nested\n- [ ]\n- " +
			"plain\n\n> - [ ] quoted\n\n```\n- [ ] code\n```\n\n## Later\n\n* [ ] <b>last</b>\n")
	var got []string
	for _, task := range d.Tasks() {
		got = append(got, fmt.Sprintf("%t %s %s", task.Done, task.Section, task.Text))
	}
	want := []string{
		"true s-text before", "false s-steps one, two", "true s-steps nested",
		"false s-steps quoted", "false s-later last",
	}
	if !slices.Equal(got, want) {
		t.Errorf("tasks %q, want %q", got, want)
	}
}
