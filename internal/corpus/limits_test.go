package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// fill repeats s up to the size limit of a body.
func fill(s string) string {
	const most = folder.MaxFile - 100
	return strings.Repeat(s, most/len(s))
}

// TestBombs checks that costly input is refused with a message, or handled. Benchmarks measure the
// time. Input without a limit would make the test hang.
func TestBombs(t *testing.T) {
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < folder.MaxFile-200; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	steps := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat("  ", i) + "- a\n")
		}
		return b.String()
	}
	runs := func(n int) string { // of every length, so that none is closed
		var b strings.Builder
		b.WriteString("x")
		for i := n; i > 0; i-- {
			b.WriteString(strings.Repeat("`", i) + " ")
		}
		return b.String()
	}
	for _, tt := range []struct{ name, body, want string }{ // want: the code of the error, or empty
		{"emphasis", fill("*a_ "), "too-complex"},
		{"emphasis in many paragraphs", fill(strings.Repeat("*a_ ", 2000) + "\n\n"), "too-complex"},
		{"strong", fill("**a __b "), "too-complex"},
		{"one run of stars", fill("*"), "too-complex"},
		{"tildes", fill("~a ~~b "), "too-complex"},
		{"empty links", fill("[]("), "too-complex"},
		{"links", fill("[a](b "), "too-complex"},
		{"links in many paragraphs", fill(strings.Repeat("[a](b ", 10_000) + "\n\n"),
			"too-complex"},
		{"brackets", fill("["), "too-complex"},
		{"brackets within brackets",
			"[a]: /x\n\n" +
				strings.Repeat(strings.Repeat("[", 900)+"a"+strings.Repeat("]", 900)+" ", 60),
			"too-complex"},
		{"brackets that nothing closes", strings.Repeat("[", 100_000), ""},
		{"images", fill("!["), "too-complex"},
		{"nested links", fill("[")[:folder.MaxFile/3] + "a" + fill("](b)")[:folder.MaxFile/2],
			"too-complex"},
		{"tags", fill("<a b=\""), "too-complex"},
		{"tags within tags", strings.Repeat("<a b=' c=\"", 19_900), ""},
		{"comments", "x " + strings.Repeat("<!--", 19_900), ""},
		{"anchors", fill("<a id=x href=y>z</a>"), "too-complex"},
		{"attributes of one tag among text", "x <a " + fill("b=c ")[:900_000] + ">y</a>",
			"too-complex"},
		{"attributes without values", "x <a" + fill(" b")[:900_000] + ">y</a>", "too-complex"},
		{"attributes of one block", "<div " + fill("b=c\n")[:900_000] + ">y</div>", "too-complex"},
		{"attributes behind quotes", "<div a='>' " + fill("b=\"c\"d='e'")[:900_000] + ">y</div>",
			"too-complex"},
		{"attributes behind what is no attribute",
			"<div =\"><p " + fill("b/")[:900_000] + ">\"</p>", "too-complex"},
		{"attributes behind blank lines", "<pre a\n\n" + fill("b\n\n")[:270_000] + ">y</pre>",
			"too-complex"},
		{"attributes of an end", "<div>y</div " + fill("b=c ")[:900_000] + ">", "too-complex"},
		{"attributes behind code", "`<a b=\"` <a d='\">' " + fill("b=c ")[:900_000] + "> y",
			"too-complex"},
		{"attributes in code", "```\n<a " + fill("b=c ")[:900_000] + ">\n```\n", ""},
		{"words and a tag", "x <a href=y>z</a> " + fill("word ")[:900_000], ""},
		{"blocks of HTML", fill("<b>\n\n"), "too-complex"},
		{"HTML in a fence", "```\n" + fill("<b>\n\n"), ""},
		{"one long block of HTML", "<div>\n" + strings.Repeat("<b>\n", 60_000), ""},
		{"references line by line", "[a]: /x\n\n" + strings.Repeat("[a]\n", 90_000), "too-complex"},
		{"references in quotes", strings.Repeat("> [a]\n", 60_000), "too-complex"},
		{"images line by line", strings.Repeat("![a]\n", 60_000), "too-complex"},
		{"closers after openers", strings.Repeat("[\n", 30_000) + strings.Repeat("]\n", 30_000),
			"too-complex"},
		{"footnotes before many lines", "[^a]: b\n\n" + strings.Repeat("[^a]\n", 4_900) +
			strings.Repeat("b\n", 90_000), "too-complex"},
		{"a reference in each of 30,000 paragraphs",
			"[a]: /x\n\n" + strings.Repeat("[a]\n\n", 30_000), ""},
		{"references in a fence", "```\n" + strings.Repeat("[a]\n", 90_000), ""},
		{"5,000 lines of references", "[a]: /x\n\n" + strings.Repeat("[a]\n", 5_000), ""},
		{"runs of backticks on one line", runs(1_390), "too-complex"},
		{"runs of backticks before many lines", runs(600) + "\n" + strings.Repeat("a\n", 90_000),
			"too-complex"},
		{"long runs of backticks", strings.Repeat("a "+strings.Repeat("`", 100)+" b\n", 100), ""},
		{"backticks", fill("`a`` "), ""},
		{"quotes 10,000 deep", strings.Repeat("> ", 10_000) + "a", "too-deep"},
		{"quotes without blanks", strings.Repeat(">", 10_000) + "a", "too-deep"},
		{"lists 10,000 deep", strings.Repeat("- ", 10_000) + "a", "too-deep"},
		{"ordered 10,000 deep", strings.Repeat("1. ", 10_000) + "a", "too-deep"},
		{"mixed 65 deep", strings.Repeat("> - 1. ", 22) + "a", "too-deep"},
		{"quotes 64 deep", strings.Repeat("> ", 64) + "a", ""},
		{"quotes 65 deep", strings.Repeat("> ", 65) + "a", "too-deep"},
		{"list 60 steps deep", steps(60), ""},
		{"list 70 steps deep", steps(70), "too-deep"},
		{"list 700 steps deep", steps(700), "too-deep"},
		{"emphasis 100 deep", strings.Repeat("**a ", 1000) + strings.Repeat("b** ", 1000),
			"too-deep"},
		{"emphasis 40 deep in quotes 30 deep",
			strings.Repeat("> ", 30) + strings.Repeat("**a ", 40) + strings.Repeat("b** ", 40),
			"too-deep"},
		{"nested lists of 1 MiB", strings.Repeat(steps(12), 4_000), ""},
		{"thematic break", strings.Repeat("- ", 10_000), ""},
		{"footnotes in footnotes", strings.Repeat("[^a]: ", 10_000), "too-deep"},
		{"footnotes", numbered("[^%[1]d]: a\n\nb[^%[1]d]\n\n"), "too-complex"},
		{"references to one footnote", "[^a]: b\n\n" + fill("c[^a] "), "too-complex"},
		{"definitions", numbered("[a%d]: /x\n"), "too-complex"},
		{"open definitions", fill("[a]: b '\n"), "too-complex"},
		{"table of 10,000 rows", "|a|b|\n|-|-|\n" + strings.Repeat("|\n", 10_000),
			"too-many-cells"},
		{"table of 10,000 cells", "|a|b|\n|-|-|\n" + strings.Repeat("|\n", 4_999), ""},
		{"wide table", strings.Repeat("|a", 5_001) + "|\n" + strings.Repeat("|-", 5_001) + "|\n|\n",
			"too-many-cells"},
		{"quoted table", "> |a|b|\n> |-|-|\n" + strings.Repeat("> |\n", 10_000), "too-many-cells"},
		{"escaped pipes", "|a|b|\n|-|-|\n" + strings.Repeat("|`\\|\\|`|b|\n", 4_000),
			"too-complex"},
		{"delimiter rows", fill("|-\n"), "too-many-cells"},
		{"headings", fill("# a\n"), "too-many-headings"},
		{"underlined headings", fill("a\n=\n"), "too-many-headings"},
		{"lines", fill("a\n"), "too-complex"},
		{"list items", fill("- a\n"), "too-complex"},
		{"one line", fill("a"), ""},
		{"fence never closed", "```\n" + fill("*a_ [](\n"), ""},
		{"table in a fence", "```\n|a|b|\n|-|-|\n" + strings.Repeat("|\n", 20_000) + "```\n", ""},
		{"headings in a fence", "~~~\n" + fill("# a comment in code\n"), ""},
		{"a fence within a comment", "<!--\n```\n-->\n\n" + fill("*a_ "), "too-complex"},
		{"fence in a footnote's text", "[^a]: b\n\n    " + fill("*a_ "), "too-complex"},
		{"html block", "<div>\n" + fill("*a_ [](\n"), ""},
		{"indented code", fill("    *a_ [](\n"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "MIP-1.md"),
				[]byte("---\nmip: 1\ntitle: a\n---\n"+tt.body))
			c := load(t, dir)
			var got strings.Builder
			for _, p := range c.Problems {
				got.WriteString(p.Code)
				if p.Line < 5 {
					t.Errorf("%v: the line is in the header", p)
				}
			}
			if got.String() != tt.want {
				t.Fatalf("%d bytes of %.20q: code %q, want %q (%v)",
					len(tt.body), tt.body, got.String(), tt.want, c.Problems)
			}
			for _, p := range c.Proposals {
				markdown.Parse(p.Body)
			}
		})
	}
}

