// Package redis asks the one Redis that several sidecars share, for records by key and for what is left of a limit. It
// does not know whose the records are or what they mean.
//
// If the Redis is down, each sidecar works on its own: a question fails within its timeout, and those of the next second
// fail at once.
package redis

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
	// maxIdle is how long a connection may be idle before it is closed, and testIdle before it is tested.
	maxIdle, testIdle = 30 * time.Second, time.Second
)

// The errors of a question. They hold no address, and of an error reply only its code, since a server may be anything
// that listens there.
var (
	errDown       = errors.New("redis is down")
	errTimeout    = errors.New("no answer in time")
	errConnection = errors.New("no connection")
	errTrust      = errors.New("its certificate is not trusted")
	errReply      = errors.New("an answer that makes no sense")
)

// Key is a key for what several processes share: short, and different whenever the site's base address, the kind or one
// of the parts differ. Keys of one site begin alike, and so do those of a kind.
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
	// Log gets one line when the Redis goes down and one when it is back, without its address. Nil discards them.
	Log *slog.Logger
	// Now is the clock by which a Redis that failed is asked again, and an idle connection tested. Nil means time.Now.
	Now func() time.Time
}

// Store is a Redis. It is safe for concurrent use. It has no connection until the first question, and does nothing
// between questions. The caller closes it.
type Store struct {
	config  Config
	address *Address

	mu      sync.Mutex
	pool    *redis.Pool
	closed  bool
	down    bool      // the last question failed
	probing bool      // while down: a question is under way that finds out
	retryAt time.Time // while down: when to ask again
}

// Open returns the Redis at an address, without connecting.
func Open(a *Address, c Config) *Store {
	c.Timeout, c.Log = cmp.Or(c.Timeout, timing.Redis), cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Store{config: c, address: a}
	s.pool = s.newPool()
	return s
}

// newPool returns a pool without connections. It makes and tests them when it is asked for one.
func (s *Store) newPool() *redis.Pool {
	return &redis.Pool{
		DialContext: s.connect, TestOnBorrowContext: s.test,
		MaxIdle: maxConnections, MaxActive: maxConnections, Wait: true, IdleTimeout: maxIdle,
	}
}

// connect makes a connection.
func (s *Store) connect(ctx context.Context) (redis.Conn, error) {
	a := s.address
	return redis.DialContext(ctx, "tcp", a.host, redis.DialContextFunc(s.dial),
		redis.DialUsername(a.username), redis.DialPassword(a.password), redis.DialDatabase(a.database))
}

// dial connects to a host. The library's own TLS has a timeout in place of a context.
func (s *Store) dial(ctx context.Context, network, host string) (c net.Conn, err error) {
	if s.address.tls {
		c, err = new(tls.Dialer).DialContext(ctx, network, host)
	} else {
		c, err = new(net.Dialer).DialContext(ctx, network, host)
	}
	if err != nil {
		return nil, err
	}
	return &boundedConn{Conn: c}, nil
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

// question is one question under way. All of its commands go by one connection.
type question struct {
	store  *Store
	caller context.Context
	ctx    context.Context // the caller's, within the timeout
	cancel context.CancelFunc
	pool   *redis.Pool
	conn   redis.Conn
	probe  bool // the question decides whether the Redis is still down
}

// begin begins a question, which the caller ends, unless the Redis is down. The error is errDown or that of ctx.
func (s *Store) begin(ctx context.Context) (*question, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.closed || s.down && (s.probing || s.retryAt.Sub(s.config.Now()) > 0) {
		s.mu.Unlock()
		return nil, errDown
	}
	s.probing = s.down
	q := &question{store: s, caller: ctx, pool: s.pool, probe: s.down}
	s.mu.Unlock()
	q.ctx, q.cancel = context.WithTimeout(ctx, s.config.Timeout)
	// Without a connection the first command has the error.
	q.conn, _ = q.pool.GetContext(q.ctx)
	return q, nil
}

// do sends a command and returns its reply.
func (q *question) do(command string, args ...any) (any, error) {
	return redis.DoContext(q.conn, q.ctx, command, args...)
}

// end takes the error of a question's commands, and returns the one for the caller: one of this file's, or that of his
// context. A caller that leaves says nothing of the Redis, and neither does a question after Close.
func (q *question) end(err error) error {
	q.conn.Close()
	q.cancel()
	s := q.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.probe {
		s.probing = false
	}
	switch {
	case err == nil:
		// An answer to a question from before the failure says nothing of the present.
		if q.probe {
			s.down = false
			s.config.Log.Info("redis is back")
		}
		return nil
	case q.caller.Err() != nil:
		return q.caller.Err()
	case s.closed || s.pool != q.pool:
		return errDown
	}
	// Close all connections: each may be one that the server has forgotten.
	s.pool.Close()
	s.pool = s.newPool()
	err = reason(err)
	if !s.down {
		s.down = true
		s.config.Log.Warn("redis is down", "error", err.Error())
	}
	s.retryAt = s.config.Now().Add(rest)
	return err
}

// hasCode reports whether an error is an error reply with a code.
func hasCode(err error, code string) bool {
	reply, ok := errors.AsType[redis.Error](err)
	return ok && strings.HasPrefix(string(reply), code+" ")
}

// reason is the error of this file for one of the library, whose text can hold the address. For an error reply it names
// only the code, such as OOM or NOAUTH: the rest can hold anything.
func reason(err error) error {
	const longest = 16 // MASTERDOWN, CROSSSLOT
	if reply, ok := errors.AsType[redis.Error](err); ok {
		code, _, _ := strings.Cut(string(reply), " ")
		if code != "" && len(code) <= longest && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			return errors.New("it answers " + code)
		}
		return errReply
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return errTrust
	}
	network, ok := errors.AsType[net.Error](err)
	switch {
	case ok && network.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return errTimeout
	case ok, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errConnection
	}
	return errReply
}
