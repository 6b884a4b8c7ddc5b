// Package redistest runs a Redis for tests: one that is killed, started again and told to misbehave. It does
// not know what is kept there.
package redistest

import (
	"bufio"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/testenv"
)

// Server is a redis-server on 127.0.0.1 that keeps nothing on disk. It is not safe for concurrent use, but for
// [Server.Addr].
type Server struct {
	t       testing.TB
	program string
	dir     string
	port    string
	args    []string
	running *exec.Cmd // nil: it is not
	ended   chan struct{}
}

// Start runs a server with more arguments in the words of redis.conf, such as --requirepass, and ends it with
// the test. The test is skipped when there is no redis-server on the PATH.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return start(t, func(port string) []string { return append([]string{"--port", port}, args...) })
}

// start runs a server on a free port.
func start(t testing.TB, args func(port string) []string) *Server {
	t.Helper()
	program := testenv.Program(t, "redis", "redis-server")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	s := &Server{t: t, program: program, dir: t.TempDir(), port: port, args: args(port)}
	t.Cleanup(s.Kill)
	s.Restart()
	return s
}

// Addr is where it listens.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", s.port) }

// Kill ends the server at once, if it runs. What it knew is gone.
func (s *Server) Kill() {
	if s.running == nil {
		return
	}
	s.running.Process.Kill()
	<-s.ended
	s.running.Wait()
	s.running = nil
}

// Restart runs the server anew on the same port, knowing nothing, and returns when it answers.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	args := append([]string{"--bind", "127.0.0.1", "--dir", s.dir, "--save", "", "--appendonly", "no", "--enable-debug-command", "yes"}, s.args...)
	cmd := exec.Command(s.program, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.running, s.ended = cmd, make(chan struct{})
	said := ready(out)
	go func() { // it can only go on writing while it is read
		io.Copy(io.Discard, out)
		close(s.ended)
	}()
	if said != "" {
		s.t.Fatalf("redis-server ended before it was ready: %s", said)
	}
}

// ready reads until the server is, or gives what it said before it ended.
func ready(out io.Reader) (said string) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "Ready to accept connections") {
			return ""
		}
		said += lines.Text() + "\n"
	}
	return said
}

// Do runs a command of redis-cli on the server and returns what it prints, without the last line break.
func (s *Server) Do(command ...string) string {
	s.t.Helper()
	out, err := exec.CommandContext(s.t.Context(), "redis-cli", append([]string{"-h", "127.0.0.1", "-p", s.port, "--no-auth-warning"}, command...)...).Output()
	if err != nil {
		s.t.Fatalf("redis-cli %q: %v", command, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Keys are the keys that begin with a prefix.
func (s *Server) Keys(prefix string) []string {
	s.t.Helper()
	return strings.Fields(s.Do("KEYS", prefix+"*"))
}
