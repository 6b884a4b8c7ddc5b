package ai

import (
	"net/http"
	"testing"

	"github.com/mipwatch/mipwatch/internal/demo"
)

// TestCost checks whether errors are billed.
func TestCost(t *testing.T) {
	const asked, free, unasked = "asked", "free", "unasked"
	unbound := answerWith(400, "", `{"error":{"param":"max_tokens"}}`)
	for _, c := range []struct {
		name   string
		faults []demo.Fault
		want   string
	}{
		{"401", []demo.Fault{answerWith(401, "", refusal)}, free},
		{"404", []demo.Fault{answerWith(404, "", refusal)}, free},
		{"429", []demo.Fault{answerWith(429, "30", refusal)}, free},
		{"400", []demo.Fault{answerWith(400, "", refusal)}, free},
		{"400, then 429", []demo.Fault{unbound, answerWith(429, "30", refusal)}, free},
		{"400, then a filter", []demo.Fault{unbound,
			answerWith(400, "", `{"error":{"code":"content_filter"}}`)}, asked},
		{"400, then 500", []demo.Fault{unbound, answerWith(500, "", "")}, asked},
		{"a filter", []demo.Fault{answerWith(403, "",
			`{"error":{"code":"content_filter"}}`)}, asked},
		{"500", []demo.Fault{answerWith(500, "", ""), answerWith(500, "", "")}, asked},
		{"hangs up", []demo.Fault{demo.Disconnect()}, asked},
		{"no JSON", []demo.Fault{demo.HTML()}, asked},
		{"paused", nil, unasked},
		{"nobody listens", nil, unasked},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := demo.NewNetwork()
			defer n.Close()
			s := demo.NewScript(demo.NewModel(nil))
			if c.name != "nobody listens" {
				n.Serve("model.example", s)
			}
			m := newModel(t, config("openai", n))
			if c.name == "paused" {
				s.Next(answerWith(http.StatusTooManyRequests, "30", refusal))
				m.Ask(t.Context(), shortPrompt())
			}
			s.Next(c.faults...)
			reply, err := m.Ask(t.Context(), shortPrompt())
			if err == nil {
				t.Fatal("Ask has an answer")
			}
			got := asked
			switch {
			case reply.Unsent:
				got = unasked
			case reply.Unbilled:
				got = free
			}
			if got != c.want || reply.Unsent && !reply.Unbilled {
				t.Errorf("%v: %+v, want %s", err, reply, c.want)
			}
		})
	}
}
