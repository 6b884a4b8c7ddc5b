package forum

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/fetch"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// fetch asks for a topic by its number.
func (f *Forum) fetch(ctx context.Context, l *client, topic int, spend func() error) (api.ForumActivity, error) {
	return f.ask(ctx, l, "/t/"+strconv.Itoa(topic)+".json", spend, func(body []byte) (api.ForumActivity, error) {
		a, err := decode(body, f.base, f.now())
		if err == nil && a.TopicID != topic {
			err = fmt.Errorf("topic %d is not the one asked for", a.TopicID)
		}
		return a, err
	})
}

// ask asks for a topic. What is not there for everybody is [ErrNotFound].
func (f *Forum) ask(ctx context.Context, l *client, path string, spend func() error, read func([]byte) (api.ForumActivity, error)) (api.ForumActivity, error) {
	release, err := l.acquire(ctx)
	if err != nil {
		return api.ForumActivity{}, err
	}
	defer release()
	var a api.ForumActivity
	var missing bool
	_, err = l.host.Do(ctx, fetch.Request{
		Path: path, Spend: spend, Header: http.Header{"Accept": {"application/json"}},
		Accept: func(r *fetch.Response) (err error) {
			switch {
			case r.Status == http.StatusNotFound, r.Status == http.StatusGone, r.Status == http.StatusForbidden && isObject(r.Body):
				missing = true
				return nil
			case r.Status != http.StatusOK: // a 403 that is a page is a challenge to browsers
				return errors.New("no topic")
			}
			a, err = read(r.Body)
			if errors.Is(err, ErrNotFound) {
				missing = true
				return nil
			}
			return err
		},
	})
	if missing {
		return api.ForumActivity{}, ErrNotFound
	}
	if err != nil {
		f.keepWait(err)
		f.logFailure(ctx, path, err)
		return api.ForumActivity{}, err
	}
	return a, nil
}

// acquire waits for its turn. release ends it.
func (l *client) acquire(ctx context.Context) (release func(), err error) {
	taken := 0
	release = func() {
		for _, s := range l.semaphores[:taken] {
			<-s
		}
	}
	for _, s := range l.semaphores {
		select {
		case s <- struct{}{}:
			taken++
		case <-ctx.Done():
			release()
			return nil, fmt.Errorf("wait for a call to the forum: %w", ctx.Err())
		}
	}
	return release, nil
}

// keepWait pauses both clients for as long as a 429 says, and notes it in the error.
func (f *Forum) keepWait(err error) {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Status != http.StatusTooManyRequests {
		return
	}
	if e.RetryAfter == 0 {
		e.RetryAfter = waitIn(e.Body)
	}
	if e.RetryAfter == 0 {
		e.RetryAfter = timing.FailedTopic
	}
	f.linked.host.Pause(e.RetryAfter)
	f.other.host.Pause(e.RetryAfter)
}

var retryAgain = regexp.MustCompile(`(?i)retry again in (\d{1,9}) seconds?`)

// waitIn finds the wait in the body of a 429: a JSON object of the application, in any language, or
// the text of its middleware. It is at most 10 min, and 0 when there is none.
func waitIn(body []byte) time.Duration {
	var answer struct {
		Extras struct {
			WaitSeconds float64 `json:"wait_seconds"`
		} `json:"extras"`
	}
	seconds := 0.0
	if json.Unmarshal(body, &answer) == nil {
		seconds = answer.Extras.WaitSeconds
	} else if m := retryAgain.FindSubmatch(body); m != nil {
		seconds, _ = strconv.ParseFloat(string(m[1]), 64) // nine digits
	}
	return time.Duration(math.Ceil(min(max(seconds, 0), timing.LongestPause.Seconds()))) * time.Second
}

// isObject reports whether a body is a JSON object.
func isObject(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) && json.Valid(body)
}

// logFailure logs a failure of the forum's, one line for each call that went out. Refusals of our own are
// too many and say nothing new.
func (f *Forum) logFailure(ctx context.Context, path string, err error) {
	if _, ok := errors.AsType[*fetch.Error](err); !ok || notSent(err) {
		return
	}
	f.log.LogAttrs(ctx, slog.LevelWarn, "forum", slog.String("path", path), slog.String("error", err.Error()))
}

const (
	budgetCalls  = 20
	budgetWindow = time.Minute
)

// budget lets 20 calls go out in any minute. It is a log of calls, not a bucket: a bucket lets twice
// as many out around the turn of a minute. The zero value is full.
type budget struct {
	mu       sync.Mutex
	reserved int         // calls that may go out but have not yet
	spent    []time.Time // calls of the last minute by the wall clock, oldest first
}

// reservation is the right to one call. It belongs to one fetch and is not safe for concurrent use.
type reservation struct {
	b    *budget
	used bool
}

// reserve reserves a call. The caller releases it.
func (b *budget) reserve(now time.Time) (*reservation, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.full(now.Round(0)); err != nil {
		return nil, err
	}
	b.reserved++
	return &reservation{b: b}, nil
}

// spend notes a call that goes out now: the reserved one, and from the second on one more each.
func (p *reservation) spend(now time.Time) error {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	now = now.Round(0)
	if p.used {
		if err := p.b.full(now); err != nil {
			return err
		}
	} else {
		p.used = true
		p.b.reserved--
	}
	p.b.spent = append(p.b.spent, now)
	return nil
}

// release ends the reservation. A call that never went out is another one's.
func (p *reservation) release() {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if !p.used {
		p.used = true
		p.b.reserved--
	}
}

// full forgets calls older than a minute and says when there is room if there is none.
func (b *budget) full(now time.Time) error {
	kept := b.spent[:0]
	for _, at := range b.spent {
		if at.After(now) {
			at = now // the clock was set back: that call was made at the latest now
		}
		if now.Sub(at) <= budgetWindow {
			kept = append(kept, at)
		}
	}
	b.spent = kept
	if b.reserved+len(b.spent) < budgetCalls {
		return nil
	}
	wait := time.Second // a reservation may come back at any time
	if len(b.spent) > 0 {
		wait = min(budgetWindow, (budgetWindow - now.Sub(b.spent[0]) + time.Second).Truncate(time.Second))
	}
	return busy(max(wait, time.Second))
}
