package redis

import (
	"context"
	_ "embed"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed take.lua
	takeSource string
	takeScript = redis.NewScript(takeSource)
)

// Limit is a limit that all sidecars on one Redis share. It is safe for concurrent use.
type Limit struct {
	store  *Store
	tokens uint64
	window time.Duration
}

// Limit returns a limit of so many tokens under each key in a window that begins with its first request, by the clock of
// Redis and exact over all sidecars. A bucket ends with its window.
func (s *Store) Limit(tokens uint64, window time.Duration) *Limit {
	return &Limit{store: s, tokens: tokens, window: window}
}

// Take takes a token of a key, if there is one. left is the time to the end of the window. An error means that the Redis
// is down.
func (l *Limit) Take(ctx context.Context, key string) (remaining uint64, left time.Duration, ok bool, err error) {
	n, err := l.store.run(ctx, takeScript, 4, key, l.tokens, max(1, l.window.Milliseconds()))
	if err != nil {
		return 0, 0, false, err
	}
	return uint64(n[1]), time.Duration(n[2]) * time.Millisecond, n[3] == 1, nil
}
