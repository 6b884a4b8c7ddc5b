package ai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

// Defaults of [Limits], and the windows in which questions and tokens are counted.
const (
	defaultAtOnce         = 4
	defaultCallsPerMinute = 60
	defaultTokensPerDay   = 1_000_000

	minute = time.Minute
	day    = 24 * time.Hour
	// questionTime is about how long a question takes. Callers are told to wait so long when the last tokens of the
	// day are set aside for questions under way, of which most will be given back.
	questionTime = 5 * time.Second
)

// Limits is how much a model may be asked. A number below 1 stands for the default.
type Limits struct {
	AtOnce         int              // questions under way at a time; default 4. Others wait
	CallsPerMinute int              // questions begun in any 60 s; default 60
	TokensPerDay   int              // of questions and answers in a day of UTC; default 1,000,000
	Now            func() time.Time // wall clock; nil means time.Now
}

// Budget is a model that asks another one no more than [Limits] allow, by this process. It is safe for concurrent use.
//
// Only wall time counts, so that a process which was frozen has the budget of the time in which it wakes. A clock that
// is set back gives nothing back, and because of it nothing is withheld for longer than a minute or 24 h.
type Budget struct {
	model     Model
	semaphore chan struct{} // a place for each question under way
	perMinute int           // calls
	now       func() time.Time

	mu       sync.Mutex
	waiting  int         // reserved calls that have not begun
	begun    []time.Time // calls of the last minute, in order
	dayEnds  time.Time   // zero before the first day
	spent    int         // tokens of the day
	reserved int         // tokens that are set aside
	ever     Spend       // the counts of it, and PerDay
}

// Spend is what went to a model, and what did not, since the process began. Tokens are as [Budget.Ask]
// counts them.
type Spend struct {
	Questions int // begun
	Asked     int // tokens set aside for these
	Used      int // tokens that they took, or were set aside where nobody said

	// Questions that were refused because of the day, what others had set aside of it, the minute, and any day at all.
	Day, Claimed, Minute, TooLarge int

	Left   int // tokens left of the present day; less than 0 when a question took more than expected
	PerDay int // tokens that a day has
}

// NewBudget returns a budget for m.
func NewBudget(m Model, c Limits) *Budget {
	orDefault := func(n, instead int) int { return cmp.Or(max(n, 0), instead) }
	b := &Budget{
		model:     m,
		semaphore: make(chan struct{}, orDefault(c.AtOnce, defaultAtOnce)),
		perMinute: orDefault(c.CallsPerMinute, defaultCallsPerMinute),
		now:       c.Now,
	}
	b.ever.PerDay = orDefault(c.TokensPerDay, defaultTokensPerDay)
	if b.now == nil {
		b.now = time.Now
	}
	return b
}

// Ask asks the model when the budget allows it. It waits for those under way as long as ctx allows, but for no minute
// and no day to pass: without budget it returns an [api.HTTPError] of code rate_limited at once, or one that wraps
// [ErrTooLarge]. The error for a ctx that ends meanwhile wraps its error and its cause.
//
// The most that the question may cost is set aside before, and settled by Reply.Tokens after, with an error too. It
// stays as it is when the model gives no number of tokens. Tokens are given back for a question that is
// Reply.Unbilled, and the call too for one that is Reply.Unsent.
func (b *Budget) Ask(ctx context.Context, p Prompt) (reply Reply, err error) {
	if ctx.Err() != nil {
		return Reply{}, waitError(ctx)
	}
	tokens := mostTokens(p)
	if err := b.reserve(tokens); err != nil {
		return Reply{}, err
	}
	select {
	case b.semaphore <- struct{}{}:
	case <-ctx.Done():
		b.release(tokens)
		return Reply{}, waitError(ctx)
	}
	begun := b.begin(tokens)
	defer func() { // after a panic of the model too
		b.settle(tokens, begun, reply)
		<-b.semaphore
	}()
	return b.model.Ask(ctx, p)
}

// waitError is the error of a question whose context ended before it began.
func waitError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return fmt.Errorf("wait for a turn at the model: %w", err)
	}
	return fmt.Errorf("wait for a turn at the model: %w (%w)", err, cause)
}

