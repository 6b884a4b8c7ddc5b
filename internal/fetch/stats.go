package fetch

import (
	"errors"
	"sync/atomic"
	"time"
)

// Stats counts the calls of hosts. The zero value is ready; hosts may share one. It is safe for concurrent use.
type Stats struct {
	// Sent counts HTTP requests that went out, those of retries and redirects included.
	Sent atomic.Uint64
	// Calls counts calls of [Host.Do] by [Result].
	Calls [len(results)]atomic.Uint64
	// Took are the durations of the calls that sent something.
	Took Durations
	// Open is the number of hosts whose breaker is open, or waits for the call that decides.
	Open atomic.Int64
}

// Result is how a call ended.
type Result int

// The results.
const (
	// OK is an answer, that of a missing resource included.
	OK Result = iota
	// Timeout is no whole answer in time.
	Timeout
	// Status is 429, 5xx, or another status that is no answer.
	Status
	// Garbled is an unusable answer: by its coding, its size, its redirect or its text.
	Garbled
	// Connection is no connection, or one that broke off.
	Connection
	// Paused is a call that did not go out because the host wants a pause.
	Paused
	// Refused is a call that did not go out because the breaker is open.
	Refused
	// Cancelled is a call whose caller has left, or whose caller's own budget was used up.
	Cancelled
)

// results are the names in metrics, in the order of the constants.
var results = [...]string{"ok", "timeout", "status", "garbled", "connection", "paused", "breaker_open", "cancelled"}

// Results returns all results, in order.
func Results() []Result {
	all := make([]Result, len(results))
	for i := range all {
		all[i] = Result(i)
	}
	return all
}

// String is the name in metrics.
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
