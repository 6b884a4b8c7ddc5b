// Package redis keeps in one Redis the limits of several sidecars, and records that one process fetches for all. It does
// not know whose the records are or their meaning.
//
// A Redis that fails is no failure of anything else: each sidecar then goes on by itself.
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
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/sony/gobreaker/v2"

	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	// prefix begins every key. The number is the version of the format.
	prefix = "mipwatch:1:"
	// maxRecord bounds a record, in bytes.
	maxRecord = 2 << 20

	// openFor is how long a Redis that failed is not asked.
	openFor = time.Second

	// maxConnections bounds the connections. More callers wait for one of them.
	maxConnections = 32
	// maxIdle is how long a connection may be idle before it is closed.
	maxIdle = 30 * time.Second
)

// Config says how a Redis is asked.
type Config struct {
	// Timeout bounds each question, connecting included. Zero means 200 ms.
	Timeout time.Duration
	// Log gets one line when the Redis goes down and one when it is back, without its address. Nil discards them.
	Log *slog.Logger
}

// Store is a Redis. It is safe for concurrent use. It has no connection until the first question, and does nothing
// between questions. The caller closes it.
type Store struct {
	client  atomic.Pointer[redis.Client]
	closed  atomic.Bool
	options redis.Options
	timeout time.Duration
	log     *slog.Logger
	breaker *gobreaker.TwoStepCircuitBreaker[any] // opens with the first failure

	mu      sync.Mutex
	failure error // the last one
}

// Open returns the Redis at an address, without connecting.
func Open(a *Address, c Config) *Store {
	s := &Store{timeout: cmp.Or(c.Timeout, timing.Redis), log: cmp.Or(c.Log, slog.New(slog.DiscardHandler))}
	s.breaker = gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
		Timeout:       openFor,
		ReadyToTrip:   func(c gobreaker.Counts) bool { return c.ConsecutiveFailures > 0 },
		IsExcluded:    func(err error) bool { return errors.Is(err, errUndecided) },
		OnStateChange: s.logChange,
	})
	// The library would write addresses on standard error. It has one log for the whole process.
	redis.SetLogger(silent{})
	o := a.options
	// RESP2, in which a server never speaks first: a boundedConn follows it.
	o.Protocol = 2
	// No more commands at the beginning of a connection than needed.
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	// No retries: the breaker decides when to ask again.
	o.MaxRetries, o.DialerRetries = -1, 1
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = s.timeout, s.timeout, s.timeout, s.timeout
	o.ContextTimeoutEnabled = true
	// No connection is kept ready, so that nothing runs between questions.
	o.PoolSize, o.MinIdleConns, o.PipelinePoolSize = maxConnections, 0, -1
	o.ConnMaxIdleTime = maxIdle
	o.Dialer = boundedDialer(o)
	s.options = o
	s.client.Store(s.newClient())
	return s
}

// newClient returns a client without connections. It makes them when it is asked, and closes each that is in doubt.
func (s *Store) newClient() *redis.Client {
	own := s.options // the client completes it
	return redis.NewClient(&own)
}

// silent discards the log of the library.
type silent struct{}

// Printf does nothing.
func (silent) Printf(context.Context, string, ...any) {}

// Down reports whether the Redis failed when it was asked last. It asks nobody.
func (s *Store) Down() bool { return s.breaker.State() != gobreaker.StateClosed }

// Close closes the connections. Questions after it get an error.
func (s *Store) Close() error {
	s.closed.Store(true)
	// A client that is closed twice says so, which is no failure.
	if err := s.client.Load().Close(); err != nil && !errors.Is(err, redis.ErrClosed) {
		return errClose
	}
	return nil
}

// The errors of a question. They hold no address, and of an error reply only its code, since a server may be anything
// that listens there.
var (
	errDown       = errors.New("redis is away")
	errClosed     = errors.New("redis is closed")
	errClose      = errors.New("redis: a connection was not closed well")
	errTimeout    = errors.New("no answer in time")
	errConnection = errors.New("no connection")
	errTrust      = errors.New("its certificate is not trusted")
	errReply      = errors.New("an answer that makes no sense")

	errUndecided = errors.New("says nothing of the Redis") // for the breaker alone
)

// run runs a script with one key and returns the numbers of its reply, of which it wants so many, each 0 or more. Another
// reply is none of the script: the Redis counts as down.
func (s *Store) run(ctx context.Context, script *redis.Script, want int, key string, args ...any) ([]int64, error) {
	// most fits as milliseconds into a time.Duration.
	const most = int64(1<<63-1) / int64(time.Millisecond)
	return ask(ctx, s, func(ctx context.Context, client *redis.Client) ([]int64, error) {
		reply, err := script.Run(ctx, client, []string{prefix + key}, args...).Slice()
		if err != nil {
			return nil, err
		}
		numbers := make([]int64, 0, want)
		for _, v := range reply {
			if n, ok := v.(int64); ok && n >= 0 && n <= most {
				numbers = append(numbers, n)
			}
		}
		if len(reply) != want || len(numbers) != want {
			return nil, errReply
		}
		return numbers, nil
	})
}

// ask calls question within the timeout, unless the Redis is down. An error is one of this file's, or that of ctx. A
// caller that leaves says nothing of the Redis, and neither does a question after Close.
func ask[T any](ctx context.Context, s *Store, question func(context.Context, *redis.Client) (T, error)) (reply T, err error) {
	if err := ctx.Err(); err != nil {
		return reply, err
	}
	// Either refusal of the breaker means that the Redis is down: it rests, or another question decides.
	done, err := s.breaker.Allow()
	if err != nil {
		return reply, errDown
	}
	bounded, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	client := s.client.Load()
	reply, err = question(bounded, client)
	switch {
	case err == nil:
		done(nil)
		return reply, nil
	case ctx.Err() != nil:
		done(errUndecided)
		return reply, ctx.Err()
	case s.closed.Load():
		done(errUndecided)
		return reply, errClosed
	}
	// None of the client's connections is trusted any more. Its pool would go on to make others by itself.
	if s.client.CompareAndSwap(client, s.newClient()) {
		client.Close()
	}
	err = reason(err)
	s.mu.Lock()
	s.failure = err
	s.mu.Unlock()
	done(err)
	return reply, err
}

// logChange is called by the breaker. A question that decides and fails changes nothing: the Redis stays away.
func (s *Store) logChange(_ string, from, to gobreaker.State) {
	switch {
	case from == gobreaker.StateClosed:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.log.Warn("redis is away", "error", s.failure.Error())
	case to == gobreaker.StateClosed:
		s.log.Info("redis is back")
	}
}

// reason is the error of this file for one of the library, whose text can hold the address. An error reply says most: it
// comes first.
func reason(err error) error {
	if reply, ok := errors.AsType[redis.Error](err); ok {
		return replyError(reply.Error())
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

// replyError holds the code of an error reply, such as OOM or NOAUTH. The rest of the reply can hold anything.
func replyError(reply string) error {
	const longest = 16 // MASTERDOWN, CROSSSLOT
	code, _, _ := strings.Cut(reply, " ")
	if code == "" || len(code) > longest || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return errReply
	}
	return errors.New("it answers " + code)
}
