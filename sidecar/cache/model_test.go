package cache_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mipwatch/mipwatch/sidecar/cache"
)

// model is a cache without concurrency, as simple as possible: a list of keys, most recently used
// first.
type model struct {
	cfg  cache.Config[string]
	list []line
}

type line struct {
	key    string
	value  string // empty: none
	at     time.Time
	err    error
	failed time.Time
}

func (m *model) size(l line) int64 {
	n := int64(256 + len(l.value))
	if l.err != nil {
		n += int64(len(l.err.Error()))
	}
	return n
}

// age is never negative; a time too far in the future counts as oldest.
func age(now, t time.Time, limit time.Duration) time.Duration {
	switch {
	case !t.After(now):
		return now.Sub(t)
	case t.Sub(now) <= limit:
		return 0
	}
	return 1 << 62
}

// see returns the entry of a key, and whether a Get needs no fetch.
func (m *model) see(l line, now time.Time) (e cache.Entry[string], content bool) {
	e.Next = now
	if l.value != "" && age(now, l.at, m.cfg.Keep) < m.cfg.Keep {
		e.Value, e.At, e.Stale = l.value, l.at, true
		if l.at.After(now) {
			e.At = now
		}
		if age(now, l.at, m.cfg.Fresh) < m.cfg.Fresh {
			e.Stale, e.Next = false, l.at.Add(m.cfg.Fresh)
			return e, true
		}
	}
	if e.Err = l.err; l.err != nil {
		if stands := m.cfg.Retry(l.err); age(now, l.failed, stands) < stands {
			content, e.Next = true, l.failed.Add(stands)
			if end := l.at.Add(m.cfg.Keep); e.Value != "" && end.Before(e.Next) {
				e.Next = end
			}
		}
	}
	return e, content
}

func (m *model) find(key string) (line, bool) {
	i := slices.IndexFunc(m.list, func(l line) bool { return l.key == key })
	if i < 0 {
		return line{key: key}, false
	}
	return m.list[i], true
}

// get returns the result of Get if a fetch now returns this value or error, and whether it fetches.
func (m *model) get(
	key string, now time.Time, value string, err error,
) (cache.Entry[string], bool) {
	l, known := m.find(key)
	e, content := m.see(l, now)
	if !content {
		switch {
		case err == nil:
			l = line{key: key, value: value, at: now}
		default:
			if e.Value == "" || m.cfg.Gone(err) {
				l.value = ""
			}
			l.err, l.failed = err, now
		}
		e, _ = m.see(l, now)
	}
	m.list = slices.DeleteFunc(m.list, func(old line) bool { return old.key == key })
	if known && content || l.value != "" || m.cfg.Retry(l.err) > 0 {
		if m.size(l) <= m.cfg.Bytes {
			m.list = slices.Insert(m.list, 0, l)
		} else {
			e.Next = now
		}
	}
	for total := m.total(); len(m.list) > m.cfg.Entries || total > m.cfg.Bytes; total = m.total() {
		m.list = m.list[:len(m.list)-1]
	}
	return e, !content
}

func (m *model) total() (n int64) {
	for _, l := range m.list {
		n += m.size(l)
	}
	return n
}

