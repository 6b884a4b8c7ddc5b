// Package redis keeps in one Redis the limits of several sidecars, and records that one process fetches for all. It
// does not know whose the records are or their meaning.
//
// A Redis that fails is no failure of anything else: each sidecar then goes on by itself.
package redis

import (
	"cmp"
	"context"
	"crypto/tls"
	_ "embed"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	// prefix begins every key. The number is the version of the format.
	prefix = "mipwatch:1:"
	// rest is how long a Redis that failed is not asked.
	rest = time.Second
	// maxConnections bounds the connections. More callers wait for one of them.
	maxConnections = 32
	// maxIdle is how long a connection may be idle before it is closed.
	maxIdle = 30 * time.Second
)

// The errors of a question. They hold no address, and of an error reply only its code, since a server may be anything
// that listens there.
var (
	errDown       = errors.New("redis is away")
	errTimeout    = errors.New("no answer in time")
	errConnection = errors.New("no connection")
	errTrust      = errors.New("its certificate is not trusted")
	errReply      = errors.New("an answer that makes no sense")
)

// Address is where a Redis is, with its credentials.
type Address struct{ options redis.Options }

// Parse reads an address as REDIS_URL has it. An error says what is wanted and repeats no part of the address, since
// any may be a password.
func Parse(address string) (*Address, error) {
	u, err := url.Parse(address)
	problem := ""
	switch {
	case err != nil:
		problem = "is no address, perhaps because of a character in the password that must be written as %XX"
	case u.Scheme != "redis" && u.Scheme != "rediss":
		problem = "begins with neither"
	case u.Hostname() == "":
		problem = "names no host"
	default:
		if o, err := redis.ParseURL(address); err == nil && o.DB >= 0 && u.Fragment == "" {
			return &Address{*o}, nil
		}
		problem = "goes on after that with something unknown"
	}
	return nil, errors.New("want redis://HOST:6379, or rediss://HOST:6379 for TLS, with USER:PASSWORD@ before the " +
		"host and /N after it for the database N if need be; what is given " + problem)
}

// Config says how a Redis is asked.
type Config struct {
	// Timeout bounds each question, connecting included. Zero means 200 ms.
	Timeout time.Duration
	// Log gets one line when the Redis goes down and one when it is back, without its address. Nil discards them.
	Log *slog.Logger
	// Now is the clock by which a Redis that failed is asked again. Nil means time.Now.
	Now func() time.Time
}

// Store is a Redis. It is safe for concurrent use. It has no connection until the first question, and does nothing
// between questions. The caller closes it.
type Store struct {
	config  Config
	options redis.Options

	mu      sync.Mutex
	client  *redis.Client
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
	// The library would write addresses on standard error. It has one log for the whole process.
	redis.SetLogger(silent{})
	o := a.options
	// RESP2, in which a server never speaks first: a boundedConn follows it.
	o.Protocol = 2
	// No more commands at the beginning of a connection than needed.
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	// No retries: the store decides when to ask again.
	o.MaxRetries, o.DialerRetries = -1, 1
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = c.Timeout, c.Timeout, c.Timeout, c.Timeout
	o.ContextTimeoutEnabled = true
	// No connection is kept ready, so that nothing runs between questions.
	o.PoolSize, o.MinIdleConns, o.PipelinePoolSize = maxConnections, 0, -1
	o.ConnMaxIdleTime = maxIdle
	o.Dialer = boundedDialer(o)
	s := &Store{config: c, options: o}
	s.client = s.newClient()
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
	// A client that was closed before says so, which is no failure.
	if err := s.client.Close(); err != nil && !errors.Is(err, redis.ErrClosed) {
		return errConnection
	}
	return nil
}

