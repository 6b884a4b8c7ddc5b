package api

import (
	"math"
	"time"
)

// HTTPError is an error with what the caller of a live endpoint may know of it. It is made where the meaning of a
// failure is known, and written by the sidecar alone.
type HTTPError struct {
	Code   Code
	Detail string // a sentence; it quotes nothing that a host or a model has said
	// RetryAfter is when it makes sense to ask again. Zero means that nobody knows.
	RetryAfter time.Duration
	// Limit names the limit that has no room left, with RateLimited, and Policy is what it allows, as RateLimit-Policy
	// has it. They are empty for a caller's own limit.
	Limit, Policy string
	// Err is the cause, for the log and for errors.Is. It may be nil.
	Err error
}

// Error returns the text of the cause, for the log.
func (e *HTTPError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return string(e.Code) + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *HTTPError) Unwrap() error { return e.Err }

// Seconds is a wait as Retry-After has it: whole seconds, rounded up, one at the least.
func Seconds(wait time.Duration) int { return max(1, int(math.Ceil(wait.Seconds()))) }
