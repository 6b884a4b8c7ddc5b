package fetch

import (
	"errors"
	"sync/atomic"
	"time"
)

// Stats counts what was asked of hosts and what became of it. The zero value is ready; hosts may share one.
// It is safe for concurrent use.
type Stats struct {
	Sent  atomic.Uint64               // HTTP requests that went out, those of retries and redirects too
	Calls [len(results)]atomic.Uint64 // calls of [Host.Do] by [Result]
	Took  Durations                   // of the calls that sent something
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

// resultOf is the result of a call with that error.
func resultOf(err error) Result {
	if err == nil {
		return OK
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.result
	}
	return Cancelled
}

// resultOfStatus is the result of an answer that cannot be used.
func resultOfStatus(status int) Result {
	if status >= 300 {
		return Status
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
