package sidecar_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/site"
)

// Sentences with a duty for developers, without one for users, and about validators without either.
// None is about the foundation.
const (
	changes = "Contracts that allocate more than 8 MB will now revert."
	calm    = "Users do not have to do anything."
	aside   = "Validators sign each block in 12 ms, with the keys that they have."
	nobody  = "The text does not say what this means for this group."
)

// bounded is the text of a proposal with these sentences.
func bounded(number int) string {
	return fmt.Sprintf("---\nmip: %d\ntitle: Memory %d\nstatus: Draft\n"+
		"type: Standards Track\ncategory: Core\n---\n\n## Abstract\n\nMemory gets a bound.\n\n"+
		"## Backwards Compatibility\n\n%s\n\n%s\n\n%s\n",
		number, number, changes, calm, aside)
}

// groupAnswer is a model's answer for a group. Without a quote it is silent.
func groupAnswer(severity string, acts bool, quote string, named any) map[string]any {
	x := map[string]any{"impact": nobody, "severity": severity, "actionRequired": acts,
		"actionEvidence": named, "evidence": []any{}}
	if quote != "" {
		x["impact"], x["evidence"] = "It is as the quote says.", []any{compatibly(quote)}
	}
	return x
}

// compatibly is a quote as a model gives it.
func compatibly(quote string) map[string]any {
	return map[string]any{"section": "s-backwards-compatibility", "quote": quote}
}

