package sidecar

import (
	"context"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// failures counts how often in a row the model failed at a text, by the key of its answer. The zero value is ready; it
// is safe for concurrent use.
type failures struct {
	mu     sync.Mutex
	counts map[answerKey]int
}

// mostFailures bounds the texts whose failures are counted. Beyond it a text may be forgotten, which costs one question
// more.
const mostFailures = 10_000

// of is the count of a text.
func (f *failures) of(key answerKey) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[key]
}

// add counts one more failure.
func (f *failures) add(key answerKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts == nil {
		f.counts = map[answerKey]int{}
	}
	f.counts[key]++
	for other := range f.counts {
		if len(f.counts) > mostFailures && other != key {
			delete(f.counts, other)
		}
	}
}

// forget begins anew with a text.
func (f *failures) forget(key answerKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.counts, key)
}

// askModel asks about the text of a key, if the request that it is asked for has room in its caller's limit. When the
// model fails at it, the error says how long the text has to wait: twice as long with each failure in a row. What fails
// is likely to fail again, and costs each time.
func askModel[V any](ctx context.Context, s *Sidecar, key answerKey, ask func(context.Context) (V, error)) (V, error) {
	c := ctx.Value(chargeKey{}).(*charge)
	if err := c.take(ctx); err != nil {
		var none V
		return none, err
	}
	asked := true // even if it panics
	defer func() { c.settle(context.WithoutCancel(ctx), asked) }()
	failed := s.failures.of(key)
	if failed > 0 {
		ctx = ai.Again(ctx)
	}
	v, err := ask(ctx)
	asked = !ai.Unasked(err)
	switch {
	case err == nil:
		s.failures.forget(key)
	case ai.FailedAt(err):
		s.failures.add(key)
		pause := min(pauseAfter(err), timing.LongestPause) // a host may name any time
		for range failed {
			pause = min(2*pause, timing.LongestFailure)
		}
		err = waiting(err, pause)
	}
	return v, err
}

// pauseAfter is how long a failure stands before the same is asked again. A budget answers by itself.
func pauseAfter(err error) time.Duration {
	longest := timing.LongestFailure
	switch e := httpError(err); e.Code {
	case api.UpstreamUnavailable:
		longest = timing.LongestPause
		fallthrough
	case api.AIFailed, api.UpstreamTimeout:
		return min(max(e.RetryAfter, timing.FailedText), longest)
	}
	return 0
}

// waiting is the error with the time after which it makes sense to ask again.
func waiting(err error, wait time.Duration) error {
	e := *httpError(err)
	e.RetryAfter, e.Err = wait, err
	return &e
}

// standing is the error of a cache, with what is left of the time for which it stands.
func standing[V any](s *Sidecar, e cache.Entry[V], err error) error {
	if left := e.Next.Sub(s.Now()); err != nil && left > 0 && pauseAfter(err) > 0 {
		return waiting(err, left)
	}
	return err
}
