package sidecar_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
)

// times compares times.
var times = cmp.Comparer(func(a, b mip.Time) bool { return a == b })

// Without a model every sample proposal has a summary that its text supports, and the same one each
// time.
func TestSummaryWithoutModel(t *testing.T) {
	first := map[int]api.Summary{}
	for range 2 {
		withAI(t, aiSetup{}, func(w *aiWorld) {
			if len(w.known.List.MIPs) < 10 {
				t.Fatalf("%d samples", len(w.known.List.MIPs))
			}
			for _, m := range w.known.List.MIPs {
				got := w.summary(fmt.Sprintf(`{"mipNumber": %d}`, m.Number))
				if err := summary.Check(got, w.subject(m.Number)); err != nil {
					t.Errorf("%s: %v", m.ID, err)
				}
				if got.ContentHash != m.ContentHash || got.Locale != "en" || got.Stale ||
					got.Fallback != nil {
					t.Errorf("%s: %+v", m.ID, got)
				}
				for name, x := range map[string]api.Axis{"developers": got.Developers,
					"users": got.Users, "validators": got.Validators,
					"foundation": got.Foundation} {
					if strings.TrimSpace(x.Impact) == "" || x.Evidence == nil {
						t.Errorf("%s: %s is empty: %+v", m.ID, name, x)
					}
				}
				if before, ok := first[m.Number]; ok && !cmp.Equal(before, got, times) {
					t.Errorf("%s: another summary of the same text: %s",
						m.ID, cmp.Diff(before, got, times))
				}
				first[m.Number] = got
			}
		})
	}
}

// Number and language in any valid spelling give one question to the model. Invalid spellings give
// none.
func TestSummaryOfModel(t *testing.T) {
	withAI(t, aiSetup{provider: "openai"}, func(w *aiWorld) {
		want := w.summary(`{"mipNumber": 6}`)
		if want.Source != modelName || want.MIPNumber != 6 || want.Locale != "en" ||
			want.Fallback != nil || want.GeneratedAt != mip.NewTime(time.Now()) {
			t.Errorf("summary %+v", want)
		}
		if err := summary.Check(want, w.subject(6)); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		for _, body := range []string{`{"mipNumber":"6"}`, `{"mipNumber":"MIP-6"}`,
			`{"mipNumber":"mip-6","locale":"en"}`, ` {"locale":"EN", "mipNumber":6} `,
			`{"mipNumber":"006"}`,
			`{"mipNumber":"Mip-06","locale":"en-US-x-a","text":"# Summarise this"}`,
			`{"mipNumber":6,"sections":1,"LOCALE":"xx"}`,
			`{"mipNumber":6,"locale":null}`, `{"mipNumber": 6` + strings.Repeat(" ", 1000) + `}`} {
			if got := w.summary(body); !cmp.Equal(got, want, times) {
				t.Errorf("%s: %s", body, cmp.Diff(want, got, times))
			}
		}
		if n := w.script.Calls(); n != 1 {
			t.Errorf("%d questions to the model, want 1", n)
		}
		locale := w.known.Site.Locales[0]
		if got := w.summary(fmt.Sprintf(`{"mipNumber": 6, "locale": %q}`,
			locale)); got.Locale != locale || got.Source != modelName || w.script.Calls() != 2 {
			t.Errorf("in %s after %d questions: %+v", locale, w.script.Calls(), got)
		}
		if r := w.model.Requests()[1]; !strings.Contains(r.System, locale) || !r.JSON {
			t.Errorf("the model was not asked for %s", locale)
		}
	})
}

