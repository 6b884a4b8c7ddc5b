package sidecar

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/sidecar/redis"
	"github.com/mipwatch/mipwatch/sidecar/timing"
)

// sharedAnswer is how long other processes find an answer. A text that nobody asks about should not fill a memory that
// many share.
const sharedAnswer = 30 * 24 * time.Hour

// shared is the key's name among the records of all processes. The kind names the type of the answer.
func (k answerKey) shared(kind string) string {
	return redis.Key(k.site, kind, k.id.String(), k.hash, hex.EncodeToString(k.texts[:]), k.locale, k.maker)
}

// recall returns what another process was answered: its answer, which the caller checks, or the failure that stands.
func recall[V any](ctx context.Context, s *Sidecar, name string) (v V, ok bool, err error) {
	if s.Redis == nil {
		return v, false, nil
	}
	record, ok := s.Redis.Get(ctx, name)
	if !ok {
		return v, false, nil
	}
	return ai.DecodeRecord[V](record, timing.LongestFailure)
}

// share lets other processes recall an answer, or the failure to get one while that stands. Where another process has
// an answer, a failure does not replace it.
func (s *Sidecar) share(ctx context.Context, name string, answer any, failure error) {
	if s.Redis == nil {
		return
	}
	ctx = context.WithoutCancel(ctx) // the next caller needs it too
	if failure != nil {
		pause := pauseAfter(failure)
		s.Redis.Add(ctx, name, ai.EncodeFailure(failure, pause), pause)
		return
	}
	s.Redis.Set(ctx, name, ai.EncodeRecord(answer), sharedAnswer)
}
