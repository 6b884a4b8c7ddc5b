package ai_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
)

// fake is a model that needs time.
type fake struct {
	takes  time.Duration
	tokens int
	err    error
	fate   ai.Reply // Unbilled and Unsent in the replies

	mu         sync.Mutex
	calls      int
	now, atTop int       // running questions, and their maximum
	last       time.Time // time of the last question
}

func (f *fake) Ask(ctx context.Context, _ ai.Prompt) (ai.Reply, error) {
	f.mu.Lock()
	f.calls, f.now, f.last = f.calls+1, f.now+1, time.Now()
	f.atTop = max(f.atTop, f.now)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.now--
		f.mu.Unlock()
	}()
	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
		return ai.Reply{}, ctx.Err()
	}
	return ai.Reply{Text: "{}", Tokens: f.tokens, Unbilled: f.fate.Unbilled,
		Unsent: f.fate.Unsent}, f.err
}

// question returns a prompt that costs at most n tokens by the package's estimate, which adds 64
// for the framing.
func question(n int) ai.Prompt { return ai.Prompt{MaxTokens: n - 64} }

// ask asks and returns the outcome: an empty text, or the error and the wait.
func ask(t *testing.T, b *ai.Budget, p ai.Prompt) (string, time.Duration) {
	t.Helper()
	_, err := b.Ask(t.Context(), p)
	if err == nil {
		return "", 0
	}
	e, ours := errors.AsType[*api.HTTPError](err)
	if !ours {
		return err.Error(), 0
	}
	exhausted, large := isExhausted(err), err.Error() == tooLarge
	if exhausted == large || exhausted != (e.RetryAfter > 0) || e.RetryAfter > 24*time.Hour {
		t.Errorf("%v: exhausted %t, too large %t, again in %v", err, exhausted, large, e.RetryAfter)
	}
	if strings.ContainsAny(err.Error(), "0123456789") {
		t.Errorf("the error has a number: %v", err)
	}
	return err.Error(), e.RetryAfter
}

// isExhausted reports whether a budget refused a question.
func isExhausted(err error) bool {
	e, ok := errors.AsType[*api.HTTPError](err)
	return ok && e.Code == api.RateLimited
}

const (
	perMinute = "the budget of questions to the model is used up for this minute"
	perDay    = "the budget of tokens for the model is used up for today"
	claimed   = "what is left of today's budget of tokens for the model " +
		"is set aside for questions under way"
	tooLarge = "the question is larger than the budget for the model of a whole day"
)

func TestAtOnce(t *testing.T) {
	for _, c := range []struct{ atOnce, want int }{{0, 4}, {-1, 4}, {1, 1}, {7, 7}} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{takes: time.Second, tokens: 1}
			b := ai.NewBudget(f, ai.Limits{AtOnce: c.atOnce})
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					if got, _ := ask(t, b, question(100)); got != "" {
						t.Errorf("at once %d: %s", c.atOnce, got)
					}
				})
			}
			all.Wait()
			if f.atTop != c.want || f.calls != 20 {
				t.Errorf("at once %d: %d under way and %d in all, want %d and 20", c.atOnce,
					f.atTop, f.calls, c.want)
			}
		})
	}
}

func TestPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{takes: time.Second}
		b := ai.NewBudget(f, ai.Limits{CallsPerMinute: 3})
		for range 3 {
			ask(t, b, question(100))
		}
		if got, wait := ask(t, b, question(100)); got != perMinute || wait != 57*time.Second {
			t.Errorf("the fourth after 3 s: %q, again in %v", got, wait)
		}
		time.Sleep(57*time.Second - 1)
		if got, wait := ask(t, b, question(100)); got != perMinute || wait != 1 {
			t.Errorf("just before the minute is over: %q, again in %v", got, wait)
		}
		time.Sleep(time.Nanosecond)
		if got, _ := ask(t, b, question(100)); got != "" {
			t.Errorf("when the first is a minute ago: %q", got)
		}
		// The window slides: the second of the three is outside now, too.
		if got, _ := ask(t, b, question(100)); got != "" {
			t.Errorf("a second later: %q", got)
		}
		if f.calls != 5 {
			t.Errorf("%d calls, want 5", f.calls)
		}
	})
}

// TestWaiting checks that a waiting question has a call reserved, so that no wait ends without a
// call, and that the call counts from its beginning.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{takes: 10 * time.Second}
		b := ai.NewBudget(f, ai.Limits{AtOnce: 1, CallsPerMinute: 2})
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { ask(t, b, question(100)) })
		}
		synctest.Wait()
		if got, wait := ask(t, b, question(100)); got != perMinute || wait != time.Minute {
			t.Errorf("while one waits: %q, again in %v", got, wait)
		}
		all.Wait() // 20 s: they began at 0 and 10
		time.Sleep(40 * time.Second)
		ask(t, b, question(100)) // 60 to 70
		if got, wait := ask(t, b, question(100)); got != "" || wait != 0 {
			t.Errorf("a minute after the second began: %q, again in %v", got, wait)
		}
	})
}

func TestPerDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it is midnight of UTC
		f := &fake{takes: time.Second}
		b := ai.NewBudget(f, ai.Limits{TokensPerDay: 1000})
		f.tokens = 100 // fewer than reserved
		for range 5 {
			if got, _ := ask(t, b, question(500)); got != "" {
				t.Fatalf("with room: %q", got)
			}
		}
		if got, _ := ask(t, b, question(501)); got != perDay {
			t.Errorf("501 of 500 left: %q", got)
		}
		f.tokens = 0 // unknown: the reservation stays
		ask(t, b, question(200))
		if got, _ := ask(t, b, question(301)); got != perDay {
			t.Errorf("301 of 300 left: %q", got)
		}
		f.tokens, f.err = 250, errors.New("cut off") // tokens with an error
		ask(t, b, question(300))
		f.err = nil
		if got, _ := ask(t, b, question(70)); got != perDay {
			t.Errorf("70 of 50 left: %q", got)
		}
		f.calls = 0
		if got, wait := ask(t, b, question(1001)); got != tooLarge || wait != 0 {
			t.Errorf("more than a day has: %q, %v", got, wait)
		}
		_, wait := ask(t, b, question(1000))
		if end := time.Now().Add(wait).UTC(); end != end.Truncate(24*time.Hour) {
			t.Errorf("used up until %v, want midnight", end)
		}
		time.Sleep(wait - 1)
		if got, _ := ask(t, b, question(1000)); got != perDay || f.calls != 0 {
			t.Errorf("before midnight: %q, %d calls", got, f.calls)
		}
		time.Sleep(time.Nanosecond)
		f.tokens = 5000 // more than reserved counts too
		if got, _ := ask(t, b, question(1000)); got != "" {
			t.Errorf("at midnight: %q", got)
		}
		if got, wait := ask(t, b, question(65)); got != perDay || wait != 24*time.Hour-time.Second {
			t.Errorf("overdrawn: %q, again in %v", got, wait)
		}
	})
}

// TestOverMidnight checks that a question over midnight takes tokens of the day in which it ends.
func TestOverMidnight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{takes: time.Minute, tokens: 600}
		b := ai.NewBudget(f, ai.Limits{TokensPerDay: 1000})
		time.Sleep(24*time.Hour - time.Second)
		go ask(t, b, question(1000))
		time.Sleep(2 * time.Second)
		if got, wait := ask(t, b, question(100)); got != claimed || wait != 5*time.Second {
			t.Errorf("while it is under way: %q, again in %v", got, wait)
		}
		time.Sleep(time.Minute)
		if got, _ := ask(t, b, question(401)); got != perDay {
			t.Errorf("401 of 400 left: %q", got)
		}
		if got, _ := ask(t, b, question(400)); got != "" {
			t.Errorf("400 of 400 left: %q", got)
		}
	})
}

// TestEstimate checks the reservation for a prompt.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		prompt ai.Prompt
		most   int
	}{
		{ai.Prompt{}, 64 + 8192},
		{ai.Prompt{MaxTokens: -1}, 64 + 8192},
		{ai.Prompt{System: "1234", User: "12345678", MaxTokens: 100}, 6 + 64 + 100},
	} {
		f := &fake{}
		_, err := ai.NewBudget(f, ai.Limits{TokensPerDay: c.most}).Ask(t.Context(), c.prompt)
		if err != nil {
			t.Errorf("%+v in a day of %d tokens: %v", c.prompt, c.most, err)
		}
		_, err = ai.NewBudget(f, ai.Limits{TokensPerDay: c.most - 1}).Ask(t.Context(), c.prompt)
		if err == nil || err.Error() != tooLarge {
			t.Errorf("%+v in a day of %d tokens: %v", c.prompt, c.most-1, err)
		}
	}
}

// TestFailures checks that unused calls and tokens are returned.
func TestFailures(t *testing.T) {
	failed := errors.New("no answer")
	for _, c := range []struct {
		name          string
		fate          ai.Reply
		tokens, calls int // left of 1000 and 2
	}{
		{"asked and paid", ai.Reply{}, 500, 1},
		{"turned away", ai.Reply{Unbilled: true}, 1000, 1},
		{"unsent", ai.Reply{Unbilled: true, Unsent: true}, 1000, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{err: failed, fate: c.fate}
				b := ai.NewBudget(f, ai.Limits{TokensPerDay: 1000, CallsPerMinute: 2})
				if _, err := b.Ask(t.Context(), question(500)); !errors.Is(err, failed) {
					t.Errorf("Ask: %v, want %v", err, failed)
				}
				f.err, f.fate, f.tokens = nil, ai.Reply{}, 1
				want := map[bool]string{true: perDay}[c.tokens < 1000]
				if got, _ := ask(t, b, question(c.tokens+1)); got != perDay && got != tooLarge {
					t.Errorf("%d tokens: %q", c.tokens+1, got)
				}
				if got, _ := ask(t, b, question(1000)); got != want {
					t.Errorf("1000 tokens: %q, want %q", got, want)
				}
				if want == "" {
					c.calls--
				}
				for range c.calls {
					if got, _ := ask(t, b, question(100)); got != "" {
						t.Errorf("a call that is left: %q", got)
					}
				}
				if got, _ := ask(t, b, question(100)); got != perMinute {
					t.Errorf("a call too many: %q", got)
				}
			})
		})
	}
}

