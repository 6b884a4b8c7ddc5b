package sidecar_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/sidecar"
)

// pipeServer serves a handler over pipes, without any timeout of its own.
type pipeServer struct {
	*http.Server
	conns chan net.Conn

	mu   sync.Mutex
	open map[net.Conn]bool
}

func newPipeServer(t testing.TB, h http.Handler) *pipeServer {
	t.Helper()
	s := &pipeServer{conns: make(chan net.Conn), open: map[net.Conn]bool{}}
	s.Server = &http.Server{Handler: h, ConnState: s.count}
	served := make(chan error, 1)
	go func() { served <- s.Serve(s) }()
	t.Cleanup(func() {
		s.Server.Close()
		<-served
	})
	return s
}

func (s *pipeServer) Accept() (net.Conn, error) {
	if c, ok := <-s.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

// Close implements [net.Listener]. http.Server closes a listener once.
func (s *pipeServer) Close() error {
	close(s.conns)
	return nil
}

func (s *pipeServer) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (s *pipeServer) count(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[c] = true; state == http.StateClosed {
		delete(s.open, c)
	}
}

func (s *pipeServer) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// send writes parts to a new connection, a second apart, and returns everything that is answered
// until the connection ends.
func (s *pipeServer) send(parts ...string) string {
	client, server := net.Pipe()
	defer client.Close()
	s.conns <- server
	go func() {
		for i, p := range parts {
			if i > 0 {
				time.Sleep(time.Second)
			}
			if _, err := io.WriteString(client, p); err != nil {
				return
			}
		}
	}()
	answer, _ := io.ReadAll(client)
	return string(answer)
}

// unfinished are requests with incomplete bodies, each in parts.
func unfinished() map[string][]string {
	drip := func(first, next string) []string {
		return append([]string{first}, strings.Split(strings.Repeat(next+"|", 60), "|")...)
	}
	long := strings.Repeat(" ", 70<<10)
	bodies := map[string][]string{
		"length, nothing":   {"Content-Length: 9\r\n\r\n"},
		"length, half":      {"Content-Length: 9\r\n\r\n{"},
		"length, drip":      drip("Content-Length: 1000\r\n\r\n", " "),
		"length, too long":  {"Content-Length: 200000\r\n\r\n" + long},
		"length, expect":    {"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n", "{"},
		"length, huge":      {"Content-Length: 9000000000\r\n\r\n{"},
		"chunked, nothing":  {"Transfer-Encoding: chunked\r\n\r\n"},
		"chunked, half":     {"Transfer-Encoding: chunked\r\n\r\n9\r\n{"},
		"chunked, drip":     drip("Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"),
		"chunked, too long": {"Transfer-Encoding: chunked\r\n\r\n11800\r\n" + long},
		"chunked, no end":   {"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"},
	}
	out := map[string][]string{}
	paths := []string{"/api/forum-activity?topicId=399", "/api/network-info", "/api/mip-watch",
		"/api/search", "/api/ai-summary", "/api/ai-translate",
		"/healthz", "/readyz", "/nothing"}
	for _, path := range paths {
		for _, method := range []string{"GET", "POST", "PUT", "OPTIONS"} {
			for name, body := range bodies {
				head := method + " " + path +
					" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
				out[method+" "+path+", "+name] = append([]string{head + body[0]}, body[1:]...)
			}
		}
	}
	return out
}

// serving is the number of goroutines that serve or watch a connection.
func serving() int {
	stacks := make([]byte, 16<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return bytes.Count(stacks, []byte("created by net/http.(*Server).Serve ")) +
		bytes.Count(stacks, []byte("created by net/http.(*connReader).startBackgroundRead "))
}

// TestUnfinishedBodies sends bodies that never end to every route, on a server without timeouts.
// After 15 s none of the connections is left, whether or not the caller's limit refuses the
// requests.
func TestUnfinishedBodies(t *testing.T) {
	for _, limit := range []int{1, 10_000} {
		t.Run(fmt.Sprint("limit ", limit), func(t *testing.T) {
			withAI(t, aiSetup{change: func(c *sidecar.Config) {
				c.RequestsPerMinute, c.AIRequestsPerMinute, c.Log = limit, limit,
					slog.New(slog.DiscardHandler)
			}}, func(w *aiWorld) {
				s := newPipeServer(w.TB, w.sidecar)
				all := unfinished()
				for name, parts := range all {
					want := "HTTP/1.1 "
					// the routes that read a body
					if limit > 1 && strings.HasPrefix(name, "POST /api/ai-") {
						want += map[bool]string{true: "413",
							false: "400"}[strings.Contains(name, "too long") ||
							strings.Contains(name, "huge")]
					}
					go func() {
						answer := s.send(parts...)
						if !strings.HasPrefix(strings.TrimPrefix(answer,
							"HTTP/1.1 100 Continue\r\n\r\n"), want) {
							t.Errorf("%s: answered %q, want %s", name, answer, want)
						}
					}()
				}
				synctest.Wait()
				if n := s.connections(); n != len(all) {
					t.Errorf("%d connections are open at first, want %d", n, len(all))
				}
				time.Sleep(15 * time.Second)
				if n := s.connections(); n != 0 {
					t.Errorf("%d of %d connections are open after 15 s", n, len(all))
				}
				w.net.CloseIdleConnections() // to the upstream hosts
				synctest.Wait()
				if n := serving(); n != 0 {
					t.Errorf("%d goroutines of servers are left after 15 s", n)
				}
			})
		})
	}
}

// TestSlowBody sends a slow body that ends in time, and then waits longer for the answer than a
// body may take.
func TestSlowBody(t *testing.T) {
	withAI(t, aiSetup{provider: "openai"}, func(w *aiWorld) {
		const body = `{"mipNumber":6}`
		s := newPipeServer(w.TB, w.sidecar)
		head := "POST /api/ai-summary HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" +
			"Content-Type: application/json\r\n" +
			fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body))
		w.script.Next(demo.Delay(5 * time.Second))
		answer := s.send(head, body[:5], body[5:])
		if !strings.HasPrefix(answer, "HTTP/1.1 200 ") || !strings.Contains(answer, modelName) {
			t.Errorf("answered %q", answer)
		}
	})
}

// TestDeclaredLength declares a body that is too large, and sends none of it.
func TestDeclaredLength(t *testing.T) {
	withAI(t, aiSetup{}, func(w *aiWorld) {
		client, server := net.Pipe()
		defer client.Close()
		newPipeServer(w.TB, w.sidecar).conns <- server
		start, status := time.Now(), make([]byte, len("HTTP/1.1 413"))
		io.WriteString(client, "POST /api/ai-summary HTTP/1.1\r\nHost: x\r\n"+
			"Content-Type: application/json\r\nContent-Length: 70000\r\n\r\n")
		io.ReadFull(client, status)
		if string(status) != "HTTP/1.1 413" || time.Since(start) > time.Second {
			t.Errorf("answered %q after %v, want a 413 at once", status, time.Since(start))
		}
	})
}
