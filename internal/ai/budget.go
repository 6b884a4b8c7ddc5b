// Package budget bounds what one process asks of a model: so many questions at once, in a minute, and so
// many tokens in a day. It does not know what is asked, by whom, nor which model answers.
package ai

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	defaultAtOnce         = 4
	defaultCallsPerMinute = 60
	defaultTokensPerDay   = 1_000_000
)

// Limits is how much a model may be asked. A number below 1 stands for the default.
type Limits struct {
	AtOnce         int              // questions under way at a time; default 4. What is more waits for its turn
	CallsPerMinute int              // questions begun in any 60 s; default 60
	TokensPerDay   int              // of questions and answers in a day of UTC; default 1,000,000
	Now            func() time.Time // wall clock; nil: time.Now
}

// Budget is a model behind which a model is asked no more than its [Limits] says, by this process. It is
// safe for concurrent use.
//
// Only wall time counts, so that a process which was frozen has the budget of the time it wakes in. A
// clock that is set back gives nothing back, and nothing is withheld for longer than a minute or 24 h
// because of it.
type Budget struct {
	model  Model
	turns  chan struct{}
	ledger ledger
}

// New returns a budget for m.
func NewBudget(m Model, c Limits) *Budget {
	b := &Budget{model: m, turns: make(chan struct{}, orDefault(c.AtOnce, defaultAtOnce))}
	b.ledger.perMinute = orDefault(c.CallsPerMinute, defaultCallsPerMinute)
	b.ledger.perDay = orDefault(c.TokensPerDay, defaultTokensPerDay)
	if b.ledger.now = c.Now; c.Now == nil {
		b.ledger.now = time.Now
	}
	return b
}

func orDefault(n, instead int) int {
	if n < 1 {
		return instead
	}
	return n
}

// Ask asks the model when the budget allows it. It waits for its turn among those under way, as long as
// ctx allows, but for no minute and no day to pass: without budget it returns an [*Error] at once. An
// error that wraps that of ctx says that the turn did not come in time; the cause of ctx is wrapped too.
//
// The most that the question may cost is set aside before and settled by Reply.Tokens after, when the
// model failed too. It stays as it is when the model says no tokens. The tokens are given
// back when the provider wants none for a question that failed, and the call too when it never got there.
func (b *Budget) Ask(ctx context.Context, p Prompt) (reply Reply, err error) {
	if ctx.Err() != nil {
		return Reply{}, waited(ctx)
	}
	e, refused := b.ledger.reserve(mostTokens(p))
	if refused != nil {
		return Reply{}, refused
	}
	select {
	case b.turns <- struct{}{}:
	case <-ctx.Done():
		b.ledger.release(e)
		return Reply{}, waited(ctx)
	}
	b.ledger.start(&e)
	c := cost{tokens: e.tokens} // should the model panic
	defer func() {
		b.ledger.settle(e, c)
		<-b.turns
	}()
	reply, err = b.model.Ask(ctx, p)
	c = costOf(e, reply, err)
	return reply, err
}

// waited is the error of a question whose turn did not come while its context lasted.
func waited(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return fmt.Errorf("wait for a turn at the model: %w", err)
	}
	return fmt.Errorf("wait for a turn at the model: %w (%w)", err, cause)
}

const (
	// bytesPerToken is fewer than proposals have: English has four, hexadecimal digits about two.
	bytesPerToken = 2
	// framing is what a provider adds around the messages, in tokens.
	framing = 64
	// unboundedAnswer is the bound of an answer, in tokens, for which the prompt has none. It is the one
	// that package model sends where the provider wants one.
	unboundedAnswer = 8192
)

// mostTokens is the most that a question and its answer are expected to cost. The system and user texts
// count a token for every two bytes, the answer its bound. Text that no proposal is made of can cost more:
// that is counted when it is known, and makes room for so much less.
func mostTokens(p Prompt) int {
	answer := p.MaxTokens
	if answer < 1 {
		answer = unboundedAnswer
	}
	return (len(p.System)+len(p.User))/bytesPerToken + framing + answer
}

// cost is what a question turned out to cost.
type cost struct {
	tokens  int
	unasked bool // not even a call
}

func costOf(e reservation, reply Reply, err error) cost {
	if f, ok := errors.AsType[*Error](err); ok {
		switch {
		case f.unasked:
			return cost{unasked: true}
		case f.free():
			return cost{}
		}
	}
	if reply.Tokens > 0 {
		return cost{tokens: reply.Tokens}
	}
	return cost{tokens: e.tokens}
}

// Spend is what went to a model, and what did not, since the process began. Tokens are as [Budget.Ask]
// counts them.
type Spend struct {
	Questions int // begun
	Asked     int // tokens set aside for these
	Used      int // tokens that they took, or were set aside where nobody said

	// Questions that were refused, by what they were too many for: the day, what others had set aside of it,
	// the minute, and any day at all.
	Day, Claimed, Minute, TooLarge int

	Left   int // tokens that are left of the present day; less than 0 when a question took more than expected
	PerDay int // tokens that a day has
}

// Spend is what was spent until now.
func (b *Budget) Spend() Spend {
	b.ledger.mu.Lock()
	defer b.ledger.mu.Unlock()
	b.ledger.expire()
	s := b.ledger.ever
	s.PerDay = b.ledger.perDay
	s.Left = s.PerDay - b.ledger.spent - b.ledger.claimed
	return s
}
