package redis_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/test/redistest"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// patient is longer than a request takes on the slowest machine.
const patient = 20 * time.Second

func open(t *testing.T, server *redistest.Server) *redis.Store {
	t.Helper()
	return openAt(t, "redis://"+server.Addr(), redis.Config{Timeout: patient})
}

func openAt(t *testing.T, address string, c redis.Config) *redis.Store {
	t.Helper()
	s, err := redis.Open(address, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestAddress opens valid addresses without connecting, and refuses others without repeating any
// part of them.
func TestAddress(t *testing.T) {
	for _, good := range []string{
		"redis://127.0.0.1:1", "redis://localhost", "redis://:s3cr3t@h:6379/0",
		"rediss://u:s3cr3t@redis.example.org:6380/15", "redis://[::1]:6379/",
	} {
		s, err := redis.Open(good, redis.Config{})
		if err != nil {
			t.Errorf("%s: %v", good, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: close: %v", good, err)
		}
	}
	for _, bad := range []string{
		"s3cr3t", "http://u:s3cr3t@h:6379", "unix:///s3cr3t.sock", "127.0.0.1:6379", "redis:s3cr3t",
		"redis://:s3cr3t%@h:6379",
		"redis://:s3cr3t/word@h", "redis://:s3cr3t#word@h:6379", "redis://:s3cr3t@h/one",
		"redis://:s3cr3t@h/-1",
		"redis://:s3cr3t@h:6379 ", "redis://:s3cr3t@h:6379,redis://h2:6379",
	} {
		_, err := redis.Open(bad, redis.Config{})
		if err == nil {
			t.Errorf("%s was taken for an address", bad)
			continue
		}
		text := err.Error()
		if strings.Contains(text, "s3cr3t") || !strings.Contains(text, "want redis://HOST:6379") {
			t.Errorf("%s: %s; want no part of the address", bad, text)
		}
	}
}

// TestRecords stores records in one process and reads them in another.
func TestRecords(t *testing.T) {
	server := redistest.Start(t)
	a, b := open(t, server), open(t, server)
	finds := func(want string) {
		t.Helper()
		for _, s := range []*redis.Store{a, b} {
			if record, ok := s.Get(t.Context(), "k"); string(record) != want || ok != (want != "") {
				t.Errorf("found %q, %t, want %q", record, ok, want)
			}
		}
	}
	finds("")
	a.Add(t.Context(), "k", []byte("one"), time.Hour)
	finds("one")
	b.Add(t.Context(), "k", []byte("two"), time.Hour)
	finds("one")
	b.Set(t.Context(), "k", []byte("three"), time.Minute)
	finds("three")
	if ttl, err := strconv.Atoi(server.Do("PTTL", "k")); err != nil || ttl <= 0 || ttl > 60_000 {
		t.Errorf("the record stays for %d ms, want a minute", ttl)
	}
	server.Do("PEXPIRE", "k", "0")
	finds("")
	// Empty and expired records are not stored.
	a.Set(t.Context(), "k2", nil, time.Minute)
	a.Set(t.Context(), "k2", []byte("one"), 0)
	if keys := server.Keys(""); len(keys) > 0 {
		t.Errorf("the keys %q are there, want none", keys)
	}
	if a.Down() || b.Down() {
		t.Error("the Redis is said to be down")
	}
}

// TestGarbage finds no record in other values under a key, and replaces them.
func TestGarbage(t *testing.T) {
	server := redistest.Start(t)
	s := open(t, server)
	for _, garbage := range [][]string{
		{"LPUSH", "k", "x"}, {"SADD", "k", "x"}, {"HSET", "k", "a", "b"}, {"ZADD", "k", "1", "x"},
		{"SET", "k", "", "PX", "60000"},
	} {
		server.Do("DEL", "k")
		server.Do(garbage...)
		if record, ok := s.Get(t.Context(), "k"); ok {
			t.Errorf("%q: found %.80q", garbage, record)
		}
		s.Set(t.Context(), "k", []byte("one"), time.Minute)
		if record, _ := s.Get(t.Context(), "k"); string(record) != "one" {
			t.Errorf("%q: found %.80q in place of what was put there", garbage, record)
		}
		if s.Down() {
			t.Errorf("%q is taken for a Redis that is down", garbage)
		}
	}
}

// TestKey checks that two keys differ if one part does, wherever one part ends and the next begins.
func TestKey(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{
		{"site", "kind"}, {"site", "kind", ""}, {"site", "kind", "a", "b"}, {"site", "kind", "ab"},
		{"site", "kind", "b", "a"},
		{"site", "kind", "a:b"}, {"site", "kind", "1:a", "b"}, {"site2", "kind", "a", "b"},
		{"site", "kind2", "a", "b"},
	} {
		key := redis.Key(parts[0], parts[1], parts[2:]...)
		if other, twice := seen[key]; twice {
			t.Errorf("%q and %q have the key %s", parts, other, key)
		}
		seen[key] = parts
		if !strings.HasPrefix(key, "mipwatch:1:") || len(key) > 80 {
			t.Errorf("the key of %q is %s", parts, key)
		}
	}
}

// watched is a log whose lines can be read.
type watched struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lines.Write(b)
}

// take returns the lines since the last call, as level, message and error.
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

// contextThatEnds returns a context with a deadline, which the connection gets.
func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 300*time.Millisecond)
}
