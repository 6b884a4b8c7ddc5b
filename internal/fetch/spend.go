package fetch

import (
	"slices"
	"time"
)

// SpentError reports that [Config.PerMinute] requests went out within a minute. It is no failure of
// the host.
type SpentError struct {
	// RetryAfter is the time until the next request may go out, at most a minute.
	RetryAfter time.Duration
}

// Error implements error.
func (*SpentError) Error() string { return "as many requests as may have gone out within a minute" }

// spend records an HTTP request that is about to go out. A log of times bounds every minute. A
// token bucket would let twice as many out within some minutes.
func (h *Host) spend() error {
	if h.config.PerMinute == 0 {
		return nil
	}
	now := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	// A time far ahead stems from a clock that was set back since.
	h.sent = slices.DeleteFunc(h.sent, func(at time.Time) bool {
		return now.Sub(at).Abs() > time.Minute
	})
	if len(h.sent) < h.config.PerMinute {
		h.sent = append(h.sent, now)
		return nil
	}
	return &SpentError{min(time.Minute-now.Sub(h.sent[0])+1, time.Minute)}
}
