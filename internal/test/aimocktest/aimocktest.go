// Package aimocktest runs aimock (@copilotkit/aimock of npm), a server that others wrote and that stands
// in for language models, and has it misbehave. It is for tests only, and does not know who asks.
package aimocktest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// Options say what a server does to everybody. The zero value is a server that knows no answer.
type Options struct {
	Fixtures []Fixture // what is asked is compared in this order
	Chaos    Chaos
}

// Fixture is an answer to a question.
type Fixture struct {
	Question string // stands somewhere in the last message of the user; empty: whatever is asked
	Answer   string
	Stop     string // why it ends, in the words of OpenAI: length, content_filter; empty: stop. Ollama's format has no others
}

// Chaos is what goes wrong with each request. The zero value is nothing.
type Chaos struct {
	Malformed  bool          // status 200 with a body that is no JSON
	Disconnect bool          // the connection ends without an answer
	RateLimit  bool          // status 429 with Retry-After: 1
	Drop       bool          // status 500
	Latency    time.Duration // before the answer; whole milliseconds, at most 30 s
}

// Server is a running aimock. It is safe for concurrent use.
type Server struct {
	address string // without a slash at the end
	scope   string // query that marks its requests among those of other scopes; may be empty
}

// Start runs a server on a port of its own choice on 127.0.0.1, and ends it with the test. The test is
// skipped when there is no aimock on the PATH.
func Start(t *testing.T, o Options) *Server {
	t.Helper()
	program := testenv.Program(t, "aimock", "aimock")
	config := filepath.Join(t.TempDir(), "aimock.json")
	if err := os.WriteFile(config, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	const listening = "aimock server listening on "
	cmd := exec.Command(program, "--config", config, "--host", "127.0.0.1", "--port", "0")
	cmd.Stderr = t.Output()
	line, kill := testenv.Start(t, listening, cmd)
	t.Cleanup(kill)
	_, address, _ := strings.Cut(line, listening)
	s := &Server{address: strings.TrimSuffix(address, "/")}
	fixtures := []any{}
	for _, f := range o.Fixtures {
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
		s.control(t, http.MethodPost, "fixtures", map[string]any{"fixtures": fixtures}, new(any))
	}
	s.misbehave(t, o.Chaos)
	return s
}

// Base is what AI_BASE_URL is to be for a provider: openai, anthropic or ollama.
func (s *Server) Base(provider string) string {
	if provider == "ollama" {
		return s.address + s.scope
	}
	return s.address + "/v1" + s.scope
}

// With returns the same server for clients that use the Base of the result: they alone meet c, in the
// place of what others meet. The fixtures are the same.
func (s *Server) With(t *testing.T, c Chaos) *Server {
	t.Helper()
	scoped := &Server{address: s.address, scope: "?testId=" + url.QueryEscape(t.Name())}
	scoped.misbehave(t, c)
	return scoped
}

// Requests is how many requests were answered that came to this Base. One whose sender has left before
// does not count.
func (s *Server) Requests(t *testing.T) int {
	t.Helper()
	var entries []any
	s.control(t, http.MethodGet, "journal", nil, &entries)
	return len(entries)
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
		fields["latencyMs"] = c.Latency.Milliseconds()
	}
	s.control(t, http.MethodPost, "chaos", fields, new(any))
}

// control asks the server's own API. What it does not take fails the test.
func (s *Server) control(t *testing.T, method, name string, body map[string]any, into any) {
	t.Helper()
	var b []byte
	if body != nil {
		b, _ = json.Marshal(body) // of strings and numbers
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.address+"/__aimock/"+name+s.scope, bytes.NewReader(b))
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
		t.Fatalf("%s %s: status %d, %s, %v", method, name, resp.StatusCode, b, err)
	}
}
