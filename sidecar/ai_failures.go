package sidecar

import (
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// failures counts the consecutive failures of the model at each text, by the key of its answer. The
// zero value is ready to use. It is safe for concurrent use.
type failures struct {
	mu     sync.Mutex
	counts map[answerKey]int
}

// mostFailures bounds the texts whose failures are counted. Beyond it a text may be forgotten, at
// the cost of one more request.
const mostFailures = 10_000

// count returns the number of failures of a text.
func (f *failures) count(key answerKey) int {
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

// forget resets the count of a text.
func (f *failures) forget(key answerKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.counts, key)
}

// countFailure counts a failure of the model at a text, or resets the count. The error that it
// returns has the time until the next attempt, which doubles with each failure in a row. A text
// that failed is likely to fail again, and each attempt costs tokens.
func (s *Sidecar) countFailure(key answerKey, err error) error {
	switch {
	case err == nil:
		s.failures.forget(key)
	case ai.FailedAt(err):
		pause := min(pauseAfter(err), timing.LongestPause) // a host may ask for any time
		for range s.failures.count(key) {
			pause = min(2*pause, timing.LongestFailure)
		}
		s.failures.add(key)
		err = withRetryAfter(err, pause)
	}
	return err
}

// pauseAfter is how long a failure is kept before the same question is asked again. It is zero for
// an exhausted budget, which counts by itself.
func pauseAfter(err error) time.Duration {
	longest := timing.LongestFailure
	switch e := httpError(err); e.Code {
	case api.UpstreamUnavailable:
		longest = timing.LongestPause
		fallthrough
	case api.AIFailed, api.AIUnreadable, api.UpstreamTimeout:
		return min(max(e.RetryAfter, timing.FailedText), longest)
	}
	return 0
}

// withRetryAfter returns the error with the time after which a retry makes sense.
func withRetryAfter(err error, wait time.Duration) error {
	e := *httpError(err)
	e.RetryAfter, e.Err = wait, err
	return &e
}

// withRemaining returns the error of a cache with the remaining time until its next attempt.
func (s *Sidecar) withRemaining(err error, until time.Time) error {
	if left := until.Sub(s.Now()); err != nil && left > 0 && pauseAfter(err) > 0 {
		return withRetryAfter(err, left)
	}
	return err
}