// The summary of a hard fork's meta proposal covers the proposals that it bundles.
func TestSummaryOfFork(t *testing.T) {
	for _, provider := range []string{"", "anthropic"} {
		withAI(t, aiSetup{provider: provider}, func(w *aiWorld) {
			found := false
			for _, f := range w.known.HardForks {
				if f.MetaMIP == nil {
					continue
				}
				found = true
				got := w.summary(fmt.Sprintf(`{"mipNumber": %d}`, *f.MetaMIP))
				all, _ := json.Marshal(got)
				bundled := 0
				for _, n := range f.BundledMIPs {
					if strings.Contains(string(all), fmt.Sprintf(`"section":"MIP-%d#s-`, n)) {
						bundled++
					}
				}
				if bundled == 0 || got.Validators.Severity != api.High {
					t.Errorf("%s of %q quotes %d bundled proposals: %s",
						f.Name, provider, bundled, all)
				}
			}
			if !found {
				t.Fatal("no sample fork has a meta proposal")
			}
		})
	}
}

// A committed summary wins while it is of the current text. If it is older, the model is asked, and
// without a model, or if it fails, the older one is the answer, marked stale.
func TestCommittedSummary(t *testing.T) {
	text := sampleText(t, "MIP-6.md")
	older := published(t, map[string]string{"MIP-6.md": text})
	sum := committed(t, older, 6)
	plain := map[string]string{"MIP-6.md": text, "summaries/MIP-6.json": sum}
	changed := map[string]string{"MIP-6.md": text + "\nOne sentence more.\n",
		"summaries/MIP-6.json": sum}

	withAI(t, aiSetup{site: published(t, plain), provider: "openai"}, func(w *aiWorld) {
		if got := w.summary(`{"mipNumber": 6}`); got.Source != "committed-model" || got.Stale ||
			w.script.Calls() != 0 {
			t.Errorf("%d questions for a committed summary: %+v", w.script.Calls(), got)
		}
		locale := w.known.Site.Locales[0]
		if got := w.summary(fmt.Sprintf(`{"mipNumber": 6, "locale": %q}`,
			locale)); got.Source != modelName || w.script.Calls() != 1 {
			t.Errorf("in another language: %+v", got)
		}
	})
	withAI(t, aiSetup{site: published(t, changed), provider: "openai"}, func(w *aiWorld) {
		w.script.Always(demo.Hang())
		got := w.summary(`{"mipNumber": 6}`)
		if got.Source != "committed-model" || !got.Stale || got.Fallback == nil ||
			got.Fallback.Code != api.UpstreamTimeout {
			t.Errorf("when the model fails: %+v", got)
		}
		w.script.Always(nil)
		time.Sleep(time.Minute)
		if got := w.summary(`{"mipNumber": 6}`); got.Source != modelName || got.Stale ||
			got.Fallback != nil || got.ContentHash != w.known.List.MIPs[0].ContentHash {
			t.Errorf("when the text has changed: %+v", got)
		}
	})
	withAI(t, aiSetup{site: published(t, changed)}, func(w *aiWorld) {
		if got := w.summary(`{"mipNumber": 6}`); got.Source != "committed-model" || !got.Stale ||
			got.Fallback != nil {
			t.Errorf("without a model: %+v", got)
		}
	})
	broken := func(c *sidecar.Config) {
		c.AI = ai.Configured{Model: never{}, Name: "x",
			Unusable: fmt.Errorf("OPENAI_API_KEY is not set")}
	}
	withAI(t, aiSetup{site: published(t, changed), change: broken}, func(w *aiWorld) {
		if got := w.summary(`{"mipNumber": 6}`); !got.Stale || got.Fallback == nil ||
			got.Fallback.Code != api.AIDisabled || got.Fallback.RetryAfter != nil {
			t.Errorf("with a model that cannot be used: %+v", got)
		}
	})
}

