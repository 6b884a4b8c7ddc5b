package sidecar

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/entity"
	"github.com/mipwatch/mipwatch/sidecar/cache"
)

const typeJSON = "application/json; charset=utf-8"

// How long an answer holds at the most.
const (
	networkLife = 5 * time.Second
	forumLife   = 5 * time.Minute
)

// answer is an encoded body and until when it would be the same.
type answer struct {
	*entity.Entity
	until time.Time
	// later is how much longer a CDN may give it while it asks again: the longest that a reader is told
	// something old without being told so, beside its time. Nothing, when it is old already.
	later time.Duration
}

func newAnswer(v any, until time.Time, later time.Duration) (*answer, error) {
	body, err := api.JSON(v)
	if err != nil {
		return nil, err
	}
	return &answer{entity.New(typeJSON, body), until, later}, nil
}

// cdnCache is the targeted cache field (RFC 9213) for Netlify's CDN, by which most requests never come
// here. A browser asks each time: the entity tag makes that cheap.
func (a *answer) cdnCache(now time.Time) string {
	b := make([]byte, 0, 64)
	b = append(b, "public, durable, max-age="...)
	b = strconv.AppendInt(b, max(1, int64(a.until.Sub(now)/time.Second)), 10)
	if a.later > 0 {
		b = append(b, ", stale-while-revalidate="...)
		b = strconv.AppendInt(b, int64(a.later/time.Second), 10)
	}
	return string(b)
}

// An answer waits for what is behind it with patience: a host that hangs is given up after one try of
// 2.5 s. Whoever waits for somebody else's answer has grace beside that. Together they leave some of
// 3 s for the answer itself.
const (
	patience = 2600 * time.Millisecond
	grace    = 150 * time.Millisecond
)

// memoSize bounds the answers that a memo keeps: as many topics as the forum's own memory holds.
const memoSize = 5 << 10

// leastLife is how long an answer holds at least, so that a burst of requests does not encode it again
// and again while what is behind it fails.
const leastLife = 250 * time.Millisecond

// memo keeps encoded answers, so that a warm request encodes nothing. One caller makes an answer, the
// others wait for it. With stats, which count its answers, it is ready.
type memo[K comparable] struct {
	stats *cache.Stats

	mu   sync.Mutex
	kept map[K]*slot
}

type slot struct {
	making chan struct{} // holds a token while somebody makes the answer
	answer *answer       // guarded by memo.mu
}

// get returns the kept answer while it holds, else the one that make gives. make is not cut short when
// its caller hangs up, since others wait for it; it ends with patience, and they wait a little longer.
func (m *memo[K]) get(ctx context.Context, key K, now func() time.Time, make func(context.Context) (*answer, error)) (*answer, error) {
	s, a := m.look(key, now())
	if a != nil {
		m.stats.Hits.Add(1)
		return a, nil
	}
	// The request's own deadline is there already; see Sidecar.serve.
	select {
	case s.making <- struct{}{}:
	case <-ctx.Done():
		m.stats.Errors.Add(1)
		return nil, ctx.Err()
	}
	defer func(held *slot) { <-held.making }(s)
	if s, a = m.look(key, now()); a != nil {
		m.stats.Shared.Add(1)
		return a, nil
	}
	ends, ok := ctx.Deadline()
	if !ok {
		ends = time.Now().Add(patience + grace)
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), ends.Add(-grace))
	defer cancel()
	a, err := make(ctx)
	if err != nil {
		m.stats.Errors.Add(1)
		m.drop(key, s)
		return nil, err
	}
	m.stats.Misses.Add(1)
	if least := now().Add(leastLife); a.until.Before(least) {
		a.until = least
	}
	if most := now().Add(forumLife); a.until.After(most) {
		a.until = most
	}
	m.mu.Lock()
	s.answer = a
	m.mu.Unlock()
	return a, nil
}

// look finds or makes the slot of a key, and its answer if that still holds. A clock that went back
// makes every answer void that would hold for longer than it could.
func (m *memo[K]) look(key K, now time.Time) (*slot, *answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.kept[key]
	if s == nil {
		if m.kept == nil || len(m.kept) >= memoSize {
			m.kept = map[K]*slot{} // what is still asked for is soon there again
		}
		s = &slot{making: make(chan struct{}, 1)}
		m.kept[key] = s
	}
	if a := s.answer; a != nil && now.Before(a.until) && a.until.Sub(now) <= forumLife {
		return s, a
	}
	return s, nil
}

// drop forgets a slot without an answer: keys come from callers.
func (m *memo[K]) drop(key K, s *slot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept[key] == s && s.answer == nil {
		delete(m.kept, key)
	}
}
