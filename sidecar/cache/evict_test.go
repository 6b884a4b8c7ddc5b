package cache_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mipwatch/mipwatch/sidecar/cache"
)

// TestBounds requests many keys concurrently, of which every third fails, and counts the kept
// records.
func TestBounds(t *testing.T) {
	const askers, perKey = 100, 256
	for _, c := range []struct {
		name    string
		keys    int
		entries int
		bytes   int64
	}{
		{"entries", 10_000, 1000, 0},
		{"bytes", 10_000, 0, 1 << 20},
		{"both", 10_000, 1000, 1 << 18},
	} {
		synctest.Test(t, func(t *testing.T) {
			cached := cache.New[uint64](cache.Config[int64]{
				Fresh: fresh, Timeout: timeout, Entries: c.entries, Bytes: c.bytes,
				Size:  func(v int64) int64 { return v },
				Retry: func(error) time.Duration { return time.Minute },
			})
			defer cached.Close()
			r := rand.New(rand.NewPCG(1, 2))
			asked := make([]uint64, c.keys)
			for i := range asked {
				asked[i] = r.Uint64()
			}
			ask := func(i int) {
				cached.Get(t.Context(), asked[i], func(context.Context) (int64, error) {
					if i%3 == 0 {
						return 0, errors.New(strings.Repeat("x", i%1000))
					}
					return int64(i % 4000), nil
				})
			}
			var wg sync.WaitGroup
			for from := range askers {
				wg.Go(func() {
					for i := from; i < c.keys; i += askers {
						ask(i)
					}
				})
			}
			wg.Wait()
			var values, failures int
			var bytes int64
			for _, k := range asked {
				switch e, ok := cached.Peek(k); {
				case ok:
					values++
					bytes += perKey + e.Value
				case e.Err != nil:
					failures++
					bytes += perKey + int64(len(e.Err.Error()))
				}
			}
			n := values + failures
			if c.entries > 0 && n > c.entries || c.bytes > 0 && bytes > c.bytes {
				t.Errorf("%s: %d entries of %d bytes are kept, want at most %d of %d", c.name, n,
					bytes, c.entries, c.bytes)
			}
			// The cache is almost full, too.
			full := c.entries > 0 && values+failures == c.entries ||
				c.bytes > 0 && bytes > c.bytes-8000
			if !full || values == 0 || failures == 0 {
				t.Errorf("%s: only %d values and %d failures of %d bytes are kept of %d keys",
					c.name, values, failures, bytes, c.keys)
			}
		})
	}
}

// kept returns the keys that are in the cache.
func kept(c *cache.Cache[string, string], keys ...string) (out []string) {
	for _, k := range keys {
		if _, ok := c.Peek(k); ok {
			out = append(out, k)
		}
	}
	return out
}

// get gets a value that is its own text.
func get(t *testing.T, c *cache.Cache[string, string], key, text string) cache.Entry[string] {
	t.Helper()
	e, err := c.Get(t.Context(), key, (&source{value: text}).fetch)
	if err != nil || e.Value != text {
		t.Errorf("Get %s: %.20q, error %v, want %.20q", key, e.Value, err, text)
	}
	return e
}

// TestTooLarge: a value larger than Bytes is returned but not kept, and evicts nothing.
func TestTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.Bytes, cfg.Size = 1000, func(v string) int64 { return int64(len(v)) }
		c := cache.New[string](cfg)
		defer c.Close()
		get(t, c, "small", "small")
		get(t, c, "grown", "still small")
		time.Sleep(fresh)
		large := strings.Repeat("x", 1000-256+1)
		got := get(t, c, "grown", large)
		want := cache.Entry[string]{Value: large, At: at(fresh), Next: at(fresh)}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("entry (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"small"}, kept(c, "small", "grown")); d != "" {
			t.Errorf("kept beside a value that is too large (-want +got):\n%s", d)
		}
		get(t, c, "fits", large[1:])
		if d := cmp.Diff([]string{"fits"}, kept(c, "small", "fits")); d != "" {
			t.Errorf("kept after a value that takes all the room (-want +got):\n%s", d)
		}
	})
}

// TestEvictDuringFlight: a key evicted during its fetch keeps the fetch and the older value.
func TestEvictDuringFlight(t *testing.T) {
	for _, fails := range []error{nil, errDown} {
		synctest.Test(t, func(t *testing.T) {
			cfg := config()
			cfg.Entries = 2
			c := cache.New[string](cfg)
			defer c.Close()
			get(t, c, "key", "a")
			time.Sleep(fresh)
			s := &source{value: "b", err: fails, takes: time.Second}
			waiting := ask(t.Context(), c, s)
			synctest.Wait()
			for _, k := range []string{"x", "y", "z"} {
				get(t, c, k, k)
			}
			if got := kept(c, "key"); len(got) > 0 {
				t.Fatal("the key was not evicted")
			}
			joined := ask(t.Context(), c, s)
			want := value("b", fresh+time.Second)
			if fails != nil {
				want = stale("a", 0, fails, fresh+31*time.Second)
			}
			for _, ch := range []<-chan result{waiting, joined} {
				got := <-ch
				d := cmp.Diff(want, got.entry, cmpopts.EquateErrors())
				if d != "" || got.err != nil || s.calls.Load() != 1 {
					t.Errorf(
						"fetch error %v: error %v after %d fetches and entry (-want +got):\n%s",
						fails, got.err, s.calls.Load(), d)
				}
			}
			if d := cmp.Diff([]string{"key", "z"}, kept(c, "key", "x", "y", "z")); d != "" {
				t.Errorf("fetch error %v: kept afterwards (-want +got):\n%s", fails, d)
			}
		})
	}
}
