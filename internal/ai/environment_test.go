package ai

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestClientEnvironment(t *testing.T) {
	const without = "AI_PROVIDER is not set, though AI_MODEL or AI_BASE_URL is; want openai, anthropic or ollama, or none of the three set for no model"
	const timeout = "AI_TIMEOUT: want a time from 1s to 5m, such as 20s, or 20 for as many seconds"
	for _, c := range []struct {
		name, in string // NAME=value, with blanks between them
		want     ClientConfig
		asked    bool
		errs     []string
	}{
		{"nothing", "", ClientConfig{}, false, nil},
		{"keys alone", "OPENAI_API_KEY=k ANTHROPIC_API_KEY=k OLLAMA_API_KEY=k", ClientConfig{}, false, nil},
		{"empty", "AI_PROVIDER= AI_MODEL= AI_TIMEOUT=", ClientConfig{}, false, nil},
		{"openai", "AI_PROVIDER=OpenAI AI_MODEL=m AI_BASE_URL=https://example.org/v1 AI_TIMEOUT=20s OPENAI_API_KEY=one ANTHROPIC_API_KEY=two",
			ClientConfig{Provider: "openai", Name: "m", BaseURL: "https://example.org/v1", Key: "one", Timeout: 20 * time.Second}, true, nil},
		{"anthropic", "AI_PROVIDER=anthropic AI_MODEL=m OPENAI_API_KEY=one ANTHROPIC_API_KEY=two", ClientConfig{Provider: "anthropic", Name: "m", Key: "two"}, true, nil},
		{"ollama", "AI_PROVIDER=ollama AI_MODEL=m OLLAMA_API_KEY=three", ClientConfig{Provider: "ollama", Name: "m", Key: "three"}, true, nil},
		{"another", "AI_PROVIDER=sk-secret AI_MODEL=m OPENAI_API_KEY=sk-secret", ClientConfig{Provider: "sk-secret", Name: "m"}, true, nil},
		{"seconds", "AI_PROVIDER=ollama AI_TIMEOUT=300", ClientConfig{Provider: "ollama", Timeout: 5 * time.Minute}, true, nil},
		{"only a model", "AI_MODEL=sk-secret", ClientConfig{Name: "sk-secret"}, false, []string{without}},
		{"only an address", "AI_BASE_URL=https://secret.example.org", ClientConfig{BaseURL: "https://secret.example.org"}, false, []string{without}},
		{"half a second", "AI_TIMEOUT=500ms", ClientConfig{}, false, []string{timeout}},
		{"an hour", "AI_TIMEOUT=1h", ClientConfig{}, false, []string{timeout}},
		{"an hour of seconds", "AI_TIMEOUT=3600", ClientConfig{}, false, []string{timeout}},
		{"seconds that wrap round", "AI_TIMEOUT=-9223372036854775807", ClientConfig{}, false, []string{timeout}},
		{"no time", "AI_TIMEOUT=sk-secret AI_MODEL=sk-secret", ClientConfig{Name: "sk-secret"}, false, []string{timeout, without}},
	} {
		t.Run(c.name, func(t *testing.T) {
			variables := map[string]string{}
			for one := range strings.FieldsSeq(c.in) {
				name, value, _ := strings.Cut(one, "=")
				variables[name] = " " + value + "\n"
			}
			got, asked, errs := clientEnvironment(func(name string) (string, bool) {
				value, ok := variables[name]
				return value, ok
			})
			var texts []string
			for _, err := range errs {
				texts = append(texts, err.Error())
			}
			if diff := cmp.Diff(c.want, got); diff != "" || asked != c.asked {
				t.Errorf("clientEnvironment(%s): asked %t, want %t (-want +got):\n%s", c.in, asked, c.asked, diff)
			}
			if diff := cmp.Diff(c.errs, texts); diff != "" {
				t.Errorf("errors of clientEnvironment(%s) (-want +got):\n%s", c.in, diff)
			}
			if text := fmt.Sprintf("%#v", errs); strings.Contains(text, "secret") {
				t.Errorf("errors of clientEnvironment(%s) tell a value: %s", c.in, text)
			}
		})
	}
}