// committed is the file of a summary of a proposal, made by an unknown model.
func committed(t *testing.T, p fs.FS, number int) string {
	t.Helper()
	s := subjectOf(t, load(t, p), number)
	s.Now = time.Date(1999, 6, 1, 0, 0, 0, 0, time.UTC)
	sum := summary.Extract(s)
	sum.Source = "committed-model"
	b, err := json.MarshalIndent(sum, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

// never is a model that must not be asked.
type never struct{}

func (never) Ask(context.Context, ai.Prompt) (ai.Reply, error) {
	panic("the model was asked")
}

// A committed translation wins, is marked stale if the English has changed, and can be requested in
// part.
func TestCommittedTranslation(t *testing.T) {
	text := sampleText(t, "MIP-5.md")
	hash := load(t, published(t, map[string]string{"MIP-5.md": text})).List.MIPs[0].ContentHash
	translated := "---\ntitle: 確定したヘッドの購読\ntranslation-of: " + hash + "\n---\n" + body(text)
	languages := func(s *site.Site) { s.Locales = []string{"ja", "ko"} }
	for _, stale := range []bool{false, true} {
		files := map[string]string{"MIP-5.md": text, "translations/ja/MIP-5.md": translated}
		if stale {
			files["MIP-5.md"] = strings.Replace(text, "in order", "in sequence", 1)
		}
		withAI(t, aiSetup{site: published(t, files, languages),
			provider: "openai"}, func(w *aiWorld) {
			got := read[api.Translation](w.world,
				w.post("/api/ai-translate", `{"mipNumber": 5, "locale": "ja"}`))
			if got.Source != "file" || got.Stale != stale || got.ContentHash != hash ||
				got.Title != "確定したヘッドの購読" || got.Markdown != body(text) {
				t.Errorf("stale %t: %+v", stale, got)
			}
			part := read[api.Translation](w.world,
				w.post("/api/ai-translate",
					`{"mipNumber": 5, "locale": "ja", "sections": ["s-motivation", "s-abstract"]}`))
			if !strings.HasPrefix(strings.TrimSpace(part.Markdown), "## Abstract") ||
				!strings.Contains(part.Markdown, "## Motivation") ||
				strings.Contains(part.Markdown, "## Specification") {
				t.Errorf("two sections: %q", part.Markdown)
			}
			w.post("/api/ai-translate",
				`{"mipNumber": 5, "locale": "ja", "sections": ["s-nowhere"]}`).want(w.world,
				400).problem(w.world, api.BadRequest)
			if w.script.Calls() != 0 {
				t.Errorf("%d questions to the model", w.script.Calls())
			}
			if got := read[api.Translation](w.world,
				w.post("/api/ai-translate",
					`{"mipNumber": 5, "locale": "ko"}`)); got.Source != modelName || got.Stale {
				t.Errorf("a language without a file: %+v", got)
			}
		})
	}
	withAI(t, aiSetup{site: published(t, map[string]string{"MIP-5.md": text},
		languages)}, func(w *aiWorld) {
		a := w.post("/api/ai-translate", `{"mipNumber": 5, "locale": "ja"}`).want(w.world,
			503).problem(w.world, api.AIDisabled)
		if !strings.Contains(string(a.body), "AI_PROVIDER") {
			t.Errorf("it does not say what to set: %s", a.body)
		}
	})
	alone := published(t, map[string]string{"MIP-5.md": text}, func(s *site.Site) {
		s.Locales = nil
	})
	withAI(t, aiSetup{site: alone, provider: "openai"}, func(w *aiWorld) {
		for _, body := range []string{`{"mipNumber": 5}`, `{"mipNumber": 5, "locale": "ja"}`} {
			a := w.post("/api/ai-translate", body).want(w.world, 400).problem(w.world,
				api.BadRequest)
			if !strings.Contains(string(a.body), "a language of this site, en, or") {
				t.Errorf("a site in English alone: %s", a.body)
			}
		}
	})
}

// English is the text itself, with or without a model, of all sections or some.
func TestTranslateIntoEnglish(t *testing.T) {
	for _, provider := range []string{"", "openai"} {
		withAI(t, aiSetup{provider: provider}, func(w *aiWorld) {
			m := w.known.List.MIPs[4]
			got := read[api.Translation](w.world,
				w.post("/api/ai-translate", `{"mipNumber": "MIP-5", "locale": "en-US"}`))
			want := api.Translation{
				MIPNumber: 5, Locale: "en", Title: m.Title, Description: m.Description,
				Markdown:    body(sampleText(t, "MIP-5.md")),
				ContentHash: m.ContentHash, GeneratedAt: *m.Updated, Source: "original",
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(mip.Time{})); diff != "" {
				t.Errorf("with the provider %q (-want +got):\n%s", provider, diff)
			}
			part := read[api.Translation](w.world,
				w.post("/api/ai-translate",
					`{"mipNumber": 5, "locale": "EN", "sections": ["s-abstract"]}`))
			if !strings.HasPrefix(part.Markdown, "\n## Abstract") ||
				strings.Contains(part.Markdown, "## Motivation") {
				t.Errorf("one section: %q", part.Markdown)
			}
			if w.script.Calls() != 0 {
				t.Errorf("%d questions to the model", w.script.Calls())
			}
		})
	}
}

// A tag finds the language of the site of which it is a more specific form.
func TestLocaleLookup(t *testing.T) {
	languages := func(s *site.Site) { s.Locales = []string{"zh-Hant", "zh", "pt-BR"} }
	withAI(t, aiSetup{site: published(t, map[string]string{"MIP-5.md": sampleText(t, "MIP-5.md")},
		languages), provider: "openai"}, func(w *aiWorld) {
		for tag, want := range map[string]string{
			"zh-Hant-TW": "zh-Hant", "ZH-hant": "zh-Hant", "zh-Hans-CN": "zh", "zh-a-hant": "zh",
			"pt-br": "pt-BR", "en-a-b-c": "en",
		} {
			got := w.summary(fmt.Sprintf(`{"mipNumber": 5, "locale": %q}`, tag))
			if got.Locale != want {
				t.Errorf("%s is answered in %s, want %s", tag, got.Locale, want)
			}
		}
		for _, tag := range []string{"pt", "pt-PT", "zh-*", "zhx", "zh_TW", "zh-"} {
			a := w.post("/api/ai-translate",
				fmt.Sprintf(`{"mipNumber": 5, "locale": %q}`, tag)).want(w.world,
				400).problem(w.world, api.BadRequest)
			if !strings.Contains(string(a.body), "en, zh-Hant, zh, pt-BR") {
				t.Errorf("%s: %s, want the languages that there are", tag, a.body)
			}
		}
	})
}

// body is a proposal's text below its header.
func body(file string) string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(file, "---\n"), "\n---\n")
	return rest
}

