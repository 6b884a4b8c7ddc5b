package redis

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// lockTTL is how long the lock of a process that has died keeps the others waiting.
	lockTTL    = 2 * time.Second
	renewEvery = lockTTL / 4
	// The others look for the record at first after 20 ms, then less and less often.
	firstPoll, lastPoll = 20 * time.Millisecond, 100 * time.Millisecond
	// mostRefused is how many different records accept may refuse before a process stops waiting for a good one.
	mostRefused = 3
)

var (
	//go:embed lock.lua
	lockSource string
	lockScript = redis.NewScript(lockSource)
)

// Once finds a record under key that accept takes, or calls fetch, whose record it then keeps there for ttl. Over
// all processes on this Redis one call of fetch for a key runs at a time, while the others wait for its record.
// While the Redis is down each process calls fetch for itself. The error is that of ctx, and only if neither accept
// has taken a record nor fetch was called.
//
// An empty record, and one of more than 2 MiB, is not kept. accept must believe nothing of a record: anybody with
// access to the Redis may have left it.
func (s *Store) Once(ctx context.Context, key string, accept func(record []byte) bool, fetch func(context.Context) (record []byte, ttl time.Duration)) error {
	owner := rand.Text()
	var last []byte // the record that accept has refused
	refused := 0
	found := func() (bool, error) {
		record, err := s.get(ctx, key)
		if len(record) == 0 || bytes.Equal(record, last) {
			return false, err
		}
		if accept(record) {
			return true, nil
		}
		last, refused = record, refused+1
		return false, err
	}
	for poll := firstPoll; ; poll = min(2*poll, lastPoll) {
		if ok, err := found(); ok {
			return nil
		} else if ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil || refused == mostRefused {
			fetch(ctx)
			return nil
		}
		locked, err := s.lock(ctx, key, owner, lockTTL)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			fetch(ctx)
			return nil
		case locked:
			s.fetchLocked(ctx, key, owner, found, fetch)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(poll):
		}
	}
}

// fetchLocked calls fetch while it holds the lock, unless another process has written the record just before.
func (s *Store) fetchLocked(ctx context.Context, key, owner string, found func() (bool, error), fetch func(context.Context) ([]byte, time.Duration)) {
	stop := s.renew(ctx, key, owner)
	var record []byte
	var ttl time.Duration
	defer func() { // after a panic of fetch too
		stop()
		ctx := context.WithoutCancel(ctx)
		s.set(ctx, key, record, ttl) // on an error the others fetch too
		s.lock(ctx, key, owner, 0)   // on an error the lock ends by itself
	}()
	if ok, _ := found(); !ok {
		record, ttl = fetch(ctx)
	}
}

// renew keeps a lock until stop, which returns when nothing of it runs any more.
func (s *Store) renew(ctx context.Context, key, owner string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(renewEvery):
				s.lock(ctx, key, owner, lockTTL) // on an error the others fetch too
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// lock takes or renews the lock of a key, or releases it with the ttl 0.
func (s *Store) lock(ctx context.Context, key, owner string, ttl time.Duration) (locked bool, err error) {
	reply, err := s.run(ctx, lockScript, key+":lock", owner, ttl.Milliseconds())
	if err != nil {
		return false, err
	}
	n, err := number(reply, 0)
	return n == 1, err
}

// get returns a record, nil if there is none of 1 byte to 2 MiB.
func (s *Store) get(ctx context.Context, key string) (record []byte, err error) {
	return ask(ctx, s, func(ctx context.Context, c *redis.Client) ([]byte, error) {
		record, err := c.GetRange(ctx, prefix+key, 0, maxRecord).Bytes()
		if redis.HasErrorPrefix(err, "WRONGTYPE") || len(record) > maxRecord {
			return nil, nil
		}
		return record, err
	})
}

// errNotKept is the error of a record that is not written.
var errNotKept = errors.New("the record is empty or too large")

// set keeps a record for ttl, rounded to milliseconds, whatever stands under the key.
func (s *Store) set(ctx context.Context, key string, record []byte, ttl time.Duration) error {
	if len(record) == 0 || len(record) > maxRecord || ttl <= 0 {
		return errNotKept
	}
	_, err := ask(ctx, s, func(ctx context.Context, c *redis.Client) (string, error) {
		return c.Set(ctx, prefix+key, record, max(ttl, time.Millisecond)).Result()
	})
	return err
}
