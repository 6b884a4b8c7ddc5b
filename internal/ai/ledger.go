package ai

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

// ledger holds what was spent.
type ledger struct {
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

// reservation is a question that was let in.
type reservation struct {
	tokens int       // set aside
	begun  time.Time // zero: it waits for its turn
}

// reserve sets aside what a question may cost. Each reservation is started and settled, or released.
func (l *ledger) reserve(tokens int) (reservation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.expire()
	switch {
	case tokens > l.perDay:
		return reservation{}, l.refuse(&l.ever.TooLarge, tooLarge())
	case tokens > l.perDay-l.spent:
		return reservation{}, l.refuse(&l.ever.Day, exhausted(l.until.Sub(now), "the budget of tokens for the model is used up for today"))
	case tokens > l.perDay-l.spent-l.claimed:
		return reservation{}, l.refuse(&l.ever.Claimed, exhausted(min(turn, l.until.Sub(now)),
			"what is left of today's budget of tokens for the model is set aside for questions under way"))
	case len(l.begun)+l.waiting >= l.perMinute:
		after := minute // when all of them still wait for their turn
		if len(l.begun) > 0 {
			after = minute - now.Sub(l.begun[0])
		}
		return reservation{}, l.refuse(&l.ever.Minute, exhausted(after, "the budget of questions to the model is used up for this minute"))
	}
	l.waiting++
	l.claimed += tokens
	return reservation{tokens: tokens}, nil
}

// refuse counts a refusal.
func (l *ledger) refuse(count *int, why *Error) error {
	*count++
	return why
}

// release takes back a question whose turn did not come.
func (l *ledger) release(e reservation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting--
	l.claimed -= e.tokens
}

// start counts the call.
func (l *ledger) start(e *reservation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.expire()
	l.waiting--
	l.begun = append(l.begun, now)
	l.ever.Questions++
	l.ever.Asked += e.tokens
	e.begun = now
}

// settle puts what a question cost in the place of what was set aside. It counts for the day in which it
// ends.
func (l *ledger) settle(e reservation, c cost) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire()
	l.claimed -= e.tokens
	l.spent += c.tokens
	l.ever.Used += c.tokens
	if !c.unasked {
		return
	}
	// It is not there when its minute is over. Nor is it when the clock was set back, and then it counts:
	// another one's call in its place would make room too early.
	if i := slices.IndexFunc(l.begun, e.begun.Equal); i >= 0 {
		l.begun = slices.Delete(l.begun, i, i+1)
	}
}

// expire forgets what lies outside the minute and the day, and returns the time without the monotonic
// reading, which stands still while a process is frozen. A call that lies ahead, because the clock was
// set back, counts as begun now; a day that lies ahead ends within 24 h.
func (l *ledger) expire() time.Time {
	now := l.now().Round(0)
	for i := len(l.begun) - 1; i >= 0 && l.begun[i].After(now); i-- {
		l.begun[i] = now
	}
	over := 0
	for over < len(l.begun) && now.Sub(l.begun[over]) >= minute {
		over++
	}
	l.begun = l.begun[over:]

	if !now.Before(l.until) {
		l.spent = 0 // what is set aside stays so
		l.until = now.UTC().Truncate(day).Add(day)
	}
	if ends := now.Add(day); ends.Before(l.until) {
		l.until = ends
	}
	return now
}