// ask calls question within the timeout, unless the Redis is down. An error is one of this file's, or that of ctx. A
// caller that leaves says nothing of the Redis, and neither does a question after Close.
func ask[T any](ctx context.Context, s *Store, question func(context.Context, *redis.Client) (T, error)) (
	reply T, err error) {
	if err := ctx.Err(); err != nil {
		return reply, err
	}
	// The client may be replaced while the question is under way, which then fails.
	client, probe := s.enter()
	if client == nil {
		return reply, errDown
	}
	bounded, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	reply, err = question(bounded, client)
	return reply, s.leave(ctx, client, probe, err)
}

// enter returns the client for a question, nil when none may be asked. probe says that the question decides whether the
// Redis is still down.
func (s *Store) enter() (client *redis.Client, probe bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.down && (s.probing || s.retryAt.Sub(s.config.Now()) > 0) {
		return nil, false
	}
	s.probing = s.down
	return s.client, s.down
}

// leave takes the error of a question and returns the one for the caller.
func (s *Store) leave(ctx context.Context, client *redis.Client, probe bool, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if probe {
		s.probing = false
	}
	switch {
	case err == nil:
		// An answer to a question from before the failure says nothing of the present.
		if probe {
			s.down = false
			s.config.Log.Info("redis is back")
		}
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case s.closed:
		return errDown
	}
	// None of the client's connections is trusted any more. Its pool would go on to make others by itself.
	if s.client == client {
		client.Close()
		s.client = s.newClient()
	}
	err = reason(err)
	if !s.down {
		s.down = true
		s.config.Log.Warn("redis is away", "error", err.Error())
	}
	s.retryAt = s.config.Now().Add(rest)
	return err
}

// reason is the error of this file for one of the library, whose text can hold the address. Of an error reply it has
// the code, such as OOM or NOAUTH: the rest can hold anything.
func reason(err error) error {
	const longest = 16 // MASTERDOWN, CROSSSLOT
	if reply, ok := errors.AsType[redis.Error](err); ok {
		code, _, _ := strings.Cut(reply.Error(), " ")
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
	case ok && network.Timeout(), errors.Is(err, context.DeadlineExceeded), errors.Is(err, redis.ErrPoolTimeout):
		return errTimeout
	case ok, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, redis.ErrClosed):
		return errConnection
	}
	return errReply
}

// run runs a script with one key and returns the numbers of its reply, of which it wants so many. Another reply is none
// of the script: the Redis counts as down.
func (s *Store) run(ctx context.Context, script *redis.Script, want int, key string, args ...any) ([]int64, error) {
	return ask(ctx, s, func(ctx context.Context, client *redis.Client) ([]int64, error) {
		const most = 1 << 40 // as milliseconds it fits into a time.Duration
		n, err := script.Run(ctx, client, []string{prefix + key}, args...).Int64Slice()
		if err == nil && (len(n) != want || slices.Min(n) < 0 || slices.Max(n) > most) {
			err = errReply
		}
		return n, err
	})
}

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

// Limit returns a limit of so many tokens under each key in a window that begins with its first request, by the clock
// of Redis and exact over all sidecars. A bucket ends with its window.
func (s *Store) Limit(tokens uint64, window time.Duration) *Limit { return &Limit{s, tokens, window} }

// Take takes a token of a key, if there is one. left is the time to the end of the window. An error means that the
// Redis is down.
func (l *Limit) Take(ctx context.Context, key string) (remaining uint64, left time.Duration, ok bool, err error) {
	n, err := l.run(ctx, key, 1)
	if err != nil {
		return 0, 0, false, err
	}
	return uint64(n[1]), time.Duration(n[2]) * time.Millisecond, n[3] == 1, nil
}

// Return gives a token back that was taken. The error is that of Take.
func (l *Limit) Return(ctx context.Context, key string) error {
	_, err := l.run(ctx, key, -1)
	return err
}

// run runs the script that takes so many tokens.
func (l *Limit) run(ctx context.Context, key string, take int) ([]int64, error) {
	// A window of less than a millisecond would never end in Redis.
	return l.store.run(ctx, takeScript, 4, key, l.tokens, max(1, l.window.Milliseconds()), take)
}
