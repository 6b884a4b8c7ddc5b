// Package redis is the Redis that several sidecars share: it counts requests against limits, and keeps records that
// one process fetches for all. It does not know what the records are or who asks. A Redis that fails is no failure of
// anything else: each sidecar then goes on by itself.
package redis

import (
	"cmp"
	"context"
	"log/slog"
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
	client *redis.Client // nil: to be made by the next question
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
