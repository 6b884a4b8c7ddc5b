package cache_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/cache"
)

// memory is what several caches have in common, by the clock of the bubble.
type memory struct {
	mu      sync.Mutex
	records map[string]lasting
	turns   map[string]lasting
	away    error
	claims  int
}

type lasting struct {
	text  string
	until time.Time
}

func newMemory() *memory { return &memory{records: map[string]lasting{}, turns: map[string]lasting{}} }

func lasts(m map[string]lasting, key string) string {
	if l, ok := m[key]; ok && time.Now().Before(l.until) {
		return l.text
	}
	return ""
}

func (m *memory) Claim(ctx context.Context, key string, c cache.Claim) (cache.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.claims++
	if err := errors.Join(ctx.Err(), m.away); err != nil {
		return cache.Turn{}, err
	}
	if r := lasts(m.records, key); r != "" && (len(c.Seen) == 0 || !strings.HasPrefix(r, string(c.Seen))) {
		return cache.Turn{Record: []byte(r)}, nil
	}
	turn := lasts(m.turns, key)
	if word, failed := strings.CutPrefix(turn, "-"); failed {
		return cache.Turn{Failure: word, Left: time.Until(m.turns[key].until)}, nil
	}
	if turn != "" && turn != "+"+c.Name {
		return cache.Turn{}, nil
	}
	m.turns[key] = lasting{"+" + c.Name, time.Now().Add(c.Lease)}
	return cache.Turn{Mine: true}, nil
}

func (m *memory) Hold(ctx context.Context, key string, c cache.Claim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(ctx.Err(), m.away); err != nil {
		return err
	}
	if turn := lasts(m.turns, key); turn == "" || turn == "+"+c.Name {
		m.turns[key] = lasting{"+" + c.Name, time.Now().Add(c.Lease)}
	}
	return nil
}

func (m *memory) Land(ctx context.Context, key string, c cache.Claim, l cache.Landing) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(ctx.Err(), m.away); err != nil {
		return err
	}
	if l.Gone {
		delete(m.records, key)
	} else if l.Record != nil {
		m.records[key] = lasting{string(l.Record), time.Now().Add(l.Keep)}
	}
	if lasts(m.turns, key) == "+"+c.Name {
		delete(m.turns, key)
		if l.Failure != "" {
			m.turns[key] = lasting{"-" + l.Failure, time.Now().Add(l.Stands)}
		}
	}
	return nil
}

func (m *memory) set(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.away = err
}

func (m *memory) record(key string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return lasts(m.records, key)
}

var errMissing, errHost = errors.New("missing"), errors.New("host fails")

// sharing shares every key but "own", and no value that begins with "bad".
func sharing(with cache.Shared) *cache.Sharing[string, string] {
	return &cache.Sharing[string, string]{
		With: with, Keep: time.Hour,
		Key: func(k string) string { return strings.TrimPrefix("k:"+k, "k:own") },
		Check: func(_, v string) error {
			if strings.HasPrefix(v, "bad") {
				return errors.New("bad")
			}
			return nil
		},
		Told: func(err error) string {
			switch {
			case errors.Is(err, errMissing):
				return "missing"
			case errors.Is(err, errHost), errors.Is(err, context.DeadlineExceeded):
				return "host"
			}
			return ""
		},
		Heard: func(word string, _ time.Duration) error {
			return map[string]error{"missing": errMissing, "host": errHost}[word]
		},
	}
}

func sharedConfig() cache.Config[string] {
	return cache.Config[string]{
		Fresh: 10 * time.Second, Keep: time.Hour, Timeout: 8 * time.Second, Wait: 3 * time.Second, Entries: 10,
		Retry: func(err error) time.Duration { return 30 * time.Second },
		Gone:  func(err error) bool { return errors.Is(err, errMissing) },
	}
}

// processes are caches that have a memory in common.
func processes(t *testing.T, n int, m cache.Shared, change ...func(*cache.Config[string])) []*cache.Cache[string, string] {
	t.Helper()
	var out []*cache.Cache[string, string]
	for range n {
		c := sharedConfig()
		for _, f := range change {
			f(&c)
		}
		one := cache.NewShared(c, sharing(m))
		t.Cleanup(one.Close)
		out = append(out, one)
	}
	return out
}

func fetched(calls *atomic.Int32, takes time.Duration, err error) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		n := calls.Add(1)
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		if err != nil {
			return "", err
		}
		return fmt.Sprint("value ", n), nil
	}
}

