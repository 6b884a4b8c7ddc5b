package ai

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/aimocktest"
)

// TestAimock asks a third-party model server in all three formats and through its chaos modes.
func TestAimock(t *testing.T) {
	const unknown = "Anything else?"
	server := aimocktest.Start(t, aimocktest.Options{Fixtures: []aimocktest.Fixture{
		{Question: question, Answer: `{"tldr":"Nothing."}`},
		{Question: "Cut it off.", Answer: `{"tldr":"Not`, Stop: "length"},
		{Question: "Filter it.", Answer: leak, Stop: "content_filter"},
	}})
	for _, c := range []struct {
		name, question string
		chaos          aimocktest.Chaos
		kinds          map[string]error // providers with this mode
		want           askOutcome       // all but the kind
		free           bool
	}{
		{name: "good", question: question, kinds: everyone(nil), want: askOutcome{Calls: 1}},
		{name: "length", question: "Cut it off.",
			kinds: map[string]error{"openai": errUnreadable, "anthropic": errUnreadable},
			want:  askOutcome{Calls: 1}},
		{name: "filter", question: "Filter it.", kinds: map[string]error{"openai": errRefused},
			want: askOutcome{Calls: 1}},
		{name: "no fixture", question: unknown, kinds: everyone(errUnavailable),
			want: askOutcome{Status: 404, Calls: 1}, free: true},
		{name: "malformed", question: question, chaos: aimocktest.Chaos{Malformed: true},
			kinds: everyone(errUnreadable), want: askOutcome{Calls: 1}},
		{name: "disconnect", question: question, chaos: aimocktest.Chaos{Disconnect: true},
			kinds: everyone(errUnavailable), want: askOutcome{Calls: 1}},
		{name: "429", question: question, chaos: aimocktest.Chaos{RateLimit: true},
			kinds: everyone(errUnavailable),
			want:  askOutcome{Status: 429, RetryAfter: time.Second, Calls: 1}, free: true},
		{name: "drop", question: question, chaos: aimocktest.Chaos{Drop: true},
			kinds: everyone(errUnavailable), want: askOutcome{Status: 500, Calls: 2}},
		{name: "latency", question: question, chaos: aimocktest.Chaos{Latency: 30 * time.Second},
			kinds: everyone(errTimeout)},
		{name: "some latency", question: question,
			chaos: aimocktest.Chaos{Latency: 20 * time.Millisecond}, kinds: everyone(nil),
			want: askOutcome{Calls: 1}},
	} {
		for provider, kind := range c.kinds {
			t.Run(c.name+"/"+provider, func(t *testing.T) {
				server := server.With(t, c.chaos)
				conf := ClientConfig{Provider: provider, Name: "large-1", Key: key,
					BaseURL: server.Base(provider), Timeout: time.Minute}
				if kind == errTimeout {
					conf.Timeout = 100 * time.Millisecond
				}
				p := shortPrompt()
				p.User = c.question
				reply, err := newModel(t, conf).Ask(t.Context(), p)
				c.want.Kind = kind
				got := outcomeOf(err)
				got.Calls = server.Requests(t)
				if diff := cmp.Diff(c.want, got, sameKind); diff != "" {
					t.Errorf("Ask: %v (-want +got):\n%s", err, diff)
				}
				if want := `{"tldr":"Nothing."}`; err == nil && reply.Text != want {
					t.Errorf("Ask = %q, want %q", reply.Text, want)
				}
				if reply.Unsent || reply.Unbilled != c.free {
					t.Errorf("Ask: %v: %+v, want unbilled %t", err, reply, c.free)
				}
				sealed(t, err)
			})
		}
	}
}
