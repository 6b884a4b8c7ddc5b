package ai

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestEnvironment(t *testing.T) {
	const (
		without = "AI_PROVIDER is not set, though AI_MODEL or AI_BASE_URL is; want openai, " +
			"anthropic or ollama, or none of the three set for no model"
		timeout = "AI_TIMEOUT: want a time from 1s to 5m, such as 20s, or 20 for as many seconds"
	)
	const usual = 7 * time.Second
	for _, c := range []struct {
		name, in string // NAME=value, with blanks between them
		want     ClientConfig
		unusable string
		errs     []string
	}{
		{"nothing", "", ClientConfig{}, "", nil},
		{"keys alone", "OPENAI_API_KEY=k ANTHROPIC_API_KEY=k OLLAMA_API_KEY=k",
			ClientConfig{}, "", nil},
		{"empty", "AI_PROVIDER= AI_MODEL= AI_TIMEOUT=", ClientConfig{}, "", nil},
		{"openai", "AI_PROVIDER=OpenAI AI_MODEL=m AI_BASE_URL=https://example.org/v1 " +
			"AI_TIMEOUT=20s OPENAI_API_KEY=one ANTHROPIC_API_KEY=two",
			ClientConfig{Provider: "openai", Name: "m", BaseURL: "https://example.org/v1",
				Key: "one", Timeout: 20 * time.Second}, "", nil},
		{"anthropic", "AI_PROVIDER=anthropic AI_MODEL=m OPENAI_API_KEY=one ANTHROPIC_API_KEY=two",
			ClientConfig{Provider: "anthropic", Name: "m", Key: "two", Timeout: usual}, "", nil},
		{"ollama", "AI_PROVIDER=ollama AI_MODEL=m OLLAMA_API_KEY=three",
			ClientConfig{Provider: "ollama", Name: "m", Key: "three", Timeout: usual}, "", nil},
		{"seconds", "AI_PROVIDER=ollama AI_MODEL=m AI_TIMEOUT=300",
			ClientConfig{Provider: "ollama", Name: "m", Timeout: 5 * time.Minute}, "", nil},
		{"another", "AI_PROVIDER=sk-secret AI_MODEL=m OPENAI_API_KEY=sk-secret", ClientConfig{},
			"AI_PROVIDER is none of openai, anthropic and ollama", nil},
		{"no key", "AI_PROVIDER=openai AI_MODEL=m ANTHROPIC_API_KEY=sk-secret", ClientConfig{},
			"OPENAI_API_KEY is not set", nil},
		{"only a model", "AI_MODEL=sk-secret", ClientConfig{}, "", []string{without}},
		{"only an address", "AI_BASE_URL=https://secret.example.org", ClientConfig{},
			"", []string{without}},
		{"half a second", "AI_TIMEOUT=500ms", ClientConfig{}, "", []string{timeout}},
		{"an hour", "AI_TIMEOUT=1h", ClientConfig{}, "", []string{timeout}},
		{"an hour of seconds", "AI_TIMEOUT=3600", ClientConfig{}, "", []string{timeout}},
		{"seconds that wrap round", "AI_TIMEOUT=-9223372036854775807", ClientConfig{},
			"", []string{timeout}},
		{"no time", "AI_TIMEOUT=sk-secret AI_MODEL=sk-secret", ClientConfig{}, "",
			[]string{timeout, without}},
		{"bad limits", "AI_CALLS_AT_ONCE=0 AI_CALLS_PER_MINUTE=-1 AI_TOKENS_PER_DAY=1e6",
			ClientConfig{}, "", []string{
				`AI_CALLS_AT_ONCE: want a number from 1 to 1000000000, got "0"`,
				`AI_CALLS_PER_MINUTE: want a number from 1 to 1000000000, got "-1"`,
				`AI_TOKENS_PER_DAY: want a number from 1 to 1000000000, got "1e6"`}},
		{"one bad limit", "AI_CALLS_AT_ONCE=99999999999999999999 AI_TOKENS_PER_DAY=7",
			ClientConfig{}, "",
			[]string{`AI_CALLS_AT_ONCE: want a number from 1 to 1000000000, got "99999999999999999999"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, errs := environmentOf(c.in)
			var texts []string
			for _, err := range errs {
				texts = append(texts, err.Error())
			}
			if diff := cmp.Diff(c.errs, texts); diff != "" {
				t.Errorf("errors of Environment(%s) (-want +got):\n%s", c.in, diff)
			}
			text := fmt.Sprintf("%#v %#v", errs, got.Unusable)
			if strings.Contains(text, "secret") {
				t.Errorf("errors of Environment(%s) hold a value: %s", c.in, text)
			}
			var config ClientConfig
			switch {
			case c.unusable != "":
				if got.Unusable == nil || got.Unusable.Error() != c.unusable {
					t.Errorf("Environment(%s): unusable %v, want %s", c.in,
						got.Unusable, c.unusable)
				}
			case got.Model != nil:
				config = got.Model.(*Budget).model.(*Client).ClientConfig
			}
			diff := cmp.Diff(c.want, config,
				cmpopts.IgnoreFields(ClientConfig{}, "Stats", "UserAgent"))
			if diff != "" {
				t.Errorf("Environment(%s) (-want +got):\n%s", c.in, diff)
			}
		})
	}
}

// environmentOf returns the Environment of variables, each with blanks around its value.
func environmentOf(variables string) (Configured, []error) {
	values := map[string]string{}
	for one := range strings.FieldsSeq(variables) {
		name, value, _ := strings.Cut(one, "=")
		values[name] = " " + value + "\n"
	}
	return Environment(func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	})
}

func TestEnvironmentLimits(t *testing.T) {
	for in, want := range map[string][3]int{
		"": {4, 60, 1_000_000},
		"AI_CALLS_AT_ONCE=2 AI_CALLS_PER_MINUTE=30 AI_TOKENS_PER_DAY=5000000": {2, 30, 5_000_000},
		"AI_CALLS_PER_MINUTE= AI_TOKENS_PER_DAY=7":                            {4, 60, 7},
	} {
		c, errs := environmentOf("AI_PROVIDER=ollama AI_MODEL=m " + in)
		b := c.Model.(*Budget)
		got := [3]int{cap(b.semaphore), b.perMinute, b.ever.PerDay}
		if got != want || len(errs) > 0 {
			t.Errorf("limits of Environment(%s) = %v, %v, want %v", in, got, errs, want)
		}
	}
}
