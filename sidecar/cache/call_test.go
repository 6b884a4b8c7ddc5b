package cache_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mipwatch/mipwatch/sidecar/cache"
)

// result is the result of a Get and its time.
type result struct {
	entry cache.Entry[string]
	err   error
	at    time.Time
}

// ask calls Get in a goroutine.
func ask(ctx context.Context, c *cache.Cache[string, string], s *source) <-chan result {
	out := make(chan result, 1)
	go func() {
		e, err := c.Get(ctx, "key", s.fetch)
		out <- result{e, err, time.Now()}
	}()
	return out
}

// TestOneFlight: 500 callers miss one key, the first one leaves, one fetch answers the others.
func TestOneFlight(t *testing.T) {
	for _, background := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			cfg := config()
			cfg.Background = background
			c := cache.New[string](cfg)
			defer c.Close()
			s := &source{value: "a", takes: time.Second}
			ctx, hangUp := context.WithCancel(t.Context())
			first := ask(ctx, c, s)
			synctest.Wait()
			others := make([]<-chan result, 499)
			for i := range others {
				others[i] = ask(t.Context(), c, s)
			}
			synctest.Wait()
			hangUp()
			if got := <-first; got.err != context.Canceled || !got.at.Equal(at(0)) {
				t.Errorf("background %t: the first caller got error %v at %v, want %v at once",
					background, got.err, got.at, context.Canceled)
			}
			for i, ch := range others {
				got := <-ch
				if d := cmp.Diff(value("a", time.Second), got.entry); d != "" || got.err != nil {
					t.Errorf("background %t: caller %d got error %v and entry (-want +got):\n%s",
						background, i, got.err, d)
				}
			}
			if s.calls.Load() != 1 {
				t.Errorf("background %t: %d fetches for 500 callers, want 1", background,
					s.calls.Load())
			}
		})
	}
}

// TestBackground: the fetch continues when its only caller has left.
func TestBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.Background = true
		c := cache.New[string](cfg)
		defer c.Close()
		s := &source{value: "a", takes: time.Second}
		ctx, hangUp := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer hangUp()
		got := <-ask(ctx, c, s)
		if got.err != context.DeadlineExceeded || !got.at.Equal(at(100*time.Millisecond)) ||
			s.ended.Load() {
			t.Errorf(
				"the caller got error %v at %v, fetch ended: %t; want %v after 100 ms while "+
					"fetch goes on",
				got.err, got.at, s.ended.Load(), context.DeadlineExceeded)
		}
		time.Sleep(time.Second)
		e, err := c.Get(t.Context(), "key", s.fetch)
		if d := cmp.Diff(value("a", time.Second), e); d != "" || err != nil || s.calls.Load() != 1 {
			t.Errorf("the next Get: error %v after %d fetches and entry (-want +got):\n%s", err,
				s.calls.Load(), d)
		}
	})
}

// TestAttached: the fetch is canceled when its last caller leaves, whose Get returns when fetch has
// ended. That is no failure of the attempt.
func TestAttached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.Retry = func(error) time.Duration { return time.Hour }
		c := cache.New[string](cfg)
		defer c.Close()
		s := &source{value: "a", takes: time.Second, stays: 300 * time.Millisecond}
		ctx, hangUp := context.WithCancel(t.Context())
		first := ask(ctx, c, s)
		short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		got := <-ask(short, c, s)
		if got.err != context.DeadlineExceeded || !got.at.Equal(at(50*time.Millisecond)) ||
			s.ended.Load() {
			t.Errorf(
				"a caller that is not the last got error %v at %v, fetch ended: %t; want %v "+
					"after 50 ms while fetch goes on",
				got.err, got.at, s.ended.Load(), context.DeadlineExceeded)
		}
		time.Sleep(50 * time.Millisecond)
		hangUp()
		synctest.Wait()
		// A new caller must not get the result of the canceled fetch.
		next := ask(t.Context(), c, s)
		impatient, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		got = <-ask(impatient, c, s)
		if got.err != context.DeadlineExceeded || !got.at.Equal(at(110*time.Millisecond)) {
			t.Errorf(
				"a caller during the end of the flight got error %v at %v, want %v after 10 ms",
				got.err, got.at, context.DeadlineExceeded)
		}
		if got := <-first; got.err != context.Canceled || !got.at.Equal(at(400*time.Millisecond)) {
			t.Errorf("the last caller got error %v at %v, want %v when fetch has ended", got.err,
				got.at, context.Canceled)
		}
		got = <-next
		d := cmp.Diff(value("a", 1400*time.Millisecond), got.entry)
		if d != "" || got.err != nil || s.calls.Load() != 2 {
			t.Errorf("the caller after it: error %v after %d fetches and entry (-want +got):\n%s",
				got.err, s.calls.Load(), d)
		}
	})
}

