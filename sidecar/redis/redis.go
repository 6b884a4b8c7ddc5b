// Package redis stores records and request counts in the one Redis that several sidecars share. It
// does not know whose the records are or what they mean.
//
// If Redis is down, each sidecar works on its own: a request fails within its timeout, and all
// requests of the next second fail at once. The operator runs the Redis, so its answers are
// trusted.
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
	// rest is how long a failed Redis is not asked.
	rest = time.Second
	// maxConnections bounds the connections. Further callers wait for one of them.
	maxConnections = 32
	// maxIdle is the idle time after which a connection is closed. testIdle is the idle time after
	// which it is tested before use.
	maxIdle, testIdle = 30 * time.Second, time.Second
)

var errDown = errors.New("redis is down")

// Key returns a key that several processes share. It is short, and differs if the site's base
// address, the kind or any part differs. Keys of one site share a prefix, and so do keys of one
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

// Config configures a [Store].
type Config struct {
	// Timeout bounds each request, including the connection. Zero means 200 ms.
	Timeout time.Duration
	// Log gets one line when Redis goes down and one when it is back, without its address. Nil
	// discards them.
	Log *slog.Logger
	// Now is the clock that times the retry of a failed Redis and the test of an idle connection.
	// Nil means time.Now.
	Now func() time.Time
}

// Store is a Redis. It is safe for concurrent use. It connects at the first request, and does
// nothing between requests. The caller closes it.
type Store struct {
	config Config
	pool   *redis.Pool

	mu      sync.Mutex
	closed  bool
	down    bool      // the last request failed
	retryAt time.Time // while down: when to ask again
}

// Open returns the Redis at an address in the form of REDIS_URL, without connecting. The error
// repeats no part of the address, since any part may be a password.
func Open(address string, c Config) (*Store, error) {
	c.Timeout, c.Log = cmp.Or(c.Timeout, timing.Redis), cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	// The library parses an address only to dial it.
	errRead := errors.New("the address can be read")
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, errRead }
	if _, err := redis.DialURL(address, redis.DialContextFunc(dial)); !errors.Is(err, errRead) {
		return nil, errors.New("want redis://HOST:6379, or rediss://HOST:6379 for TLS, with " +
			"USER:PASSWORD@ before the host and /N after it for the database N if need be; a " +
			"character such as # in the password is written as %XX")
	}
	s := &Store{config: c}
	s.pool = &redis.Pool{
		DialContext: func(ctx context.Context) (redis.Conn, error) {
			return redis.DialURLContext(ctx, address, redis.DialTLSHandshakeTimeout(c.Timeout))
		},
		TestOnBorrowContext: s.test,
		MaxIdle:             maxConnections, MaxActive: maxConnections, Wait: true,
		IdleTimeout: maxIdle,
	}
	return s, nil
}

// test checks that the server still has a connection that was idle.
func (s *Store) test(ctx context.Context, c redis.Conn, last time.Time) error {
	// Use wall time: the monotonic clock stops while a function is frozen.
	if idle := s.config.Now().Round(0).Sub(last); 0 <= idle && idle < testIdle {
		return nil
	}
	_, err := redis.DoContext(c, ctx, "PING")
	return err
}

// Down reports whether the last request failed. It makes no request.
func (s *Store) Down() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// Close closes the connections. Later requests return an error.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.pool.Close()
}

// Ping makes an empty request, so that [Store.Down] is up to date.
func (s *Store) Ping(ctx context.Context) { s.do(ctx, "PING") }

// Get returns the record under a key. ok is false if there is none or Redis is down. The caller
// must check the record fully: anybody with access to Redis may have written it.
func (s *Store) Get(ctx context.Context, key string) (record []byte, ok bool) {
	record, err := redis.Bytes(s.do(ctx, "GET", key))
	return record, err == nil && len(record) > 0
}

// Set stores a record for ttl and replaces any value under the key. It does nothing if Redis is
// down or the record is empty.
func (s *Store) Set(ctx context.Context, key string, record []byte, ttl time.Duration) {
	if len(record) > 0 && ttl > 0 {
		s.do(ctx, "SET", key, record, "PX", max(1, ttl.Milliseconds()))
	}
}

// Add is [Store.Set] for a key without a value: it replaces nothing.
func (s *Store) Add(ctx context.Context, key string, record []byte, ttl time.Duration) {
	if len(record) > 0 && ttl > 0 {
		s.do(ctx, "SET", key, record, "PX", max(1, ttl.Milliseconds()), "NX")
	}
}

// count counts in a window of ARGV[1] milliseconds that begins with the first request, by the clock
// of Redis. It replaces any other value under the key, such as a count without expiry.
const count = `
local n, rest, window = redis.pcall('INCR', KEYS[1]), redis.call('PTTL', KEYS[1]), tonumber(ARGV[1])
if type(n) == 'table' or rest < 0 or rest > window then
  redis.call('SET', KEYS[1], 1, 'PX', window)
  return {1, window}
end
return {n, rest}`

// Count counts a request under a key. It returns the number of requests in the window that began
// with the first one, exact over all sidecars, and the time until the window ends. An error means
// that Redis is down.
func (s *Store) Count(
	ctx context.Context, key string, window time.Duration,
) (requests int64, left time.Duration, err error) {
	reply, err := redis.Int64s(s.do(ctx, "EVAL", count, 1, key, window.Milliseconds()))
	if err != nil || len(reply) < 2 {
		return 0, 0, cmp.Or(err, errDown)
	}
	return reply[0], time.Duration(reply[1]) * time.Millisecond, nil
}

// do makes a request within the timeout. The error is errDown, the error of ctx, or one of the
// library.
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

// begin returns an error if no request may be made. While Redis is down one a second is made.
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

// end updates down from the error of a request. A canceled caller does not mark Redis as down, and
// neither does a key of another type.
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

// reason returns why Redis is down, without an address: errors of the library may contain it. For
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
