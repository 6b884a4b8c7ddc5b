// Package aimocktest runs aimock (@copilotkit/aimock of npm), a server that others wrote and that stands
// in for language models, and has it misbehave. It is for tests only, and does not know who asks.
package aimocktest

import (
	"bufio"
	"bytes"
	"io"
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
	var complaints bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, "--config", config, "--host", "127.0.0.1", "--port", "0")
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	t.Cleanup(func() {
		<-drained  // it was killed when the test's context ended
		cmd.Wait() // says no more than that
	})
	at := listening(out)
	go func() { // it can only go on writing while it is read
		io.Copy(io.Discard, out)
		close(drained)
	}()
	if at == "" {
		<-drained
		cmd.Wait() // until then complaints is written to
		t.Fatalf("aimock ended before it listened: %s", &complaints)
	}
	s := &Server{address: at}
	s.install(t, o.Fixtures)
	s.misbehave(t, o.Chaos)
	return s
}

// listening reads up to the line with which the server says where it is.
func listening(out io.Reader) (address string) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if at, ok := strings.CutPrefix(lines.Text(), "aimock server listening on "); ok {
			return strings.TrimSuffix(at, "/")
		}
	}
	return ""
}

// Base is what AI_BASE_URL is to be for a provider: openai, anthropic or ollama.
func (s *Server) Base(provider string) string {
	if provider == "ollama" {
		return s.address + s.scope
	}
	return s.address + "/v1" + s.scope
}