// mostTokens is the most that a question and its answer are expected to cost. Text that no proposal is made of can
// cost more: that is counted when it is known, and leaves so much less.
func mostTokens(p Prompt) int {
	const (
		bytesPerToken = 2  // fewer than proposals have: English has four, hexadecimal digits about two
		framing       = 64 // tokens that a provider adds around the messages
	)
	answer := p.MaxTokens
	if answer < 1 {
		answer = unboundedAnswer
	}
	return (len(p.System)+len(p.User))/bytesPerToken + framing + answer
}

// reserve sets aside what a question may cost. It asks for the day first: to wait for a minute is no use when the day is
// used up. Each reservation is begun and settled, or released.
func (b *Budget) reserve(tokens int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.expire()
	left := b.ever.PerDay - b.spent
	switch {
	case tokens > b.ever.PerDay:
		b.ever.TooLarge++
		// It never makes sense to ask again.
		const detail = "The proposal is longer than what this site spends on its language model in a day."
		return &api.HTTPError{Code: api.AIFailed, Detail: detail, Err: ErrTooLarge}
	case tokens > left:
		b.ever.Day++
		return exhausted(b.dayEnds.Sub(now), "the budget of tokens for the model is used up for today")
	case tokens > left-b.reserved: // others may give back most of it soon
		b.ever.Claimed++
		return exhausted(min(questionTime, b.dayEnds.Sub(now)),
			"what is left of today's budget of tokens for the model is set aside for questions under way")
	case len(b.begun)+b.waiting >= b.perMinute:
		b.ever.Minute++
		wait := minute // when none of them has begun
		if len(b.begun) > 0 {
			wait = minute - now.Sub(b.begun[0])
		}
		return exhausted(wait, "the budget of questions to the model is used up for this minute")
	}
	b.waiting++
	b.reserved += tokens
	return nil
}

// release takes back the reservation of a question that does not begin.
func (b *Budget) release(tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting--
	b.reserved -= tokens
}

// begin counts the call, and returns when it began.
func (b *Budget) begin(tokens int) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.expire()
	b.waiting--
	b.begun = append(b.begun, now)
	b.ever.Questions++
	b.ever.Asked += tokens
	return now
}

// settle counts what a question cost in place of what was set aside. It counts for the day in which the question ends,
// so that a question over midnight cannot be paid by a day that is already over.
func (b *Budget) settle(tokens int, begun time.Time, reply Reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	b.reserved -= tokens
	if !reply.Unbilled && !reply.Unsent {
		cost := cmp.Or(max(reply.Tokens, 0), tokens)
		b.spent += cost
		b.ever.Used += cost
	}
	if !reply.Unsent {
		return
	}
	// The call has no entry when its minute is over. Nor has it one when the clock was set back, and then it stays
	// counted: to drop another's entry would make room too early.
	if i := slices.IndexFunc(b.begun, begun.Equal); i >= 0 {
		b.begun = slices.Delete(b.begun, i, i+1)
	}
}

// expire drops what lies outside the minute and the day. It returns the time without the monotonic reading, which
// stands still while a process is frozen. A call that lies ahead, because the clock was set back, counts as begun now.
// A day that lies ahead ends within 24 h.
func (b *Budget) expire() time.Time {
	now := b.now().Round(0)
	for i := len(b.begun) - 1; i >= 0 && b.begun[i].After(now); i-- {
		b.begun[i] = now
	}
	over := 0
	for over < len(b.begun) && now.Sub(b.begun[over]) >= minute {
		over++
	}
	b.begun = b.begun[over:]

	if !now.Before(b.dayEnds) {
		b.spent = 0 // what is set aside stays so
		b.dayEnds = now.UTC().Truncate(day).Add(day)
	}
	if ends := now.Add(day); ends.Before(b.dayEnds) {
		b.dayEnds = ends
	}
	return now
}

// Spend is what was spent until now.
func (b *Budget) Spend() Spend {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	s := b.ever
	s.Left = s.PerDay - b.spent - b.reserved
	return s
}
