package shared_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/redistest"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/shared"
)

// patient is longer than a question takes on the slowest machine.
const patient = 20 * time.Second

func open(t *testing.T, server *redistest.Server) *shared.Store {
	t.Helper()
	return openAt(t, "redis://"+server.Addr(), shared.Config{Timeout: patient})
}

func openAt(t *testing.T, address string, c shared.Config) *shared.Store {
	t.Helper()
	a, err := shared.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s := shared.Open(a, c)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestTurns goes through what can happen to the turn of a key and to what is kept under it.
func TestTurns(t *testing.T) {
	server := redistest.Start(t)
	s := open(t, server)
	const lease = time.Minute
	step := func(name, seen, want string) {
		t.Helper()
		turn, err := s.Claim(t.Context(), "k", cache.Claim{Name: name, Lease: lease, Seen: []byte(seen)})
		if err != nil {
			t.Fatal(err)
		}
		got := "taken"
		switch {
		case turn.Record != nil:
			got = "record " + string(turn.Record)
		case turn.Failure != "":
			got = "failed " + turn.Failure
			if turn.Left <= 0 || turn.Left > lease {
				t.Errorf("the failure stands for %v", turn.Left)
			}
		case turn.Mine:
			got = "mine"
		}
		if got != want {
			t.Errorf("%s, who has seen %q: got %q, want %q", name, seen, got, want)
		}
	}
	land := func(name string, l cache.Landing) {
		t.Helper()
		if err := s.Land(t.Context(), "k", cache.Claim{Name: name}, l); err != nil {
			t.Error(err)
		}
	}
	const turn, kept = "mipwatch:1:k:turn", "mipwatch:1:k"
	step("A", "", "mine")
	step("A", "", "mine") // the answer got lost
	step("B", "", "taken")
	land("B", cache.Landing{}) // what is not B's does not end by B
	step("B", "", "taken")
	land("A", cache.Landing{Record: []byte("one"), Keep: lease})
	step("B", "", "record one")
	step("B", "one", "mine")
	step("C", "", "record one")
	step("C", "one", "taken")
	land("B", cache.Landing{Failure: "late", Stands: lease})
	step("C", "one", "failed late")
	server.Do("PEXPIRE", turn, "0")
	step("C", "one", "mine")
	server.Do("PEXPIRE", turn, "0") // C has died
	step("D", "one", "mine")
	land("C", cache.Landing{Record: []byte("two"), Keep: lease}) // or was only slow
	step("E", "one", "record two")
	step("E", "two", "taken")
	if err := s.Hold(t.Context(), "k", cache.Claim{Name: "E", Lease: lease}); err != nil || server.Do("GET", turn) != "+D" {
		t.Errorf("E holds the turn of D: %v, %s", err, server.Do("GET", turn))
	}
	server.Do("PEXPIRE", turn, "1000")
	if err := s.Hold(t.Context(), "k", cache.Claim{Name: "D", Lease: lease}); err != nil || len(server.Do("PTTL", turn)) < 5 {
		t.Errorf("D holds its turn: %v, %s ms", err, server.Do("PTTL", turn))
	}
	server.Do("FLUSHALL")
	s.Hold(t.Context(), "k", cache.Claim{Name: "D", Lease: lease})
	step("E", "", "taken") // the turn outlives a Redis that forgot it
	land("D", cache.Landing{Gone: true, Failure: "missing", Stands: lease})
	step("E", "", "failed missing")

	for _, broken := range [][]string{
		{"LPUSH", turn, "+X"}, {"SET", turn, "+X"}, {"HSET", kept, "a", "b"}, {"SET", kept, "for ever"}, {"SET", kept, "", "PX", "60000"},
		{"SADD", turn, "x"}, {"ZADD", kept, "1", "x"},
	} {
		server.Do("DEL", kept, turn)
		server.Do(broken...)
		step("F", "", "mine")
		land("F", cache.Landing{Record: []byte("three"), Keep: lease})
		step("G", "", "record three")
	}
	huge := bytes.Repeat([]byte("x"), 2<<20+1)
	if err := s.Land(t.Context(), "k", cache.Claim{Name: "G"}, cache.Landing{Record: huge, Keep: lease}); err == nil {
		t.Error("a record of more than 2 MiB was written")
	}
	step("G", "", "record three")
	server.Do("EVAL", "redis.call('SET', KEYS[1], string.rep('x', 2^21+1), 'PX', 60000)", "1", kept)
	step("G", "", "mine")
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

// clock is a wall clock that is set by hand.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) set(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

func newLog() (*watched, *slog.Logger) {
	w := &watched{}
	return w, slog.New(slog.NewJSONHandler(w, nil))
}

// contextThatEnds is a context with a deadline that a connection knows of.
func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 300*time.Millisecond)
}
