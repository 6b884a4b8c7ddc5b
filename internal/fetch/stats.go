package fetch

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/metrics"
)

// Stats counts what was asked of hosts and what became of it. The zero value is ready; hosts may share one.
// It is safe for concurrent use.
type Stats struct {
	Sent  atomic.Uint64               // HTTP requests that went out, those of retries and redirects too
	Calls [len(results)]atomic.Uint64 // calls of [Host.Do] by [Result]
	Took  metrics.Durations           // of the calls that sent something
	Open  atomic.Int64                // hosts whose breaker is open now, or waits for the call that decides
}

// Result is how a call ended.
type Result int

// The results. Each call has one.
const (
	OK         Result = iota // an answer, be it that there is no such thing
	Timeout                  // no whole answer in time
	Status                   // 429, 5xx, or another status that is no answer
	Garbled                  // an answer that cannot be used: its coding, its size, where it redirects, what it says
	Connection               // none, or it broke off
	Paused                   // not asked: the host wants a pause
	Refused                  // not asked: its breaker is open
	Cancelled                // nobody waited for it any more, or the caller's own budget was used up
)

// results are the names, in the order of the constants.
var results = [...]string{"ok", "timeout", "status", "garbled", "connection", "paused", "breaker_open", "cancelled"}

// Results are all results, in order.
func Results() []Result {
	all := make([]Result, len(results))
	for i := range all {
		all[i] = Result(i)
	}
	return all
}

// String is the name by which a metric tells the result.
func (r Result) String() string { return results[r] }

// resultOf is what the error of a call says.
func resultOf(err error) Result {
	e, ours := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return OK
	case !ours:
		return Cancelled
	case e.held && errors.Is(e.err, errPaused):
		return Paused
	case e.held:
		return Refused
	case e.Timeout:
		return Timeout
	case errors.Is(e.err, errForeign), errors.Is(e.err, errRedirects):
		return Garbled
	case e.Status >= 300:
		return Status
	case errors.Is(e.err, errConnect), errors.Is(e.err, errBroken):
		return Connection
	}
	return Garbled
}

// count counts a call that ended. sent says that something went out for it.
func (s *Stats) count(err error, sent bool, took time.Duration) {
	s.Calls[resultOf(err)].Add(1)
	if sent {
		s.Took.Observe(took)
	}
}
