package sidecar_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/site"
)

// Sentences that answer developers with yes and users with no, speak of validators without an answer, and of nobody.
const (
	changes = "Contracts that allocate more than 8 MB will now revert."
	calm    = "Users do not have to do anything."
	aside   = "Validators sign each block in 12 ms, with the keys that they have."
)

// verdict is what an answer says to a group.
type verdict struct {
	Stated         bool
	ActionRequired bool
	ActionEvidence *struct{ Section, Quote string }
}

// Whether a group has to act is yes with the sentence that says so, no with the sentence that says so, or not said:
// in a summary by rules, in that of a model that says no to all, and in a committed one that says the same and was
// written before there was more than one no.
func TestSummaryAnswers(t *testing.T) {
	text := func(number int) string {
		return fmt.Sprintf("---\nmip: %d\ntitle: Memory %d\nstatus: Draft\ntype: Standards Track\ncategory: Core\n---\n\n"+
			"## Abstract\n\nMemory gets a bound.\n\n## Backwards Compatibility\n\n%s\n\n%s\n\n%s\n", number, number, changes, calm, aside)
	}
	axis := func(severity string, quotes ...string) map[string]any {
		x := map[string]any{"impact": "It is as before.", "severity": severity, "actionRequired": false, "evidence": []any{}}
		for _, q := range quotes {
			x["evidence"] = append(x["evidence"].([]any), map[string]string{"section": "s-backwards-compatibility", "quote": q})
		}
		if quotes == nil {
			x["impact"] = "The text does not say what this means for this group."
		}
		return x
	}
	soft := map[string]any{"tldr": "A bound.", "whatsChanging": []string{"One.", "Two.", "Three."}, "developers": axis("medium", changes),
		"users": axis("low", calm), "validators": axis("medium", aside), "foundation": axis("low")}
	committed, hash := maps.Clone(soft), sha256.Sum256([]byte(text(2)))
	maps.Copy(committed, map[string]any{"mipNumber": 2, "generatedAt": "2026-11-01T00:00:00Z", "locale": "en", "source": "a person",
		"contentHash": hex.EncodeToString(hash[:])})
	encode := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	p := published(t, map[string]string{"MIP-1.md": text(1), "MIP-2.md": text(2), "summaries/MIP-2.json": encode(committed)},
		func(s *site.Site) { s.HardForks, s.Overrides = nil, nil })
	quote := func(q string) *struct{ Section, Quote string } {
		return &struct{ Section, Quote string }{"s-backwards-compatibility", q}
	}
	want := map[string]verdict{"developers": {true, true, quote(changes)}, "users": {true, false, quote(calm)},
		"validators": {true, false, nil}, "foundation": {false, false, nil}}
	for _, provider := range []string{"", "openai"} {
		answer := func(demo.ModelRequest) demo.ModelReply {
			return demo.ModelReply{Text: encode(soft)}
		}
		withAI(t, aiSetup{site: p, provider: provider, answer: answer}, func(w *aiWorld) {
			for number, source := range map[int]string{1: map[string]string{"": "extractive", "openai": modelName}[provider], 2: "a person"} {
				a := w.post("/api/ai-summary", fmt.Sprintf(`{"mipNumber": %d}`, number)).want(w.world, 200)
				var got map[string]json.RawMessage
				if err := json.Unmarshal(a.body, &got); err != nil || string(got["source"]) != fmt.Sprintf("%q", source) {
					t.Fatalf("proposal %d: source %s, %v; want %s", number, got["source"], err, source)
				}
				for group, want := range want {
					var said verdict
					if err := json.Unmarshal(got[group], &said); err != nil {
						t.Error(err)
					}
					if diff := cmp.Diff(want, said); diff != "" {
						t.Errorf("%s says to %s (-want +got):\n%s", source, group, diff)
					}
				}
			}
		})
	}
}
