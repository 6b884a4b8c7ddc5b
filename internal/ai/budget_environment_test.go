package ai

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLimitsEnvironment(t *testing.T) {
	for _, c := range []struct {
		name string
		in   map[string]string
		want Limits
		errs []string
	}{
		{"nothing", nil, Limits{}, nil},
		{"empty", map[string]string{"AI_CALLS_PER_MINUTE": "", "AI_TOKENS_PER_DAY": " "}, Limits{}, nil},
		{"all", map[string]string{"AI_CALLS_AT_ONCE": "2", "AI_CALLS_PER_MINUTE": " 30 ", "AI_TOKENS_PER_DAY": "5000000"},
			Limits{AtOnce: 2, CallsPerMinute: 30, TokensPerDay: 5_000_000}, nil},
		{"bad", map[string]string{"AI_CALLS_AT_ONCE": "0", "AI_CALLS_PER_MINUTE": "-1", "AI_TOKENS_PER_DAY": "1e6"}, Limits{}, []string{
			`AI_CALLS_AT_ONCE: want a number from 1 to 1000000000, got "0"`,
			`AI_CALLS_PER_MINUTE: want a number from 1 to 1000000000, got "-1"`,
			`AI_TOKENS_PER_DAY: want a number from 1 to 1000000000, got "1e6"`}},
		{"one bad", map[string]string{"AI_CALLS_AT_ONCE": "99999999999999999999", "AI_TOKENS_PER_DAY": "7"}, Limits{TokensPerDay: 7},
			[]string{`AI_CALLS_AT_ONCE: want a number from 1 to 1000000000, got "99999999999999999999"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, errs := limitsEnvironment(func(name string) (string, bool) {
				value, ok := c.in[name]
				return value, ok
			})
			var texts []string
			for _, err := range errs {
				texts = append(texts, err.Error())
			}
			if diff := cmp.Diff(c.want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Now" }, cmp.Ignore())); diff != "" {
				t.Errorf("limitsEnvironment(%v) (-want +got):\n%s", c.in, diff)
			}
			if diff := cmp.Diff(c.errs, texts); diff != "" {
				t.Errorf("errors of limitsEnvironment(%v) (-want +got):\n%s", c.in, diff)
			}
		})
	}
}
