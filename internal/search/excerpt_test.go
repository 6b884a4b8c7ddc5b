package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// excerptExamples are texts with the terms of an answer and the excerpt, marks in braces. The script of the page is held to the
// same.
var excerptExamples = []struct {
	name, text string
	asked      []string
	want       string
}{
	{"short", "The base fee of blobs.", []string{"base", "fee"}, "The {base} {fee} of blobs."},
	{"plural, case and accents", "Fées and FEES.", []string{"fee"}, "{Fées} and {FEES}."},
	{"beginning", "A transaction, transient.", []string{"trans*"}, "A {transaction}, {transient}."},
	{"part of an identifier", "Call `eth_getProof` twice.", []string{"getproof", "proof"}, "Call eth_get{Proof} twice."},
	{"phrase", "The fee, the base; base fee: base-fee.", []string{"base fee", "base", "fee"}, "The {fee}, the {base}; {base fee}: {base-fee}."},
	{"beginning of a phrase", "A base feed.", []string{"base fee*"}, "A {base feed}."},
	{"phrase of identifiers", "Call eth_getProof twice, getProof twice.", []string{"getproof twice"}, "Call eth_getProof twice, {getProof twice}."},
	{"identifier", "Call `eth_getProof` twice.", []string{"eth_getproof", "proof"}, "Call {eth_getProof} twice."},
	{"Markdown", "## See [the *fee*](./a.md \"t\")\n\n- ![a fee](b(c).png)\n* | x | y |\n|---|---|\n> `c` <b>d</b> <!-- fee --> https://x.example/fee", []string{"fee"},
		"See the {fee} a {fee} x y c d"},
	{"nothing asked", "# One\n\nTwo.", nil, "One Two."},
	{"nothing found", "One.", []string{"fee"}, "One."},
	{"empty", " \n", []string{"fee"}, ""},
	{"long, without", strings.Repeat("word ", 100), nil, strings.TrimSpace(strings.Repeat("word ", 44)) + " …"},
	{"long, in the middle", strings.Repeat("word ", 100) + "the base fee " + strings.Repeat("more ", 100), []string{"base", "fee"},
		"… " + strings.Repeat("word ", 7) + "the {base} {fee} " + strings.TrimSpace(strings.Repeat("more ", 34)) + " …"},
	{"most different terms", "fee fee fee fee " + strings.Repeat("word ", 100) + "base fee.", []string{"base", "fee"}, "… " + strings.Repeat("word ", 42) + "{base} {fee}."},
	{"no blank", strings.Repeat("x", 300) + "." + strings.Repeat("y", 300), []string{"fee"}, strings.Repeat("x", 180) + " …"},
	{"blanks of other kinds", "a\u00a0fee\u2003of\u3000b\ufeff", []string{"fee"}, "a {fee} of b"},
	{"ideographs", "手数料を払う。", []string{"手数", "数料"}, "{手数料}を払う。"},
	{"ideographs, long", strings.Repeat("語", 300) + "手数料" + strings.Repeat("文", 300) + " fee", []string{"手数", "数料"},
		"… " + strings.Repeat("語", 40) + "{手数料}" + strings.Repeat("文", 137) + " …"},
	{"neighbours", "The eth_getProof.", []string{"eth", "get", "proof"}, "The {eth}_{getProof}."},
	{"directions and markup", "\u202efee\u200b <script>alert(1)</script> &lt;", []string{"fee"}, "\u202e{fee}\u200b alert(1) &lt;"},
	{"hyphens", "a - b -- c ---- d\n -x\n  - y\n> - z\n-\n+ \n", []string{"fee"}, "a - b -- c ---- d -x y - z"},
	{"brackets", "[[a](b) ](c) [d\n](e) !![f](g)](h", []string{"fee"}, "[a [d !f ](h"},
	{"blank lines", strings.Repeat("\n", 300_000) + "fee", []string{"fee"}, ""},
	{"comments without an end", strings.Repeat("<!--", 100_000), []string{"fee"}, strings.Repeat("<!--", 45) + " …"},
	{"alignment", "| a | b | fee |\n| :-- | :---: | --: |\n| c: | d | e |\n\n|fee|-|\n|-|-|\n|fee|-|", []string{"fee"}, "a b {fee} c: d e {fee} - {fee} -"},
	{"rules and CRLF", "- one\r\n- fee\r\n---\r\n+ two", []string{"fee"}, "one {fee} two"},
}

