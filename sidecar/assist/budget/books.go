package budget

import (
	"slices"
	"sync"
	"time"
)

const (
	minute = time.Minute
	day    = 24 * time.Hour
	// turn is about how long a question takes: what callers are told to wait when the last tokens of the
	// day are set aside for questions under way, of which most will be given back.
	turn = 5 * time.Second
)

// books hold what was spent.
type books struct {
	perMinute, perDay int
	now               func() time.Time

	mu      sync.Mutex
	waiting int         // calls that were let in and wait for their turn
	begun   []time.Time // of the last minute, in order

	until   time.Time // when the day ends; zero: none has begun
	spent   int       // tokens of the day
	claimed int       // tokens set aside for questions that were let in

	ever Spend // the counts of it
}

// entry is a question that was let in.
type entry struct {
	tokens int       // set aside
	begun  time.Time // zero: it waits for its turn
}

// enter sets aside what a question may cost. Each that was let in must begin and be settled, or leave.
func (b *books) enter(tokens int) (entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.turnPage()
	switch {
	case tokens > b.perDay:
		return entry{}, b.refuse(&b.ever.TooLarge, &Error{kind: ErrTooLarge})
	case tokens > b.perDay-b.spent:
		return entry{}, b.refuse(&b.ever.Day, &Error{RetryAfter: b.until.Sub(now), kind: errDay})
	case tokens > b.perDay-b.spent-b.claimed:
		return entry{}, b.refuse(&b.ever.Claimed, &Error{RetryAfter: min(turn, b.until.Sub(now)), kind: errClaimed})
	case len(b.begun)+b.waiting >= b.perMinute:
		after := minute // when all of them still wait for their turn
		if len(b.begun) > 0 {
			after = minute - now.Sub(b.begun[0])
		}
		return entry{}, b.refuse(&b.ever.Minute, &Error{RetryAfter: after, kind: errMinute})
	}
	b.waiting++
	b.claimed += tokens
	return entry{tokens: tokens}, nil
}

// refuse counts a refusal.
func (b *books) refuse(count *int, why *Error) error {
	*count++
	return why
}

// leave takes back a question whose turn did not come.
func (b *books) leave(e entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting--
	b.claimed -= e.tokens
}

// begin counts the call.
func (b *books) begin(e *entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.turnPage()
	b.waiting--
	b.begun = append(b.begun, now)
	b.ever.Questions++
	b.ever.Asked += e.tokens
	e.begun = now
}

// settle puts what a question cost in the place of what was set aside. It counts for the day in which it
// ends.
func (b *books) settle(e entry, c cost) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turnPage()
	b.claimed -= e.tokens
	b.spent += c.tokens
	b.ever.Used += c.tokens
	if !c.unasked {
		return
	}
	// It is not there when its minute is over. Nor is it when the clock was set back, and then it counts:
	// another one's call in its place would make room too early.
	if i := slices.IndexFunc(b.begun, e.begun.Equal); i >= 0 {
		b.begun = slices.Delete(b.begun, i, i+1)
	}
}

// turnPage forgets what lies outside the minute and the day, and returns the time without the monotonic
// reading, which stands still while a process is frozen. A call that lies ahead, because the clock was
// set back, counts as begun now; a day that lies ahead ends within 24 h.
func (b *books) turnPage() time.Time {
	now := b.now().Round(0)
	for i := len(b.begun) - 1; i >= 0 && b.begun[i].After(now); i-- {
		b.begun[i] = now
	}
	over := 0
	for over < len(b.begun) && now.Sub(b.begun[over]) >= minute {
		over++
	}
	b.begun = b.begun[over:]

	if !now.Before(b.until) {
		b.spent = 0 // what is set aside stays so
		b.until = now.UTC().Truncate(day).Add(day)
	}
	if ends := now.Add(day); ends.Before(b.until) {
		b.until = ends
	}
	return now
}
