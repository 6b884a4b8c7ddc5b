package budget_test

import (
	"context"
	"testing"

	"github.com/mipwatch/mipwatch/sidecar/assist"
	"github.com/mipwatch/mipwatch/sidecar/assist/budget"
)

type instant struct{}

func (instant) Ask(context.Context, assist.Prompt) (assist.Reply, error) {
	return assist.Reply{Text: "{}", Tokens: 1}, nil
}

func BenchmarkAsk(b *testing.B) {
	for _, bench := range []struct {
		name   string
		config budget.Config
	}{
		{"let in", budget.Config{CallsPerMinute: 1 << 30, TokensPerDay: 1 << 50}},
		{"refused", budget.Config{CallsPerMinute: 1}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			m := budget.New(instant{}, bench.config)
			for b.Loop() {
				m.Ask(b.Context(), assist.Prompt{User: "What does it change?", MaxTokens: 100})
			}
		})
	}
}
