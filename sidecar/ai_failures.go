package sidecar

import (
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// failures counts how often in a row the model failed at a text, by the key of its answer. The zero value is ready; it
// is safe for concurrent use.
type failures struct {
	mu     sync.Mutex
	counts map[answerKey]int
}

// mostFailures bounds the texts whose failures are counted. Beyond it a text may be forgotten, at the cost of one more
// question.
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

// countFailure counts a failure of the model at the text of a key, or forgets those of before. The error that it returns
// says how long the text has to wait: twice as long with each failure in a row. A text
// that failed is likely to fail again, and costs each time.
func (s *Sidecar) countFailure(key answerKey, err error) error {
	switch {
	case err == nil:
		s.failures.forget(key)
	case ai.FailedAt(err):
		pause := min(pauseAfter(err), timing.LongestPause) // a host may name any time
		for range s.failures.of(key) {
			pause = min(2*pause, timing.LongestFailure)
		}
		s.failures.add(key)
		err = waiting(err, pause)
	}
	return err
}

// pauseAfter is how long a failure stands before the same is asked again. A budget answers by itself.
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

// waiting is the error with the time after which it makes sense to ask again.
func waiting(err error, wait time.Duration) error {
	e := *httpError(err)
	e.RetryAfter, e.Err = wait, err
	return &e
}

// standing is the error of a cache, with what is left of the time for which it stands.
func (s *Sidecar) standing(err error, until time.Time) error {
	if left := until.Sub(s.Now()); err != nil && left > 0 && pauseAfter(err) > 0 {
		return waiting(err, left)
	}
	return err
}
