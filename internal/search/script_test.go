package search

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// scriptAnswer holds the compared fields of an answer.
type scriptAnswer struct {
	Terms   []string
	Found   [][4]int // proposal, part, score, and the index of the shown section
	Asked   []string
	Partial bool
	Unknown []Unknown
}

// scriptCase is an index with queries.
type scriptCase struct {
	Manifest  Manifest
	Files     map[string]any
	Questions []string
	want      []scriptAnswer
}

// newScriptCase runs the queries in this package.
func newScriptCase(t *testing.T, x *made, questions []string) (c scriptCase) {
	t.Helper()
	c = scriptCase{Manifest: x.Manifest, Files: map[string]any{}, Questions: questions}
	for name, s := range x.shards {
		c.Files[name] = s
	}
	for name, b := range x.blocks {
		c.Files[name] = b
	}
	for name, s := range x.texts {
		c.Files[name] = s
	}
	for _, q := range questions {
		a := x.ask(t, q)
		of := scriptAnswer{Terms: append([]string{}, a.Terms...), Found: [][4]int{},
			Asked: []string{}, Partial: a.Partial, Unknown: append([]Unknown{}, a.Unknown...)}
		for _, f := range a.Found {
			of.Found = append(of.Found, [4]int{f.Proposal, f.Part, f.Score, x.where(t, f, a.Terms)})
		}
		for _, w := range terms(q) {
			of.Asked = append(of.Asked, w.term)
		}
		c.want = append(c.want, of)
	}
	return c
}

// randomCase returns proposals with words of many scripts, and queries for them.
func randomCase(t *testing.T, r *rand.Rand) scriptCase {
	t.Helper()
	alphabets := []string{"abcdef", "abcdef", "aàáB", "ẞßſK", "xyZ_", "01٣", "手数料", "𠮷𠀋手", "𐌰𐌱𐐀𐐨",
		"ԱաЯя", "ﬁİıé", "กิเา", "\u0301a\u0308", "𝒜𝓫x", "ﾃﾞテｶ", "\u200dé", "c+#", "12.", "a.1_+#"}
	var known []string
	for range 8 + r.IntN(300) {
		letters, word := []rune(alphabets[r.IntN(len(alphabets))]), ""
		for range 1 + r.IntN(1<<r.IntN(5)) {
			word += string(letters[r.IntN(len(letters))])
		}
		if r.IntN(10) == 0 {
			word = strings.Repeat("abcdefghij", 3)[:24+r.IntN(6)] + word
		}
		known = append(known, word)
	}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(known[int(float64(len(known))*r.Float64()*r.Float64())] +
				[]string{" ", " ", " ", ". ", "-"}[r.IntN(5)])
		}
		return strings.TrimSpace(b.String())
	}
	var all []Proposal
	stages := ""
	for range 1 + r.IntN(1<<r.IntN(6)) {
		p := Proposal{Title: text(r.IntN(4)), Description: text(r.IntN(6) * r.IntN(2)),
			Authors: text(r.IntN(3)), Facets: []string{Facet("status", "s"+text(1))}}
		for range r.IntN(6) {
			p.Sections = append(p.Sections,
				Section{[]string{"", "s"}[r.IntN(2)], text(r.IntN(3)),
					text(r.IntN(1 << r.IntN(11)))})
		}
		all, stages = append(all, p), stages+string("dfs"[r.IntN(3)])
	}
	x := newMade(all, stages)
	var questions []string
	for range 12 {
		var q strings.Builder
		for range 1 + r.IntN(3) {
			switch w := []rune(text(1)); r.IntN(8) {
			case 0:
				q.WriteString(all[r.IntN(len(all))].Facets[0])
			case 1:
				q.WriteString(`"` + text(2) + `"`)
			case 2:
				q.WriteString(string(w[:r.IntN(len(w)+1)]))
			case 3:
				i := r.IntN(len(w) + 1)
				q.WriteString(string(w[:i]) + "e" + string(w[i:]))
			case 4:
				q.WriteString(fmt.Sprint(r.IntN(20)))
			default:
				q.WriteString(string(w))
			}
			q.WriteString([]string{" ", " ", ""}[r.IntN(3)])
		}
		questions = append(questions, q.String())
	}
	return newScriptCase(t, x, questions)
}

