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
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/timing"
	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// fetch asks for a topic by its number.
func (f *Forum) fetch(ctx context.Context, l *lane, topic int, spend func() error) (api.ForumActivity, error) {
	return f.ask(ctx, l, "/t/"+strconv.Itoa(topic)+".json", spend, func(body []byte) (api.ForumActivity, error) {
		a, err := decode(body, f.base, f.now())
		if err == nil && a.TopicID != topic {
			err = fmt.Errorf("topic %d is not the one asked for", a.TopicID)
		}
		return a, err
	})
}

// ask asks for a topic. What is not there for everybody is [ErrNotFound].
func (f *Forum) ask(ctx context.Context, l *lane, path string, spend func() error, read func([]byte) (api.ForumActivity, error)) (api.ForumActivity, error) {
	leave, err := l.enter(ctx)
	if err != nil {
		return api.ForumActivity{}, err
	}
	defer leave()
	var a api.ForumActivity
	var missing bool
	_, err = l.host.Do(ctx, upstream.Request{
		Path: path, Spend: spend, Header: http.Header{"Accept": {"application/json"}},
		Accept: func(r *upstream.Response) (err error) {
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
		f.tell(ctx, path, err)
		return api.ForumActivity{}, err
	}
	return a, nil
}

// enter waits for a slot; leave gives it back.
func (l *lane) enter(ctx context.Context) (leave func(), err error) {
	taken := 0
	leave = func() {
		for _, s := range l.slots[:taken] {
			<-s
		}
	}
	for _, s := range l.slots {
		select {
		case s <- struct{}{}:
			taken++
		case <-ctx.Done():
			leave()
			return nil, fmt.Errorf("wait for a call to the forum: %w", ctx.Err())
		}
	}
	return leave, nil
}

// keepWait pauses both lanes for as long as a 429 says, and notes it in the error.
func (f *Forum) keepWait(err error) {
	e, ok := errors.AsType[*upstream.Error](err)
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

// tell logs a failure of the forum's, one line for each call that went out. Refusals of our own are
// too many and say nothing new.
func (f *Forum) tell(ctx context.Context, path string, err error) {
	if _, ok := errors.AsType[*upstream.Error](err); !ok || unasked(err) {
		return
	}
	f.log.LogAttrs(ctx, slog.LevelWarn, "forum", slog.String("path", path), slog.String("error", err.Error()))
}
