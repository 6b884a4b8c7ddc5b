package search

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

// TestScriptAgrees asks the script of the page the same questions: it has to take texts apart, read parts of the index and
// rank as this package does.
func TestScriptAgrees(t *testing.T) {
	testenv.Program(t, "node", "node")
	script, err := os.ReadFile("../../render/assets/search.js")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	x := newMade(few(), "fdsff")
	local := newMade(few(), "fdsff").translated(inTurkish())
	type answer struct {
		Terms   []string
		Found   [][3]int
		Asked   []string
		Partial bool
		Unknown []Unknown
	}
	type excerpt struct {
		Text  string
		Terms []string
	}
	questions := []string{
		"blob base fee", "blob base fee ", "transient storage reentrancy", "who calls 0x0b", "eth_getProof", "getProof", "HTTPServer parseABIv2 NAÏVE", "hopper", "3", "MIP-0002",
		"mip 2 fee", "mrc-2", "trans", "trans ", "reentrency ", "tarnsient ", "storage status:draft", "storage status:draft status:withdrawn", `author:"Ada Lovelace" blob`, "status:none x",
		"手数料", "手", "подписи Straße ﬁne Ångström policies classes caches sizes buzzes", "", "of the", "_x_ __ a", "gone\t", "0x0B, (proof) [of] `eth_getproof`", "c", "\u202eblob\u200b",
		`"base fee"`, `"fee base"`, `“base fees” blob`, `„the base f`, `«the base f `, `"trans"`, `"reentrency"`, `"getproof"`, `"eth_getProof returns"`, `"getproof returns"`,
		`"lock against" "costs little"`, `"lock against" "gone after"`, `"lock against" status:draft`, `"transient storage" 3`, `"手数料を"`, `storage "`, `"" “” «`,
		`"storage status:draft"`, "storage status:finish type:x kind:mip", `author:“Ada Lovelace” "market of their"`,
	}
	plain := len(questions)
	questions = append(questions, "taban ücret", `"taban ücret"`, "depolma ", "dep", "eth_getproof market", `"a market of their own"`, "1", "status:draft", "status:final", "status:x")
	var want []answer
	for i, q := range questions {
		of := x
		if i >= plain {
			of = local
		}
		a := of.ask(t, q)
		given := answer{Terms: a.Terms, Found: [][3]int{}, Asked: []string{}, Partial: a.Partial, Unknown: append([]Unknown{}, a.Unknown...)}
		if given.Terms == nil {
			given.Terms = []string{}
		}
		for _, f := range a.Found {
			given.Found = append(given.Found, [3]int{f.Proposal, f.Part, f.Score})
		}
		for _, w := range terms(q) {
			given.Asked = append(given.Asked, w.term)
		}
		want = append(want, given)
	}
	var excerpts []excerpt
	for _, of := range excerptExamples {
		excerpts = append(excerpts, excerpt{visible(of.text), append([]string{}, of.asked...)})
	}
	files := map[string]any{} // all of the other one, too
	for name, s := range local.shards {
		files[name] = s
	}
	for name, b := range local.blocks {
		files[name] = b
	}
	for name, s := range local.texts {
		files[name] = s
	}
	input, err := json.Marshal(map[string]any{"manifests": []Manifest{x.Manifest, local.Manifest}, "plain": plain, "files": files, "questions": questions, "excerpts": excerpts, "limit": limit})
	if err != nil {
		t.Fatal(err)
	}
	const run = `import { readFileSync } from "node:fs";
import { terms, parse, find, excerpt } from "./search.mjs";
const { manifests, plain, files, questions, excerpts, limit } = JSON.parse(readFileSync(0, "utf8")), out = [];
for (const [i, q] of questions.entries()) {
  const manifest = manifests[i < plain ? 0 : 1];
  const a = await find(manifest, async url => files[url], parse(q, manifest.kinds), limit);
  out.push({ Terms: a.terms, Found: a.found.map(f => [f.proposal, f.part, f.score]), Asked: terms(q).map(w => w.term), Partial: a.partial, Unknown: a.unknown });
}
const pieces = excerpts.map(e => excerpt(e.Text, e.Terms).map((Text, i) => ({ Text, Mark: i % 2 === 1 })).filter(p => p.Text));
console.log(JSON.stringify({ answers: out, excerpts: pieces }));
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
		_, _ = stdin.Write(input) // the program says what it lacks
		_ = stdin.Close()
	}()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Answers  []answer
		Excerpts [][]Fragment
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for i, of := range excerptExamples {
		if d := cmp.Diff(Excerpt(visible(of.text), of.asked), got.Excerpts[i], cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: excerpt (-package +script):\n%s", of.name, d)
		}
	}
	for i, q := range questions {
		if d := cmp.Diff(want[i], got.Answers[i]); d != "" {
			t.Errorf("%q (-package +script):\n%s", q, d)
		}
	}
	if !slices.ContainsFunc(want, func(a answer) bool { return len(a.Found) > 1 }) {
		t.Error("nothing was found")
	}
}
