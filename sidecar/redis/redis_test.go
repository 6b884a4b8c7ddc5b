package redis_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/redistest"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// patient is longer than a question takes on the slowest machine.
const patient = 20 * time.Second

func open(t *testing.T, server *redistest.Server) *redis.Store {
	t.Helper()
	return openAt(t, "redis://"+server.Addr(), redis.Config{Timeout: patient})
}

func openAt(t *testing.T, address string, c redis.Config) *redis.Store {
	t.Helper()
	a, err := redis.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s := redis.Open(a, c)
	t.Cleanup(func() { s.Close() })
	return s
}

// process is one of several that share a Redis. Its fetch returns what it is sent.
type process struct {
	*redis.Store
	fetching chan struct{} // one value for each call of fetch
	records  chan string
}

func newProcess(t *testing.T, server *redistest.Server) *process {
	return &process{open(t, server), make(chan struct{}, 100), make(chan string)}
}

// once sends what Once has found or fetched.
func (p *process) once(ctx context.Context, key string) <-chan string {
	got := make(chan string, 1)
	go func() {
		text := ""
		err := p.Once(ctx, key, func(record []byte) bool {
			text = "found " + string(record)
			return !bytes.HasPrefix(record, []byte("bad"))
		}, func(ctx context.Context) ([]byte, time.Duration) {
			p.fetching <- struct{}{}
			select {
			case record := <-p.records:
				text = "fetched " + record
				return []byte(record), time.Minute
			case <-ctx.Done():
				text = "ended"
				return nil, 0
			}
		})
		if err != nil {
			text = err.Error()
		}
		got <- text
	}()
	return got
}

func want(t *testing.T, got <-chan string, want string) {
	t.Helper()
	if text := <-got; text != want {
		t.Errorf("got %.80q, want %.80q", text, want)
	}
}

// TestOnce has one process fetch while others wait, and then find its record.
func TestOnce(t *testing.T) {
	server := redistest.Start(t)
	a, b, c := newProcess(t, server), newProcess(t, server), newProcess(t, server)
	first := a.once(t.Context(), "k")
	<-a.fetching
	second, third := b.once(t.Context(), "k"), c.once(t.Context(), "k")
	leaver, cancel := context.WithCancel(t.Context())
	fourth := c.once(leaver, "k")
	cancel()
	want(t, fourth, "context canceled")
	a.records <- "one"
	want(t, first, "fetched one")
	want(t, second, "found one")
	want(t, third, "found one")
	if ttl, err := strconv.Atoi(server.Do("PTTL", "mipwatch:1:k")); err != nil || ttl <= 0 || ttl > 60_000 {
		t.Errorf("the record stays for %d ms, want a minute", ttl)
	}
	if keys := server.Keys(""); len(keys) != 1 {
		t.Errorf("keys %q, want the record alone", keys)
	}
	if len(b.fetching)+len(c.fetching) > 0 {
		t.Error("two processes fetched")
	}
}

// TestOnceIsHeld has a lock live as long as its process, however long that fetches and although the Redis forgets
// it, and end soon after it.
func TestOnceIsHeld(t *testing.T) {
	server := redistest.Start(t)
	a, b := newProcess(t, server), newProcess(t, server)
	got := a.once(t.Context(), "k")
	<-a.fetching
	server.Do("FLUSHALL")
	for server.Do("EXISTS", "mipwatch:1:k:lock") != "1" { // renewed
		runtime.Gosched()
	}
	waits := b.once(t.Context(), "k")
	a.records <- "one"
	want(t, got, "fetched one")
	want(t, waits, "found one")

	server.Do("SET", "mipwatch:1:dead:lock", "the process has died", "PX", "50")
	got = b.once(t.Context(), "dead")
	<-b.fetching
	b.records <- "two"
	want(t, got, "fetched two")

	// A process that is overtaken since its lock has ended leaves the lock of the next one alone.
	got = a.once(t.Context(), "slow")
	<-a.fetching
	server.Do("SET", "mipwatch:1:slow:lock", "another", "PX", "60000")
	a.records <- "three"
	want(t, got, "fetched three")
	if owner := server.Do("GET", "mipwatch:1:slow:lock"); owner != "another" {
		t.Errorf("the lock is %q's, want another's", owner)
	}
}

