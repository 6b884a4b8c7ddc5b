// Package redis is the Redis that several sidecars share: it counts requests against limits, and keeps records that
// one process fetches for all. It does not know what the records are or whose. A Redis that fails is no failure of
// anything else: each sidecar then goes on by itself.
package redis

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	// prefix begins every key. The number is that of the form in which things are kept.
	prefix = "mipwatch:1:"
	// maxRecord bounds what is written and read under one key, in bytes.
	maxRecord = 2 << 20

	// openFor is how long nobody asks a Redis that failed.
	openFor = time.Second

	connections = 32 // at a time; more wait for one of them
	// idleMost is how long a connection may have lain idle before it is not trusted any more.
	idleMost = 30 * time.Second
)

// Config says how a Redis is asked.
type Config struct {
	// Timeout bounds each question, connecting included. Zero means 200 ms.
	Timeout time.Duration
	// Log gets a line when the Redis goes down and one when it is back, without its address. Nil discards them.
	Log *slog.Logger
	// Now is the wall clock. Nil means time.Now.
	Now func() time.Time
}

// Store is a Redis. It is safe for concurrent use. It has no connection until it is asked, and does nothing
// between questions. Its owner calls Close.
type Store struct {
	config  Config
	options redis.Options
	breaker breaker

	mu     sync.Mutex
	client *redis.Client // nil until the next question makes it
	closed bool
}

// Open returns the Redis at an address, without connecting.
func Open(a *Address, c Config) *Store {
	c.Timeout = cmp.Or(c.Timeout, timing.Redis)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	// The library would write addresses on standard error. It has one log for the whole process.
	redis.SetLogger(silent{})
	o := a.options
	o.Protocol = 2 // no server speaks first
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	o.MaxRetries, o.DialerRetries = -1, 1 // the breaker decides who asks again, and when
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = c.Timeout, c.Timeout, c.Timeout, c.Timeout
	o.ContextTimeoutEnabled = true
	o.PoolSize, o.MinIdleConns, o.PipelinePoolSize = connections, 0, -1
	o.ConnMaxIdleTime = idleMost
	o.Dialer = dialer(o)
	return &Store{config: c, options: o}
}

// silent is the log of the library.
type silent struct{}

// Printf does nothing.
func (silent) Printf(context.Context, string, ...any) {}

// Down reports whether the Redis failed when it was asked last.
func (s *Store) Down() bool { return s.breaker.isDown() }

// Close closes the connections. Questions after it get an error.
func (s *Store) Close() error {
	s.mu.Lock()
	client := s.client
	s.client, s.closed = nil, true
	s.mu.Unlock()
	if client == nil || client.Close() == nil {
		return nil
	}
	return errClose
}

// The errors of a question hold no address and no word of the server's but the code of an error reply.
var (
	errDown       = errors.New("redis is away")
	errClosed     = errors.New("redis is closed")
	errClose      = errors.New("redis: a connection was not closed well")
	errTimeout    = errors.New("no answer in time")
	errConnection = errors.New("no connection")
	errTrust      = errors.New("its certificate is not trusted")
	errReply      = errors.New("an answer that makes no sense")
)

// run runs a script with one key and returns the numbers of its reply.
func (s *Store) run(ctx context.Context, script *redis.Script, key string, args ...any) ([]any, error) {
	return ask(ctx, s, func(ctx context.Context, c *redis.Client) ([]any, error) {
		return script.Run(ctx, c, []string{prefix + key}, args...).Slice()
	})
}

// ask calls question within the timeout, unless the Redis is down. An error is one of this file's, or that of ctx.
func ask[T any](ctx context.Context, s *Store, question func(context.Context, *redis.Client) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	probe, ok := s.breaker.allow(s.config.Now())
	if !ok {
		return none, errDown
	}
	client, err := s.connect()
	if err != nil {
		s.breaker.done(s.config.Now(), probe, unknown)
		return none, err
	}
	bounded, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	reply, err := question(bounded, client)
	switch {
	case err == nil:
		if s.breaker.done(s.config.Now(), probe, success) {
			s.config.Log.LogAttrs(ctx, slog.LevelInfo, "redis is back")
		}
		return reply, nil
	case ctx.Err() != nil: // the caller has left, which says nothing of the Redis
		s.breaker.done(s.config.Now(), probe, unknown)
		return none, ctx.Err()
	}
	reason := reasonOf(err)
	s.disconnect(client)
	if s.breaker.done(s.config.Now(), probe, failure) {
		s.config.Log.LogAttrs(ctx, slog.LevelWarn, "redis is away", slog.String("error", reason.Error()))
	}
	return none, reason
}

// connect returns the client, which connects when it is used.
func (s *Store) connect() (*redis.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.client == nil {
		own := s.options // the client completes it
		s.client = redis.NewClient(&own)
	}
	return s.client, nil
}

// disconnect drops a client with its connections, none of which is trusted any more, and with its own attempts to
// make others.
func (s *Store) disconnect(failed *redis.Client) {
	s.mu.Lock()
	if s.client == failed {
		s.client = nil
	}
	s.mu.Unlock()
	failed.Close()
}

// reasonOf is the error of this file for one of the library, whose text can hold the address.
func reasonOf(err error) error {
	if reply, ok := errors.AsType[redis.Error](err); ok {
		return codeOf(reply.Error())
	}
	if errors.Is(err, errReply) {
		return errReply
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return errTrust
	}
	timeout, ok := errors.AsType[net.Error](err)
	if ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, redis.ErrPoolTimeout) {
		return errTimeout
	}
	return errConnection
}

// codeOf is the first word of an error reply, such as OOM or NOAUTH. The rest can hold anything.
func codeOf(reply string) error {
	const longest = 16 // MASTERDOWN, CROSSSLOT
	code, _, _ := strings.Cut(reply, " ")
	if code == "" || len(code) > longest || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return errReply
	}
	return errors.New("it answers " + code)
}