// If the configured model cannot be used, the summary by rules is the answer, with the setting to
// change. Translations fail. Everything else works.
func TestModelWithoutKey(t *testing.T) {
	env := map[string]string{"AI_PROVIDER": "openai", "AI_MODEL": "gpt-x"}
	c, errs := ai.Environment(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	if len(errs) > 0 || c.Unusable == nil {
		t.Fatalf("%v, %v", errs, c.Unusable)
	}
	withAI(t, aiSetup{change: func(s *sidecar.Config) { s.AI = c }}, func(w *aiWorld) {
		body := fmt.Sprintf(`{"mipNumber": 6, "locale": %q}`, w.known.Site.Locales[0])
		a := w.post("/api/ai-translate", body).want(w.world, 503).problem(w.world, api.AIDisabled)
		if !strings.Contains(string(a.body), "OPENAI_API_KEY") {
			t.Errorf("a translation: %s", a.body)
		}
		sum := w.summary(body)
		f := sum.Fallback
		if sum.Source != "extractive" || sum.Locale != "en" || f == nil ||
			f.Code != api.AIDisabled || !strings.Contains(f.Detail, "OPENAI_API_KEY") {
			t.Errorf("a summary: %+v", sum)
		}
		w.get("/api/network-info").want(w.world, 200)
		w.get("/api/mip-watch").want(w.world, 200)
	})
}

// Concurrent requests for one summary ask the model once. A canceled request does not affect the
// others.
func TestManyAskForOneSummary(t *testing.T) {
	withAI(t, aiSetup{provider: "openai"}, func(w *aiWorld) {
		w.script.Always(demo.Delay(3 * time.Second))
		first, hangUp := context.WithCancel(w.Context())
		var wg sync.WaitGroup
		const others = 500
		var answered [others]int
		send := func(ctx context.Context, from, body string) int {
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/ai-summary",
				strings.NewReader(body))
			r.RemoteAddr = from
			r.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			w.sidecar.ServeHTTP(rec, r)
			return rec.Code
		}
		wg.Go(func() { send(first, someone, `{"mipNumber":6}`) })
		synctest.Wait()
		for i := range others {
			body := `{"mipNumber":6}`
			if i%2 == 1 { // another spelling, too long to be a key
				body = `{"mipNumber":"MIP-6"` + strings.Repeat(" ", 100) + `}`
			}
			wg.Go(func() {
				answered[i] = send(w.Context(), fmt.Sprintf("10.0.%d.%d:1", i/250, i%250), body)
			})
		}
		synctest.Wait()
		hangUp()
		wg.Wait()
		if n := w.script.Calls(); n != 1 {
			t.Errorf("%d questions to the model, want 1", n)
		}
		if i := slices.IndexFunc(answered[:], func(code int) bool { return code != 200 }); i >= 0 {
			t.Errorf("caller %d of %d got %d", i, others, answered[i])
		}
	})
}

