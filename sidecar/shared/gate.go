package shared

import (
	"sync"
	"time"
)

// verdict is what a question says of the Redis.
type verdict int

const (
	undecided verdict = iota // nothing
	good
	bad
)

// gate keeps questions from a Redis that failed: none for a while, then one that decides. The zero value lets
// all through. It has no timer: who was frozen meanwhile asks when it is awake again.
type gate struct {
	mu      sync.Mutex
	failed  bool
	since   time.Time // of the last failure, by the wall clock
	probing bool      // the question that decides is under way
}

// enter lets a question through, or not. probe says that it alone decides whether the Redis is back. Each that
// was let through must leave.
func (g *gate) enter(now time.Time) (probe, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.failed {
		return false, true
	}
	// A clock that was set back does not make the rest longer.
	if g.probing || now.Round(0).Sub(g.since).Abs() < restFor {
		return false, false
	}
	g.probing = true
	return true, true
}

// leave tells how a question ended, and reports whether the Redis has gone away or come back with that. While
// it is away only the question that decides says anything.
func (g *gate) leave(now time.Time, probe bool, v verdict) (changed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if probe {
		g.probing = false
	}
	if v == undecided || g.failed && !probe {
		return false
	}
	changed = g.failed != (v == bad)
	if g.failed = v == bad; g.failed {
		g.since = now.Round(0)
	}
	return changed
}

func (g *gate) away() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}