// TestLeaves cancels waiting questions: they use nothing, and no slot is lost.
func TestLeaves(t *testing.T) {
	cause := errors.New("overtaken")
	for _, c := range []struct {
		name   string
		end    func(context.Context) (context.Context, context.CancelFunc)
		is     []error
		leaves bool // at once
	}{
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, []error{context.DeadlineExceeded}, false},
		{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			stop := time.AfterFunc(time.Second, func() { cancel(cause) })
			return ctx, func() { stop.Stop() }
		}, []error{context.Canceled, cause}, false},
		{"before", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}, []error{context.Canceled}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{takes: 10 * time.Second, tokens: 100}
				b := ai.NewBudget(f, ai.Limits{AtOnce: 1, CallsPerMinute: 3, TokensPerDay: 1000})
				go ask(t, b, question(100))
				synctest.Wait()
				var all sync.WaitGroup
				for range 2 {
					all.Go(func() {
						ctx, cancel := c.end(t.Context())
						defer cancel()
						_, err := b.Ask(ctx, question(450))
						for _, is := range c.is {
							if !errors.Is(err, is) || isExhausted(err) {
								t.Errorf("Ask: %v, want %v", err, is)
							}
						}
					})
				}
				all.Wait()
				if f.calls != 1 {
					t.Fatalf("%d calls, want 1", f.calls)
				}
				if got, _ := ask(t, b, question(900)); got != "" || f.atTop != 1 {
					t.Errorf("900 of 900 tokens: %q, %d under way", got, f.atTop)
				}
				if got, _ := ask(t, b, question(100)); got != "" {
					t.Errorf("the third call: %q", got)
				}
				if got, _ := ask(t, b, question(100)); got != perMinute {
					t.Errorf("the fourth call: %q", got)
				}
			})
		})
	}
}

// TestPanic checks that a model which panics frees its slot.
func TestPanic(t *testing.T) {
	b := ai.NewBudget(panics{}, ai.Limits{AtOnce: 1})
	for range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			b.Ask(t.Context(), question(100))
		}()
	}
}

type panics struct{}

func (panics) Ask(context.Context, ai.Prompt) (ai.Reply, error) { panic("model") }

// TestMany asks from a thousand goroutines and checks that no bound is exceeded.
func TestMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{takes: 10 * time.Millisecond, tokens: 90}
		b := ai.NewBudget(f, ai.Limits{AtOnce: 8, CallsPerMinute: 300, TokensPerDay: 20_000})
		var refused atomic.Int64
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(),
					time.Duration(1+i%200)*time.Millisecond)
				defer cancel()
				if _, err := b.Ask(ctx, question(100)); isExhausted(err) {
					refused.Add(1)
				}
			})
		}
		all.Wait()
		if f.atTop != 8 || f.calls > 200 || refused.Load() < 700 {
			t.Errorf("%d under way, %d calls, %d refused", f.atTop, f.calls, refused.Load())
		}
		// One by one, to the last token.
		for got := ""; got == ""; {
			got, _ = ask(t, b, question(100))
		}
		if _, wait := ask(t, b, question(100)); wait <= time.Minute {
			t.Errorf("again in %v, want the day to be used up", wait)
		}
		if spent := f.calls * f.tokens; spent > 20_000 {
			t.Errorf("%d tokens spent", spent)
		}
	})
}

// TestSpend asks until each bound refuses, and checks the counts.
func TestSpend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{tokens: 300}
		b := ai.NewBudget(f, ai.Limits{CallsPerMinute: 2, TokensPerDay: 2000})
		want := func(when string, want ai.Spend) {
			t.Helper()
			if got := b.Spend(); got != want {
				t.Errorf("%s: %+v, want %+v", when, got, want)
			}
		}
		want("at first", ai.Spend{Left: 2000, PerDay: 2000})
		ask(t, b, question(500))
		ask(t, b, question(500))
		ask(t, b, question(500))
		ask(t, b, question(2001))
		want("after a minute's calls",
			ai.Spend{Questions: 2, Asked: 1000, Used: 600, Minute: 1, TooLarge: 1,
				Left: 1400, PerDay: 2000})
		time.Sleep(time.Minute)
		ask(t, b, question(1500))
		f.takes = time.Second
		var both sync.WaitGroup
		both.Go(func() { ask(t, b, question(1000)) })
		synctest.Wait()
		ask(t, b, question(500))
		want("while one is under way",
			ai.Spend{Questions: 2, Asked: 1000, Used: 600, Minute: 1, TooLarge: 1, Day: 1,
				Claimed: 1, Left: 400, PerDay: 2000})
		both.Wait()
		time.Sleep(24 * time.Hour)
		want("the next day", ai.Spend{Questions: 3, Asked: 2000, Used: 900, Minute: 1, TooLarge: 1,
			Day: 1, Claimed: 1, Left: 2000, PerDay: 2000})
	})
}
