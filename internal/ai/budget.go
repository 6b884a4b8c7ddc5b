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

// Limits is how much a model may be asked. A number below 1 stands for the default.
type Limits struct {
	// AtOnce is how many questions are under way at a time. The default is 4. Others wait.
	AtOnce int
	// CallsPerMinute is how many questions are let in within any 60 s. The default is 60.
	CallsPerMinute int
	// TokensPerDay bounds questions and answers in a day of UTC. The default is 1,000,000.
	TokensPerDay int
}

// Budget is a model that asks another one no more than [Limits] allow, by this process. It is safe
// for concurrent use.
//
// Only wall time counts, so that a process which was frozen has the budget of the time in which it
// wakes.
type Budget struct {
	model Model
	// A place for each question under way.
	semaphore chan struct{}
	// Questions, as in Limits.
	perMinute int

	mu sync.Mutex
	// Questions let in during the last minute.
	begun []time.Time
	// Midnight of the day in which spent counts.
	today time.Time
	// Tokens of the day.
	spent int
	// Tokens that are set aside.
	reserved int
	// Both for texts at which the model has failed before.
	spentAgain, reservedAgain int
	// All but Left.
	ever Spend
}

// Spend is what went to a model, and what did not, since the process began. Tokens are as
// [Budget.Ask] counts them.
type Spend struct {
	// Questions went to the model and have ended.
	Questions int
	// Asked are the tokens that were set aside for these.
	Asked int
	// Used are the tokens that they took, or that were set aside where nobody said.
	Used int

	// Questions that were refused because of the day, what others had set aside of it, the minute,
	// any day at all, and the share of texts at which the model has failed before.
	Day, Claimed, Minute, TooLarge, Again int

	// Left are tokens of the present day. It is less than 0 when a question took more than
	// expected.
	Left int
	// PerDay is what a day has.
	PerDay int
}

// NewBudget returns a budget for m.
func NewBudget(m Model, c Limits) *Budget {
	const atOnce, perMinute, perDay = 4, 60, 1_000_000
	orDefault := func(n, instead int) int { return cmp.Or(max(n, 0), instead) }
	return &Budget{
		model:     m,
		semaphore: make(chan struct{}, orDefault(c.AtOnce, atOnce)),
		perMinute: orDefault(c.CallsPerMinute, perMinute),
		ever:      Spend{PerDay: orDefault(c.TokensPerDay, perDay)},
	}
}

// Again is m for questions about a text at which it has failed before. A [Budget] has a tenth of a
// day for all of them, so that such texts cannot take the day from others.
func Again(m Model) Model {
	if b, ok := m.(*Budget); ok {
		return again{b}
	}
	return m
}

type again struct{ budget *Budget }

// Ask implements [Model].
func (a again) Ask(ctx context.Context, p Prompt) (Reply, error) { return a.budget.ask(ctx, p, true) }

// Ask asks the model when the budget allows it. It waits for those under way as long as ctx allows,
// but for no minute and no day to pass: without budget it returns an [api.HTTPError] of code
// rate_limited at once, or one of code ai_failed for a question that no day has room for. The error
// for a ctx that ends meanwhile wraps its error and its cause.
//
// The most that the question may cost is set aside before, and settled by Reply.Tokens after, with
// an error too. It stays as it is when the model gives no number of tokens. Tokens are given back
// for a question that is Reply.Unbilled, and the call too for one that is Reply.Unsent.
func (b *Budget) Ask(ctx context.Context, p Prompt) (Reply, error) { return b.ask(ctx, p, false) }