// TestShareOneFlight has 500 callers in four processes want one key at once.
func TestShareOneFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := processes(t, 4, newMemory())
		began := time.Now()
		var calls atomic.Int32
		var callers sync.WaitGroup
		for i := range 500 {
			callers.Go(func() {
				e, err := all[i%4].Get(t.Context(), "k", fetched(&calls, time.Second, nil))
				if err != nil || e.Value != "value 1" || !e.At.Equal(began.Add(time.Second)) || e.Stale || !e.Next.Equal(began.Add(11*time.Second)) {
					t.Errorf("caller %d: %+v, %v", i, e, err)
				}
			})
		}
		callers.Wait()
		if n := calls.Load(); n != 1 {
			t.Errorf("%d calls, want 1", n)
		}
		if took := time.Since(began); took > 1100*time.Millisecond {
			t.Errorf("the last one waited for %v", took)
		}
		// Fresh for all as long as for the one that fetched it, and then one fetches again.
		time.Sleep(10 * time.Second)
		for i, c := range all {
			if e, err := c.Get(t.Context(), "k", fetched(&calls, 0, nil)); err != nil || e.Value != "value 2" {
				t.Errorf("process %d, later: %+v, %v", i, e, err)
			}
		}
	})
}

// TestShareOlder gives a process that has nothing yet what others had, marked stale, when the host fails.
func TestShareOlder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		all := processes(t, 3, m)
		var calls atomic.Int32
		all[0].Get(t.Context(), "k", fetched(&calls, 0, nil))
		at := time.Now()
		time.Sleep(time.Minute)
		for i, c := range all[1:] {
			e, err := c.Get(t.Context(), "k", fetched(&calls, 0, errHost))
			if err != nil || e.Value != "value 1" || !e.Stale || !e.At.Equal(at) || !errors.Is(e.Err, errHost) || !e.Next.Equal(at.Add(90*time.Second)) {
				t.Errorf("process %d: %+v, %v; want the older value until the failure stands no more", i+1, e, err)
			}
			time.Sleep(10 * time.Second)
		}
		if n := calls.Load(); n != 2 {
			t.Errorf("%d calls, want 2: the failure stands for all", n)
		}
		time.Sleep(30 * time.Second)
		if e, err := all[2].Get(t.Context(), "k", fetched(&calls, 0, errMissing)); !errors.Is(err, errMissing) {
			t.Errorf("what is gone: %+v, %v", e, err)
		}
		if e, err := all[1].Get(t.Context(), "k", fetched(&calls, 0, nil)); !errors.Is(err, errMissing) || calls.Load() != 3 || m.record("k:k") != "" {
			t.Errorf("what is gone, elsewhere: %+v, %v", e, err)
		}
	})
}

// TestShareFaults goes through what can become of the process that fetches, and of the memory.
func TestShareFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(t *testing.T, m *memory, all []*cache.Cache[string, string])
		calls  int32         // of two more processes that want the key side by side
		takes  time.Duration // at most
	}{
		"nobody else": {func(*testing.T, *memory, []*cache.Cache[string, string]) {}, 1, 1100 * time.Millisecond},
		"it has died": {func(t *testing.T, m *memory, _ []*cache.Cache[string, string]) {
			m.Claim(t.Context(), "k:k", cache.Claim{Name: "dead", Lease: 2 * time.Second})
		}, 1, 3200 * time.Millisecond},
		"it panics": {func(t *testing.T, m *memory, all []*cache.Cache[string, string]) {
			all[0].Get(t.Context(), "k", func(context.Context) (string, error) { panic("no") })
		}, 1, 1100 * time.Millisecond},
		"its caller leaves": {func(t *testing.T, m *memory, all []*cache.Cache[string, string]) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			all[0].Get(ctx, "k", fetched(new(atomic.Int32), time.Minute, nil))
		}, 1, 1100 * time.Millisecond},
		"it fails in a way that is its own": {func(t *testing.T, m *memory, all []*cache.Cache[string, string]) {
			all[0].Get(t.Context(), "k", func(context.Context) (string, error) { return "", errors.New("own") })
		}, 1, 1100 * time.Millisecond},
		"a word that nobody knows": {func(t *testing.T, m *memory, _ []*cache.Cache[string, string]) {
			m.turns["k:k"] = lasting{"-nonsense", time.Now().Add(time.Hour)}
		}, 2, 1100 * time.Millisecond},
		"the memory is away": {func(t *testing.T, m *memory, _ []*cache.Cache[string, string]) { m.set(errors.New("away")) }, 2, 1100 * time.Millisecond},
		"the memory goes away": {func(t *testing.T, m *memory, _ []*cache.Cache[string, string]) {
			m.Claim(t.Context(), "k:k", cache.Claim{Name: "slow", Lease: time.Hour})
			time.AfterFunc(500*time.Millisecond, func() { m.set(errors.New("away")) })
		}, 2, 1700 * time.Millisecond},
		"the memory forgets": {func(t *testing.T, m *memory, all []*cache.Cache[string, string]) {
			m.Claim(t.Context(), "k:k", cache.Claim{Name: "slow", Lease: time.Hour})
			time.AfterFunc(500*time.Millisecond, func() {
				m.mu.Lock()
				defer m.mu.Unlock()
				clear(m.turns)
			})
		}, 1, 1700 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMemory()
				all := processes(t, 3, m)
				tt.before(t, m, all)
				began := time.Now()
				var calls atomic.Int32
				var callers sync.WaitGroup
				for _, c := range all[1:] {
					callers.Go(func() {
						if e, err := c.Get(t.Context(), "k", fetched(&calls, time.Second, nil)); err != nil && tt.takes < 3*time.Second {
							t.Errorf("got %+v, %v", e, err)
						}
					})
				}
				callers.Wait()
				if n, took := calls.Load(), time.Since(began); n != tt.calls || took > tt.takes {
					t.Errorf("%d calls in %v, want %d in %v", n, took, tt.calls, tt.takes)
				}
			})
		})
	}
}

