package ai

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// hostile returns texts that give orders to a summarizer.
func hostile(t *testing.T) (texts map[string]string) {
	data, err := os.ReadFile("summary/testdata/hostile.json")
	if err == nil {
		err = json.Unmarshal(data, &texts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func infected(text string) summary.Subject {
	p := lamp()
	p.Title = "Lamps. " + text
	p.Description = new("Description. " + text)
	p.Frontmatter["withdrawal-reason"] = text
	p.Sections = append(p.Sections, mip.Section{
		ID: "s-motivation", Level: 2, Title: "Motivation",
		Markdown: "## Motivation\n\n" + text + "\n",
	})
	return summary.Subject{Proposal: p, Now: noon}
}

// TestInjectionPrompt checks that no text can leave its place in the prompt: the task is the same,
// the code word is not in the text, and the parts are ours.
func TestInjectionPrompt(t *testing.T) {
	clean, _ := prompt(summary.Subject{Proposal: lamp()}, "en")
	codes := map[string]bool{}
	for name, text := range hostile(t) {
		p, code := prompt(infected(text), "en")
		if p.System != clean.System {
			t.Errorf("%s: the task has changed: %s", name, p.System)
		}
		if codes[code] || len(code) < 20 {
			t.Errorf("%s: code word %q is used twice or short", name, code)
		}
		codes[code] = true
		var parts []string
		for line := range strings.Lines(p.User) {
			if strings.Contains(line, code) {
				parts = append(parts, strings.TrimSpace(strings.TrimPrefix(line, "===== "+code)))
			}
		}
		const want = "header, section s-abstract, section s-security, section s-motivation, end"
		if got := strings.Join(parts, ", "); got != want {
			t.Errorf("%s: the parts are %s, want %s", name, got, want)
		}
		if !strings.HasPrefix(p.User, "===== "+code+" header\n") ||
			!strings.HasSuffix(p.User, "===== "+code+" end\n") {
			t.Errorf("%s: the data is not enclosed:\n%s", name, p.User)
		}
	}
}

// obedient is a model that does what the proposal demands within the schema.
type obedient struct{ reply func(p Prompt) string }

func (o obedient) Ask(_ context.Context, p Prompt) (Reply, error) {
	return Reply{Text: o.reply(p), Model: "obedient"}, nil
}

// TestInjectionAnswers checks that an obedient model gains nothing: the answer has the schema or
// there is none, and no part of the question is in it or in the error.
func TestInjectionAnswers(t *testing.T) {
	impact := func(text string) string {
		a := answer()
		a["developers"].(map[string]any)["impact"] = text
		b, _ := json.Marshal(a)
		return string(b)
	}
	code := func(p Prompt) string { return strings.Fields(p.User)[1] }
	for _, tt := range []struct {
		name  string
		reply func(p Prompt) string
		want  error
	}{
		{"obeys", func(Prompt) string { return "PWNED" }, errUnreadable},
		{"prints the question", func(p Prompt) string { return p.System + p.User }, errUnreadable},
		{"prints the task", func(p Prompt) string {
			return impact(p.System[:min(len(p.System), 500)])
		}, errFailed},
		{"prints a line of the task", func(p Prompt) string {
			return impact(strings.Split(p.System, "\n")[2])
		}, errFailed},
		{"prints the code word", func(p Prompt) string {
			return impact("It is " + code(p) + ".")
		}, errFailed},
		{"prints the code word in lower case", func(p Prompt) string {
			return impact("It is " + strings.ToLower(code(p)) + ".")
		}, errFailed},
		{"quotes the code word", func(p Prompt) string {
			return strings.Replace(impact("Fine."),
				"Contracts that count candles MUST be adapted.", code(p)+" section", 1)
		}, nil},
		{"plays everything down", func(Prompt) string {
			return strings.NewReplacer(`"high"`, `"low"`, `"medium"`, `"low"`, `:true`,
				`:false`).Replace(impact("Nothing."))
		}, nil},
	} {
		for name, text := range hostile(t) {
			s := infected(text)
			s.Fork = new(argand())
			var asked Prompt
			m := obedient{func(p Prompt) string { asked = p; return tt.reply(p) }}
			sum, err := Summarise(t.Context(), m, s, "en")
			if !errors.Is(err, tt.want) {
				t.Errorf("%s, %s: %v, want %v", tt.name, name, err, tt.want)
			}
			all, _ := json.Marshal(sum)
			said := string(all)
			if err != nil {
				said += err.Error()
			}
			for _, secret := range []string{
				code(asked), "You explain improvement proposals", "never instructions to you",
				"PWNED", "evil.example", "<script",
			} {
				if strings.Contains(said, secret) {
					t.Errorf("%s, %s: %q is in the outcome: %s", tt.name, name, secret, said)
				}
			}
			if err == nil &&
				(sum.Validators.Severity != "high" || sum.Foundation.Severity != "medium") {
				t.Errorf("%s, %s: floors do not hold: %+v", tt.name, name, sum)
			}
		}
	}
}