// boundedAnswer is a sound answer for the text of bounded.
func boundedAnswer() map[string]any {
	return map[string]any{
		"tldr": "A bound.", "whatsChanging": []string{"One.", "Two.", "Three."},
		"developers": groupAnswer("high", true, changes, compatibly(changes)),
		"users":      groupAnswer("low", false, calm, compatibly(calm)),
		"validators": groupAnswer("medium", false, aside, nil),
		"foundation": groupAnswer("low", false, "", nil),
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestModelAnswers gives sound and false answers of a model. A sound answer is published unchanged.
// A false one is held to its form, its quotes, the names in it and floors. No rule interprets its
// sentences.
func TestModelAnswers(t *testing.T) {
	p := published(t, map[string]string{"MIP-1.md": bounded(1)}, func(s *site.Site) {
		s.HardForks, s.Overrides = nil, nil
	})
	group := func(a map[string]any, name string) map[string]any { return a[name].(map[string]any) }
	published := func(sum api.Summary) string {
		var out strings.Builder
		fmt.Fprintf(&out, "%s %d", sum.TLDR, len(sum.WhatsChanging))
		for _, x := range []api.Axis{sum.Developers, sum.Users, sum.Validators, sum.Foundation} {
			says := "not said"
			switch {
			case !x.Stated:
				says = "silent"
			case x.ActionRequired:
				says = "acts"
			case x.ActionEvidence != nil:
				says = "nothing to do"
			}
			fmt.Fprintf(&out, ", %s %s", x.Severity, says)
		}
		return out.String()
	}
	for _, tt := range []struct {
		name  string
		spoil func(a map[string]any)
		want  string // code of the failure, or the published answer
	}{
		// Sound answers.
		{"as it is", func(map[string]any) {},
			"A bound. 3, high acts, low nothing to do, medium not said, low silent"},
		{"one point", func(a map[string]any) {
			a["whatsChanging"] = []string{"Memory gets a bound."}
		},
			"A bound. 1, high acts, low nothing to do, medium not said, low silent"},
		{"a duty in words that no rule knows", func(a map[string]any) {
			a["validators"] = groupAnswer("high", true, aside, compatibly(aside))
		},
			"A bound. 3, high acts, low nothing to do, high acts, low silent"},
		{"a reassurance in words that no rule knows", func(a map[string]any) {
			a["validators"] = groupAnswer("medium", false, aside, compatibly(aside))
		}, "A bound. 3, high acts, low nothing to do, medium nothing to do, low silent"},
		{"a sentence that a rule takes for one of a successor", func(a map[string]any) {
			a["tldr"] = "The table goes. It is replaced by a bound."
		},
			"The table goes. It is replaced by a bound. 3, high acts, low nothing to do, medium " +
				"not said, low silent"},
		// Lies.
		{"a duty with an invented quote", func(a map[string]any) {
			a["users"] = groupAnswer("high", true, "Users must send their tokens.",
				compatibly("Users must send their tokens."))
		}, "A bound. 3, high acts, low silent, medium not said, low silent"},
		{"a number that the text has not",
			func(a map[string]any) { group(a, "users")["impact"] = "Pay 500 tokens." },
			"ai_failed"},
		{"a host that the text has not",
			func(a map[string]any) { a["tldr"] = "Claim at evil.example now." }, "ai_failed"},
		{"a severity below the floor", func(a map[string]any) {
			group(a, "developers")["severity"], group(a, "validators")["severity"] = "low", "low"
		}, "A bound. 3, medium acts, low nothing to do, medium not said, low silent"},
		// Only the quote, which readers see beside it, contradicts this one.
		{"a duty that is left out", func(a map[string]any) {
			a["developers"] = groupAnswer("medium", false, changes, nil)
		},
			"A bound. 3, medium not said, low nothing to do, medium not said, low silent"},
		{"a duty beside a quote that denies it", func(a map[string]any) {
			a["users"] = groupAnswer("low", true, calm, compatibly(calm))
		},
			"A bound. 3, high acts, low acts, medium not said, low silent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := boundedAnswer()
			tt.spoil(a)
			answer := func(demo.ModelRequest) demo.ModelReply {
				return demo.ModelReply{Text: encoded(t, a)}
			}
			withAI(t, aiSetup{site: p, provider: "openai", answer: answer}, func(w *aiWorld) {
				sum := w.summary(`{"mipNumber": 1}`)
				got := published(sum)
				if sum.Fallback != nil {
					got = string(sum.Fallback.Code)
				}
				if got != tt.want {
					t.Errorf("got %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

// verdict is the answer for a group.
type verdict struct {
	Stated         bool
	ActionRequired bool
	ActionEvidence *struct{ Section, Quote string }
}

// Whether a group has to act is yes or no with the sentence as evidence, or not stated: in a
// summary by rules, in a model's, and in a committed one.
func TestSummaryAnswers(t *testing.T) {
	sound := boundedAnswer()
	committed, hash := maps.Clone(sound), sha256.Sum256([]byte(bounded(2)))
	maps.Copy(committed, map[string]any{"mipNumber": 2, "generatedAt": "2026-11-01T00:00:00Z",
		"locale": "en", "source": "a person",
		"contentHash": hex.EncodeToString(hash[:])})
	p := published(t, map[string]string{"MIP-1.md": bounded(1), "MIP-2.md": bounded(2),
		"summaries/MIP-2.json": encoded(t, committed)},
		func(s *site.Site) { s.HardForks, s.Overrides = nil, nil })
	quote := func(q string) *struct{ Section, Quote string } {
		return &struct{ Section, Quote string }{"s-backwards-compatibility", q}
	}
	want := map[string]verdict{"developers": {true, true, quote(changes)},
		"users":      {true, false, quote(calm)},
		"validators": {true, false, nil}, "foundation": {false, false, nil}}
	for _, provider := range []string{"", "openai"} {
		answer := func(demo.ModelRequest) demo.ModelReply {
			return demo.ModelReply{Text: encoded(t, sound)}
		}
		withAI(t, aiSetup{site: p, provider: provider, answer: answer}, func(w *aiWorld) {
			for number, source := range map[int]string{1: map[string]string{"": "extractive",
				"openai": modelName}[provider], 2: "a person"} {
				a := w.post("/api/ai-summary",
					fmt.Sprintf(`{"mipNumber": %d}`, number)).want(w.world, 200)
				var got map[string]json.RawMessage
				if err := json.Unmarshal(a.body, &got); err != nil ||
					string(got["source"]) != fmt.Sprintf("%q", source) {
					t.Fatalf("proposal %d: source %s, %v; want %s",
						number, got["source"], err, source)
				}
				for group, want := range want {
					var answer verdict
					if err := json.Unmarshal(got[group], &answer); err != nil {
						t.Error(err)
					}
					if diff := cmp.Diff(want, answer); diff != "" {
						t.Errorf("%s for %s (-want +got):\n%s", source, group, diff)
					}
				}
			}
		})
	}
}
