package cache_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mipwatch/mipwatch/sidecar/cache"
)

// Lifetimes of the caches in these tests.
const (
	fresh   = 10 * time.Second
	keep    = time.Hour
	timeout = 8 * time.Second
)

var (
	errDown = errors.New("down") // lasts 30 s
	errSoft = errors.New("soft") // does not last
	errGone = errors.New("gone") // lasts a minute
)

// config is the configuration of most tests.
func config() cache.Config[string] {
	return cache.Config[string]{
		Fresh: fresh, Keep: keep, Timeout: timeout, Entries: 100,
		Retry: func(err error) time.Duration {
			return map[error]time.Duration{errDown: 30 * time.Second, errGone: time.Minute}[err]
		},
		Gone: func(err error) bool { return err == errGone },
	}
}

// source is a scripted fetch that counts its calls.
type source struct {
	calls atomic.Int32
	value string
	err   error
	takes time.Duration
	stays time.Duration // how long it runs after its context has ended
	ended atomic.Bool
}

func (s *source) fetch(ctx context.Context) (string, error) {
	s.calls.Add(1)
	s.ended.Store(false)
	defer s.ended.Store(true)
	select {
	case <-time.After(s.takes):
		return s.value, s.err
	case <-ctx.Done():
		time.Sleep(s.stays)
		return "", ctx.Err()
	}
}

// at returns the time d after the start of a bubble.
func at(d time.Duration) time.Time {
	return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d)
}

// step is one Get: its time, the source's result, and the expected answer.
type step struct {
	at    time.Duration
	value string
	err   error
	want  cache.Entry[string]
	fails error // of Get
	calls int   // of fetch so far
}

// run performs the steps in order. The cache's clock is set to each step's time.
func run(t *testing.T, c cache.Config[string], steps []step) {
	t.Helper()
	var now time.Time
	c.Now = func() time.Time { return now }
	s := &source{}
	cached := cache.New[string](c)
	defer cached.Close()
	for i, st := range steps {
		now, s.value, s.err = at(st.at), st.value, st.err
		got, err := cached.Get(t.Context(), "key", s.fetch)
		if err != st.fails || int(s.calls.Load()) != st.calls {
			t.Errorf("step %d at %v: error %v after %d calls, want %v after %d", i, st.at, err,
				s.calls.Load(), st.fails, st.calls)
		}
		if d := cmp.Diff(st.want, got, cmpopts.EquateErrors()); d != "" {
			t.Errorf("step %d at %v: entry (-want +got):\n%s", i, st.at, d)
		}
		peeked, ok := cached.Peek("key")
		if ok != (err == nil) {
			t.Errorf("step %d at %v: Peek after it says %t", i, st.at, ok)
		}
		if d := cmp.Diff(got, peeked, cmpopts.EquateErrors()); d != "" && st.want.Next.After(now) {
			t.Errorf("step %d at %v: what Peek says after it (-got +peeked):\n%s", i, st.at, d)
		}
	}
}

// value returns the entry of a fresh value fetched at a time.
func value(v string, d time.Duration) cache.Entry[string] {
	return cache.Entry[string]{Value: v, At: at(d), Next: at(d + fresh)}
}

// stale returns the entry of an older value that could not be renewed.
func stale(v string, d time.Duration, err error, next time.Duration) cache.Entry[string] {
	return cache.Entry[string]{Value: v, At: at(d), Stale: true, Err: err, Next: at(next)}
}

// failure returns the entry without a value.
func failure(err error, next time.Duration) cache.Entry[string] {
	return cache.Entry[string]{Err: err, Next: at(next)}
}

