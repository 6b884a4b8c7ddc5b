package redis_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/redistest"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// proxy forwards between a store and a Redis.
type proxy struct {
	net.Listener
	to       string
	accepted atomic.Int32

	mu    sync.Mutex
	fault func(server net.Conn) io.Reader // reader of the server's answers; nil: all of them
	conns []net.Conn
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, to: to}
	var all sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		p.set(nil)
		all.Wait()
	})
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.accepted.Add(1)
			all.Go(func() { p.serve(c) })
		}
	})
	return p
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	from := io.Reader(server)
	if p.fault != nil {
		from = p.fault(server)
	}
	p.conns = append(p.conns, client, server)
	p.mu.Unlock()
	if from == nil {
		return
	}
	go func() {
		io.Copy(server, client)
		server.Close()
	}()
	io.Copy(client, from)
}

// set changes the fault and closes the open connections.
func (p *proxy) set(fault func(net.Conn) io.Reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// become changes the fault of new connections. Open connections stay as they are.
func (p *proxy) become(fault func(net.Conn) io.Reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
}

// swallow forwards nothing.
func swallow(server net.Conn) io.Reader {
	r, w := io.Pipe()
	go func() {
		io.Copy(io.Discard, server)
		w.Close()
	}()
	return r
}

// drip forwards one byte now and then.
type drip struct{ io.Reader }

func (d drip) Read(b []byte) (int, error) {
	time.Sleep(40 * time.Millisecond) // the fault itself
	return d.Reader.Read(b[:min(1, len(b))])
}

// clock is the wall clock, set ahead.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// rest sets the clock ahead by the time for which a failed Redis is not asked.
func (c *clock) rest() { c.ahead.Add(int64(time.Second)) }

// soon waits for a machine that may be slow.
func soon() { time.Sleep(10 * time.Millisecond) }

// TestDown breaks a Redis in every way and mends it. Meanwhile it is asked once a second at most,
// and the log has one line for each change.
func TestDown(t *testing.T) {
	type world struct {
		*redistest.Server
		*proxy
	}
	pass := func(w world) { w.set(nil) }
	for name, tt := range map[string]struct {
		fault, mend func(w world)
		why         []string // the first failure has one of these
	}{
		"killed, then started empty": {func(w world) { w.Kill() }, func(w world) { w.Restart() },
			[]string{"no connection to a Redis"}},
		"hangs": {func(w world) { w.set(swallow) }, pass,
			[]string{"no answer in time", "no connection to a Redis"}},
		"drips": {func(w world) {
			w.set(
				func(c net.Conn) io.Reader { return drip{c} })
		}, pass,
			[]string{"no answer in time", "no connection to a Redis"}},
		"cuts": {func(w world) {
			w.set(
				func(net.Conn) io.Reader { return nil })
		}, pass, []string{"no connection to a Redis"}},
		"paused": {func(w world) { w.Do("CLIENT", "PAUSE", "2000", "ALL") },
			func(w world) { w.Do("PING") }, []string{"no answer in time"}},
		"no memory": {func(w world) { w.Do("CONFIG", "SET", "maxmemory", "1") },
			func(w world) { w.Do("CONFIG", "SET", "maxmemory", "0") }, []string{"it answers OOM"}},
		"a replica": {func(w world) { w.Do("REPLICAOF", "127.0.0.1", "1") },
			func(w world) { w.Do("REPLICAOF", "NO", "ONE") }, []string{"it answers READONLY"}},
		"a password is set": {func(w world) {
			w.Do("ACL", "SETUSER", "default", ">s3cr3t", "resetpass", ">s3cr3t")
			w.set(nil)
		},
			func(w world) { w.Do("-a", "s3cr3t", "ACL", "SETUSER", "default", "nopass") },
			[]string{"it answers NOAUTH", "no connection to a Redis"}},
		"not allowed": {func(w world) { w.Do("ACL", "SETUSER", "default", "-@scripting") },
			func(w world) { w.Do("ACL", "SETUSER", "default", "+@all") },
			[]string{"it answers NOPERM"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world{Server: redistest.Start(t)}
			w.proxy = newProxy(t, w.Server.Addr())
			lines, log := newLog()
			var c clock
			s := openAt(t, "redis://"+w.proxy.Addr().String(), redis.Config{Log: log, Now: c.now})
			count := func() error {
				_, _, err := s.Count(t.Context(), "k", time.Hour)
				return err
			}
			ask := func(up bool) {
				t.Helper()
				if err := count(); (err == nil) != up {
					t.Errorf("asked, got %v, want an answer: %t", err, up)
				}
			}
			wantLog := func(want ...string) {
				t.Helper()
				if diff := cmp.Diff(want, lines.take(t)); diff != "" {
					t.Errorf("log (-want +got):\n%s", diff)
				}
			}
			// A slow machine may need longer than the timeout for its first connection.
			for range 100 {
				if count() == nil {
					break
				}
				soon()
				c.rest()
			}
			lines.take(t)

			tt.fault(w)
			ask(false)
			line := lines.take(t)
			if len(line) != 1 ||
				!slices.Contains(tt.why, strings.TrimPrefix(line[0], "WARN redis is down: ")) {
				t.Errorf("log %q, want one of %q", line, tt.why)
			}
			if !s.Down() {
				t.Error("it is not said to be down")
			}
			asked := w.accepted.Load()
			for range 100 {
				ask(false)
			}
			s.Set(t.Context(), "k2", []byte("one"), time.Minute)
			if record, ok := s.Get(t.Context(), "k2"); ok {
				t.Errorf("while it is down it has %q", record)
			}
			for range 2 {
				c.rest()
				ask(false)
				ask(false)
			}
			if n := w.accepted.Load() - asked; n > 2 {
				t.Errorf("%d connections for two questions while it is down", n)
			}
			wantLog()

			tt.mend(w)
			for range 100 { // again, the machine may be slow
				soon()
				c.rest()
				if count() == nil {
					break
				}
			}
			ask(true)
			wantLog("INFO redis is back")
			if s.Down() {
				t.Error("it is still said to be down")
			}
		})
	}
}

// TestIdle closes idle connections at the server: the next request uses a new one.
func TestIdle(t *testing.T) {
	server := redistest.Start(t)
	p := newProxy(t, server.Addr())
	lines, log := newLog()
	var c clock
	s := openAt(t, "redis://"+p.Addr().String(),
		redis.Config{Timeout: patient, Log: log, Now: c.now})
	for i := range 3 {
		s.Set(t.Context(), "k", []byte{byte('a' + i)}, time.Minute)
		if record, _ := s.Get(t.Context(), "k"); string(record) != string(rune('a'+i)) {
			t.Errorf("round %d: found %q", i, record)
		}
		p.set(nil)
		c.rest()
	}
	if n := p.accepted.Load(); n != 3 {
		t.Errorf("%d connections, want one in place of each that was ended", n)
	}
	if got := lines.take(t); got != nil {
		t.Errorf("log: %q", got)
	}
}

// TestLogin connects as a user, to a numbered database.
func TestLogin(t *testing.T) {
	server := redistest.Start(t)
	server.Do("ACL", "SETUSER", "u", "on", ">s3cr3t", "~*", "+@all")
	server.Do("ACL", "SETUSER", "default", ">s3cr3t2")
	s := openAt(t, "redis://u:s3cr3t@"+server.Addr()+"/3", redis.Config{Timeout: patient})
	s.Set(t.Context(), "k", []byte("one"), time.Minute)
	if got := server.Do("--user", "u", "-a", "s3cr3t", "-n", "3", "GET", "k"); got != "one" {
		t.Errorf("the database has %q", got)
	}
	for credentials, want := range map[string]string{"u:wrong@": "it answers WRONGPASS",
		"": "it answers NOAUTH"} {
		failure(t, "redis://"+credentials+server.Addr(), want)
	}
}

// failure asks a failing Redis and checks the reason in the log.
func failure(t *testing.T, address, want string) {
	t.Helper()
	lines, log := newLog()
	s := openAt(t, address, redis.Config{Timeout: patient, Log: log})
	_, _, err := s.Count(t.Context(), "k", time.Hour)
	diff := cmp.Diff([]string{"WARN redis is down: " + want}, lines.take(t))
	if err == nil || diff != "" {
		t.Errorf("%v, log (-want +got):\n%s", err, diff)
	}
}

// TestDistrust asks a Redis whose certificate is not trusted.
func TestDistrust(t *testing.T) {
	server, _ := redistest.StartTLS(t)
	failure(t, "rediss://"+server.Addr(), "its certificate is not trusted")
}

// TestNoRedis asks a server that is not a Redis.
func TestNoRedis(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	failure(t, "redis://"+strings.TrimPrefix(s.URL, "http://"), "no connection to a Redis")
}

// TestLeavers cancels requests. A canceled request, or one after Close, does not mark Redis as
// down.
func TestLeavers(t *testing.T) {
	server := redistest.Start(t)
	p := newProxy(t, server.Addr())
	p.set(swallow)
	lines, log := newLog()
	s := openAt(t, "redis://"+p.Addr().String(), redis.Config{Timeout: patient, Log: log})
	ask := func(ctx context.Context) error {
		_, _, err := s.Count(ctx, "k", time.Hour)
		return err
	}
	gone, cancel := contextThatEnds(t)
	cancel()
	if err := ask(gone); !errors.Is(err, context.Canceled) || s.Down() {
		t.Errorf("who has left before: %v, down %t", err, s.Down())
	}
	late, cancel := contextThatEnds(t)
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := ask(late); !errors.Is(err, context.Canceled) || s.Down() {
		t.Errorf("who leaves while it hangs: %v, down %t", err, s.Down())
	}
	s.Close()
	if err := ask(t.Context()); err == nil || s.Down() {
		t.Errorf("after Close: %v, down %t", err, s.Down())
	}
	if got := lines.take(t); got != nil {
		t.Errorf("log: %q", got)
	}
}

// muted forwards nothing once set is true.
type muted struct {
	io.Reader
	set *atomic.Bool
}

func (m muted) Read(b []byte) (n int, err error) {
	for n, err = m.Reader.Read(b); err == nil && m.set.Load(); n, err = m.Reader.Read(b) {
	}
	return n, err
}

// TestForgottenConnections drops idle connections silently between store and server. One request
// fails, and no more of these connections are tried.
func TestForgottenConnections(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	p := newProxy(t, server.Addr())
	var forgotten atomic.Bool
	p.become(func(c net.Conn) io.Reader { return muted{c, &forgotten} })
	var c clock
	s := openAt(t, "redis://"+p.Addr().String(), redis.Config{Timeout: 2 * time.Second, Now: c.now})
	ask := func() error {
		_, _, err := s.Count(t.Context(), "k", time.Hour)
		return err
	}
	for p.accepted.Load() < 2 {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() { ask() })
		}
		all.Wait()
	}
	forgotten.Store(true)
	p.become(nil)
	c.rest()
	if err := ask(); err == nil {
		t.Error("a connection that is forgotten gave an answer")
	}
	c.rest()
	if err := ask(); err != nil {
		t.Errorf("by another one: %v", err)
	}
}
