package ai_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
)

// TestClockJumps sets the wall clock and looks at a budget that is used up: nothing comes back too early,
// and nothing is withheld for longer than a window.
func TestClockJumps(t *testing.T) {
	const hour = time.Hour
	for _, c := range []struct {
		name   string
		jump   time.Duration // at noon
		minute time.Duration // how long the minute's budget is used up then; 0: it is not
		day    time.Duration // and the day's
	}{
		{"none", 0, time.Minute, 12 * hour},
		{"a second back", -time.Second, time.Minute, 12*hour + time.Second},
		{"a minute back", -time.Minute, time.Minute, 12*hour + time.Minute},
		{"a day back", -24 * hour, time.Minute, 24 * hour},
		{"a year back", -365 * 24 * hour, time.Minute, 24 * hour},
		{"half a minute forth", 30 * time.Second, 30 * time.Second, 12*hour - 30*time.Second},
		{"an hour forth", hour, 0, 11 * hour},
		{"to midnight", 12 * hour, 0, 0},
		{"a year forth", 365 * 24 * hour, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var jump time.Duration
				now := func() time.Time { return time.Now().Add(12*time.Hour + jump) }
				calls := ai.NewBudget(&fake{tokens: 1}, ai.Limits{CallsPerMinute: 1, Now: now})
				tokens := ai.NewBudget(&fake{tokens: 1000}, ai.Limits{TokensPerDay: 1000, Now: now})
				for _, b := range []*ai.Budget{calls, tokens} {
					if got, _ := ask(t, b, question(100)); got != "" {
						t.Fatal(got)
					}
				}
				jump = c.jump
				for _, one := range []struct {
					name string
					b    *ai.Budget
					want time.Duration
				}{{"calls", calls, c.minute}, {"tokens", tokens, c.day}} {
					_, wait := ask(t, one.b, question(100))
					if wait != one.want {
						t.Errorf("%s: again in %v, want %v", one.name, wait, one.want)
					}
					if wait == 0 {
						continue
					}
					jump += wait
					if got, _ := ask(t, one.b, question(100)); got != "" {
						t.Errorf("%s: when the time is up: %q", one.name, got)
					}
					jump -= wait
				}
			})
		})
	}
}

// TestClockTrembles sets the clock back over midnight and forth again: that makes no third budget.
func TestClockTrembles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jump := 12 * time.Hour
		f := &fake{tokens: 1000}
		b := ai.NewBudget(f, ai.Limits{TokensPerDay: 1000, Now: func() time.Time { return time.Now().Add(jump) }})
		ask(t, b, question(100))
		jump += 12 * time.Hour
		ask(t, b, question(100))
		for range 10 {
			jump -= time.Millisecond
			ask(t, b, question(100))
			jump += time.Millisecond
			ask(t, b, question(100))
		}
		if f.calls != 2 {
			t.Errorf("%d questions in two days that have budget for one each", f.calls)
		}
	})
}

// TestUnaskedAfterJump gives no call back after the clock was set back: it might be another one's.
func TestUnaskedAfterJump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jump atomic.Int64
		f := &fake{takes: 20 * time.Second, err: errors.New("no answer"), fate: ai.Reply{Unbilled: true, Unsent: true}}
		b := ai.NewBudget(f, ai.Limits{CallsPerMinute: 1, Now: func() time.Time { return time.Now().Add(time.Duration(jump.Load())) }})
		done := make(chan bool)
		go func() {
			ask(t, b, question(100))
			close(done)
		}()
		synctest.Wait()
		jump.Store(int64(-time.Hour))
		<-done
		if got, wait := ask(t, b, question(100)); got != perMinute || wait > time.Minute {
			t.Errorf("%q, again in %v", got, wait)
		}
	})
}
