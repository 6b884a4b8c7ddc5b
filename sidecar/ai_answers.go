package sidecar

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/redis"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

const (
	// freshAnswer is longer than any process: an answer stays right as long as its key is asked for.
	freshAnswer = 100 * 365 * 24 * time.Hour
	// sharedAnswer is how long other processes find an answer. A text that nobody asks about should not fill a memory
	// that many share.
	sharedAnswer = 30 * 24 * time.Hour
	// answerBytes bounds what is kept of summaries, of translations and of their pieces, each.
	answerBytes = 64 << 20
	// askAgain is when to ask again for an answer that is being made.
	askAgain = 5 * time.Second
)

// aiAnswers finds summaries and translations, each in the first place that has it: the committed files, the cache,
// another process, the model, and for summaries the rules of internal/ai/summary. It is safe for concurrent use: equal
// questions at one time are one.
type aiAnswers struct {
	ai.Configured
	// detached lets an answer that takes too long for its caller be finished for the next one.
	detached     bool
	redis        *redis.Store // nil for a process that is alone
	log          *slog.Logger
	now          func() time.Time
	summaries    *cache.Cache[answerKey, api.Summary]
	translations *cache.Cache[answerKey, api.Translation] // put together of pieces, as they were asked for
	pieces       *cache.Cache[answerKey, ai.Passages]
}

// answerKey is all that an answer follows from. The texts are those of the moment at which they were listed.
type answerKey struct {
	site     string // base address of the site
	id       mip.ID
	hash     string   // the proposal's contentHash
	texts    [32]byte // hash of all texts and of the fork for a summary, of the passages for a piece
	locale   string
	maker    string // the model with the version of the rules, or summary.Extractive
	sections string // their positions, for a translation of some
}

func newAIAnswers(c Config, counts *counts) *aiAnswers {
	a := &aiAnswers{Configured: c.AI, detached: !c.Function, redis: c.Redis, log: c.Log, now: c.Now}
	a.summaries = newAnswerCache[api.Summary](a, &counts.summaries)
	a.translations = newAnswerCache[api.Translation](a, &counts.translations)
	a.pieces = newAnswerCache[ai.Passages](a, nil)
	return a
}

func newAnswerCache[V any](a *aiAnswers, stats *cache.Stats) *cache.Cache[answerKey, V] {
	timeout := timing.Model
	if a.detached {
		timeout = timing.DetachedModel
	}
	size := func(v V) int64 {
		text, _ := json.Marshal(v) // an answer without JSON counts as empty
		return int64(len(text))
	}
	return cache.New[answerKey](cache.Config[V]{
		Fresh: freshAnswer, Timeout: timeout, Detached: a.detached,
		Bytes: answerBytes, Size: size, Retry: pauseAfter, Now: a.now, Stats: stats,
	})
}

// close ends every question to the model and waits until all have ended.
func (a *aiAnswers) close() {
	a.summaries.Close()
	a.translations.Close()
	a.pieces.Close()
}

// maker is the model and the rules that its answers are held to.
func (a *aiAnswers) maker() string { return a.Name + " " + ai.PromptVersion }

// getAnswer returns what is cached for a key, or makes it. A caller waits for timing.Model at the most.
func getAnswer[V any](
	ctx context.Context, a *aiAnswers, c *cache.Cache[answerKey, V], key answerKey, fetch func(context.Context) (V, error),
) (V, error) {
	if a.detached { // the cache itself bounds other answers
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timing.Model)
		defer cancel()
	}
	e, err := c.Get(ctx, key, func(ctx context.Context) (V, error) {
		v, err := fetch(ctx)
		return v, a.logged(key.id, err)
	})
	if _, ok := errors.AsType[*api.HTTPError](err); !ok && httpError(err).Code == api.UpstreamTimeout {
		late := *httpError(err)
		late.RetryAfter, late.Err = askAgain, err
		err = &late
	}
	return e.Value, err
}

// logged writes an error to the log and returns it. It leaves out that a budget is used up, and that a caller left.
func (a *aiAnswers) logged(id mip.ID, err error) error {
	if err != nil && httpError(err).Code != api.RateLimited && !errors.Is(err, context.Canceled) {
		a.log.Warn("no answer", "proposal", id, "error", err.Error())
	}
	return err
}

// pauseAfter is how long a failure stands before the same is asked again. A budget answers by itself.
func pauseAfter(err error) time.Duration {
	const least = 5 * time.Second // what fails is likely to fail again, and costs each time
	switch e := httpError(err); e.Code {
	case api.AIFailed, api.UpstreamTimeout, api.UpstreamUnavailable:
		return min(max(e.RetryAfter, least), timing.LongestPause)
	}
	return 0
}

// shareAnswer calls fetch, unless another process has its answer or is about to have it. The kind names the type V
// among the records of a site. check reports whether a value of another process is an answer to the question.
func shareAnswer[V any](
	ctx context.Context, s *redis.Store, kind string, k answerKey,
	check func(V) bool, fetch func(context.Context) (V, error),
) (v V, err error) {
	if s == nil {
		return fetch(ctx)
	}
	name := cache.Name(k.site, kind, k.id.String(), k.hash, hex.EncodeToString(k.texts[:]), k.locale, k.maker)
	ended := s.Once(ctx, name, func(record []byte) (ok bool) {
		v, ok, err = ai.DecodeRecord(record, timing.LongestPause, check)
		return ok
	}, func(ctx context.Context) ([]byte, time.Duration) {
		v, err = fetch(ctx)
		if err != nil {
			pause := pauseAfter(err)
			return ai.EncodeFailure(err, pause), pause
		}
		return ai.EncodeRecord(v), sharedAnswer
	})
	if ended != nil {
		err = ended
	}
	return v, err
}

// aiDisabled says that no model can be asked, because none is configured or the one that is cannot be used.
func aiDisabled(why error) *api.HTTPError {
	detail := "This site has no language model for that: " + strings.ReplaceAll(why.Error(), "\n", "; ") + "."
	return &api.HTTPError{Code: api.AIDisabled, Detail: detail, Err: fmt.Errorf("no model: %w", why)}
}