// TestModel plays random histories, with a clock that jumps, to the cache and to the model.
func TestModel(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			now := at(0)
			cfg := config()
			cfg.Entries, cfg.Bytes = 1+r.IntN(6), 500+r.Int64N(1500)
			cfg.Size = func(v string) int64 { return int64(len(v)) }
			m := &model{cfg: cfg}
			cfg.Now = func() time.Time { return now }
			c := cache.New[string](cfg)
			defer c.Close()
			for i := range 300 {
				switch n := r.IntN(100); {
				case n < 30:
					now = now.Add(time.Duration(r.Int64N(int64(fresh) * 3 / 2)))
				case n < 35:
					now = now.Add(time.Duration(r.Int64N(int64(2 * keep))))
				case n < 40:
					now = now.Add(-time.Duration(r.Int64N(int64(2 * fresh))))
				case n < 42:
					now = now.Add(-time.Duration(r.Int64N(int64(2 * keep))))
				}
				key := strconv.Itoa(r.IntN(8))
				value, err := fmt.Sprintf("%0*d", 1+r.IntN(600), i), error(nil)
				if n := r.IntN(6); n < 3 {
					err = []error{errDown, errSoft, errGone}[n]
				}
				fetched := false
				got, gotErr := c.Get(t.Context(), key, func(context.Context) (string, error) {
					fetched = true
					return value, err
				})
				want, fetches := m.get(key, now, value, err)
				var wantErr error
				if want.Value == "" {
					wantErr = want.Err
				}
				if gotErr != wantErr || fetched != fetches {
					t.Fatalf("seed %d, step %d, key %s: error %v, fetched %t; want %v, %t", seed, i,
						key, gotErr, fetched, wantErr, fetches)
				}
				if got != want {
					t.Fatalf("seed %d, step %d, key %s: entry (-model +got):\n%s", seed, i, key,
						cmp.Diff(want, got, cmpopts.EquateErrors()))
				}
				for k := range 8 {
					key := strconv.Itoa(k)
					got, ok := c.Peek(key)
					l, known := m.find(key)
					var want cache.Entry[string]
					if known {
						want, _ = m.see(l, now)
					}
					if got != want || ok != (want.Value != "") {
						t.Fatalf("seed %d, step %d: Peek %s says %t (-model +got):\n%s", seed, i,
							key, ok, cmp.Diff(want, got, cmpopts.EquateErrors()))
					}
				}
			}
		})
	}
}

// TestTogether runs many callers for few keys that leave at random, and checks the invariants: one
// fetch of a key at a time, none without a caller unless Background, no value older than allowed.
func TestTogether(t *testing.T) {
	for seed := range uint64(12) {
		synctest.Test(t, func(t *testing.T) {
			const names = 5
			cfg := config()
			cfg.Background = seed%2 == 0
			cfg.Entries = 1 + int(seed%7)
			c := cache.New[string](cfg)
			var mu sync.Mutex
			callers, running := map[string]int{}, map[string]int{}
			count := func(m map[string]int, key string, by int) {
				mu.Lock()
				defer mu.Unlock()
				m[key] += by
				if running[key] > 1 || running[key] > 0 && callers[key] == 0 && !cfg.Background {
					t.Errorf("seed %d: %d fetches and %d callers of %s", seed, running[key],
						callers[key], key)
				}
			}
			var wg sync.WaitGroup
			for i := range uint64(50) {
				r := rand.New(rand.NewPCG(seed, i+1))
				wg.Go(func() {
					for range 100 {
						time.Sleep(time.Duration(r.Int64N(int64(fresh))))
						key := strconv.Itoa(r.IntN(names))
						takes, stays := time.Duration(r.Int64N(int64(timeout)*3/2)),
							time.Duration(r.Int64N(int64(time.Second)))
						err := []error{nil, nil, nil, errDown, errSoft, errGone}[r.IntN(6)]
						ctx, cancel := context.WithTimeout(t.Context(),
							time.Duration(r.Int64N(int64(timeout))))
						count(callers, key, 1)
						e, got := c.Get(ctx, key, func(ctx context.Context) (string, error) {
							count(running, key, 1)
							defer count(running, key, -1)
							return (&source{value: key, err: err, takes: takes,
								stays: stays}).fetch(ctx)
						})
						count(callers, key, -1)
						cancel()
						age := time.Since(e.At)
						switch {
						case got != nil:
							if e.Value != "" || !errors.Is(e.Err, got) || e.Next.IsZero() {
								t.Errorf("seed %d: error %v with %+v", seed, got, e)
							}
						case e.Value != key, age < 0, age >= keep, e.Stale != (age >= fresh),
							e.Stale != (e.Err != nil), e.Next.Before(time.Now()):
							t.Errorf("seed %d: %+v for %s at %v", seed, e, key, time.Now())
						}
					}
				})
			}
			wg.Wait()
			c.Close()
			for key, n := range running {
				if n > 0 {
					t.Errorf("seed %d: %d fetches of %s after Close", seed, n, key)
				}
			}
		})
	}
}
