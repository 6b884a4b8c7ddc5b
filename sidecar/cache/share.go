package cache

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

const (
	// Whoever fetches a key for all processes has the turn for so long, and keeps it from then to then while
	// it fetches: one that dies frees the key by itself.
	lease     = 2 * time.Second
	holdEvery = lease / 4
	// How often the others look whether it is there.
	firstLook, laterLook = 20 * time.Millisecond, 100 * time.Millisecond
	// mostRecords is how many records of no use one flight reads, such as old or unreadable ones, before it asks
	// alone. A flight that waits for another process sees two: what was there, and what the other has left.
	mostRecords = 3
	// headSize is the length of the beginning of a record by which it is told from an older one: its time in
	// milliseconds since 1970, in decimal digits.
	headSize = 16
)

// Shared is a memory that several processes have in common. Each of its methods takes a moment only,
// whatever becomes of the memory. An error says that it is away: the process then goes on alone. It is safe
// for concurrent use.
type Shared interface {
	// Claim asks for the turn to fetch a key.
	Claim(ctx context.Context, key string, c Claim) (Turn, error)
	// Hold makes a turn last for another lease from now. One that was lost is had again if it is nobody's.
	Hold(ctx context.Context, key string, c Claim) error
	// Land leaves what came of a turn and ends it.
	Land(ctx context.Context, key string, c Claim, l Landing) error
}

// Claim is one attempt to have the turn of a key.
type Claim struct {
	Name  string        // of the attempt, which no other has
	Lease time.Duration // how long the turn is kept without Hold
	Seen  []byte        // the beginning of the record that is known already; empty: none is
}

// Turn is what is to be done about a key: the first of these that is set. The zero value says that another
// process fetches it.
type Turn struct {
	Record  []byte        // what is kept under the key, when it does not begin with what was seen
	Failure string        // nobody is to fetch it for Left: the last attempt failed in this way
	Left    time.Duration //
	Mine    bool          // it is this process's to fetch
}

// Landing is what came of a turn. The zero value leaves what is kept as it is, and the turn to the next.
type Landing struct {
	Record  []byte        // replaces what is kept, for Keep
	Keep    time.Duration //
	Gone    bool          // what is kept goes
	Failure string        // nobody is to fetch the key for Stands
	Stands  time.Duration //
}

// Sharing says how the values of a cache get to other processes and from them: as JSON, and what comes is
// believed only if it is byte for byte what this program would have written, and Check has nothing against it.
// Its functions are called as those of [Config] are.
type Sharing[K comparable, V any] struct {
	With Shared
	// Key names everything that a value follows from; empty: it stays in this process.
	Key func(K) string
	// Check holds a value that others left to its key.
	Check func(K, V) error
	// Keep is how long others find a value, and Config.Keep bounds it too.
	Keep time.Duration
	// Told is a word for a failure that others need not repeat; empty: it is no business of theirs. Heard is
	// the failure that a word stands for, for so much longer; nil: there is no such word.
	Told  func(error) string
	Heard func(word string, left time.Duration) error
}

// brought is what a flight brought: a value with its time, or with an error an older one, if at is set.
type brought[V any] struct {
	value  V
	at     time.Time
	stands time.Duration // how long an error does; 0: as Config.Retry says
}

// bring gets a value from other processes or from fetch.
func (c *Cache[K, V]) bring(ctx context.Context, key K, fetch func(context.Context) (V, error)) (brought[V], error) {
	if s := c.sharing; s != nil {
		if name := s.Key(key); name != "" {
			return c.share(ctx, key, name, fetch)
		}
	}
	return c.alone(ctx, fetch)
}

func (c *Cache[K, V]) alone(ctx context.Context, fetch func(context.Context) (V, error)) (brought[V], error) {
	v, err := fetch(ctx)
	if err != nil {
		return brought[V]{}, err
	}
	return brought[V]{value: v, at: c.now()}, nil
}

// aloneOr is alone, with an older value at hand.
func (c *Cache[K, V]) aloneOr(ctx context.Context, older brought[V], fetch func(context.Context) (V, error)) (brought[V], error) {
	b, err := c.alone(ctx, fetch)
	if err != nil {
		return older, err
	}
	return b, nil
}

