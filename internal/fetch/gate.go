package fetch

import (
	"sync"
	"time"
)

const (
	shortestPause = time.Second
	longestPause  = 10 * time.Minute

	failuresToOpen = 5
	openFor        = 30 * time.Second
	probeWait      = time.Second // what callers are told while another one finds out
)

// verdict is what a call says of its host.
type verdict int

const (
	undecided verdict = iota // nothing: cancelled, asked to wait
	good
	bad
	late // bad, and in time there was no answer
)

// gate says whether a call may go out: not while the host is paused, and not while its breaker is
// open. The zero value is open to all.
type gate struct {
	mu       sync.Mutex
	paused   span
	failures int // in a row; failuresToOpen at most, and then the breaker is open
	open     span
	late     bool // the last failure was that no answer came in time
	probing  bool // the call that decides whether the breaker closes is under way
}

// enter lets a call in. probe says that it alone decides whether the breaker closes. Each call that
// was let in must leave.
func (g *gate) enter(now time.Time) (probe bool, refused *Error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if left := g.paused.left(now); left > 0 {
		return false, &Error{RetryAfter: left, err: errPaused, held: true}
	}
	if g.failures < failuresToOpen {
		return false, nil
	}
	if left := g.open.left(now); left > 0 {
		return false, &Error{Timeout: g.late, RetryAfter: left, err: errOpen, held: true}
	}
	if g.probing {
		return false, &Error{Timeout: g.late, RetryAfter: probeWait, err: errOpen, held: true}
	}
	g.probing = true
	return true, nil
}

// leave tells how a call ended. opened is 1 when that opened the breaker, and -1 when it closed it.
func (g *gate) leave(now time.Time, probe bool, v verdict) (opened int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if probe {
		g.probing = false
	}
	if v == bad || v == late {
		g.late, v = v == late, bad
	}
	switch {
	case v == good:
		if g.failures == failuresToOpen {
			opened = -1
		}
		g.failures = 0
	case v == bad && probe:
		g.open = span{now, openFor}
	case v == bad && g.failures < failuresToOpen:
		// Failures of calls that began before the breaker opened do not keep it open.
		if g.failures++; g.failures == failuresToOpen {
			g.open = span{now, openFor}
			opened = 1
		}
	}
	return opened
}

// forget makes the gate as good as new, and reports whether its breaker was open.
func (g *gate) forget() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.failures == failuresToOpen
	g.failures = 0
	return was
}

// shut pauses the host, unless it is paused for longer.
func (g *gate) shut(now time.Time, d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if d > g.paused.left(now) {
		g.paused = span{now, d}
	}
}

// pause is how long the host stays paused.
func (g *gate) pause(now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.paused.left(now)
}

// span is a stretch of wall time. A beginning and a length rather than an end: a clock that is set
// back an hour must not make it an hour longer.
type span struct {
	from   time.Time
	length time.Duration
}

// left is what remains of it. When the clock was set back it begins anew.
func (s *span) left(now time.Time) time.Duration {
	if now.Before(s.from) {
		s.from = now
	}
	return max(0, s.length-now.Sub(s.from))
}
