package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

type excerptExample struct {
	name, text string
	asked      []string
	want       string
}

// excerptExamples are texts with the terms of an answer and the expected excerpt, marks in braces.
// The tests of the page's script use the same examples.
var excerptExamples = []excerptExample{
	{"short", "The base fee of blobs.", []string{"base", "fee"}, "The {base} {fee} of blobs."},
	{"plural, case and accents", "Fées and FEES.", []string{"fee"}, "{Fées} and {FEES}."},
	{"beginning", "A transaction, transient.", []string{"trans*"}, "A {transaction}, {transient}."},
	{"part of an identifier", "Call eth_getProof twice.", []string{"getproof", "proof"},
		"Call eth_get{Proof} twice."},
	{"phrase", "The fee, the base; base fee: base-fee.", []string{"base fee", "base", "fee"},
		"The {fee}, the {base}; {base fee}: {base-fee}."},
	{"beginning of a phrase", "A base feed.", []string{"base fee*"}, "A {base feed}."},
	{"phrase of identifiers", "Call eth_getProof twice, getProof twice.",
		[]string{"getproof twice"}, "Call eth_getProof twice, {getProof twice}."},
	{"identifier", "Call eth_getProof twice.", []string{"eth_getproof", "proof"},
		"Call {eth_getProof} twice."},
	{"nothing asked", "One Two.", nil, "One Two."},
	{"nothing found", "One.", []string{"fee"}, "One."},
	{"empty", "", []string{"fee"}, ""},
	{"long, without", strings.Repeat("word ", 100), nil,
		strings.TrimSpace(strings.Repeat("word ", 44)) + " …"},
	{"long, in the middle", strings.Repeat("word ", 100) + "the base fee " +
		strings.Repeat("more ", 100), []string{"base", "fee"},
		"… " + strings.Repeat("word ", 7) + "the {base} {fee} " +
			strings.TrimSpace(strings.Repeat("more ", 34)) + " …"},
	{"most different terms", "fee fee fee fee " + strings.Repeat("word ", 100) + "base fee.",
		[]string{"base", "fee"}, "… " + strings.Repeat("word ", 42) + "{base} {fee}."},
	{"no blank", strings.Repeat("x", 300) + "." + strings.Repeat("y", 300), []string{"fee"},
		strings.Repeat("x", 180) + " …"},
	{"ideographs", "手数料を払う。", []string{"手数", "数料"}, "{手数料}を払う。"},
	{"ideographs, long", strings.Repeat("語", 300) + "手数料" + strings.Repeat("文", 300) + " fee",
		[]string{"手数", "数料"},
		"… " + strings.Repeat("語", 40) + "{手数料}" + strings.Repeat("文", 137) + " …"},
	{"neighbours", "The eth_getProof.", []string{"eth", "get", "proof"}, "The {eth}_{getProof}."},
	{"directions and markup", "\u202efee\u200b <script>alert(1)</script> &lt;", []string{"fee"},
		"\u202e{fee}\u200b <script>alert(1)</script> &lt;"},
}

// hostileExamples are unlikely texts and queries that match them at every place.
func hostileExamples() (all []excerptExample) {
	var phrases []string
	for n := 2; n < 16; n++ {
		phrases = append(phrases, strings.TrimSpace(strings.Repeat("aa bb ", n)[:3*n]))
	}
	texts := testenv.Shapes(longestText)
	for name, piece := range map[string]string{
		"underscores within": "a_", "runs of underscores": "__a__", "capitals": "ABCd",
		"dots": "1.", "dots and digits": "12.5.", "pluses": "c++", "number signs": "c#",
		"quotes": `"a" `, "ideographs": "手数", "ideographs and signs": "手++1.๑.2",
		"marks": "a\u0301\u0308", "ligatures": "\ufdfa ", "plural": "sses ", "stars": "aa* ",
	} {
		texts[name] = strings.Repeat(piece, longestText/len(piece))
	}
	for name, text := range texts {
		all = append(all, excerptExample{name: name, text: text,
			asked: append(phrases, "aa", "bb", "aa*", "手数", "数手", "cc", "c++")})
	}
	slices.SortFunc(all, func(a, b excerptExample) int { return strings.Compare(a.name, b.name) })
	return all
}

// TestExcerpt checks that an excerpt shows the part of a text that matches the query.
func TestExcerpt(t *testing.T) {
	for _, of := range excerptExamples {
		var got strings.Builder
		for _, f := range Excerpt(of.text, of.asked) {
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

// TestCut checks that a text without a description is shown from its beginning, in whole words.
// Parts are bounded, and so is the share of a section in one part; a long section is in several
// parts.
func TestCut(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("fee ", 10_000))
	p := Proposal{Description: "All.",
		Sections: []Section{{"", "", "x"}, {"", "", long}, {"", "", "y"}, {"", "", long[:5_000]},
			{"", "", long[:8_000]}}}
	parts := p.Index().Parts
	var sizes []int
	var shown strings.Builder
	for _, part := range parts {
		sizes = append(sizes, len(part.Sections))
		if len(sizes) > 1 && len(sizes) < 8 {
			shown.WriteString(part.Sections[0].Text() + " ")
		}
	}
	got := fmt.Sprint(sizes, len(parts[0].Sections[0].Text()))
	if got != "[2 1 1 1 1 1 1 1 1 1 1] 4" || shown.String() != long[:len(shown.String())] {
		t.Errorf("parts have %s", got)
	}
	p = Proposal{Sections: []Section{{}, {"s", "", "x" + long}}}
	got = p.Index().Parts[0].Sections[0].Text()
	if !strings.HasPrefix(got, "xfee fee") || !strings.HasSuffix(got, " fee") ||
		len(got) > 4*excerptSize {
		t.Errorf("the proposal as a whole is shown with %q", got)
	}
}

// FuzzExcerpt checks that an excerpt is short and is part of the text, whatever the text is.
func FuzzExcerpt(f *testing.F) {
	f.Add("[a](b) `c` \xff \u202e", "fee,a*,b c*")
	f.Fuzz(func(t *testing.T, text, asked string) {
		size := 0
		for _, p := range Excerpt(strings.ToValidUTF8(text, ""), strings.Split(asked, ",")) {
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

// FuzzSearch reads any shard, also a truncated one or one of another index, and finds no proposal
// that does not exist.
func FuzzSearch(f *testing.F) {
	x := newMade(few(), "fdsff")
	for _, s := range x.shards {
		for n := range 4 {
			f.Add(s.Terms[:len(s.Terms)-n*len(s.Terms)/4], s.Postings[n:], s.Among+n,
				"base fes trans", uint64(n))
		}
	}
	f.Add("Aa:CCCCCCCCC", "////", 2, "base fee", uint64(1))
	f.Fuzz(func(t *testing.T, names, postings string, among int, question string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		m := &Manifest{Version: Version, Kinds: []string{"MIP"}, Proposals: []string{"1", "2"},
			Stages: "d"[:r.IntN(2)], Shards: []Part{{"", "x"}}}
		m.Parts = []int{1, r.IntN(1<<r.IntN(60)) - 1}
		s := &Shard{Version: Version, Terms: names, Among: among, Postings: postings}
		a, err := Search(m, &made{shards: map[string]*Shard{"x": s}},
			Parse(strings.ReplaceAll(question, `"`, ""), m.Kinds...), limit)
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