// TestShareLong fetches for longer than a turn lasts by itself, while others wait.
func TestShareLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := func(c *cache.Config[string]) { c.Timeout, c.Wait = time.Minute, time.Minute }
		all := processes(t, 3, newMemory(), long)
		var calls atomic.Int32
		var callers sync.WaitGroup
		for _, c := range all {
			callers.Go(func() {
				if e, err := c.Get(t.Context(), "k", fetched(&calls, 30*time.Second, nil)); err != nil || e.Value != "value 1" {
					t.Errorf("got %+v, %v", e, err)
				}
			})
		}
		callers.Wait()
		if n := calls.Load(); n != 1 {
			t.Errorf("%d calls, want 1", n)
		}
	})
}

// TestShareClocks has two processes whose clocks differ: no value is from a time to come, and none stays fresh
// for longer because of that.
func TestShareClocks(t *testing.T) {
	for _, ahead := range []time.Duration{-2 * time.Hour, -time.Minute, -3 * time.Second, 0, 3 * time.Second, time.Minute, 2 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory()
			writer := processes(t, 1, m, func(c *cache.Config[string]) { c.Now = func() time.Time { return time.Now().Add(ahead) } })[0]
			reader := processes(t, 1, m)[0]
			var calls atomic.Int32
			writer.Get(t.Context(), "k", fetched(&calls, 0, nil))
			for range 100 {
				e, err := reader.Get(t.Context(), "k", fetched(&calls, 0, nil))
				if age := time.Since(e.At); err != nil || age < 0 || age >= 10*time.Second || e.Stale {
					t.Fatalf("a clock %v ahead: %+v, %v, of %v ago", ahead, e, err, age)
				}
				time.Sleep(time.Second)
			}
		})
	}
}

// TestShareOwn keeps some keys in the process.
func TestShareOwn(t *testing.T) {
	m := newMemory()
	c := processes(t, 1, m)[0]
	if e, err := c.Get(t.Context(), "own", fetched(new(atomic.Int32), 0, nil)); err != nil || e.Value != "value 1" || m.claims != 0 {
		t.Errorf("got %+v, %v after %d claims", e, err, m.claims)
	}
}

// FuzzShared leaves any bytes where a record should be. They are believed only if they are what this program
// writes; otherwise the value is fetched, and written in their place.
func FuzzShared(f *testing.F) {
	now := fmt.Sprintf("%016d", time.Now().UnixMilli())
	for _, seed := range []string{now + `"v"`, now + `"bad"`, now + ` "v"`, now + `"v" `, now + `"\u0076"`, now + "null", now + "{}", now, "", "x", "9999999999999999" + `"v"`,
		"0000000000000000" + `"v"`, "-000000000000001" + `"v"`, now + `"v""v"`, "\x00", strings.Repeat("[", 10000)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		m := newMemory()
		m.records["k:k"] = lasting{string(record), time.Now().Add(time.Hour)}
		c := cache.NewShared(sharedConfig(), sharing(m))
		defer c.Close()
		var calls atomic.Int32
		e, err := c.Get(t.Context(), "k", fetched(&calls, 0, nil))
		if err != nil || time.Since(e.At) < 0 || e.Stale {
			t.Fatalf("%q: %+v, %v", record, e, err)
		}
		if calls.Load() == 1 {
			if e.Value != "value 1" || !strings.HasSuffix(m.record("k:k"), `"value 1"`) {
				t.Fatalf("%q: %+v, and %q is kept", record, e, m.record("k:k"))
			}
			return
		}
		body, err := json.Marshal(e.Value)
		if err != nil || len(record) < 16 || !bytes.Equal(record[16:], body) || strings.HasPrefix(e.Value, "bad") || strings.Trim(string(record[:16]), "0123456789") != "" {
			t.Fatalf("%q was believed: %+v", record, e)
		}
	})
}

// TestName holds that names differ whenever anything differs.
func TestName(t *testing.T) {
	seen := map[string]string{}
	for _, parts := range [][]string{{"s", "k"}, {"s", "k", ""}, {"s", "k", "a", "b"}, {"s", "k", "ab"}, {"s", "k", "b", "a"}, {"s", "k2", "a"}, {"s2", "k", "a"}, {"s", "k", "a"}, {"s", "k", "1:a"}} {
		name := cache.Name(parts[0], parts[1], parts[2:]...)
		if other, twice := seen[name]; twice || len(name) > 100 {
			t.Errorf("%q and %s have the name %s", parts, other, name)
		}
		seen[name] = fmt.Sprintf("%q", parts)
	}
}
