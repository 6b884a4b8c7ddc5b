package shared

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Why the Redis is not asked, or did not answer, in words that hold no address.
var (
	errResting    = errors.New("redis is away")
	errClosed     = errors.New("redis is closed")
	errClose      = errors.New("redis: a connection was not closed well")
	errLate       = errors.New("no answer in time")
	errConnection = errors.New("no connection")
	errTrust      = errors.New("its certificate is not trusted")
	errAnswer     = errors.New("an answer that makes no sense")
)

// run runs a script, unless the Redis is away, and gives the numbers and texts that it returns. An error is
// one of this file's, or that of ctx.
func (s *Store) run(ctx context.Context, script *redis.Script, keys []string, args ...any) ([]any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	probe, ok := s.gate.enter(s.config.Now())
	if !ok {
		return nil, errResting
	}
	client, err := s.connect()
	if err != nil {
		s.gate.leave(s.config.Now(), probe, undecided)
		return nil, err
	}
	for i, k := range keys {
		keys[i] = prefix + k
	}
	bounded, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	answer, err := script.Run(bounded, client, keys, args...).Slice()
	switch {
	case err == nil:
		if s.gate.leave(s.config.Now(), probe, good) {
			s.config.Log.LogAttrs(ctx, slog.LevelInfo, "redis is back")
		}
		return answer, nil
	case ctx.Err() != nil: // who asked has left, which says nothing of the Redis
		s.gate.leave(s.config.Now(), probe, undecided)
		return nil, ctx.Err()
	}
	why := reason(err)
	s.disconnect(client)
	if s.gate.leave(s.config.Now(), probe, bad) {
		s.config.Log.LogAttrs(ctx, slog.LevelWarn, "redis is away", slog.String("error", why.Error()))
	}
	return nil, why
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

// disconnect drops a client with its connections, of which none is trusted any more, and with what it would do
// by itself to have others.
func (s *Store) disconnect(failed *redis.Client) {
	s.mu.Lock()
	if s.client == failed {
		s.client = nil
	}
	s.mu.Unlock()
	failed.Close()
}

// reason is what a failure comes down to.
func reason(err error) error {
	if answered, ok := errors.AsType[redis.Error](err); ok {
		return codeOf(answered.Error())
	}
	if errors.Is(err, errAnswer) {
		return errAnswer
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return errTrust
	}
	timeout, ok := errors.AsType[net.Error](err)
	if ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, redis.ErrPoolTimeout) {
		return errLate
	}
	return errConnection
}

// codeOf is the first word of an error reply, such as OOM or NOAUTH. The rest can hold anything.
func codeOf(reply string) error {
	const longest = 16 // MASTERDOWN, CROSSSLOT
	code, _, _ := strings.Cut(reply, " ")
	if code == "" || len(code) > longest || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return errAnswer
	}
	return errors.New("it answers " + code)
}