// ask is [Budget.Ask]. again tells of a text at which the model has failed before.
func (b *Budget) ask(ctx context.Context, p Prompt, again bool) (reply Reply, err error) {
	tokens := mostTokens(p)
	if ctx.Err() != nil {
		return Reply{}, waitError(ctx)
	}
	begun, err := b.reserve(tokens, again)
	if err != nil {
		return Reply{}, err
	}
	defer func() { b.settle(tokens, again, begun, reply) }() // after a panic of the model too
	select {
	case b.semaphore <- struct{}{}:
		defer func() { <-b.semaphore }()
		return b.model.Ask(ctx, p)
	case <-ctx.Done():
		return Reply{Unsent: true}, waitError(ctx)
	}
}

// waitError is the error of a question whose context ended before it began.
func waitError(ctx context.Context) error {
	return fmt.Errorf("wait for a turn at the model: %w (%w)", ctx.Err(), context.Cause(ctx))
}

// mostTokens is the most that a question and its answer are expected to cost. Text that no proposal
// is made of can cost more: that is counted when it is known, and leaves so much less.
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

// reserve counts a question and sets aside what it may cost. It asks for the day first: to wait for
// a minute is no use when the day is used up.
func (b *Budget) reserve(tokens int, again bool) (begun time.Time, err error) {
	const (
		// questionTime is about how long a question takes. Most of what others have set aside is
		// given back then.
		questionTime = 5 * time.Second
		againShare   = 10 // a tenth of the day
	)
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.expire()
	left, midnight := b.ever.PerDay-b.spent, b.today.AddDate(0, 0, 1).Sub(now)
	switch {
	case tokens > b.ever.PerDay:
		b.ever.TooLarge++
		// There is no time after which to ask again: the question is too large for any day.
		return now, &api.HTTPError{
			Code:   api.AIFailed,
			Detail: "The proposal is longer than what this site spends on its language model in a day.",
			Err:    errors.New("the question is larger than the budget for the model of a whole day"),
		}
	case tokens > left:
		b.ever.Day++
		return now, exhausted(midnight, "the budget of tokens for the model is used up for today")
	case again && tokens > b.ever.PerDay/againShare-b.spentAgain-b.reservedAgain:
		b.ever.Again++
		return now, exhausted(midnight, "the share of today's budget for texts at which the model has failed before is used up")
	case tokens > left-b.reserved:
		b.ever.Claimed++
		return now, exhausted(min(questionTime, midnight),
			"what is left of today's budget of tokens for the model is set aside for questions under way")
	case len(b.begun) >= b.perMinute:
		b.ever.Minute++
		return now, exhausted(time.Minute-now.Sub(b.begun[0]),
			"the budget of questions to the model is used up for this minute")
	}
	b.begun = append(b.begun, now)
	b.reserved += tokens
	if again {
		b.reservedAgain += tokens
	}
	return now, nil
}

// settle counts what a question cost in place of what was set aside. It counts for the day in which
// the question ends, so that a question over midnight cannot be paid by a day that is already over.
func (b *Budget) settle(tokens int, again bool, begun time.Time, reply Reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	b.reserved -= tokens
	if again {
		b.reservedAgain -= tokens
	}
	if reply.Unsent {
		if i := slices.Index(b.begun, begun); i >= 0 {
			b.begun = slices.Delete(b.begun, i, i+1)
		}
		return
	}
	b.ever.Questions++
	b.ever.Asked += tokens
	if !reply.Unbilled {
		cost := cmp.Or(max(reply.Tokens, 0), tokens)
		b.spent += cost
		if again {
			b.spentAgain += cost
		}
		b.ever.Used += cost
	}
}

// expire drops what lies outside the minute and the day, also when the clock was set back. It
// returns the time without the monotonic reading, which stands still while a process is frozen.
func (b *Budget) expire() time.Time {
	const day = 24 * time.Hour
	now := time.Now().Round(0)
	b.begun = slices.DeleteFunc(b.begun, func(t time.Time) bool { return t.After(now) || now.Sub(t) >= time.Minute })
	if today := now.UTC().Truncate(day); !today.Equal(b.today) {
		b.today, b.spent, b.spentAgain = today, 0, 0 // what is set aside stays so
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
