// Package redis asks the one Redis that several sidecars share, for records by key and for counts
// of requests. It does not know whose the records are or what they mean.
//
// If the Redis is down, each sidecar works on its own: a question fails within its timeout, and
// those of the next second fail at once. The Redis is the operator's own, and its answers are as
// trusted as he is.
package redis

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	// rest is how long a Redis that failed is not asked.
	rest = time.Second
	// maxConnections bounds the connections. More callers wait for one of them.
	maxConnections = 32
	// maxIdle is how long a connection may be idle before it is closed, and testIdle before it is
	// tested.
	maxIdle, testIdle = 30 * time.Second, time.Second
)

var errDown = errors.New("redis is down")

// Key is a key for what several processes share: short, and different whenever the site's base
// address, the kind or one of the parts differ. Keys of one site begin alike, and so do those of a
// kind.
func Key(site, kind string, parts ...string) string {
	const siteDigits, digits = 12, 32
	hash := func(texts ...string) string {
		h := sha256.New()
		for _, t := range texts {
			fmt.Fprintf(h, "%d:%s", len(t), t)
		}
		return hex.EncodeToString(h.Sum(nil))
	}
	// The number is the version of the format.
	return "mipwatch:1:" + hash(site)[:siteDigits] + ":" + kind + ":" + hash(parts...)[:digits]
}

// Config says how a Redis is asked.
type Config struct {
	// Timeout bounds each question, connecting included. Zero means 200 ms.
	Timeout time.Duration
	// Log gets one line when the Redis goes down and one when it is back, without its address. Nil
	// discards them.
	Log *slog.Logger
	// Now is the clock by which a Redis that failed is asked again, and an idle connection tested.
	// Nil means time.Now.
	Now func() time.Time
}

// Store is a Redis. It is safe for concurrent use. It has no connection until the first question,
// and does nothing between questions. The caller closes it.
type Store struct {
	config Config
	pool   *redis.Pool

	mu      sync.Mutex
	closed  bool
	down    bool      // the last question failed
	retryAt time.Time // while down: when to ask again
}

// Open returns the Redis at an address such as REDIS_URL has, without connecting. The error says
// what is wanted and repeats no part of the address, since any may be a password.
func Open(address string, c Config) (*Store, error) {
	c.Timeout, c.Log = cmp.Or(c.Timeout, timing.Redis), cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	// The library reads an address only to dial it.
	errRead := errors.New("the address can be read")
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, errRead }
	if _, err := redis.DialURL(address, redis.DialContextFunc(dial)); !errors.Is(err, errRead) {
		return nil, errors.New("want redis://HOST:6379, or rediss://HOST:6379 for TLS, with USER:PASSWORD@ before the " +
			"host and /N after it for the database N if need be; a character such as # in the password is written as %XX")
	}
	s := &Store{config: c}
	s.pool = &redis.Pool{
		DialContext: func(ctx context.Context) (redis.Conn, error) {
			return redis.DialURLContext(ctx, address, redis.DialTLSHandshakeTimeout(c.Timeout))
		},
		TestOnBorrowContext: s.test,
		MaxIdle:             maxConnections, MaxActive: maxConnections, Wait: true, IdleTimeout: maxIdle,
	}
	return s, nil
}

// test asks a connection that was idle for a while whether the server still has it.
func (s *Store) test(ctx context.Context, c redis.Conn, last time.Time) error {
	// Use wall time: the monotonic clock stops while a function is frozen.
	if idle := s.config.Now().Round(0).Sub(last); 0 <= idle && idle < testIdle {
		return nil
	}
	_, err := redis.DoContext(c, ctx, "PING")
	return err
}

// Down reports whether the Redis failed when it was asked last. It asks nobody.
func (s *Store) Down() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// Close closes the connections. Questions after it get an error.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.pool.Close()
}

// Ping asks the Redis for nothing, so that [Store.Down] says whether it is there.
func (s *Store) Ping(ctx context.Context) { s.do(ctx, "PING") }