// TestExcerpt shows the part of a text that speaks of the question.
func TestExcerpt(t *testing.T) {
	for _, of := range excerptExamples {
		var got strings.Builder
		for _, f := range Excerpt(visible(of.text), of.asked) {
			if f.Mark {
				f.Text = "{" + f.Text + "}"
			}
			got.WriteString(f.Text)
		}
		if got.String() != of.want {
			t.Errorf("%s: %q, want %q", of.name, got.String(), of.want)
		}
	}
}

// TestCut leaves headings out of texts, in each of their forms, and shows the beginning of a text that nothing describes. Parts are
// bounded, and so is what they have of a section.
func TestCut(t *testing.T) {
	for _, heading := range []string{"", "## T\n", "\n## T\n", "T\n===\n", "T of\ntwo lines\n---\n"} {
		title := strings.Repeat("T", min(1, len(heading)))
		p := Proposal{Sections: []Section{{"", "", " \n"}, {"s", title, heading + "A *fee*\n"}}}
		if got, want := fmt.Sprintf("%q", p.Cut()[0].Sections), fmt.Sprintf(`[["" "" "A fee"] ["" "" ""] ["s" %q "A fee"]]`, title); got != want {
			t.Errorf("%q: %s", heading, got)
		}
	}
	long := strings.Repeat("fee ", 10_000)
	p := Proposal{Description: "All.", Sections: []Section{{"", "", "x"}, {"", "", long}, {"", "", "y"}, {"", "", long[:5_000]}, {"", "", long[:5_000]}, {"", "", long[:5_000]}}}
	parts := p.Cut()
	if got := fmt.Sprint(p.parts, len(parts[0].Sections[0].Text()), len(parts[1].Sections[0].Text())); got != fmt.Sprint([]int{0, 2, 3, 4, 5, 6}, len("All."), longestText) {
		t.Errorf("parts begin at %s", got)
	}
}

// FuzzExcerpt is short, whole and in the text, whatever that is.
func FuzzExcerpt(f *testing.F) {
	f.Add("[a](b) `c` \xff \u202e", "fee,a*,b c*")
	f.Fuzz(func(t *testing.T, text, asked string) {
		size := 0
		for _, p := range Excerpt(visible(strings.ToValidUTF8(text, "")), strings.Split(asked, ",")) {
			if p.Text == "" || !utf8.ValidString(p.Text) {
				t.Fatalf("a piece %q", p.Text)
			}
			size += utf8.RuneCountInString(p.Text)
		}
		if size > excerptSize+4 {
			t.Fatalf("%d characters", size)
		}
	})
}

// FuzzSearch reads any shard, cut or of another index, and finds no proposal that is not there.
func FuzzSearch(f *testing.F) {
	f.Add("0base 0fee 3s", "gIDA", 2, "base fee", uint64(1))
	f.Fuzz(func(t *testing.T, names, postings string, among int, question string, seed uint64) {
		s := &Shard{Version: Version, Terms: names, Among: among, Postings: postings}
		r := rand.New(rand.NewPCG(seed, 0))
		m := &Manifest{Version: Version, Kinds: []string{"MIP"}, Proposals: []string{"1", "2"}, Stages: "d"[:r.IntN(2)], Shards: []Part{{"", "x"}}}
		m.Parts = []int{1, r.IntN(1<<r.IntN(60)) - 1}
		if r.IntN(2) == 0 {
			s.Split(m)
		}
		a, err := Search(m, &made{shards: map[string]*Shard{"x": s}}, Parse(strings.ReplaceAll(question, `"`, ""), m.Kinds...), limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range a.Found {
			if found.Proposal < 0 || found.Proposal >= len(m.Proposals) {
				t.Fatalf("found %+v", found)
			}
		}
	})
}
