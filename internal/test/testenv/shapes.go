package testenv

import (
	"fmt"
	"strings"
)

// Shapes are valid Markdown texts, by name, each of nearly size bytes. The cost of a text must not
// depend on its shape. They repeat the words aa and bb.
func Shapes(size int) map[string]string {
	filled := func(begin string, line func(i int) string, end string) string {
		var b strings.Builder
		b.WriteString(begin)
		for i := 0; ; i++ {
			next := line(i)
			if b.Len()+len(next)+len(end) > size {
				return b.String() + end
			}
			b.WriteString(next)
		}
	}
	const abstract = "## Abstract\n\n"
	repeated := func(line string) string {
		return filled(abstract, func(int) string { return line }, "\n")
	}
	letters := strings.Repeat("abcdefghij", 28)
	return map[string]string{
		"headings": filled("", func(int) string { return "## " + letters + "\n\n" }, "aa bb\n"),
		"one line": repeated("aa bb "),
		"one word": filled(abstract+"aa bb ", func(int) string { return "x" }, "\n"),
		"underscores": filled(abstract+"```\naa bb a", func(int) string { return "_" },
			"b\n```\n"),
		"blank lines": filled(abstract+"aa bb\n", func(int) string { return "\n" }, "cc\n"),
		"table": filled(abstract+"| a | b |\n| - | - |\n", func(int) string {
			return "| " + strings.Repeat("aa bb ", 40) + "| c |\n"
		}, ""),
		"nested lists": filled(abstract, func(i int) string {
			return strings.Repeat("  ", i%12) + "- aa bb\n"
		}, ""),
		"code block": filled(abstract+"```go\n", func(int) string {
			return "aa := bb(12) // \"c\" <d>\n"
		}, "```\n"),
		"code spans": repeated(strings.Repeat("`aa_bb` ", 100) + "\n\n"),
		"long words": filled(abstract, func(i int) string {
			return fmt.Sprintf("aa bb abcdefghijklmnop%06d ", i)
		}, "\n"),
		"same title": filled("", func(int) string {
			return "## Abstract\n\n" + strings.Repeat("aa bb ", 20) + "\n\n"
		}, ""),
		"links": repeated(strings.Repeat("[aa bb](https://example.org/cc) ", 50) + "\n\n"),
	}
}
