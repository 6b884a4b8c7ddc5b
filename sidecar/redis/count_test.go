package redis_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/test/redistest"
)

// TestCountIsExact counts requests of one caller by four sidecars at once.
func TestCountIsExact(t *testing.T) {
	const sidecars, each = 4, 100
	server := redistest.Start(t)
	var mu sync.Mutex
	counted := map[int64]int{}
	var all sync.WaitGroup
	for range sidecars {
		s := open(t, server)
		for range each {
			all.Go(func() {
				n, _, err := s.Count(t.Context(), "caller", time.Minute)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				counted[n]++
			})
		}
	}
	all.Wait()
	for n := range int64(sidecars * each) {
		if counted[n+1] != 1 {
			t.Errorf("%d requests are told to be number %d", counted[n+1], n+1)
		}
	}
}

// TestCountEnds checks that each count expires with its window, and that other values under its key
// are replaced.
func TestCountEnds(t *testing.T) {
	server := redistest.Start(t)
	s := open(t, server)
	count := func(want int64) {
		t.Helper()
		n, left, err := s.Count(t.Context(), "k", time.Minute)
		if n != want || left <= 0 || left > time.Minute || err != nil {
			t.Errorf("counted %d, %s left, %v; want %d", n, left, err, want)
		}
		if ttl, err := strconv.Atoi(server.Do("PTTL", "k")); err != nil || ttl <= 0 ||
			ttl > 60_000 {
			t.Errorf("the count goes in %d ms, want within the minute", ttl)
		}
	}
	count(1)
	count(2)
	server.Do("SCRIPT", "FLUSH")
	count(3)
	server.Do("PEXPIRE", "k", "0")
	count(1)
	for _, broken := range [][]string{
		{"SET", "k", "garbage", "PX", "1000"},
		{"SET", "k", "7"}, // no expiry
		// longer than the window: the clock of Redis was set back
		{"SET", "k", "7", "PX", "3600000"},
		{"SET", "k", fmt.Sprint(uint64(1<<63 - 1)), "PX", "1000"},
		{"LPUSH", "k", "7"},
		{"HSET", "k", "a", "b"},
	} {
		server.Do("DEL", "k")
		server.Do(broken...)
		count(1)
	}
	if s.Down() {
		t.Error("the Redis is said to be down")
	}
}
