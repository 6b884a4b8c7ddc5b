package redis

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// lockTTL is how long other processes wait for one that has died while it held the lock.
	lockTTL = 2 * time.Second
	// renewEvery leaves room for two renewals that come late.
	renewEvery = lockTTL / 4
	// A waiting process looks for the record after firstPoll, then less and less often.
	firstPoll, lastPoll = 20 * time.Millisecond, 100 * time.Millisecond
	// maxRefused is how many different records accept may refuse before a process stops waiting for a good one.
	maxRefused = 3
)

var (
	//go:embed lock.lua
	lockSource string
	lockScript = redis.NewScript(lockSource)
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
	o := &once{store: s, key: key, owner: rand.Text(), accept: accept, fetch: fetch}
	for poll := firstPoll; ; poll = min(2*poll, lastPoll) {
		found, err := o.find(ctx)
		if found {
			return nil
		}
		locked := false
		if err == nil && o.refused < maxRefused {
			locked, err = o.lock(ctx, lockTTL)
		}
		// An error means that the Redis is down, unless the caller has left.
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case locked:
			o.fetchLocked(ctx)
			return nil
		case err != nil || o.refused == maxRefused:
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

// once is one call of Once.
type once struct {
	store *Store
	key   string
	// owner is the value of the lock while this call holds it. No other call has the same.
	owner  string
	accept func([]byte) bool
	fetch  func(context.Context) ([]byte, time.Duration)
	// last is the record that accept refused last.
	last []byte
	// refused counts different records that accept refused.
	refused int
}

// find reports whether there is a record that accept takes. It does not ask twice about the same one.
func (o *once) find(ctx context.Context) (bool, error) {
	record, err := o.get(ctx)
	if len(record) == 0 || bytes.Equal(record, o.last) {
		return false, err
	}
	if o.accept(record) {
		return true, nil
	}
	o.last = record
	o.refused++
	return false, err
}

// fetchLocked calls fetch under the lock, unless another process has written the record just before. The record is
// written before the lock is released, so that a waiting process finds it.
func (o *once) fetchLocked(ctx context.Context) {
	stop := o.renew(ctx)
	var record []byte
	var ttl time.Duration
	defer func() { // after a panic of fetch too
		stop()
		ctx := context.WithoutCancel(ctx)
		o.set(ctx, record, ttl) // on an error the other processes fetch too
		o.lock(ctx, 0)          // on an error the lock ends by itself
	}()
	if found, _ := o.find(ctx); !found {
		record, ttl = o.fetch(ctx)
	}
}

// renew keeps the lock until stop, which returns when the renewing has ended.
func (o *once) renew(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(renewEvery):
				o.lock(ctx, lockTTL) // on an error the other processes fetch too
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// lock takes or renews the lock, or releases it with the ttl 0.
func (o *once) lock(ctx context.Context, ttl time.Duration) (locked bool, err error) {
	n, err := o.store.run(ctx, lockScript, 1, o.key+":lock", o.owner, ttl.Milliseconds())
	return err == nil && n[0] == 1, err
}

// get returns the record, nil if there is none of 1 byte to 2 MiB. GETRANGE bounds the reply, and a key of another type is
// no record.
func (o *once) get(ctx context.Context) (record []byte, err error) {
	return ask(ctx, o.store, func(ctx context.Context, client *redis.Client) ([]byte, error) {
		record, err := client.GetRange(ctx, prefix+o.key, 0, maxRecord).Bytes()
		if redis.HasErrorPrefix(err, "WRONGTYPE") || len(record) > maxRecord {
			return nil, nil
		}
		return record, err
	})
}

// set keeps a record for ttl in place of anything under the key.
func (o *once) set(ctx context.Context, record []byte, ttl time.Duration) {
	if len(record) == 0 || len(record) > maxRecord || ttl <= 0 {
		return
	}
	ask(ctx, o.store, func(ctx context.Context, client *redis.Client) (string, error) {
		return client.Set(ctx, prefix+o.key, record, max(ttl, time.Millisecond)).Result()
	})
}