// Get returns the record under a key. There is none while the Redis is down. Check it fully:
// anybody with access to the Redis may have written it.
func (s *Store) Get(ctx context.Context, key string) (record []byte, ok bool) {
	record, err := redis.Bytes(s.do(ctx, "GET", key))
	return record, err == nil && len(record) > 0
}

// Set keeps a record for ttl in place of anything under the key, if the Redis is there. An empty
// record is not kept.
func (s *Store) Set(ctx context.Context, key string, record []byte, ttl time.Duration) {
	if len(record) > 0 && ttl > 0 {
		s.do(ctx, "SET", key, record, "PX", max(1, ttl.Milliseconds()))
	}
}

// Add is [Store.Set] for a key under which there is nothing.
func (s *Store) Add(ctx context.Context, key string, record []byte, ttl time.Duration) {
	if len(record) > 0 && ttl > 0 {
		s.do(ctx, "SET", key, record, "PX", max(1, ttl.Milliseconds()), "NX")
	}
}

// count counts in a window of ARGV[1] milliseconds that begins with the first request, by the clock
// of Redis. Whatever else is under the key, such as a count for ever, is replaced.
const count = `
local n, rest, window = redis.pcall('INCR', KEYS[1]), redis.call('PTTL', KEYS[1]), tonumber(ARGV[1])
if type(n) == 'table' or rest < 0 or rest > window then
  redis.call('SET', KEYS[1], 1, 'PX', window)
  return {1, window}
end
return {n, rest}`

// Count counts a request under a key. It returns how many there were in the window that began with
// the first one, exact over all sidecars, and the time to the end of the window. An error means
// that the Redis is down.
func (s *Store) Count(
	ctx context.Context, key string, window time.Duration,
) (requests int64, left time.Duration, err error) {
	reply, err := redis.Int64s(s.do(ctx, "EVAL", count, 1, key, window.Milliseconds()))
	if err != nil || len(reply) < 2 {
		return 0, 0, cmp.Or(err, errDown)
	}
	return reply[0], time.Duration(reply[1]) * time.Millisecond, nil
}

// do asks a question within the timeout. The error is errDown, that of ctx, or one of the library.
func (s *Store) do(ctx context.Context, command string, args ...any) (any, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	c, err := s.pool.GetContext(within)
	if err != nil {
		return nil, s.end(ctx, err)
	}
	defer c.Close()
	reply, err := redis.DoContext(c, within, command, args...)
	return reply, s.end(ctx, err)
}

// begin returns an error for a question that is not asked. While the Redis is down there is one a
// second.
func (s *Store) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.config.Now()
	if s.closed || s.down && now.Before(s.retryAt) {
		return errDown
	}
	s.retryAt = now.Add(rest)
	return nil
}

// end notes whether the Redis is down by the error of a question. A caller that leaves does not
// mark it as down, and neither does a key of another type.
func (s *Store) end(caller context.Context, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	reply, _ := errors.AsType[redis.Error](err)
	fails := err != nil && !strings.HasPrefix(string(reply), "WRONGTYPE")
	if fails && caller.Err() != nil {
		return caller.Err()
	}
	if s.closed {
		return err
	}
	if fails {
		s.retryAt = s.config.Now().Add(rest)
	}
	switch {
	case fails && !s.down:
		s.config.Log.Warn("redis is down", "error", reason(err))
	case !fails && s.down:
		s.config.Log.Info("redis is back")
	}
	s.down = fails
	return err
}

// reason says why a Redis is down without an address, which the errors of the library may hold. For
// an error reply it is the code, such as OOM or NOAUTH.
func reason(err error) string {
	if reply, ok := errors.AsType[redis.Error](err); ok {
		code, _, _ := strings.Cut(string(reply), " ")
		return fmt.Sprintf("it answers %.16s", code)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is not trusted"
	}
	network, ok := errors.AsType[net.Error](err)
	if ok && network.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return "no connection to a Redis"
}
