package forum

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

// Limit names the limit of topics that no proposal links to.
const Limit = "forum"

// The budget of other topics is this many HTTP requests in any window.
const (
	budgetCalls  = 20
	budgetWindow = time.Minute
)

// budget lets 20 HTTP requests go out in any minute. It is a log and no token bucket: a bucket lets twice as many out
// around the turn of a minute. The zero value is full.
type budget struct {
	mu sync.Mutex
	// reserved counts requests that may go out but have not yet.
	reserved int
	// spent are the times of the requests of the last minute by the wall clock, oldest first.
	spent []time.Time
}

// reserve reserves a request. The caller spends or releases it. The error is [ErrBusy], with the time after which it
// makes sense to ask again.
func (b *budget) reserve(now time.Time) error {
	now = now.Round(0)
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, at := range b.spent {
		if at.After(now) { // the clock was set back
			b.spent[i] = now
		}
	}
	b.spent = slices.DeleteFunc(b.spent, func(at time.Time) bool { return now.Sub(at) > budgetWindow })
	if b.reserved+len(b.spent) < budgetCalls {
		b.reserved++
		return nil
	}
	// The oldest request makes room when it leaves the window. A reservation may be released at any time.
	wait := time.Second
	if len(b.spent) > 0 {
		wait = min(budgetWindow, (budgetWindow - now.Sub(b.spent[0]) + time.Second).Truncate(time.Second))
	}
	return &api.HTTPError{
		Code:       api.RateLimited,
		Detail:     "Too many different topics that no proposal links to are asked for; wait for as long as Retry-After says.",
		RetryAfter: wait,
		Limit:      Limit,
		Policy:     fmt.Sprintf("q=%d;w=%d", budgetCalls, int(budgetWindow.Seconds())),
		Err:        ErrBusy,
	}
}

// spend notes that a reserved request goes out now.
func (b *budget) spend(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved--
	b.spent = append(b.spent, now.Round(0))
}

// release gives a reserved request back that did not go out.
func (b *budget) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved--
}
