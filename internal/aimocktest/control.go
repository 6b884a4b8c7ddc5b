package aimocktest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// With returns the same server for those who ask it at the Base of the result: they alone meet c, in the
// place of what others meet. The fixtures are the same.
func (s *Server) With(t *testing.T, c Chaos) *Server {
	t.Helper()
	mine := &Server{address: s.address, scope: "?testId=" + url.QueryEscape(t.Name())}
	mine.misbehave(t, c)
	return mine
}

// Requests is how many requests were answered that came to this Base. One whose sender has left before
// does not count.
func (s *Server) Requests(t *testing.T) int {
	t.Helper()
	var entries []any
	s.tell(t, http.MethodGet, "/__aimock/journal", nil, &entries)
	return len(entries)
}

// install adds fixtures, for every scope.
func (s *Server) install(t *testing.T, all []Fixture) {
	t.Helper()
	fixtures := []any{}
	for _, f := range all {
		match, response := map[string]any{}, map[string]any{"content": f.Answer}
		if f.Question != "" {
			match["userMessage"] = f.Question
		}
		if f.Stop != "" {
			response["finishReason"] = f.Stop
		}
		fixtures = append(fixtures, map[string]any{"match": match, "response": response})
	}
	if len(fixtures) > 0 {
		s.tell(t, http.MethodPost, "/__aimock/fixtures", map[string]any{"fixtures": fixtures}, new(any))
	}
}

func (s *Server) misbehave(t *testing.T, c Chaos) {
	t.Helper()
	fields := map[string]any{}
	for name, always := range map[string]bool{
		"malformedRate": c.Malformed, "disconnectRate": c.Disconnect, "rateLimitRate": c.RateLimit, "dropRate": c.Drop,
	} {
		if always {
			fields[name] = 1
		}
	}
	if c.Latency > 0 {
		fields["latencyMs"] = int(c.Latency / time.Millisecond)
	}
	s.tell(t, http.MethodPost, "/__aimock/chaos", fields, new(any))
}

// tell asks the server's own API. What it does not take fails the test.
func (s *Server) tell(t *testing.T, method, path string, body map[string]any, into any) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodGet {
		b = nil
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.address+path+s.scope, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err = io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(b, into) != nil {
		t.Fatalf("%s %s: status %d, %s, %v", method, path, resp.StatusCode, b, err)
	}
}
