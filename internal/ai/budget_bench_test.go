package ai_test

import (
	"context"
	"testing"

	"github.com/mipwatch/mipwatch/internal/ai"
)

type instant struct{}

func (instant) Ask(context.Context, ai.Prompt) (ai.Reply, error) {
	return ai.Reply{Text: "{}", Tokens: 1}, nil
}

func BenchmarkAsk(b *testing.B) {
	for _, bench := range []struct {
		name   string
		config ai.Limits
	}{
		{"let in", ai.Limits{CallsPerMinute: 1 << 30, TokensPerDay: 1 << 50}},
		{"refused", ai.Limits{CallsPerMinute: 1}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			m := ai.NewBudget(instant{}, bench.config)
			for b.Loop() {
				m.Ask(b.Context(), ai.Prompt{User: "What does it change?", MaxTokens: 100})
			}
		})
	}
}
