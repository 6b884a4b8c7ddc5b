// Package aimocktest runs aimock (@copilotkit/aimock of npm), a third-party mock of language
// models, and makes it misbehave. It is for tests only, and does not know who asks.
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

// Options configure a server. The zero value is a server without any answer.
type Options struct {
	Fixtures []Fixture // compared with questions in this order
	Chaos    Chaos
}

// Fixture is an answer to a question.
type Fixture struct {
	Question string // part of the user's last message; empty: any question
	Answer   string
	// finish reason of OpenAI: length, content_filter; empty: stop. Ollama's format has no others
	Stop string
}

// Chaos is how each request fails. The zero value fails none.
type Chaos struct {
	Malformed  bool          // status 200 with a body that is not JSON
	Disconnect bool          // the connection ends without an answer
	RateLimit  bool          // status 429 with Retry-After: 1
	Drop       bool          // status 500
	Latency    time.Duration // before the answer; whole milliseconds, at most 30 s
}

// Server is a running aimock. It is safe for concurrent use.
type Server struct {
	address string // without a trailing slash
	scope   string // query that separates its requests from other scopes; may be empty
}

// Start runs a server on a free port on 127.0.0.1, and ends it with the test. It skips the test if
// there is no aimock on the PATH.
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

// Base is the AI_BASE_URL for a provider: openai, anthropic or ollama.
func (s *Server) Base(provider string) string {
	if provider == "ollama" {
		return s.address + s.scope
	}
	return s.address + "/v1" + s.scope
}

// With returns the same server with another Chaos for clients that use the Base of the result. The
// fixtures are the same.
func (s *Server) With(t *testing.T, c Chaos) *Server {
	t.Helper()
	scoped := &Server{address: s.address, scope: "?testId=" + url.QueryEscape(t.Name())}
	scoped.misbehave(t, c)
	return scoped
}

// Requests is the number of answered requests to this Base, without canceled ones.
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
		"malformedRate": c.Malformed, "disconnectRate": c.Disconnect, "rateLimitRate": c.RateLimit,
		"dropRate": c.Drop,
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

// control sends a request to the server's own API. A refusal fails the test.
func (s *Server) control(t *testing.T, method, name string, body map[string]any, into any) {
	t.Helper()
	var b []byte
	if body != nil {
		b, _ = json.Marshal(body) // it consists of strings and numbers
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.address+"/__aimock/"+name+s.scope,
		bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err = io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK ||
		json.Unmarshal(b, into) != nil {
		t.Fatalf("%s %s: status %d, %s, %v", method, name, resp.StatusCode, b, err)
	}
}