// TestAttachedSucceeds: the value of a fetch that succeeds despite being canceled is kept.
func TestAttachedSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cache.New[string](config())
		defer c.Close()
		ctx, hangUp := context.WithTimeout(t.Context(), time.Second)
		defer hangUp()
		e, err := c.Get(ctx, "key", func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "a", nil
		})
		if d := cmp.Diff(value("a", time.Second), e); d != "" || err != nil {
			t.Errorf("error %v and entry (-want +got):\n%s", err, d)
		}
		if _, ok := c.Peek("key"); !ok {
			t.Error("the value is not kept")
		}
	})
}

// TestWait: callers whose time is over get the older value while the fetch continues, and the next
// caller gets its result.
func TestWait(t *testing.T) {
	const wait = 3 * time.Second
	patient := func(t *testing.T, c *cache.Cache[string, string], s *source) result {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		return <-ask(ctx, c, s)
	}
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.Background = true
		c := cache.New[string](cfg)
		defer c.Close()
		s := &source{value: "a", takes: 5 * time.Second}
		got := patient(t, c, s)
		d := cmp.Diff(failure(context.DeadlineExceeded, wait), got.entry, cmpopts.EquateErrors())
		if d != "" || got.err != context.DeadlineExceeded || !got.at.Equal(at(wait)) {
			t.Errorf("the first caller: error %v at %v and entry (-want +got):\n%s", got.err,
				got.at, d)
		}
		got = patient(t, c, s)
		d = cmp.Diff(value("a", 5*time.Second), got.entry)
		if d != "" || got.err != nil || s.calls.Load() != 1 {
			t.Errorf("the second caller: error %v after %d fetches and entry (-want +got):\n%s",
				got.err, s.calls.Load(), d)
		}
		time.Sleep(fresh) // now it is 15 s
		s.value = "b"
		got = patient(t, c, s)
		d = cmp.Diff(stale("a", 5*time.Second, context.DeadlineExceeded, 18*time.Second),
			got.entry, cmpopts.EquateErrors())
		if d != "" || got.err != nil {
			t.Errorf("a caller with an older value: error %v and entry (-want +got):\n%s",
				got.err, d)
		}
		time.Sleep(2 * time.Second)
		got = patient(t, c, s)
		d = cmp.Diff(value("b", 20*time.Second), got.entry)
		if d != "" || got.err != nil || s.calls.Load() != 2 {
			t.Errorf("the caller after it: error %v after %d fetches and entry (-want +got):\n%s",
				got.err, s.calls.Load(), d)
		}
	})
}

// TestTimeout: the context of a fetch ends at Timeout, and carries the first caller's values but
// not its cancellation.
func TestTimeout(t *testing.T) {
	type name struct{}
	synctest.Test(t, func(t *testing.T) {
		c := cache.New[string](config())
		defer c.Close()
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), name{}, "first"),
			time.Hour)
		defer cancel()
		s := &source{takes: time.Hour}
		_, err := c.Get(ctx, "key", func(ctx context.Context) (string, error) {
			deadline, _ := ctx.Deadline()
			if !deadline.Equal(at(timeout)) || ctx.Value(name{}) != "first" {
				t.Errorf("fetch runs until %v with value %v, want %v and the first caller's",
					deadline, ctx.Value(name{}), at(timeout))
			}
			return s.fetch(ctx)
		})
		if err != context.DeadlineExceeded || !time.Now().Equal(at(timeout)) {
			t.Errorf("error %v at %v, want %v at %v", err, time.Now(), context.DeadlineExceeded,
				at(timeout))
		}
	})
}

