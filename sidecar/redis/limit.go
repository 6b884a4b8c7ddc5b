package redis

import (
	"context"
	_ "embed"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/sethvargo/go-limiter"
)

var (
	//go:embed take.lua
	takeSource string
	takeScript = redis.NewScript(takeSource)
)

// Limit returns a [limiter.Store] that all sidecars on this Redis share: so many tokens under each key in a window that
// begins with its first request, by the clock of Redis and exact over all of them. A bucket ends with its window, and
// so do the changes of Set and Burst. The times that Take returns are by the clock of this process. An error means that
// the Redis is down, or that the limit is closed, which leaves the Redis open.
func (s *Store) Limit(tokens uint64, window time.Duration) limiter.Store {
	return &limit{store: s, tokens: tokens, window: window}
}

// limit is a [limiter.Store] whose buckets are in Redis alone.
type limit struct {
	store  *Store
	tokens uint64
	window time.Duration
	closed atomic.Bool
}

// Take implements [limiter.Store].
func (l *limit) Take(ctx context.Context, key string) (tokens, remaining, reset uint64, ok bool, err error) {
	b, err := l.act(ctx, "take", key, l.tokens, l.window, 0)
	if err != nil {
		return 0, 0, 0, false, err
	}
	// The clock of Redis may differ: only the rest of the window is comparable.
	return b.limit, b.left, uint64(time.Now().Add(b.rest).UnixNano()), b.taken, nil
}

// Get implements [limiter.Store]. There are no tokens under a key that was not used in its window.
func (l *limit) Get(ctx context.Context, key string) (tokens, remaining uint64, err error) {
	b, err := l.act(ctx, "get", key, l.tokens, l.window, 0)
	return b.limit, b.left, err
}

// Set implements [limiter.Store], for one window that begins now.
func (l *limit) Set(ctx context.Context, key string, tokens uint64, window time.Duration) error {
	_, err := l.act(ctx, "set", key, tokens, window, 0)
	return err
}

// Burst implements [limiter.Store].
func (l *limit) Burst(ctx context.Context, key string, tokens uint64) error {
	_, err := l.act(ctx, "burst", key, l.tokens, l.window, tokens)
	return err
}

// Close implements [limiter.Store].
func (l *limit) Close(context.Context) error {
	l.closed.Store(true)
	return nil
}

// bucket is the reply of the script.
type bucket struct {
	// limit is the number of tokens of a window, left those that are left of it.
	limit, left uint64
	// rest is the rest of the window.
	rest time.Duration
	// taken reports that the script took a token.
	taken bool
}

// act runs the script. more is the number of tokens that Burst adds.
func (l *limit) act(ctx context.Context, act, key string, tokens uint64, window time.Duration, more uint64) (bucket, error) {
	if l.closed.Load() {
		return bucket{}, limiter.ErrStopped
	}
	n, err := l.store.run(ctx, takeScript, 4, key, act, tokens, max(1, window.Milliseconds()), more)
	if err != nil {
		return bucket{}, err
	}
	return bucket{uint64(n[0]), uint64(n[1]), time.Duration(n[2]) * time.Millisecond, n[3] == 1}, nil
}
