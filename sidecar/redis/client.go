package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

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
