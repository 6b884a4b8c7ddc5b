package sidecar

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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
	// freshAnswer outlasts any process: an answer is right for as long as its key is used.
	freshAnswer = 100 * 365 * 24 * time.Hour
	// answerBytes bounds the cached summaries, translations and pieces, each, in bytes.
	answerBytes = 64 << 20
	// sharedAnswer is how long an answer stays in Redis. It is bounded, so that texts that nobody
	// reads do not fill a memory that many share.
	sharedAnswer = 30 * 24 * time.Hour
)

// answerKey is everything that determines an answer. The texts are the versions that the catalog
// lists.
type answerKey struct {
	// site is the base address.
	site string
	id   mip.ID
	// kind names the type of the answer in Redis.
	kind string
	// hash is the proposal's contentHash.
	hash string
	// texts is the hash of all texts and of the fork for a summary, and of the passages for a
	// piece.
	texts  [32]byte
	locale string
	// maker is the name of the model with the version of the prompts.
	maker string
	// sections are the positions of the chosen sections of a translation. Empty means all.
	sections string
}

// shared is the key in Redis.
func (k answerKey) shared() string {
	return redis.Key(k.site, k.kind, k.id.String(), k.hash, hex.EncodeToString(k.texts[:]),
		k.locale, k.maker)
}

// modelRequest is one request to the model, on behalf of one HTTP request.
type modelRequest struct {
	*Sidecar
	key answerKey
}

// newModelRequest returns a request about a proposal. Its key has no texts yet.
func (s *Sidecar) newModelRequest(q question, m mip.Metadata, kind string) modelRequest {
	maker := s.AI.Name + " " + ai.PromptVersion
	return modelRequest{s, answerKey{
		site: q.catalog.Site.BaseURL, id: m.ID, kind: kind, hash: m.ContentHash, locale: q.locale,
		maker: maker,
	}}
}

// newAnswerCache makes a cache of answers. In a server an answer that takes too long for its caller
// is finished for the next one.
func newAnswerCache[V any](s *Sidecar, stats *cache.Stats) *cache.Cache[answerKey, V] {
	timeout := timing.BackgroundModel
	if s.Function {
		timeout = timing.Model
	}
	// The size is about the length of the JSON. An answer without JSON counts as empty.
	size := func(v V) int64 {
		text, _ := json.Marshal(v)
		return int64(len(text))
	}
	return cache.New[answerKey](cache.Config[V]{
		Fresh: freshAnswer, Timeout: timeout, Background: !s.Function,
		Bytes: answerBytes, Size: size, Retry: pauseAfter, Now: s.Now, Stats: stats,
	})
}

// getAnswer returns the cached answer for a key, or fetches it. A caller waits for timing.Model at
// most.
func getAnswer[V any](
	ctx context.Context, a modelRequest, c *cache.Cache[answerKey, V],
	fetch func(context.Context) (V, error),
) (V, error) {
	if !a.Function { // in a function the cache itself ends the fetch
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timing.Model)
		defer cancel()
	}
	e, err := c.Get(ctx, a.key, fetch)
	return e.Value, a.withRemaining(err, e.Next)
}

// modelQuestion is a question whose answer is a V, such as [ai.Piece].
type modelQuestion[V any] interface {
	// Ask asks a model.
	Ask(ctx context.Context, m ai.Model) (V, error)
	// Fits reports whether an answer of another process is an answer of the model to this question.
	// It does not compare the answer with the text again.
	Fits(answer V, model string) bool
}

// askModel returns the answer of another process, or asks the model.
func askModel[V any](ctx context.Context, a modelRequest, q modelQuestion[V]) (V, error) {
	answer, ok, err := recall[V](ctx, a)
	if err != nil || ok && q.Fits(answer, a.AI.Name) {
		return answer, err
	}
	model := a.AI.Model
	if a.failures.count(a.key) > 0 {
		model = ai.Again(model)
	}
	answer, err = q.Ask(ctx, model)
	err = a.countFailure(a.key, err)
	a.share(ctx, answer, err)
	return answer, err
}

// recall returns the result of another process: its answer, which the caller checks, or a failure
// that is not over yet.
func recall[V any](ctx context.Context, a modelRequest) (answer V, ok bool, err error) {
	if a.Redis == nil {
		return answer, false, nil
	}
	record, ok := a.Redis.Get(ctx, a.key.shared())
	if !ok {
		return answer, false, nil
	}
	return ai.DecodeRecord[V](record, timing.LongestFailure)
}

// share stores an answer for other processes, or the failure for as long as it lasts. A failure
// does not replace an answer.
func (a modelRequest) share(ctx context.Context, answer any, failure error) {
	if a.Redis == nil {
		return
	}
	ctx = context.WithoutCancel(ctx) // the next caller needs it too
	if failure != nil {
		pause := pauseAfter(failure)
		a.Redis.Add(ctx, a.key.shared(), ai.EncodeFailure(failure, pause), pause)
		return
	}
	a.Redis.Set(ctx, a.key.shared(), ai.EncodeRecord(answer), sharedAnswer)
}

// logged logs an error and returns it. It logs neither an exhausted budget nor a canceled request.
func (s *Sidecar) logged(id mip.ID, err error) error {
	if err != nil && httpError(err).Code != api.RateLimited && !errors.Is(err, context.Canceled) {
		s.Log.Warn("no answer", "proposal", id, "error", err.Error())
	}
	return err
}

// aiDisabled is the error if no model is configured, or the configured one cannot be used.
func aiDisabled(why error) *api.HTTPError {
	detail := "This site has no language model for that: " +
		strings.ReplaceAll(why.Error(), "\n", "; ") + "."
	return &api.HTTPError{Code: api.AIDisabled, Detail: detail,
		Err: fmt.Errorf("no model: %w", why)}
}
