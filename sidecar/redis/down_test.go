package redis_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/redistest"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// proxy stands between a store and a Redis.
type proxy struct {
	net.Listener
	to       string
	accepted atomic.Int32

	mu    sync.Mutex
	fault func(server net.Conn) io.Reader // what of the server's answers comes through; nil: all
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

// set changes what comes through, and ends the connections that there are.
func (p *proxy) set(fault func(net.Conn) io.Reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// swallow lets nothing through.
func swallow(server net.Conn) io.Reader {
	r, w := io.Pipe()
	go func() {
		io.Copy(io.Discard, server)
		w.Close()
	}()
	return r
}

// drip lets one byte through now and then.
type drip struct{ io.Reader }

func (d drip) Read(b []byte) (int, error) {
	time.Sleep(40 * time.Millisecond) // the fault itself
	return d.Reader.Read(b[:min(1, len(b))])
}

// clock is the wall clock, set ahead.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// rest sets the clock ahead by more than a Redis that failed is left alone.
func (c *clock) rest() { c.ahead.Add(int64(time.Second)) }

// soon is a wait for a machine that may be slow.
func soon() { time.Sleep(10 * time.Millisecond) }

// TestDown has a Redis fail in every way, and come back. Nobody asks it meanwhile but one from time to
// time, and the log has one line for each.
func TestDown(t *testing.T) {
	type world struct {
		*redistest.Server
		*proxy
	}
	pass := func(w world) { w.set(nil) }
	for name, tt := range map[string]struct {
		fault, mend func(w world)
		why         []string // at first; then the first of them
	}{
		"killed, then started empty": {func(w world) { w.Kill() }, func(w world) { w.Restart() }, []string{"no connection"}},
		"hangs":                      {func(w world) { w.set(swallow) }, pass, []string{"no answer in time", "no connection"}},
		"drips":                      {func(w world) { w.set(func(c net.Conn) io.Reader { return drip{c} }) }, pass, []string{"no answer in time", "no connection"}},
		"cuts":                       {func(w world) { w.set(func(net.Conn) io.Reader { return nil }) }, pass, []string{"no connection"}},
		"paused":                     {func(w world) { w.Do("CLIENT", "PAUSE", "2000", "ALL") }, func(w world) { w.Do("PING") }, []string{"no answer in time"}},
		"no memory":                  {func(w world) { w.Do("CONFIG", "SET", "maxmemory", "1") }, func(w world) { w.Do("CONFIG", "SET", "maxmemory", "0") }, []string{"it answers OOM"}},
		"a replica":                  {func(w world) { w.Do("REPLICAOF", "127.0.0.1", "1") }, func(w world) { w.Do("REPLICAOF", "NO", "ONE") }, []string{"it answers READONLY"}},
		"a password is set": {func(w world) { w.Do("ACL", "SETUSER", "default", ">s3cr3t", "resetpass", ">s3cr3t"); w.set(nil) },
			func(w world) { w.Do("-a", "s3cr3t", "ACL", "SETUSER", "default", "nopass") }, []string{"it answers NOAUTH", "no connection"}},
		"not allowed": {func(w world) { w.Do("ACL", "SETUSER", "default", "-@scripting") }, func(w world) { w.Do("ACL", "SETUSER", "default", "+@all") }, []string{"it answers NOPERM"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world{Server: redistest.Start(t)}
			w.proxy = newProxy(t, w.Server.Addr())
			lines, log := newLog()
			var c clock
			s := openAt(t, "redis://"+w.proxy.Addr().String(), redis.Config{Log: log, Now: c.now})
			take := func() (redis.Bucket, error) { return s.Take(t.Context(), "k", 10, time.Hour) }
			ask := func(want string) {
				t.Helper()
				b, err := take()
				if got := fmt.Sprint(b.Taken, " ", err); got != want {
					t.Errorf("asked, got %s, want %s", got, want)
				}
			}
			told := func(want ...string) {
				t.Helper()
				if diff := cmp.Diff(want, lines.take(t)); diff != "" {
					t.Errorf("log (-want +got):\n%s", diff)
				}
			}
			// A slow machine may need more than the time that there is for its first connection.
			for range 100 {
				if _, err := take(); err == nil {
					break
				}
				soon()
				c.rest()
			}
			lines.take(t)

			tt.fault(w)
			_, err := take()
			if err == nil || !slices.Contains(tt.why, err.Error()) {
				t.Errorf("got %v, want one of %q", err, tt.why)
			}
			told("WARN redis is down: " + fmt.Sprint(err))
			if !s.Down() {
				t.Error("it is not said to be down")
			}
			asked := w.accepted.Load()
			for range 100 {
				ask("false redis is down")
			}
			s.Set(t.Context(), "k2", []byte("one"), time.Minute)
			if record, ok := s.Get(t.Context(), "k2"); ok {
				t.Errorf("while it is down it has %q", record)
			}
			for range 2 {
				c.rest()
				ask("false " + tt.why[0])
				ask("false redis is down")
			}
			if n := w.accepted.Load() - asked; n > 2 {
				t.Errorf("%d connections for two questions while it is down", n)
			}
			told()

			tt.mend(w)
			for range 100 { // again, the machine may be slow
				soon()
				c.rest()
				if b, err := take(); err == nil && b.Taken {
					break
				}
			}
			ask("true <nil>")
			told("INFO redis is back")
			if s.Down() {
				t.Error("it is still said to be down")
			}
		})
	}
}

// TestIdle has the server end connections that are idle: a question after that gets its answer, by another one.
func TestIdle(t *testing.T) {
	server := redistest.Start(t)
	p := newProxy(t, server.Addr())
	lines, log := newLog()
	var c clock
	s := openAt(t, "redis://"+p.Addr().String(), redis.Config{Timeout: patient, Log: log, Now: c.now})
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

// TestLogin asks as a user, in a database.
func TestLogin(t *testing.T) {
	server := redistest.Start(t)
	server.Do("ACL", "SETUSER", "u", "on", ">s3cr3t", "~*", "+@all")
	server.Do("ACL", "SETUSER", "default", ">s3cr3t2")
	s := openAt(t, "redis://u:s3cr3t@"+server.Addr()+"/3", redis.Config{Timeout: patient})
	s.Set(t.Context(), "k", []byte("one"), time.Minute)
	if got := server.Do("--user", "u", "-a", "s3cr3t", "-n", "3", "GET", "k"); got != "one" {
		t.Errorf("the database has %q", got)
	}
	for credentials, want := range map[string]string{"u:wrong@": "it answers WRONGPASS", "": "it answers NOAUTH"} {
		s := openAt(t, "redis://"+credentials+server.Addr(), redis.Config{Timeout: patient})
		if _, err := s.Take(t.Context(), "k", 1, time.Hour); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", credentials, err, want)
		}
	}
}

// TestStranger asks servers that are no Redis, or say that they cannot.
func TestStranger(t *testing.T) {
	for reply, want := range map[string][]string{
		"-LOADING Redis is loading the dataset in memory\r\n": {"it answers LOADING"},
		"-BUSY Redis is busy running a script\r\n":            {"it answers BUSY"},
		"-MASTERDOWN Link with MASTER is down\r\n":            {"it answers MASTERDOWN"},
		"-MOVED 1 redis://:s3cr3t@h:1\r\n":                    {"it answers MOVED"},
		"-ERR max number of clients reached\r\n":              {"it answers ERR", "no connection"},
		"-s3cr3t and more\r\n":                                {"an answer that makes no sense"},
		"HTTP/1.1 400 Bad Request\r\nX: s3cr3t\r\n\r\n":       {"no connection", "an answer that makes no sense"},
		"+OK\r\n":                     {"no connection", "an answer that makes no sense"},
		"*3\r\n+a\r\n+b\r\n+c\r\n":    {"an answer that makes no sense"},
		"*3\r\n:-1\r\n:-1\r\n:-1\r\n": {"an answer that makes no sense"},
		"*1\r\n:9\r\n":                {"no connection", "an answer that makes no sense"},
		"*3\r\n:1\r\n:9223372036854775807\r\n:1\r\n": {"an answer that makes no sense"},
		"$-2\r\n": {"no connection", "an answer that makes no sense"},
	} {
		s := openAt(t, "redis://"+stranger(t, reply), redis.Config{Timeout: patient})
		b, err := s.Take(t.Context(), "k", 1, time.Hour)
		if b.Taken || err == nil || !slices.Contains(want, err.Error()) {
			t.Errorf("%q: %+v, %v, want one of %q", reply, b, err, want)
		}
	}
}

// TestDistrust asks a Redis whose certificate nobody vouches for.
func TestDistrust(t *testing.T) {
	server, _ := redistest.StartTLS(t)
	s := openAt(t, "rediss://"+server.Addr(), redis.Config{Timeout: patient})
	if b, err := s.Take(t.Context(), "k", 1, time.Hour); b.Taken || err == nil || err.Error() != "its certificate is not trusted" {
		t.Errorf("asked, got %+v, %v", b, err)
	}
}

// TestLeavers ask and leave at once, which says nothing of the Redis; nor does a question after Close.
func TestLeavers(t *testing.T) {
	server := redistest.Start(t)
	p := newProxy(t, server.Addr())
	p.set(swallow)
	lines, log := newLog()
	s := openAt(t, "redis://"+p.Addr().String(), redis.Config{Timeout: patient, Log: log})
	ask := func(ctx context.Context) error {
		_, err := s.Take(ctx, "k", 1, time.Hour)
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
