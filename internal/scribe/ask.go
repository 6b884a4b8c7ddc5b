package scribe

import (
	"context"
	"errors"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/assist"
)

const (
	// longestWait is the longest pause that is waited for: a limit by the minute, not by the day.
	longestWait = 10 * time.Minute
	// mostWaits is how often one proposal waits: others may take what was waited for.
	mostWaits = 20
)

// waiter is an error that says when it makes sense to ask again.
type waiter interface {
	error
	// Wait is how long to wait; zero or less: that is not known.
	Wait() time.Duration
}

// ask has the model write a summary, and waits when it says that it will answer later.
func (s *scribe) ask(ctx context.Context, subject assist.Subject) (api.Summary, error) {
	for waits := 0; ; waits++ {
		sum, err := assist.Summarise(ctx, s.Model, subject, locale)
		w, ok := errors.AsType[waiter](err)
		if !ok || w.Wait() <= 0 || w.Wait() > longestWait || waits == mostWaits {
			return sum, err
		}
		if s.Waiting != nil {
			s.Waiting(w.Wait())
		}
		if err := pause(ctx, w.Wait()); err != nil {
			return api.Summary{}, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