// TestScriptAgrees runs the same queries in the page's script: it must tokenize, read parts of the
// index and rank as this package does.
func TestScriptAgrees(t *testing.T) {
	testenv.Program(t, "node", "node")
	script, err := os.ReadFile("../../render/assets/search.js")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	type excerpt struct {
		Text  string
		Terms []string
	}
	questions := []string{
		"blob base fee", "blob base fee ", "transient storage reentrancy", "who calls 0x0b",
		"eth_getProof", "getProof", "HTTPServer parseABIv2 NAÏVE", "hopper", "3", "MIP-0002",
		"mip 2 fee", "mrc-2", "trans", "trans ", "reentrency ", "tarnsient ",
		"storage status:draft", "storage status:draft status:withdrawn",
		`author:"Ada Lovelace" blob`, "status:none x", "手数料", "手",
		"подписи Straße ﬁne Ångström policies classes caches sizes buzzes", "", "of the",
		"_x_ __ a", "gone\t", "0x0B, (proof) [of] `eth_getproof`", "c", "\u202eblob\u200b",
		"1\ufe0f\u20e3 step \u0301\u0308", "statusfinal ", "typecore storage ",
		`"base fee" auction market`, "transient storage fee",
		"series ties 𠮷𠀋 𐌰𐌱 ab" + strings.Repeat("c", 29), `"base fee"`, `"fee base"`,
		`“base fees” blob`, `„the base f`, `«the base f `, `"trans"`, `"reentrency"`, `"getproof"`,
		`"eth_getProof returns"`, `"getproof returns"`, `"lock against" "costs little"`,
		`"lock against" "gone after"`, `"lock against" status:draft`, `"transient storage" 3`,
		`"手数料を"`, `storage "`, `"" “” «`, `"storage status:draft"`,
		"storage status:finish type:x kind:mip", `author:“Ada Lovelace” "market of their"`,
	}
	cases := []scriptCase{
		newScriptCase(t, newMade(few(), "fdsff"), questions),
	}
	for seed := range uint64(100) {
		cases = append(cases, randomCase(t, rand.New(rand.NewPCG(seed, 0))))
	}
	var excerpts []excerpt
	for _, of := range slices.Concat(excerptExamples, hostileExamples()) {
		excerpts = append(excerpts, excerpt{of.text, append([]string{}, of.asked...)})
	}
	input, err := json.Marshal(map[string]any{"cases": cases, "excerpts": excerpts, "limit": limit})
	if err != nil {
		t.Fatal(err)
	}
	const run = `import { readFileSync } from "node:fs";
import { terms, parse, find, excerpt, best } from "./search.mjs";
const { cases, excerpts, limit } = JSON.parse(readFileSync(0, "utf8")), answers = [];
for (const { Manifest: manifest, Files: files, Questions: questions } of cases) {
  const of = [];
  for (const q of questions) {
    const a = await find(manifest, async url => files[url], parse(q, manifest.kinds), limit);
    const where = f => {
      const { sections } = files[files["title" + f.proposal].proposals[0].texts[f.part]];
      return sections.indexOf(best(sections, a.terms));
    };
    of.push({ Terms: a.terms, Found: a.found.map(f => [f.proposal, f.part, f.score, where(f)]),
      Asked: terms(q).map(w => w.term), Partial: a.partial, Unknown: a.unknown });
  }
  answers.push(of);
}
const pieces = excerpts.map(e => excerpt(e.Text, e.Terms)
  .map((Text, i) => ({ Text, Mark: i % 2 === 1 })).filter(p => p.Text));
console.log(JSON.stringify({ answers, excerpts: pieces,
  words: excerpts.map(e => terms(e.Text).map(w => w.term)) }));
`
	for name, text := range map[string][]byte{"search.mjs": script, "run.mjs": []byte(run)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "node", "run.mjs")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = stdin.Write(input) // the program reports missing input
		_ = stdin.Close()
	}()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Answers  [][]scriptAnswer
		Excerpts [][]Fragment
		Words    [][]string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for i, of := range slices.Concat(excerptExamples, hostileExamples()) {
		var words []string
		for _, w := range terms(of.text) {
			words = append(words, w.term)
		}
		if d := cmp.Diff(words, got.Words[i], cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: terms (-package +script):\n%.2000s", of.name, d)
		}
		d := cmp.Diff(Excerpt(of.text, of.asked), got.Excerpts[i], cmpopts.EquateEmpty())
		if d != "" {
			t.Errorf("%s: excerpt (-package +script):\n%s", of.name, d)
		}
	}
	found := 0
	for i, c := range cases {
		for k, q := range c.Questions {
			if d := cmp.Diff(c.want[k], got.Answers[i][k]); d != "" {
				t.Errorf("index %d, %+q (-package +script):\n%s", i, q, d)
			}
			found += len(c.want[k].Found)
		}
	}
	if found < 1000 {
		t.Errorf("%d were found", found)
	}
}