func TestNeedsTrialRender(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       bool
	}{
		{"small", "Text with a [link](a) and *marks*.\n", false},
		{"large", strings.Repeat("word ", 20_000), true},
		{"long definition often used",
			"[a]: " + strings.Repeat("x", 2_000) + "\n\n" + strings.Repeat("[a] ", 1_000), true},
		{"many headings", strings.Repeat("#\n", 2_000), true},
		{"many cells", "|a|b|\n|-|-|\n" + strings.Repeat("|\n", 2_000), true},
		{"a definition", "[a]: /x\n\n" + strings.Repeat("[a] ", 100), false},
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "MIP-1.md"), []byte("---\nmip: 1\ntitle: a\n---\n"+tt.body))
		c := load(t, dir)
		if len(c.Proposals) != 1 || c.Proposals[0].NeedsTrialRender != tt.want {
			t.Errorf("%s: %d proposals, problems %v, want one that needs a trial: %v",
				tt.name, len(c.Proposals), c.Problems, tt.want)
		}
	}
}

// TestWithout leaves out the files that the caller refuses, and relates the others as if these did
// not exist.
func TestWithout(t *testing.T) {
	dir := t.TempDir()
	for n, header := range map[int]string{1: "replaces: 2", 2: "",
		3: "requires: 1, 2\nreplaces: 2\nstatus: Final"} {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("MIP-%d.md", n)),
			fmt.Appendf(nil, "---\nmip: %d\ntitle: a\n%s\n---\n\nText.\n", n, header))
	}
	whole := load(t, dir)
	refused := mip.Problem{Level: mip.Error, Code: "render-limit", File: whole.Proposals[0].File,
		Message: "output is too large"}
	told := func(c *Corpus) []string {
		var out []string
		for _, p := range c.Proposals {
			out = append(out,
				fmt.Sprint(p.ID, p.Requires, p.RequiredBy, p.Replaces, p.ReplacedBy, p.SupersededBy,
					p.Inferred, p.Updated))
		}
		for _, p := range c.Problems {
			out = append(out, p.String())
		}
		return out
	}
	if diff := cmp.Diff(told(whole), told(whole.Without(nil))); diff != "" {
		t.Errorf("nothing is refused (-want +got):\n%s", diff)
	}
	got := told(whole.Without([]mip.Problem{refused}))
	if err := os.Remove(filepath.FromSlash(refused.File)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(append(told(load(t, dir)), refused.String()))),
		slices.Sorted(slices.Values(got))); diff != "" {
		t.Errorf("without %s (-want +got):\n%s", refused.File, diff)
	}
}

// Unclosed brackets take linear time.
func TestUnclosedBrackets(t *testing.T) {
	const maxText, maxHeader = 1000, 64 << 10 // bytes
	for _, part := range []string{"[", "[](", "(", "<", "[a]", "(<", "[(<", "[(a)", "(a)<"} {
		dir := t.TempDir()
		line := strings.Repeat(part, maxText/len(part)) + ", "
		authors := strings.Repeat(line, (maxHeader-100)/len(line))
		writeFile(t, filepath.Join(dir, "MIP-1.md"),
			[]byte("---\nmip: 1\ntitle: a\nauthor: "+authors+"x\n---\n"))
		if c := load(t, dir); len(c.Proposals) != 1 {
			t.Errorf("%q repeated: problems %v", part, c.Problems)
		}
	}
}