// The model's budget is bounded: beyond it summaries are by rules and marked so, and translations
// fail with a wait. The next day has a new budget.
func TestDailyBudget(t *testing.T) {
	withAI(t, aiSetup{provider: "openai",
		budget: ai.Limits{TokensPerDay: 20_000}}, func(w *aiWorld) {
		var spent []int
		for _, m := range w.known.List.MIPs {
			if sum, err := w.known.Summary(w.Context(), m); sum != nil && sum.Committed &&
				err == nil {
				continue // a committed summary costs nothing
			}
			got := w.summary(fmt.Sprintf(`{"mipNumber": %d}`, m.Number))
			if err := summary.Check(got, w.subject(m.Number)); err != nil {
				t.Errorf("%s: %v", m.ID, err)
			}
			if got.Source == modelName {
				continue
			}
			spent = append(spent, m.Number)
			if got.Source != "extractive" || got.Fallback == nil ||
				got.Fallback.Code != api.RateLimited || got.Fallback.Detail == "" ||
				got.Fallback.RetryAfter == nil ||
				*got.Fallback.RetryAfter < 1 || *got.Fallback.RetryAfter > 86400 {
				t.Errorf("%s beyond the budget: %+v", m.ID, got)
			}
		}
		if len(spent) == 0 || len(spent) == len(w.known.List.MIPs) {
			t.Fatalf("%d of %d summaries are beyond the budget", len(spent), len(w.known.List.MIPs))
		}
		// A translation may cost less than the refused summary, so spend the rest of the budget
		// first.
		var a *reply
		for _, m := range w.known.List.MIPs {
			if a = w.post("/api/ai-translate",
				fmt.Sprintf(`{"mipNumber": %d, "locale": %q}`, m.Number,
					w.known.Site.Locales[0])); a.Code != http.StatusOK {
				break
			}
		}
		a.want(w.world, 429).problem(w.world, api.RateLimited)
		wait, err := strconv.Atoi(a.Header().Get("Retry-After"))
		if err != nil || wait < 1 || wait > 86400 ||
			!slices.Contains(a.Header().Values("RateLimit"),
				fmt.Sprintf(`"model";r=0;t=%d`, wait)) ||
			!strings.HasPrefix(a.Header().Get("RateLimit"), `"ai-translate";`) ||
			!strings.Contains(strings.Join(a.Header().Values("RateLimit-Policy"), ", "),
				`, "model";`) {
			t.Errorf("a translation beyond the budget: %v", a.Header())
		}
		time.Sleep(24 * time.Hour)
		if got := w.summary(fmt.Sprintf(`{"mipNumber": %d}`, spent[0])); got.Source != modelName {
			t.Errorf("the next day: %+v", got.Fallback)
		}
	})
}