// TestEndedContext: a caller whose context has ended gets the cached value and starts no fetch.
func TestEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cache.New[string](config())
		defer c.Close()
		s := &source{value: "a"}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Get(ended, "key", s.fetch); err != context.Canceled {
			t.Errorf("nothing kept: error %v, want %v", err, context.Canceled)
		}
		<-ask(t.Context(), c, s)
		e, err := c.Get(ended, "key", s.fetch)
		if d := cmp.Diff(value("a", 0), e); d != "" || err != nil {
			t.Errorf("fresh: error %v and entry (-want +got):\n%s", err, d)
		}
		time.Sleep(fresh)
		e, err = c.Get(ended, "key", s.fetch)
		d := cmp.Diff(stale("a", 0, context.Canceled, fresh), e, cmpopts.EquateErrors())
		if d != "" || err != nil {
			t.Errorf("stale: error %v and entry (-want +got):\n%s", err, d)
		}
		if s.calls.Load() != 1 {
			t.Errorf("%d fetches, want 1", s.calls.Load())
		}
	})
}

// TestPanic: a fetch that panics fails for all waiting callers, and the key is usable afterwards.
func TestPanic(t *testing.T) {
	for _, c := range []struct {
		name  string
		fetch func(context.Context) (string, error)
		want  string
	}{
		{"panic", func(context.Context) (string, error) {
			time.Sleep(time.Second)
			panic("boom")
		}, "panic in fetch: boom\n"},
		{"nil panic", func(context.Context) (string, error) {
			time.Sleep(time.Second)
			panic(nil)
		}, "panic in fetch: panic called with nil"},
		{"exit", func(context.Context) (string, error) {
			time.Sleep(time.Second)
			runtime.Goexit()
			return "", nil
		}, "fetch did not return"},
	} {
		synctest.Test(t, func(t *testing.T) {
			cached := cache.New[string](config())
			defer cached.Close()
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					_, err := cached.Get(t.Context(), "key", c.fetch)
					if err == nil || !strings.HasPrefix(err.Error(), c.want) {
						t.Errorf("%s: error %v, want %q", c.name, err, c.want)
					}
				})
			}
			wg.Wait()
			e, err := cached.Get(t.Context(), "key", (&source{value: "a"}).fetch)
			if err != nil || e.Value != "a" {
				t.Errorf("%s: the next Get: %q, error %v, want a", c.name, e.Value, err)
			}
		})
	}
}

// TestClose: Close cancels fetches and waits for them; waiting callers get the older value or
// ErrClosed, and later callers ErrClosed.
func TestClose(t *testing.T) {
	for _, background := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			cfg := config()
			cfg.Background = background
			c := cache.New[string](cfg)
			s := &source{value: "a"}
			<-ask(t.Context(), c, s)
			time.Sleep(fresh)
			s.takes, s.stays = time.Hour, 2*time.Second
			waiting := ask(t.Context(), c, s)
			other := &source{takes: time.Hour}
			lost := make(chan error, 1)
			go func() {
				_, err := c.Get(t.Context(), "other", other.fetch)
				lost <- err
			}()
			go c.Get(t.Context(), "late", func(ctx context.Context) (string, error) {
				<-ctx.Done()
				return "late", nil
			})
			synctest.Wait()
			go c.Close()
			c.Close()
			if !s.ended.Load() || !other.ended.Load() ||
				!time.Now().Equal(at(fresh+2*time.Second)) {
				t.Errorf("background %t: Close returned at %v, fetches ended: %t and %t",
					background, time.Now(), s.ended.Load(), other.ended.Load())
			}
			got := <-waiting
			d := cmp.Diff(stale("a", 0, cache.ErrClosed, fresh+2*time.Second), got.entry,
				cmpopts.EquateErrors())
			if d != "" || got.err != nil {
				t.Errorf("background %t: who waited got error %v and entry (-want +got):\n%s",
					background, got.err, d)
			}
			if err := <-lost; err != cache.ErrClosed {
				t.Errorf("background %t: who waited without an older value got error %v, want %v",
					background, err, cache.ErrClosed)
			}
			if _, err := c.Get(t.Context(), "key", s.fetch); err != cache.ErrClosed {
				t.Errorf("background %t: Get after Close: error %v, want %v", background, err,
					cache.ErrClosed)
			}
			if got := kept(c, "key", "other", "late"); len(got) > 0 {
				t.Errorf("background %t: Peek after Close still finds %q", background, got)
			}
		})
	}
}