func TestFreshness(t *testing.T) {
	const s, m, h = time.Second, time.Minute, time.Hour
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"fresh until it is as old as Fresh", []step{
			{0, "a", nil, value("a", 0), nil, 1},
			{fresh - 1, "b", nil, value("a", 0), nil, 1},
			{fresh, "b", nil, value("b", fresh), nil, 2}}},
		{"stale on error below Keep", []step{
			{0, "a", nil, value("a", 0), nil, 1},
			{fresh, "", errSoft, stale("a", 0, errSoft, fresh), nil, 2},
			{keep - 1, "", errSoft, stale("a", 0, errSoft, keep-1), nil, 3},
			{keep, "", errSoft, failure(errSoft, keep), errSoft, 4},
			{keep + 1, "b", nil, value("b", keep+1), nil, 5}}},
		{"a failure stands for Retry", []step{
			{0, "", errDown, failure(errDown, 30*s), errDown, 1},
			{30*s - 1, "a", nil, failure(errDown, 30*s), errDown, 1},
			{30 * s, "a", nil, value("a", 30*s), nil, 2}}},
		{"a failure beside an older value", []step{
			{0, "a", nil, value("a", 0), nil, 1},
			{20 * s, "", errDown, stale("a", 0, errDown, 50*s), nil, 2},
			{50*s - 1, "b", nil, stale("a", 0, errDown, 50*s), nil, 2},
			{50 * s, "", errSoft, stale("a", 0, errSoft, 50*s), nil, 3},
			{51 * s, "b", nil, value("b", 51*s), nil, 4}}},
		{"the older value reaches Keep while a failure stands", []step{
			{0, "a", nil, value("a", 0), nil, 1},
			{h - s, "", errDown, stale("a", 0, errDown, h), nil, 2},
			{h, "b", nil, failure(errDown, h+29*s), errDown, 2}}},
		{"gone drops the older value", []step{
			{0, "a", nil, value("a", 0), nil, 1},
			{20 * s, "", errGone, failure(errGone, 80*s), errGone, 2},
			{79 * s, "", errDown, failure(errGone, 80*s), errGone, 2},
			{80 * s, "", errSoft, failure(errSoft, 80*s), errSoft, 3}}},
		{"the clock is set back by less than Fresh", []step{
			{m, "a", nil, value("a", m), nil, 1},
			{m - 9*s, "b", nil,
				cache.Entry[string]{Value: "a", At: at(m - 9*s), Next: at(m + fresh)}, nil, 1},
			{m + fresh, "b", nil, value("b", m+fresh), nil, 2}}},
		{"the clock is set back by more than Fresh", []step{
			{m, "a", nil, value("a", m), nil, 1},
			{m - 11*s, "", errSoft, stale("a", m-11*s, errSoft, m-11*s), nil, 2},
			{m - 11*s, "b", nil, value("b", m-11*s), nil, 3}}},
		{"the clock is set back by more than Keep", []step{
			{2 * h, "a", nil, value("a", 2*h), nil, 1},
			{h - 1, "", errSoft, failure(errSoft, h-1), errSoft, 2}}},
		{"the clock is set back while a failure stands", []step{
			{m, "", errDown, failure(errDown, m+30*s), errDown, 1},
			{m - 30*s, "a", nil, failure(errDown, m+30*s), errDown, 1},
			{m - 31*s, "a", nil, value("a", m-31*s), nil, 2}}},
		{"the clock is set forward by a century, and back", []step{
			{0, "a", nil, value("a", 0), nil, 1},
			{100 * 365 * 24 * h, "b", nil, value("b", 100*365*24*h), nil, 2},
			{s, "", errSoft, failure(errSoft, s), errSoft, 3},
			{2 * s, "c", nil, value("c", 2*s), nil, 4}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { run(t, config(), c.steps) })
		})
	}
}

// TestWallClock: a monotonic clock reading, which stands still in a frozen process, would make ages
// wrong.
func TestWallClock(t *testing.T) {
	// A bubble's clock has no monotonic reading.
	c := cache.New[string](config())
	defer c.Close()
	e, err := c.Get(t.Context(), "key", (&source{}).fetch)
	if err != nil || e.At != e.At.Round(0) {
		t.Errorf("fetched at %v, error %v; want wall time only", e.At, err)
	}
}

// TestKeepNothing checks that without Keep, Retry and Gone there is no stale value and no failure
// lasts.
func TestKeepNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run(t, cache.Config[string]{Fresh: fresh, Timeout: timeout, Entries: 1}, []step{
			{0, "", errDown, failure(errDown, 0), errDown, 1},
			{0, "a", nil, value("a", 0), nil, 2},
			{fresh, "", errDown, failure(errDown, fresh), errDown, 3},
			{fresh, "", errGone, failure(errGone, fresh), errGone, 4},
		})
	})
}

// TestUntil covers values that are fresh for less than Fresh, and never for more.
func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config()
		c.Keep = 0
		c.Until = func(v string) time.Time {
			d, err := time.ParseDuration(v)
			if err != nil {
				t.Error(err)
			}
			return at(d)
		}
		until := func(v string, d, next time.Duration) cache.Entry[string] {
			return cache.Entry[string]{Value: v, At: at(d), Next: at(next)}
		}
		run(t, c, []step{
			{0, "2s", nil, until("2s", 0, 2*time.Second), nil, 1},
			{2*time.Second - 1, "1h", nil, until("2s", 0, 2*time.Second), nil, 1},
			{2 * time.Second, "1h", nil, until("1h", 2*time.Second, 2*time.Second+fresh), nil, 2},
			{2*time.Second + fresh, "", errSoft, failure(errSoft, 2*time.Second+fresh), errSoft, 3},
		})
	})
}

// TestClear checks that a cache drops its values.
func TestClear(t *testing.T) {
	c := cache.New[string](config())
	defer c.Close()
	s := &source{value: "a"}
	for range 2 {
		if e, err := c.Get(t.Context(), "key", s.fetch); e.Value != "a" || err != nil {
			t.Errorf("%+v, %v", e, err)
		}
		c.Clear()
	}
	if _, ok := c.Peek("key"); ok || s.calls.Load() != 2 {
		t.Errorf("%d fetches, kept %t; want two, and nothing kept", s.calls.Load(), ok)
	}
}
