package sidecar

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// english is the language of proposals, of committed summaries, and of those that rules make.
const english = "en"

// summary returns the summary of a proposal in the language of locale, which is one of the site's or English. It is the
// first of these that there is:
//
//   - the committed summary of the present text;
//   - the model's, made now or earlier;
//   - the committed summary of an older text, marked stale;
//   - what rules take from the text, when there is no model or its budget is used up.
//
// A summary that is not what was asked for has the reason in its Fallback. A failure of the model is an error unless
// there is a committed summary of an older text: rules are no stand-in for a model that an operator pays for.
func (a *aiAnswers) summary(ctx context.Context, k *index.Index, id mip.ID, locale string) (api.Summary, error) {
	m, err := listed(k, id)
	if err != nil {
		return api.Summary{}, err
	}
	older, err := a.committedSummary(ctx, k, m, locale)
	if err != nil {
		return api.Summary{}, err
	}
	if older != nil && !older.Stale {
		return *older, nil
	}
	s := newSubject(k, m, a.now())
	var failed *api.HTTPError
	switch {
	case a.Unusable != nil:
		failed = aiDisabled(a.Unusable)
	case a.Model != nil:
		sum, err := a.modelSummary(ctx, s, locale)
		if err == nil {
			return sum, nil
		}
		if !errors.As(err, &failed) || failed.Code == api.Internal || failed.Code == api.NotFound {
			return api.Summary{}, err
		}
	}
	switch {
	case older != nil && failed != nil:
		return standIn(*older, failed), nil
	case older != nil:
		return *older, nil
	case failed == nil && locale == english:
		return a.extractedSummary(ctx, s)
	case failed == nil:
		failed = &api.HTTPError{Code: api.AIDisabled, Detail: "Without a language model there are summaries in English only."}
	case failed.Code != api.RateLimited:
		return api.Summary{}, failed
	}
	sum, err := a.extractedSummary(ctx, s)
	return standIn(sum, failed), err
}

// committedSummary is the summary that the site publishes, nil when there is none in that language. It is marked
// stale when it is of another text than the listed one.
func (a *aiAnswers) committedSummary(ctx context.Context, k *index.Index, m mip.Summary, locale string) (*api.Summary, error) {
	if locale != english || k.Source == nil {
		return nil, nil
	}
	published, err := k.Source.Summary(ctx, m.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, a.logged(m.ID, siteError(err))
	}
	sum := *published
	sum.Stale = sum.ContentHash != m.ContentHash
	return &sum, nil
}

// modelSummary asks the model, unless it was asked before.
func (a *aiAnswers) modelSummary(ctx context.Context, s subject, locale string) (api.Summary, error) {
	key := s.key(locale, a.maker())
	check := func(sum api.Summary) bool { // its quotes are not compared with the text again
		return sum.MIPNumber == key.id.Number && sum.ContentHash == key.hash && sum.Locale == locale &&
			sum.Source == a.Name && !sum.Stale && sum.Fallback == nil && summary.CheckForm(sum) == nil
	}
	return getAnswer(ctx, a, a.summaries, key, func(ctx context.Context) (api.Summary, error) {
		return shareAnswer(ctx, a.redis, "summary", key, check, func(ctx context.Context) (api.Summary, error) {
			read, err := s.read(ctx)
			if err != nil {
				return api.Summary{}, err
			}
			return ai.Summarise(ctx, a.Model, read, locale)
		})
	})
}

// extractedSummary makes a summary by rules, unless it was made before. It is made faster than another process is
// asked for it.
func (a *aiAnswers) extractedSummary(ctx context.Context, s subject) (api.Summary, error) {
	return getAnswer(ctx, a, a.summaries, s.key(english, summary.Extractive), func(ctx context.Context) (api.Summary, error) {
		read, err := s.read(ctx)
		if err != nil {
			return api.Summary{}, err
		}
		return summary.Extract(read), nil
	})
}

// standIn is a summary with the reason why it is not the one that was asked for.
func standIn(sum api.Summary, why *api.HTTPError) api.Summary {
	sum.Fallback = &api.Fallback{Code: why.Code, Detail: why.Detail}
	if why.RetryAfter > 0 {
		sum.Fallback.RetryAfter = new(api.Seconds(why.RetryAfter))
	}
	return sum
}

// subject is a proposal with what its summary follows from, before the texts are read.
type subject struct {
	known   *index.Index
	listed  mip.Summary
	fork    *mip.HardFork // with its status now
	bundled []mip.Summary // when the proposal is the fork's meta proposal: what the fork bundles and the site publishes
	now     time.Time
}

func newSubject(k *index.Index, m mip.Summary, now time.Time) subject {
	s := subject{known: k, listed: m, now: now}
	s.fork, s.bundled = summary.Context(m, k.List.MIPs, k.HardForks)
	if s.fork != nil {
		fork := *s.fork
		fork.Status = fork.StatusAt(k.Site.Networks, func(string) time.Time { return now })
		s.fork = &fork
	}
	return s
}

func (s subject) key(locale, maker string) answerKey {
	return answerKey{
		site: s.known.Site.BaseURL, id: s.listed.ID, hash: s.listed.ContentHash, texts: s.hash(), locale: locale, maker: maker,
	}
}

// hash is of all that the summary follows from.
func (s subject) hash() [32]byte {
	var b strings.Builder
	b.WriteString(s.listed.ContentHash)
	for _, m := range s.bundled {
		fmt.Fprintf(&b, " %d:%s", m.Number, m.ContentHash)
	}
	if s.fork != nil {
		fmt.Fprintf(&b, " %q %q", s.fork.Name, s.fork.Status)
	}
	return sha256.Sum256([]byte(b.String()))
}

// read reads the texts, side by side.
func (s subject) read(ctx context.Context) (summary.Subject, error) {
	all := make([]*mip.Proposal, 1+len(s.bundled))
	readers, ctx := errgroup.WithContext(ctx)
	for i, m := range append([]mip.Summary{s.listed}, s.bundled...) {
		readers.Go(func() (err error) {
			all[i], err = readProposal(ctx, s.known, m.ID)
			return err
		})
	}
	if err := readers.Wait(); err != nil {
		return summary.Subject{}, err
	}
	return summary.Subject{Proposal: all[0], Bundled: all[1:], Fork: s.fork, Now: s.now}, nil
}
