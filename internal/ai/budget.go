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

// Limits bounds the questions to a model. A number below 1 means the default.
type Limits struct {
	// AtOnce is the number of concurrent questions. The default is 4. Others wait.
	AtOnce int
	// CallsPerMinute is the number of questions within any 60 s. The default is 60.
	CallsPerMinute int
	// TokensPerDay bounds questions and answers in a day of UTC. The default is 1,000,000.
	TokensPerDay int
}

// Budget is a model that asks another one within the [Limits] of this process. It is safe for
// concurrent use.
//
// Only wall time counts, so that a process which was frozen has the budget of the time in which it
// wakes.
type Budget struct {
	model Model
	// One slot for each concurrent question.
	semaphore chan struct{}
	// Questions, see Limits.
	perMinute int

	mu sync.Mutex
	// Questions of the last minute.
	begun []time.Time
	// Midnight of the day of spent.
	today time.Time
	// Tokens of the day.
	spent int
	// Reserved tokens.
	reserved int
	// Both for texts that the model has failed at before.
	spentAgain, reservedAgain int
	// All but Left.
	ever Spend
}

// Spend counts the use of a model since the process began. Tokens are as [Budget.Ask] counts them.
type Spend struct {
	// Questions were sent to the model and have ended.
	Questions int
	// Asked is the number of tokens that were reserved for these questions.
	Asked int
	// Used is the number of tokens that they took, or that were reserved if the cost is unknown.
	Used int

	// Refused questions by their reason: the day, the reservations of others, the minute, larger
	// than any day, the share of texts that the model has failed at before.
	Day, Claimed, Minute, TooLarge, Again int

	// Left is the rest of the present day. It is negative if a question took more than expected.
	Left int
	// PerDay is the number of tokens of a day.
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

// Again returns m for questions about texts that it has failed at before. A [Budget] has a tenth of
// a day for all of them, so that such texts cannot exhaust the day.
func Again(m Model) Model {
	if b, ok := m.(*Budget); ok {
		return again{b}
	}
	return m
}

type again struct{ budget *Budget }

// Ask implements [Model].
func (a again) Ask(ctx context.Context, p Prompt) (Reply, error) {
	return a.budget.ask(ctx, p, true)
}

// Ask asks the model if the budget allows it. It waits for concurrent questions as long as ctx
// allows, but not for a minute or a day to pass: without budget it returns an [api.HTTPError] of
// code rate_limited at once, or of code ai_failed for a question that is larger than any day. If
// ctx ends while it waits, the error wraps the error and the cause of ctx.
//
// The highest cost of the question is reserved before, and replaced by Reply.Tokens after, with an
// error too. The reservation stays if the model gives no number of tokens. Tokens are returned for
// a question that is Reply.Unbilled, and the call too for one that is Reply.Unsent.
func (b *Budget) Ask(ctx context.Context, p Prompt) (Reply, error) { return b.ask(ctx, p, false) }

// ask is [Budget.Ask]. again is set for a text that the model has failed at before.
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

// waitError returns the error of a question whose context ended before it began.
func waitError(ctx context.Context) error {
	return fmt.Errorf("wait for a turn at the model: %w (%w)", ctx.Err(), context.Cause(ctx))
}

// mostTokens returns the highest expected cost of a question and its answer. Text that no proposal
// consists of can cost more. The excess is counted when it is known.
func mostTokens(p Prompt) int {
	const (
		bytesPerToken = 2  // proposals have more: English has four, hexadecimal digits about two
		framing       = 64 // tokens that a provider adds to the messages
	)
	answer := p.MaxTokens
	if answer < 1 {
		answer = unboundedAnswer
	}
	return (len(p.System)+len(p.User))/bytesPerToken + framing + answer
}

// reserve counts a question and reserves its highest cost. It checks the day first: to wait for a
// minute is useless when the day is used up.
func (b *Budget) reserve(tokens int, again bool) (begun time.Time, err error) {
	const (
		// questionTime is about the duration of a question. Most reservations are returned after
		// it.
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
		// No Retry-After: the question is too large for any day.
		return now, &api.HTTPError{
			Code: api.AIFailed,
			Detail: "The proposal is longer than what this site spends on its " +
				"language model in a day.",
			Err: errors.New("the question is larger than the budget for the model " +
				"of a whole day"),
		}
	case tokens > left:
		b.ever.Day++
		return now, exhausted(midnight, "the budget of tokens for the model is used up for today")
	case again && tokens > b.ever.PerDay/againShare-b.spentAgain-b.reservedAgain:
		b.ever.Again++
		return now, exhausted(midnight,
			"the share of today's budget for texts at which the model has failed before is used up")
	case tokens > left-b.reserved:
		b.ever.Claimed++
		return now, exhausted(min(questionTime, midnight),
			"what is left of today's budget of tokens for the model "+
				"is set aside for questions under way")
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

// settle replaces the reservation of a question by its cost. It counts for the day in which the
// question ends, so that a question over midnight does not use a day that is over.
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

// expire drops counts outside the minute and the day, also when the clock was set back. It returns
// the time without the monotonic reading, which stands still while a process is frozen.
func (b *Budget) expire() time.Time {
	const day = 24 * time.Hour
	now := time.Now().Round(0)
	b.begun = slices.DeleteFunc(b.begun, func(t time.Time) bool {
		return t.After(now) || now.Sub(t) >= time.Minute
	})
	if today := now.UTC().Truncate(day); !today.Equal(b.today) {
		b.today, b.spent, b.spentAgain = today, 0, 0 // reservations stay
	}
	return now
}

// Spend returns the use of the model until now.
func (b *Budget) Spend() Spend {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	s := b.ever
	s.Left = s.PerDay - b.spent - b.reserved
	return s
}
