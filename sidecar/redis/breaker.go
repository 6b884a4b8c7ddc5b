package redis

import (
	"sync"
	"time"
)

// outcome is what a question says of the Redis.
type outcome int

const (
	unknown outcome = iota
	success
	failure
)

// breaker keeps questions from a Redis that failed: none for a second, then one that decides. The zero value is
// closed: it lets all through. It has no timer, since the process may be frozen.
type breaker struct {
	mu      sync.Mutex
	down    bool
	since   time.Time // of the last failure, by the wall clock
	probing bool      // the question that decides is under way
}

// allow reports whether a question may go out. probe says that it alone decides whether the Redis is back. done
// must follow if ok.
func (b *breaker) allow(now time.Time) (probe, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.down {
		return false, true
	}
	// A clock that was set back does not keep the breaker open for longer.
	if b.probing || now.Round(0).Sub(b.since).Abs() < openFor {
		return false, false
	}
	b.probing = true
	return true, true
}

// done notes how a question ended. changed reports whether the Redis went down or came back with that. While it is
// down only the probe counts.
func (b *breaker) done(now time.Time, probe bool, o outcome) (changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
	}
	if o == unknown || b.down && !probe {
		return false
	}
	changed = b.down != (o == failure)
	if b.down = o == failure; b.down {
		b.since = now.Round(0)
	}
	return changed
}

// isDown reports whether the last question that counted failed.
func (b *breaker) isDown() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.down
}
