package redis

import (
	"context"
	_ "embed"
	"errors"
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
// begins with its first request, by the clock of Redis and exact over all of them. A bucket ends with its window. The
// times that Take returns are by the clock of this process. An error means that the Redis is down.
//
// Get, Set and Burst are not supported, and Close does nothing: the Store has another owner.
func (s *Store) Limit(tokens uint64, window time.Duration) limiter.Store {
	return &limit{store: s, tokens: tokens, window: window}
}

// limit is a [limiter.Store] whose buckets are in Redis alone.
type limit struct {
	store  *Store
	tokens uint64
	window time.Duration
}

// Take implements [limiter.Store].
func (l *limit) Take(ctx context.Context, key string) (tokens, remaining, reset uint64, ok bool, err error) {
	n, err := l.store.run(ctx, takeScript, 4, key, l.tokens, max(1, l.window.Milliseconds()))
	if err != nil {
		return 0, 0, 0, false, err
	}
	// The clock of Redis may differ: only the rest of the window is comparable.
	end := time.Now().Add(time.Duration(n[2]) * time.Millisecond)
	return uint64(n[0]), uint64(n[1]), uint64(end.UnixNano()), n[3] == 1, nil
}

// Get implements [limiter.Store].
func (l *limit) Get(context.Context, string) (tokens, remaining uint64, err error) {
	return 0, 0, errors.ErrUnsupported
}

// Set implements [limiter.Store].
func (l *limit) Set(context.Context, string, uint64, time.Duration) error {
	return errors.ErrUnsupported
}

// Burst implements [limiter.Store].
func (l *limit) Burst(context.Context, string, uint64) error { return errors.ErrUnsupported }

// Close implements [limiter.Store].
func (l *limit) Close(context.Context) error { return nil }
