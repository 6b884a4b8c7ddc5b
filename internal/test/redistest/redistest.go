// Package redistest runs a Redis for tests, which can be killed and restarted. It does not know
// what is stored there.
package redistest

import (
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// Server is a redis-server on 127.0.0.1 without persistence. It is not safe for concurrent use,
// except for [Server.Addr].
type Server struct {
	t       testing.TB
	program string
	dir     string
	port    string
	args    []string
	kill    func() // nil: it does not run
}

// Start runs a server with additional arguments in the form of redis.conf, such as --requirepass,
// and ends it with the test. It skips the test if there is no redis-server on the PATH.
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

// StartTLS is [Start] for a server with TLS only, which [Server.Do] cannot reach. trusted is the
// file of its certificate.
func StartTLS(t testing.TB, args ...string) (s *Server, trusted string) {
	t.Helper()
	https := httptest.NewTLSServer(nil) // it has a certificate for 127.0.0.1
	https.Close()
	certificate := https.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}),
			0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	trusted, key := write("cert.pem", "CERTIFICATE", certificate.Certificate[0]),
		write("key.pem", "PRIVATE KEY", private)
	return start(t, func(port string) []string {
		tls := []string{"--port", "0", "--tls-port", port, "--tls-cert-file", trusted,
			"--tls-key-file", key, "--tls-auth-clients", "no"}
		return append(tls, args...)
	}), trusted
}

// Addr is the server's address.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", s.port) }

// Kill kills the server if it runs. Its data is lost.
func (s *Server) Kill() {
	if s.kill != nil {
		s.kill()
		s.kill = nil
	}
}

// Restart restarts the server without data on the same port, and returns when it answers.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	args := append([]string{"--bind", "127.0.0.1", "--dir", s.dir, "--save", "", "--appendonly",
		"no", "--enable-debug-command", "yes"}, s.args...)
	_, s.kill = testenv.Start(s.t, "Ready to accept connections", exec.Command(s.program, args...))
}

// Do runs a command of redis-cli on the server and returns its output, without the last line break.
func (s *Server) Do(command ...string) string {
	s.t.Helper()
	out, err := exec.CommandContext(s.t.Context(), "redis-cli",
		append([]string{"-h", "127.0.0.1", "-p", s.port, "--no-auth-warning"},
			command...)...).Output()
	if err != nil {
		s.t.Fatalf("redis-cli %q: %v", command, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Keys returns the keys with a prefix.
func (s *Server) Keys(prefix string) []string {
	s.t.Helper()
	return strings.Fields(s.Do("KEYS", prefix+"*"))
}
