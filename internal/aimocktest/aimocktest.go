// Package aimocktest runs aimock (@copilotkit/aimock of npm), a server that others wrote and that stands
// in for language models, and has it misbehave. It is for tests only, and does not know who asks.
package aimocktest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/testenv"
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
	scope   string // query that tells its requests from those of other scopes; may be empty
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
	at := strings.TrimSuffix(line[strings.Index(line, listening)+len(listening):], "/")
	s := &Server{address: at}
	s.install(t, o.Fixtures)
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
