package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// limited serves h with a connection limit, on a port of its own.
func limited(t *testing.T, most int, h http.Handler) (addr string, l *connectionLimit) {
	t.Helper()
	l = newConnectionLimit(most)
	s := httptest.NewUnstartedServer(nil)
	s.Config = newHTTP(h, l, slog.New(slog.DiscardHandler))
	// Replace httptest's hooks: every hook is the limit's.
	listener := s.Listener
	served := make(chan error, 1)
	go func() { served <- s.Config.Serve(listener) }()
	t.Cleanup(func() {
		s.Config.Close()
		<-served
	})
	return listener.Addr().String(), l
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ask sends a request and returns the status and body of its answer.
func ask(c net.Conn, path string) (string, error) {
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path); err != nil {
		return "", err
	}
	return answerOf(c)
}

func answerOf(c net.Conn) (string, error) {
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return fmt.Sprintf("%d %s", res.StatusCode, body), err
}

func wantAnswer(t *testing.T, c net.Conn, path, want string) {
	t.Helper()
	if got, err := ask(c, path); got != want || err != nil {
		t.Fatalf("GET %s: %q, %v; want %q", path, got, err, want)
	}
}

// wantClosed waits until the peer has closed a connection without an answer.
func wantClosed(t *testing.T, c net.Conn, which string) {
	t.Helper()
	if b, err := io.ReadAll(c); len(b) > 0 || err != nil && !isReset(err) {
		t.Errorf("%s: read %q and %v, want it to be closed", which, b, err)
	}
}

// isReset reports whether the peer closed while data was in flight.
func isReset(err error) bool {
	_, ok := errors.AsType[*net.OpError](err)
	return ok
}

// TestConnectionLimit opens more connections than may wait. The ones that have waited longest are
// closed, whether they had no request, an answered one or an incomplete header. Connections with a
// request stay open.
func TestConnectionLimit(t *testing.T) {
	const most = 4
	arrived, release := make(chan string), make(chan struct{})
	addr, l := limited(t, most, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			arrived <- "slow"
			<-release
		}
		io.WriteString(w, r.URL.Path)
	}))
	busy := dial(t, addr)
	fmt.Fprintf(busy, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
	<-arrived

	silent, idle, dripping := dial(t, addr), dial(t, addr), dial(t, addr)
	wantAnswer(t, idle, "/idle", "200 /idle")
	fmt.Fprint(dripping, "GET /dripping HTTP/1.1\r\nHost: ")
	l.await(t, 3) // a server may answer before it counts the connection as idle
	for range 3 * most {
		wantAnswer(t, dial(t, addr), "/other", "200 /other")
	}
	wantClosed(t, silent, "a connection without a request")
	wantClosed(t, idle, "an idle connection")
	wantClosed(t, dripping, "a connection whose header has not ended")
	close(release)
	if got, err := answerOf(busy); got != "200 /slow" || err != nil {
		t.Errorf("the request in flight: %q, %v; want 200 /slow", got, err)
	}
	wantAnswer(t, busy, "/again", "200 /again")

	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > most {
		t.Errorf("%d connections wait, want at most %d", len(l.waiting), most)
	}
}

// await waits until the given number of connections wait.
func (l *connectionLimit) await(t *testing.T, want int) {
	t.Helper()
	for {
		l.mu.Lock()
		got := len(l.waiting)
		l.mu.Unlock()
		if got == want {
			return
		}
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("%d connections wait, want %d", got, want)
		}
	}
}

// TestConnectionLimitBodies checks that a connection waits until its body has been read.
func TestConnectionLimitBodies(t *testing.T) {
	const most = 4
	arrived, release := make(chan struct{}), make(chan struct{})
	addr, _ := limited(t, most, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			io.Copy(io.Discard, r.Body)
		}
		if r.URL.Path != "/other" {
			arrived <- struct{}{}
		}
		switch r.URL.Path {
		case "/slow":
			<-release
		case "/read":
			io.Copy(io.Discard, r.Body)
		}
		io.WriteString(w, r.URL.Path)
	}))
	const length, chunked = "Content-Length: 2\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"
	send := func(path, rest string) net.Conn {
		c := dial(t, addr)
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\n%s", path, rest)
		<-arrived
		return c
	}
	whole := send("/slow", length+"{}")
	for _, rest := range []string{length, length + "{", chunked, chunked + "2\r\n{",
		chunked + "2\r\n{}\r\n0\r\n"} {
		for _, path := range []string{"/read", "/unread"} {
			half := send(path, rest)
			for range most {
				wantAnswer(t, dial(t, addr), "/other", "200 /other")
			}
			// the server would close it by then
			half.SetReadDeadline(time.Now().Add(readTimeout / 2))
			if b, err := io.ReadAll(half); len(b) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("%s, %q: read %q and %v, want it to be closed", path, rest, b, err)
			}
		}
	}
	close(release)
	if got, err := answerOf(whole); got != "200 /slow" || err != nil {
		t.Errorf("the request whose body was read: %q, %v; want 200 /slow", got, err)
	}
}

// TestConnectionLimitForgets checks that closed connections are removed.
func TestConnectionLimitForgets(t *testing.T) {
	l := newConnectionLimit(2)
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	for _, state := range []http.ConnState{http.StateNew, http.StateActive, http.StateIdle,
		http.StateActive, http.StateClosed, http.StateClosed} {
		l.connState(a, state)
	}
	l.connState(b, http.StateNew)
	l.connState(b, http.StateHijacked)
	if len(l.waiting) != 0 {
		t.Errorf("%d connections wait, want none", len(l.waiting))
	}
}

// pipes is a listener with in-memory connections, which work in a bubble.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

// TestTimeouts checks the server's timeouts, with the bubble's clock.
func TestTimeouts(t *testing.T) {
	tests := []struct {
		name string
		send string
		want time.Duration
	}{
		{"nothing is sent", "", headerTimeout},
		{"a header that does not end", "GET / HTTP/1.1\r\nHost: x\r\nX-A: ", headerTimeout},
		{"no second request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", idleTimeout},
		{"a body that does not come",
			"POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n", readTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
				srv := newHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/body" {
						io.Copy(io.Discard, r.Body)
						panic(http.ErrAbortHandler)
					}
				}), newConnectionLimit(mostWaiting), slog.New(slog.DiscardHandler))
				served := make(chan error, 1)
				go func() { served <- srv.Serve(listener) }()
				c := listener.dial()
				began := time.Now()
				go io.Copy(c, strings.NewReader(tt.send))
				if _, err := io.Copy(io.Discard, c); err != nil {
					t.Errorf("read until the end: %v", err)
				}
				if got := time.Since(began); got != tt.want {
					t.Errorf("%s: the connection was closed after %v, want %v",
						tt.name, got, tt.want)
				}
				srv.Close()
				<-served
			})
		})
	}
}