// questions returns bodies that only a model answers, all different: one for each text and
// language.
func questions(w *aiWorld) (next func() string) {
	n := 0
	return func() string {
		mips, locales := w.known.List.MIPs, w.known.Site.Locales
		if n == len(mips)*len(locales) {
			w.Fatal("no question is left that nobody has asked")
		}
		m, l := mips[n%len(mips)], locales[n/len(mips)]
		n++
		return fmt.Sprintf(`{"mipNumber": %d, "locale": %q}`, m.Number, l)
	}
}

// TestAILimit checks that each caller has ten POST requests a minute to each AI route, valid or
// not, with or without a model. Routes and callers count separately. Every answer has the fields of
// that limit. Other methods count against the general limit.
func TestAILimit(t *testing.T) {
	broken := aiSetup{provider: "openai", change: func(c *sidecar.Config) {
		c.AI.Model = failingModel{}
	}}
	for name, setup := range map[string]aiSetup{"no model": {}, "a model": {provider: "openai"},
		"a model that fails": broken} {
		t.Run(name, func(t *testing.T) {
			change := setup.change
			setup.change = func(c *sidecar.Config) {
				c.AIRequestsPerMinute = 0
				if change != nil {
					change(c)
				}
			}
			w := newAIWorld(t, setup)
			for path, bodies := range map[string][]string{
				"/api/ai-summary": {
					`{"mipNumber": 6}`, `{"mipNumber": 6}`, `{"mipNumber": 7, "locale": "ja"}`,
					`{"mipNumber": 5}`, `{"mipNumber": 999999}`,
					`{}`, `[`, strings.Repeat(" ", 70_000), `{"mipNumber": 8}`, `{"mipNumber": 6}`,
				},
				"/api/ai-translate": {
					`{"mipNumber": 5, "locale": "ja"}`,
					`{"mipNumber": 6, "locale": "ja", "sections": ["s-abstract"]}`, `{}`, `[]`,
					`{"mipNumber": 5, "locale": "xx"}`, `{"mipNumber": 999999, "locale": "ja"}`, ``,
					`{"mipNumber": 7}`, `{`, `null`,
				},
			} {
				limit := strings.TrimPrefix(path, "/api/")
				fields := func(a *reply, left int) {
					t.Helper()
					want := regexp.MustCompile(fmt.Sprintf(`^"%s";r=%d;t=([1-9]|[1-5][0-9]|60)$`,
						limit, left))
					if got := a.Header().Get("RateLimit"); !want.MatchString(got) {
						t.Errorf("%s: RateLimit %s, want %s", path, got, want)
					}
					if got := a.Header().Get("RateLimit-Policy"); got != fmt.Sprintf("%q;q=10;w=60",
						limit) {
						t.Errorf("%s: RateLimit-Policy %s", path, got)
					}
				}
				for i, body := range bodies {
					a := w.post(path, body)
					if a.Code == http.StatusTooManyRequests {
						t.Errorf("%s: request %d is refused: %s", path, i+1, a.body)
					}
					fields(a, 9-i)
				}
				for range 2 {
					a := w.post(path, bodies[0]).want(w.world, 429).problem(w.world,
						api.RateLimited)
					fields(a, 0)
					wait := a.Header().Get("Retry-After")
					if !strings.HasSuffix(a.Header().Get("RateLimit"), ";t="+wait) {
						t.Errorf("%s: Retry-After %s beside %v", path, wait, a.Header())
					}
				}
				for _, method := range []string{http.MethodOptions, http.MethodGet} {
					if got := w.ask(method, path).Header().Get("RateLimit"); !strings.HasPrefix(got,
						`"default";`) {
						t.Errorf("%s %s counts as %s", method, path, got)
					}
				}
				from := w.from
				w.from = "192.0.2.77:1"
				fields(w.post(path, bodies[0]), 9)
				w.from = from
			}
		})
	}
}

// failingModel is a model that is unreachable.
type failingModel struct{}

func (failingModel) Ask(context.Context, ai.Prompt) (ai.Reply, error) {
	return ai.Reply{}, &api.HTTPError{Code: api.UpstreamUnavailable,
		Detail: "The language model is not available."}
}
