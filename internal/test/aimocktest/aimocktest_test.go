package aimocktest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/aimocktest"
)

// TestFixtures checks that fixtures are tried in order, and that one without a question matches
// all.
func TestFixtures(t *testing.T) {
	server := aimocktest.Start(t, aimocktest.Options{Fixtures: []aimocktest.Fixture{
		{Question: "the fee", Answer: "It rises."},
		{Answer: "No idea."},
	}})
	for question, want := range map[string]string{"What of the fee?": "It rises.",
		"What of votes?": "No idea."} {
		if got := ask(t, server, question); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
	broken := server.With(t, aimocktest.Chaos{Malformed: true})
	if got := ask(t, broken, "What of the fee?"); strings.Contains(got, "It rises.") ||
		broken.Requests(t) != 1 {
		t.Errorf("malformed: %s, %d requests", got, broken.Requests(t))
	}
	if got := ask(t, server, "What of the fee?"); !strings.Contains(got, "It rises.") {
		t.Errorf("beside chaos of others: %s", got)
	}
}

// TestChaos checks that a server can misbehave from the start.
func TestChaos(t *testing.T) {
	server := aimocktest.Start(t,
		aimocktest.Options{Fixtures: []aimocktest.Fixture{{Answer: "No idea."}},
			Chaos: aimocktest.Chaos{Malformed: true}})
	if got := ask(t, server, "What of the fee?"); strings.Contains(got, "No idea.") {
		t.Errorf("malformed: %s", got)
	}
}

// ask returns the body of the answer, by OpenAI's API.
func ask(t *testing.T, s *aimocktest.Server, question string) string {
	t.Helper()
	to, query, _ := strings.Cut(s.Base("openai"), "?")
	body := `{"model":"m","messages":[{"role":"user","content":"` + question + `"}]}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		to+"/chat/completions?"+query, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
