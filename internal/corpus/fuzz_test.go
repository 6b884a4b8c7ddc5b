package corpus

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// seed adds every file of the goldens.
func seed(f *testing.F) {
	for _, a := range testenv.Archives(f, goldens) {
		for _, file := range a.Files {
			if file.Name != "want" {
				f.Add(file.Data)
			}
		}
	}
}

// mostFuzzed keeps every input well under a second with the fuzzer's instrumentation, even if a
// document may take half a second. TestBombs has the costly inputs.
const mostFuzzed = 8 << 10 // bytes

// FuzzHeader checks that no header panics, that the result can be encoded and has only the types of
// a Frontmatter, and that a refused file has a reason.
func FuzzHeader(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > mostFuzzed {
			return
		}
		r := &problem.Report{File: "MIP-1.md"}
		p := newProposal(folder.File{Name: "MIP-1.md", Path: "MIP-1.md"}, raw,
			Options{Options: header.Options{Prefix: "MIP"}}, r)
		if p == nil || r.Failed {
			if len(r.Problems) == 0 {
				t.Errorf("%q is not published and nothing says why", raw)
			}
			return
		}
		checkSummary(t, p)
		b, err := json.Marshal(p.Metadata)
		if err != nil || !utf8.Valid(b) {
			t.Errorf("%q: %s, %v", raw, b, err)
		}
		texts := []*string{&p.Title, (*string)(&p.Status), p.Description, p.Type, p.Category,
			p.WithdrawalReason, p.DiscussionsTo}
		for _, a := range p.Authors {
			texts = append(texts, a.Name, a.GitHub, a.Email)
		}
		for _, text := range texts {
			if text == nil {
				continue
			}
			if c, class := mip.Hidden(*text); class != mip.Visible {
				t.Errorf("%q: %q holds %U", raw, *text, c)
			}
		}
	})
}

// FuzzParse checks the properties of documents for every body within the limits.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > mostFuzzed {
			return
		}
		h := header.Options{Prefix: "MIP"}.Parse(header.Place{Name: "MIP-1.md"}, string(raw),
			&problem.Report{})
		if h == nil {
			return
		}
		body, _ := mip.Printable(h.Text[h.Body:])
		if _, refused := markdown.Check(body); refused != nil {
			return
		}
		checkDocument(t, "fuzz", markdown.Parse(body))
	})
}

// FuzzSummary checks that encoding/json decodes every accepted summary in the same way.
func FuzzSummary(f *testing.F) {
	axis := `{"impact":"a","severity":"low","actionRequired":false,"evidence":[{"section":"s-a","quote":"b"}]}`
	good := `{"mipNumber":1,"tldr":"a","whatsChanging":["a"],"developers":` + axis + `,"users":` +
		axis + `,"validators":` + axis + `,"foundation":` + axis +
		`,"generatedAt":"2026-01-05T12:00:00Z","contentHash":"` + strings.Repeat("0a", 32) +
		`","locale":"en","source":"a"}`
	if sum, wrong := parseSummary([]byte(good), 1); sum == nil {
		f.Fatal(wrong)
	}
	for _, seed := range []string{good, "", "{}", "[]", "null", good + good,
		`{"tldr":"a","tldr":"b"}`, strings.Replace(good, "tldr", `tl\u0064r`, 1),
		`{"users":{"evidence":[{"section":1}]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		sum, wrong := parseSummary(raw, 1)
		if wrong != nil {
			if sum != nil || wrong.Message == "" || wrong.Line < 0 ||
				strings.Contains(wrong.Message, "\n") {
				t.Errorf("parseSummary(%q) = %+v, %+v", raw, sum, wrong)
			}
			return
		}
		var plain api.Summary
		if err := json.Unmarshal(raw, &plain); err != nil {
			t.Fatalf("%q is accepted and encoding/json says %v", raw, err)
		}
		plain.Stale = sum.Stale
		d := cmp.Diff(&plain, sum, cmp.Comparer(func(a, b mip.Time) bool { return a == b }))
		if d != "" {
			t.Errorf("%q reads otherwise (-encoding/json +ours):\n%s", raw, d)
		}
	})
}
