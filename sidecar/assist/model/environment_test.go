package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironment(t *testing.T) {
	const without = "AI_PROVIDER is not set, though AI_MODEL or AI_BASE_URL is; want openai, anthropic or ollama, or none of the three set for no model"
	const timeout = "AI_TIMEOUT: want a time from 1s to 5m, such as 20s, or 20 for as many seconds"
	for _, c := range []struct {
		name, in string // NAME=value, with blanks between them
		want     Config
		asked    bool
		errs     []string
	}{
		{"nothing", "", Config{}, false, nil},
		{"keys alone", "OPENAI_API_KEY=k ANTHROPIC_API_KEY=k OLLAMA_API_KEY=k", Config{}, false, nil},
		{"empty", "AI_PROVIDER= AI_MODEL= AI_TIMEOUT=", Config{}, false, nil},
		{"openai", "AI_PROVIDER=OpenAI AI_MODEL=m AI_BASE_URL=https://example.org/v1 AI_TIMEOUT=20s OPENAI_API_KEY=one ANTHROPIC_API_KEY=two",
			Config{Provider: "openai", Name: "m", BaseURL: "https://example.org/v1", Key: "one", Timeout: 20 * time.Second}, true, nil},
		{"anthropic", "AI_PROVIDER=anthropic AI_MODEL=m OPENAI_API_KEY=one ANTHROPIC_API_KEY=two", Config{Provider: "anthropic", Name: "m", Key: "two"}, true, nil},
		{"ollama", "AI_PROVIDER=ollama AI_MODEL=m OLLAMA_API_KEY=three", Config{Provider: "ollama", Name: "m", Key: "three"}, true, nil},
		{"another", "AI_PROVIDER=sk-secret AI_MODEL=m OPENAI_API_KEY=sk-secret", Config{Provider: "sk-secret", Name: "m"}, true, nil},
		{"seconds", "AI_PROVIDER=ollama AI_TIMEOUT=300", Config{Provider: "ollama", Timeout: 5 * time.Minute}, true, nil},
		{"only a model", "AI_MODEL=sk-secret", Config{Name: "sk-secret"}, false, []string{without}},
		{"only an address", "AI_BASE_URL=https://secret.example.org", Config{BaseURL: "https://secret.example.org"}, false, []string{without}},
		{"half a second", "AI_TIMEOUT=500ms", Config{}, false, []string{timeout}},
		{"an hour", "AI_TIMEOUT=1h", Config{}, false, []string{timeout}},
		{"an hour of seconds", "AI_TIMEOUT=3600", Config{}, false, []string{timeout}},
		{"seconds that wrap round", "AI_TIMEOUT=-9223372036854775807", Config{}, false, []string{timeout}},
		{"no time", "AI_TIMEOUT=sk-secret AI_MODEL=sk-secret", Config{Name: "sk-secret"}, false, []string{timeout, without}},
	} {
		t.Run(c.name, func(t *testing.T) {
			variables := map[string]string{}
			for one := range strings.FieldsSeq(c.in) {
				name, value, _ := strings.Cut(one, "=")
				variables[name] = " " + value + "\n"
			}
			got, asked, errs := Environment(func(name string) (string, bool) {
				value, ok := variables[name]
				return value, ok
			})
			var texts []string
			for _, err := range errs {
				texts = append(texts, err.Error())
			}
			if diff := cmp.Diff(c.want, got); diff != "" || asked != c.asked {
				t.Errorf("Environment(%s): asked %t, want %t (-want +got):\n%s", c.in, asked, c.asked, diff)
			}
			if diff := cmp.Diff(c.errs, texts); diff != "" {
				t.Errorf("errors of Environment(%s) (-want +got):\n%s", c.in, diff)
			}
			if text := fmt.Sprintf("%#v", errs); strings.Contains(text, "secret") {
				t.Errorf("errors of Environment(%s) tell a value: %s", c.in, text)
			}
		})
	}
}
