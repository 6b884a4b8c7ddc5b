package redis_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/redistest"
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

// TestAway has a Redis go away in every way, and come back. Nobody asks it meanwhile but one from time to
// time, and the log has one line for each.
func TestAway(t *testing.T) {
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
			l := s.Limit(10, time.Hour)
			ask := func(want string) {
				t.Helper()
				_, _, ok, err := l.Take(t.Context(), "k")
				if got := fmt.Sprint(ok, " ", err); got != want {
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
				if _, _, _, err := l.Take(t.Context(), "k"); err == nil {
					break
				}
				soon()
				c.rest()
			}
			lines.take(t)

			tt.fault(w)
			_, _, _, err := l.Take(t.Context(), "k")
			if err == nil || !slices.Contains(tt.why, err.Error()) {
				t.Errorf("got %v, want one of %q", err, tt.why)
			}
			told("WARN redis is away: " + fmt.Sprint(err))
			if !s.Down() {
				t.Error("it is not said to be away")
			}
			asked := w.accepted.Load()
			for range 100 {
				ask("false redis is away")
			}
			if text := fetchAlone(t.Context(), s); text != "fetched" {
				t.Errorf("while it is down: %s", text)
			}
			for range 2 {
				c.rest()
				ask("false " + tt.why[0])
				ask("false redis is away")
			}
			if n := w.accepted.Load() - asked; n > 2 {
				t.Errorf("%d connections for two questions while it is away", n)
			}
			told()

			tt.mend(w)
			for range 100 { // again, the machine may be slow
				soon()
				c.rest()
				if _, _, ok, err := l.Take(t.Context(), "k"); err == nil && ok {
					break
				}
			}
			ask("true <nil>")
			told("INFO redis is back")
			if s.Down() {
				t.Error("it is still said to be away")
			}
		})
	}
}

// fetchAlone says whether fetch was called for a key that no record is kept of.
func fetchAlone(ctx context.Context, s *redis.Store) (text string) {
	err := s.Once(ctx, "k2", func([]byte) bool { return false }, func(context.Context) ([]byte, time.Duration) {
		text = "fetched"
		return nil, 0
	})
	if err != nil {
		text += err.Error()
	}
	return text
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
		"+OK\r\n":                            {"no connection", "an answer that makes no sense"},
		"*4\r\n+a\r\n+b\r\n+c\r\n+d\r\n":     {"an answer that makes no sense"},
		"*4\r\n:-1\r\n:-1\r\n:-1\r\n:-1\r\n": {"an answer that makes no sense"},
		"*1\r\n:9\r\n":                       {"no connection", "an answer that makes no sense"},
		"*4\r\n:1\r\n:1\r\n:9223372036854775807\r\n:1\r\n": {"an answer that makes no sense"},
		"$-2\r\n": {"no connection", "an answer that makes no sense"},
	} {
		s := openAt(t, "redis://"+stranger(t, reply), redis.Config{Timeout: patient})
		_, _, ok, err := s.Limit(1, time.Hour).Take(t.Context(), "k")
		if ok || err == nil || !slices.Contains(want, err.Error()) {
			t.Errorf("%q: %t, %v, want one of %q", reply, ok, err, want)
		}
	}
}

// TestDistrust asks a Redis whose certificate nobody vouches for.
func TestDistrust(t *testing.T) {
	server, _ := redistest.StartTLS(t)
	s := openAt(t, "rediss://"+server.Addr(), redis.Config{Timeout: patient})
	if _, _, ok, err := s.Limit(1, time.Hour).Take(t.Context(), "k"); ok || err == nil || err.Error() != "its certificate is not trusted" {
		t.Errorf("asked, got %t, %v", ok, err)
	}
}

// TestLeavers ask and leave at once, which says nothing of the Redis; nor does a question after Close.
func TestLeavers(t *testing.T) {
	server := redistest.Start(t)
	p := newProxy(t, server.Addr())
	p.set(swallow)
	lines, log := newLog()
	s := openAt(t, "redis://"+p.Addr().String(), redis.Config{Timeout: patient, Log: log})
	gone, cancel := contextThatEnds(t)
	cancel()
	if text := fetchAlone(gone, s); text != "context canceled" || s.Down() {
		t.Errorf("who has left before: %v, down %t", text, s.Down())
	}
	late, cancel := contextThatEnds(t)
	time.AfterFunc(20*time.Millisecond, cancel)
	if text := fetchAlone(late, s); text != "context canceled" || s.Down() {
		t.Errorf("who leaves while it hangs: %v, down %t", text, s.Down())
	}
	s.Close()
	if text := fetchAlone(t.Context(), s); text != "fetched" || s.Down() {
		t.Errorf("after Close: %v, down %t", text, s.Down())
	}
	if got := lines.take(t); got != nil {
		t.Errorf("log: %q", got)
	}
}
