package forum

import (
	"sync"
	"time"
)

const (
	budgetCalls  = 20
	budgetWindow = time.Minute
)

// budget lets 20 calls go out in any minute. It is a log of calls, not a bucket: a bucket lets twice
// as many out around the turn of a minute. The zero value is full.
type budget struct {
	mu       sync.Mutex
	reserved int         // calls that may go out but have not yet
	spent    []time.Time // calls of the last minute by the wall clock, oldest first
}

// permit is the right to one call. It is one flight's and not safe for concurrent use.
type permit struct {
	b    *budget
	used bool
}

// take reserves a call. Give it back.
func (b *budget) take(now time.Time) (*permit, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.full(now.Round(0)); err != nil {
		return nil, err
	}
	b.reserved++
	return &permit{b: b}, nil
}

// spend notes a call that goes out now: the reserved one, and from the second on one more each.
func (p *permit) spend(now time.Time) error {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	now = now.Round(0)
	if p.used {
		if err := p.b.full(now); err != nil {
			return err
		}
	} else {
		p.used = true
		p.b.reserved--
	}
	p.b.spent = append(p.b.spent, now)
	return nil
}

// giveBack ends the permit. A call that never went out is another one's.
func (p *permit) giveBack() {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if !p.used {
		p.used = true
		p.b.reserved--
	}
}

// full forgets calls older than a minute and says when there is room if there is none.
func (b *budget) full(now time.Time) error {
	kept := b.spent[:0]
	for _, at := range b.spent {
		if at.After(now) {
			at = now // the clock was set back: that call was made at the latest now
		}
		if now.Sub(at) <= budgetWindow {
			kept = append(kept, at)
		}
	}
	b.spent = kept
	if b.reserved+len(b.spent) < budgetCalls {
		return nil
	}
	wait := time.Second // a reservation may come back at any time
	if len(b.spent) > 0 {
		wait = min(budgetWindow, (budgetWindow - now.Sub(b.spent[0]) + time.Second).Truncate(time.Second))
	}
	return busy(max(wait, time.Second))
}
