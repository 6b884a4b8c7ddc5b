// Package budget bounds what one process asks of a model: so many questions at once, in a minute, and so
// many tokens in a day. It does not know what is asked, by whom, nor which model answers.
package budget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/assist"
)

const (
	defaultAtOnce         = 4
	defaultCallsPerMinute = 60
	defaultTokensPerDay   = 1_000_000
)

// Config is how much a model may be asked. A number below 1 stands for the default.
type Config struct {
	AtOnce         int              // questions under way at a time; default 4. What is more waits for its turn
	CallsPerMinute int              // questions begun in any 60 s; default 60
	TokensPerDay   int              // of questions and answers in a day of UTC; default 1,000,000
	Now            func() time.Time // wall clock; nil: time.Now
}

// Budget is a model behind which a model is asked no more than its [Config] says, by this process. It is
// safe for concurrent use.
//
// Only wall time counts, so that a process which was frozen has the budget of the time it wakes in. A
// clock that is set back gives nothing back, and nothing is withheld for longer than a minute or 24 h
// because of it.
type Budget struct {
	model assist.Model
	turns chan struct{}
	books books
}

// New returns a budget for m.
func New(m assist.Model, c Config) *Budget {
	b := &Budget{model: m, turns: make(chan struct{}, orDefault(c.AtOnce, defaultAtOnce))}
	b.books.perMinute = orDefault(c.CallsPerMinute, defaultCallsPerMinute)
	b.books.perDay = orDefault(c.TokensPerDay, defaultTokensPerDay)
	if b.books.now = c.Now; c.Now == nil {
		b.books.now = time.Now
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
// model failed too. It stays as it is when the model says no tokens. An error of the model can have the
// methods
//
//	Unasked() bool // the question never got to the provider
//	Free() bool    // the provider wants no tokens for it, be it that it never got there
//
// as that of package model has. Where Free is true the tokens are given back, and where Unasked is true
// the call too.
func (b *Budget) Ask(ctx context.Context, p assist.Prompt) (reply assist.Reply, err error) {
	if ctx.Err() != nil {
		return assist.Reply{}, waited(ctx)
	}
	e, refused := b.books.enter(mostTokens(p))
	if refused != nil {
		return assist.Reply{}, refused
	}
	select {
	case b.turns <- struct{}{}:
	case <-ctx.Done():
		b.books.leave(e)
		return assist.Reply{}, waited(ctx)
	}
	b.books.begin(&e)
	c := cost{tokens: e.tokens} // should the model panic
	defer func() {
		b.books.settle(e, c)
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
