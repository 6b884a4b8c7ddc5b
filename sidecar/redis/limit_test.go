package redis_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/test/redistest"
)

// TestLimitIsExact has four sidecars take tokens of one caller side by side.
func TestLimitIsExact(t *testing.T) {
	const tokens, sidecars, each = 100, 4, 100
	server := redistest.Start(t)
	var mu sync.Mutex
	taken := map[uint64]int{}
	var all sync.WaitGroup
	for range sidecars {
		s := open(t, server)
		for range each {
			all.Go(func() {
				b, err := s.Take(t.Context(), "caller", tokens, time.Minute)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if b.Taken {
					taken[b.Tokens]++
				}
			})
		}
	}
	all.Wait()
	if len(taken) != tokens {
		t.Errorf("%d tokens of %d were taken by %d requests", len(taken), tokens, sidecars*each)
	}
	for left, n := range taken {
		if n != 1 {
			t.Errorf("%d requests were told that %d are left", n, left)
		}
	}
}

// TestLimitEnds holds that every bucket goes with its window, a full one comes after it, and whatever else is
// under its key is none.
func TestLimitEnds(t *testing.T) {
	server := redistest.Start(t)
	s := open(t, server)
	take := func(want string) {
		t.Helper()
		b, err := s.Take(t.Context(), "k", 2, time.Minute)
		if got := fmt.Sprint(b.Tokens, b.Taken, err); got != want {
			t.Errorf("took %s, want %s", got, want)
		}
		if ttl, err := strconv.Atoi(server.Do("PTTL", "k")); err != nil || ttl <= 0 || ttl > 60_000 {
			t.Errorf("the bucket goes in %d ms, want within the minute", ttl)
		}
	}
	take("1 true <nil>")
	take("0 true <nil>")
	take("0 false <nil>")
	server.Do("SCRIPT", "FLUSH")
	take("0 false <nil>")
	server.Do("PEXPIRE", "k", "0")
	take("1 true <nil>")
	for _, broken := range [][]string{
		{"SET", "k", "garbage", "PX", "1000"},
		{"SET", "k", "2 0 60000"},                        // for ever
		{"SET", "k", "2 0 60000", "PX", "3600000"},       // longer than its window: the clock of Redis was set back
		{"SET", "k", "-2 0 60000", "PX", "1000"},         //
		{"SET", "k", "2 0 60000 and more", "PX", "1000"}, //
		{"LPUSH", "k", "2 0 60000"},
		{"HSET", "k", "a", "b"},
	} {
		server.Do("DEL", "k")
		server.Do(broken...)
		take("1 true <nil>")
	}
}
