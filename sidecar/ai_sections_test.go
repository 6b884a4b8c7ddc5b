package sidecar_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/mip"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar"
)

// lanterns is the site of one proposal with twelve sections: small ones, and some that need several
// questions.
func lanterns(t *testing.T) *build.Published {
	t.Helper()
	var text strings.Builder
	text.WriteString("---\nmip: 1\ntitle: Lanterns\n" +
		"description: Twelve lanterns in a row.\nstatus: Draft\ntype: Standards Track\n" +
		"category: Core\ncreated: 2026-01-02\n---\n\n")
	for i := range 12 {
		name := string(rune('A' + i))
		text.WriteString("## Lantern " + name + "\n\n")
		for j := range 1 + i%4*3 {
			text.WriteString(fmt.Sprintf("Lantern %s shines on paragraph %d.\n%s\n\n",
				name, j, strings.Repeat("It shines all night. ", 10+i)))
		}
	}
	return published(t, map[string]string{"MIP-1.md": text.String()})
}

// lanternIDs are the ids of its sections.
func lanternIDs() []string {
	var out []string
	for i := range 12 {
		out = append(out, "s-lantern-"+string(rune('a'+i)))
	}
	return out
}

// subsets are sets of sections, in any order, some twice.
func subsets(n int) [][]string {
	random := rand.New(rand.NewPCG(1, 2))
	out := make([][]string, n)
	for i := range out {
		ids := lanternIDs()
		random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		ids = ids[:1+random.IntN(len(ids))]
		out[i] = append(ids, ids[:random.IntN(len(ids))]...)
	}
	return out
}

// ofSections asks for the translation of some sections, or of all without any.
func ofSections(ids []string) *http.Request {
	body := `{"mipNumber": 1, "locale": "ja"}`
	if len(ids) > 0 {
		body = `{"mipNumber": 1, "locale": "ja", "sections": ["` + strings.Join(ids, `", "`) + `"]}`
	}
	r := httptest.NewRequest(http.MethodPost, "/api/ai-translate", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.RemoteAddr = someone
	return r
}

// The model is asked once for each text and language, whichever sections are requested, in any
// order, concurrently or one after another. The budget is charged once.
func TestSectionsCostOnce(t *testing.T) {
	site := lanterns(t)
	var spent *ai.Budget
	setup := aiSetup{site: site, provider: "openai", budget: ai.Limits{CallsPerMinute: 1000},
		change: func(c *sidecar.Config) {
			spent = c.AI.Model.(*ai.Budget)
		}}
	whole := 0
	withAI(t, setup, func(w *aiWorld) {
		read[api.Translation](w.world, w.send(ofSections(nil)))
		whole = len(w.model.Requests())
	})
	check := func(w *aiWorld, ids []string, got api.Translation) {
		w.Helper()
		p, err := w.known.Proposal(w.Context(), mip.ID{Kind: "MIP", Number: 1})
		if err != nil {
			w.Fatal(err)
		}
		var want strings.Builder
		for _, s := range p.Sections {
			if len(ids) == 0 || slices.Contains(ids, s.ID) {
				want.WriteString(s.Markdown) // the model repeats its input
			}
		}
		if got.Markdown != want.String() || got.Title != p.Title || got.Description == nil ||
			*got.Description != *p.Description || got.ContentHash != p.ContentHash ||
			got.Source != modelName {
			w.Errorf("%q: %+v, want the text %q", ids, got, want.String())
		}
	}
	for _, together := range []bool{false, true} {
		t.Run(fmt.Sprintf("together %t", together), func(t *testing.T) {
			withAI(t, setup, func(w *aiWorld) {
				all := append(subsets(30), nil)
				replies := make([]*reply, len(all))
				var asking sync.WaitGroup
				for i, ids := range all {
					asking.Go(func() { replies[i] = w.send(ofSections(ids)) })
					if !together {
						asking.Wait()
					}
				}
				asking.Wait()
				for i, ids := range all {
					check(w, ids, read[api.Translation](w.world, replies[i]))
				}
				if n := len(w.model.Requests()); n != whole || n < 10 {
					t.Errorf("%d questions, want the %d of the whole text", n, whole)
				}
				if s := spent.Spend(); s.Questions != whole || s.Minute+s.Day+s.Claimed > 0 {
					t.Errorf("the budget was charged %+v, want %d questions", s, whole)
				}
			})
		})
	}
}

// Other processes reuse the pieces of a text, whichever sections each requests.
func TestSectionsCostOnceOfAll(t *testing.T) {
	c, w := newAICluster(t, 3, 1000)
	ask := func(i int, sections string) {
		t.Helper()
		c.at(i)
		w.post("/api/ai-translate",
			`{"mipNumber": 7, "locale": "ja"`+sections+`}`).want(w.world, 200)
	}
	ask(0, `, "sections": ["s-abstract", "s-motivation"]`)
	ask(1, ``)
	whole := map[string]int{}
	for _, r := range w.model.Requests() {
		whole[passages(r)]++
	}
	for question, times := range whole {
		if times != 1 {
			t.Errorf("asked %d times: %.200s", times, question)
		}
	}
	asked := len(w.model.Requests())
	ask(2, `, "sections": ["s-motivation"]`)
	ask(2, ``)
	ask(0, ``)
	if n := len(w.model.Requests()); n != asked {
		t.Errorf("%d more questions for what other sidecars have", n-asked)
	}
}

// An unknown section id is an error, whatever was requested before.
func TestSectionOfNoProposal(t *testing.T) {
	withAI(t, aiSetup{provider: "openai"}, func(w *aiWorld) {
		ask := func(sections string) *reply {
			return w.post("/api/ai-translate",
				`{"mipNumber": 7, "locale": "ja", "sections": [`+sections+`]}`)
		}
		ask(`"s-abstract", "s-motivation"`).want(w.world, 200)
		calls := len(w.model.Requests())
		for _, odd := range []string{`"s-abstract\ns-motivation"`, `"s-motivation\ns-abstract"`,
			`"s-abstract", "s-abstract\ns-motivation"`, `"[0 1]"`, `"0"`, `""`, `"s-abstract "`,
			`"S-ABSTRACT"`} {
			ask(odd).want(w.world, 400).problem(w.world, api.BadRequest)
		}
		if n := len(w.model.Requests()); n != calls {
			t.Errorf("%d questions for sections that there are not", n-calls)
		}
	})
}
