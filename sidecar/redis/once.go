package redis

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// maxRecord bounds a record, in bytes.
	maxRecord = 2 << 20
	// lockTTL is how long other processes wait for one that has died while it held the lock. renewEvery leaves room for
	// two renewals that come late.
	lockTTL    = 2 * time.Second
	renewEvery = lockTTL / 4
	// A waiting process looks for the record after firstPoll, then less and less often.
	firstPoll, lastPoll = 20 * time.Millisecond, 100 * time.Millisecond
	// maxRefused is how many different records accept may refuse before a process stops waiting for a good one.
	maxRefused = 3
)

// Once finds a record under key that accept takes, or calls fetch and keeps its record for ttl. Over all processes on
// this Redis one call of fetch for a key runs at a time, while the others wait for its record. While the Redis is down
// each process calls fetch for itself. The error is that of ctx, when neither accept has taken a record nor fetch was
// called.
//
// A record that is empty or larger than 2 MiB is not kept. accept must check a record fully: anybody with access to the
// Redis may have written it.
func (s *Store) Once(ctx context.Context, key string, accept func(record []byte) bool,
	fetch func(context.Context) (record []byte, ttl time.Duration)) error {
	var last []byte // what accept refused last
	refused := 0
	find := func() (bool, error) {
		record, err := s.get(ctx, key)
		if len(record) == 0 || bytes.Equal(record, last) {
			return false, err
		}
		if accept(record) {
			return true, nil
		}
		last = record
		refused++
		return false, err
	}
	l := lock{s, key + ":lock", rand.Text()}
	for poll := firstPoll; ; poll = min(2*poll, lastPoll) {
		found, err := find()
		if found {
			return nil
		}
		locked := false
		if err == nil && refused < maxRefused {
			locked, err = l.set(ctx, lockTTL)
		}
		// An error means that the Redis is down, unless the caller has left.
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case locked:
			l.hold(ctx, func() {
				// Another process may have written the record just before.
				if found, _ := find(); !found {
					record, ttl := fetch(ctx)
					s.set(context.WithoutCancel(ctx), key, record, ttl)
				}
			})
			return nil
		case err != nil || refused == maxRefused:
			fetch(ctx)
			return nil
		}
		// Another process fetches. Its record is there soon, or its lock ends.
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(poll):
		}
	}
}

// get returns the record, nil if there is none of 1 byte to 2 MiB. GETRANGE bounds the reply, and a key of another type
// is no record.
func (s *Store) get(ctx context.Context, key string) (record []byte, err error) {
	return ask(ctx, s, func(ctx context.Context, client *redis.Client) ([]byte, error) {
		record, err := client.GetRange(ctx, prefix+key, 0, maxRecord).Bytes()
		if redis.HasErrorPrefix(err, "WRONGTYPE") || len(record) > maxRecord {
			return nil, nil
		}
		return record, err
	})
}

// set keeps a record for ttl in place of anything under the key. After an error the other processes fetch too.
func (s *Store) set(ctx context.Context, key string, record []byte, ttl time.Duration) {
	if len(record) == 0 || len(record) > maxRecord || ttl <= 0 {
		return
	}
	ask(ctx, s, func(ctx context.Context, client *redis.Client) (string, error) {
		return client.Set(ctx, prefix+key, record, max(ttl, time.Millisecond)).Result()
	})
}

// lock is held by one call of Once at a time, over all processes. After an error it may be held by several.
type lock struct {
	store *Store
	key   string
	owner string // its value while this call holds it; no other call has the same
}

var (
	//go:embed lock.lua
	lockSource string
	lockScript = redis.NewScript(lockSource)
)

// set takes or renews the lock, or releases it with the ttl 0.
func (l lock) set(ctx context.Context, ttl time.Duration) (held bool, err error) {
	n, err := l.store.run(ctx, lockScript, 1, l.key, l.owner, ttl.Milliseconds())
	return err == nil && n[0] == 1, err
}

// hold calls f under the lock, which it renews meanwhile and releases at the end, after a panic too.
func (l lock) hold(ctx context.Context, f func()) {
	renewing, stop := context.WithCancel(ctx)
	var renewer sync.WaitGroup
	renewer.Go(func() {
		for {
			select {
			case <-renewing.Done():
				return
			case <-time.After(renewEvery):
				l.set(renewing, lockTTL)
			}
		}
	})
	defer func() {
		stop()
		renewer.Wait()
		l.set(context.WithoutCancel(ctx), 0)
	}()
	f()
}