// TestOnceOfGarbage fetches in place of whatever else stands under the keys, and leaves there what it fetched.
func TestOnceOfGarbage(t *testing.T) {
	server := redistest.Start(t)
	const kept, lock = "mipwatch:1:k", "mipwatch:1:k:lock"
	huge := strings.Repeat("x", 2<<20+1)
	for _, garbage := range [][]string{
		{"LPUSH", lock, "x"}, {"SET", lock, "for ever"}, {"SADD", lock, "x"}, {"HSET", kept, "a", "b"}, {"SET", kept, "", "PX", "60000"}, {"ZADD", kept, "1", "x"},
		{"SET", kept, "bad"}, {"EVAL", "redis.call('SET', KEYS[1], string.rep('x', 2^21+1), 'PX', 60000)", "1", kept},
	} {
		server.Do("DEL", kept, lock)
		server.Do(garbage...)
		p := newProcess(t, server)
		got := p.once(t.Context(), "k")
		<-p.fetching
		p.records <- "one"
		want(t, got, "fetched one")
		want(t, p.once(t.Context(), "k"), "found one")
		if p.Down() {
			t.Errorf("%q is taken for a Redis that is down", garbage)
		}
	}
	p := newProcess(t, server)
	for _, record := range []string{"", huge} {
		got := p.once(t.Context(), "k2")
		<-p.fetching
		p.records <- record
		want(t, got, "fetched "+record)
	}
	if n := server.Do("EXISTS", "mipwatch:1:k2", "mipwatch:1:k2:lock"); n != "0" {
		t.Errorf("%s keys, want none: neither an empty record nor one of more than 2 MiB is kept", n)
	}
}

// TestOnceOfMuchGarbage has garbage in place of the record while another process holds the lock: the same is looked at
// once, and does not end the wait for the other process. Three different ones do.
func TestOnceOfMuchGarbage(t *testing.T) {
	for name, change := range map[string]bool{"the same": false, "another each time": true} {
		server := redistest.Start(t)
		s := open(t, server)
		const kept, lock = "mipwatch:1:k", "mipwatch:1:k:lock"
		server.Do("SET", lock, "another", "PX", "400")
		server.Do("SET", kept, "garbage")
		looked, fetched := 0, 0
		err := s.Once(t.Context(), "k", func([]byte) bool {
			if looked++; change {
				server.Do("PEXPIRE", lock, "60000")
				server.Do("APPEND", kept, "!")
			}
			return false
		}, func(context.Context) ([]byte, time.Duration) {
			fetched++
			return nil, 0
		})
		if err != nil || fetched != 1 || looked != map[bool]int{false: 1, true: 3}[change] {
			t.Errorf("%s: looked at %d times, fetched %d times, %v", name, looked, fetched, err)
		}
	}
}

// TestOnceAfterPanic has the lock go when fetch panics.
func TestOnceAfterPanic(t *testing.T) {
	server := redistest.Start(t)
	s := open(t, server)
	func() {
		defer func() { recover() }()
		s.Once(t.Context(), "k", func([]byte) bool { return false }, func(context.Context) ([]byte, time.Duration) { panic("at the disco") })
	}()
	if keys := server.Keys(""); len(keys) > 0 {
		t.Errorf("keys %q, want none", keys)
	}
}

// watched is a log that can be read.
type watched struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lines.Write(b)
}

// take returns the lines since the last time, as level, message and error.
func (w *watched) take(t *testing.T) (out []string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for dec := json.NewDecoder(&w.lines); dec.More(); {
		var line struct{ Level, Msg, Error string }
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.TrimSuffix(line.Level+" "+line.Msg+": "+line.Error, ": "))
	}
	return out
}

func newLog() (*watched, *slog.Logger) {
	w := &watched{}
	return w, slog.New(slog.NewJSONHandler(w, nil))
}

// contextThatEnds is a context with a deadline that a connection knows of.
func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 300*time.Millisecond)
}