// share takes what another process has fetched, or waits until it has, or fetches for all.
func (c *Cache[K, V]) share(ctx context.Context, key K, name string, fetch func(context.Context) (V, error)) (older brought[V], err error) {
	claim := Claim{Name: rand.Text(), Lease: lease}
	useless := 0 // records
	for look := firstLook; ; {
		turn, err := c.sharing.With.Claim(ctx, name, claim)
		switch {
		case err != nil && ctx.Err() != nil:
			return older, ctx.Err()
		case err != nil:
			return c.aloneOr(ctx, older, fetch)
		case turn.Record != nil:
			claim.Seen = turn.Record[:min(len(turn.Record), headSize)]
			if b, err := c.decode(key, turn.Record); err == nil {
				if within(c.now(), b.at, c.config.Fresh) {
					return b, nil
				}
				older = b
			}
			if useless++; useless == mostRecords {
				return c.aloneOr(ctx, older, fetch)
			}
			continue
		case turn.Failure != "":
			err := c.sharing.Heard(turn.Failure, turn.Left)
			if err == nil {
				return c.aloneOr(ctx, older, fetch)
			}
			older.stands = turn.Left
			return older, err
		case turn.Mine:
			b, err := c.fetchForAll(ctx, name, claim, fetch)
			if err != nil {
				return older, err
			}
			return b, nil
		}
		select {
		case <-ctx.Done():
			return older, ctx.Err()
		case <-time.After(look):
			look = min(2*look, laterLook)
		}
	}
}

// fetchForAll fetches while it holds the turn, and leaves to others what came of it.
func (c *Cache[K, V]) fetchForAll(ctx context.Context, name string, claim Claim, fetch func(context.Context) (V, error)) (b brought[V], err error) {
	release := c.hold(ctx, name, claim)
	var l Landing
	defer func() { // be it that fetch panics
		release()
		c.sharing.With.Land(context.WithoutCancel(ctx), name, claim, l)
	}()
	if b, err = c.alone(ctx, fetch); err != nil {
		l = c.failed(ctx, err)
		return b, err
	}
	l.Keep = min(c.sharing.Keep, c.config.Keep)
	l.Record, _ = encode(b) // what cannot be written is not shared
	return b, nil
}

// hold keeps a turn until release, which returns when nothing of it runs any more.
func (c *Cache[K, V]) hold(ctx context.Context, name string, claim Claim) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(holdEvery):
				c.sharing.With.Hold(ctx, name, claim) // if it cannot, others fetch too
			}
		}
	}()
	return func() {
		cancel()
		<-over
	}
}

// failed is what others are told of a failure.
func (c *Cache[K, V]) failed(ctx context.Context, err error) Landing {
	err, counts := reason(ctx, err)
	if !counts {
		return Landing{}
	}
	l := Landing{Failure: c.sharing.Told(err), Gone: c.config.Gone != nil && c.config.Gone(err)}
	if c.config.Retry != nil {
		l.Stands = c.config.Retry(err)
	}
	if l.Stands <= 0 {
		l.Failure = ""
	}
	return l
}

// Name is a key of a [Shared] memory for an answer of a site: short, and another one whenever the site's base
// address, the kind or one of the parts differ. Keys of one site begin alike, and those of a kind too.
func Name(site, kind string, parts ...string) string {
	const siteDigits, digits = 12, 32
	hash := func(texts ...string) string {
		h := sha256.New()
		for _, t := range texts {
			fmt.Fprintf(h, "%d:%s", len(t), t)
		}
		return hex.EncodeToString(h.Sum(nil))
	}
	return hash(site)[:siteDigits] + ":" + kind + ":" + hash(parts...)[:digits]
}

// encode writes a value as a record: the head, then JSON.
func encode[V any](b brought[V]) ([]byte, error) {
	body, err := json.Marshal(b.value)
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, "%0*d", headSize, max(0, b.at.UnixMilli())), body...), nil
}

// errRecord says that a record is none that this program writes.
var errRecord = errors.New("no record of this program")

// decode reads a record, of which nothing is believed. A time to come is taken for now, if the clocks of two
// machines may differ by so much.
func (c *Cache[K, V]) decode(key K, record []byte) (brought[V], error) {
	var b brought[V]
	if len(record) < headSize {
		return b, errRecord
	}
	ms, err := strconv.ParseInt(string(record[:headSize]), 10, 64)
	if err != nil {
		return b, errRecord
	}
	b.at = time.UnixMilli(ms)
	if err := json.Unmarshal(record[headSize:], &b.value); err != nil {
		return brought[V]{}, errRecord
	}
	// Only one text stands for a value: no member twice, in another case, unknown or missing, nothing after it.
	if again, err := encode(b); err != nil || !bytes.Equal(again, record) {
		return brought[V]{}, errRecord
	}
	if err := c.sharing.Check(key, b.value); err != nil {
		return brought[V]{}, err
	}
	now := c.now()
	if !within(now, b.at, c.config.Keep) {
		return brought[V]{}, errRecord
	}
	b.at = earlier(b.at, now)
	return b, nil
}
