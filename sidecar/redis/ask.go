package redis

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"
)

// maxRecord bounds a record, in bytes.
const maxRecord = 2 << 20

// Ping asks the Redis for nothing, so that [Store.Down] says whether it is there.
func (s *Store) Ping(ctx context.Context) {
	if q, err := s.begin(ctx); err == nil {
		_, err = q.do("PING")
		q.end(err)
	}
}

// Get returns the record under a key. There is none of more than 2 MiB, and none while the Redis is down. Check it fully:
// anybody with access to the Redis may have written it.
func (s *Store) Get(ctx context.Context, key string) (record []byte, ok bool) {
	q, err := s.begin(ctx)
	if err != nil {
		return nil, false
	}
	// GETRANGE bounds the reply, and has none for a key of another type.
	record, err = redis.Bytes(q.do("GETRANGE", key, 0, maxRecord))
	if hasCode(err, "WRONGTYPE") {
		err = nil
	}
	err = q.end(err)
	return record, err == nil && len(record) > 0 && len(record) <= maxRecord
}

// Set keeps a record for ttl in place of anything under the key, if the Redis is there. An empty record, or one of more
// than 2 MiB, is not kept.
func (s *Store) Set(ctx context.Context, key string, record []byte, ttl time.Duration) {
	s.set(ctx, key, record, ttl)
}

// Add is [Store.Set] for a key under which there is nothing.
func (s *Store) Add(ctx context.Context, key string, record []byte, ttl time.Duration) {
	s.set(ctx, key, record, ttl, "NX")
}

// set is SET with more options.
func (s *Store) set(ctx context.Context, key string, record []byte, ttl time.Duration, options ...any) {
	if len(record) == 0 || len(record) > maxRecord || ttl <= 0 {
		return
	}
	q, err := s.begin(ctx)
	if err != nil {
		return
	}
	args := []any{key, record, "PX", max(1, ttl.Milliseconds())}
	_, err = redis.String(q.do("SET", append(args, options...)...))
	if errors.Is(err, redis.ErrNil) { // there was a record
		err = nil
	}
	q.end(err)
}

var (
	//go:embed take.lua
	takeSource string
	takeScript = redis.NewScript(1, takeSource)
)

// Bucket is what is left of a limit under one key.
type Bucket struct {
	// Tokens are left.
	Tokens uint64
	// Window is the time to the end of the window.
	Window time.Duration
	// Taken says that there was a token to take.
	Taken bool
}

// Take takes a token under a key, of so many in a window that begins with the first one, by the clock of Redis and exact
// over all sidecars. The bucket ends with its window. An error means that the Redis is down.
func (s *Store) Take(ctx context.Context, key string, tokens int, window time.Duration) (Bucket, error) {
	q, err := s.begin(ctx)
	if err != nil {
		return Bucket{}, err
	}
	// A window of less than a millisecond would never end in Redis.
	rest := max(1, window.Milliseconds())
	reply, err := redis.Int64s(takeScript.DoContext(q.ctx, q.conn, key, tokens, rest))
	const most = 1 << 40 // as milliseconds it fits into a time.Duration
	if err == nil && (len(reply) != 3 || slices.Min(reply) < 0 || slices.Max(reply) > most) {
		err = errReply
	}
	if err := q.end(err); err != nil {
		return Bucket{}, err
	}
	return Bucket{uint64(reply[0]), time.Duration(reply[1]) * time.Millisecond, reply[2] == 1}, nil
}
