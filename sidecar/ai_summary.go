package sidecar

import (
	"context"

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
func (a *aiAnswers) summary(ctx context.Context, x *index.Index, id mip.ID, locale string) (api.Summary, error) {
	m, err := x.Find(id)
	if err != nil {
		return api.Summary{}, err
	}
	var older *api.Summary
	if locale == english {
		if older, err = x.Summary(ctx, m); err != nil {
			return api.Summary{}, a.logged(id, err)
		}
	}
	if older != nil && !older.Stale {
		return *older, nil
	}
	s := a.summaryOf(x, m)
	var failed *api.HTTPError
	switch {
	case a.Unusable != nil:
		failed = aiDisabled(a.Unusable)
	case a.Model != nil:
		sum, err := a.modelSummary(ctx, s, locale)
		if err == nil {
			return sum, nil
		}
		if failed = httpError(err); failed.Code == api.Internal || failed.Code == api.NotFound {
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

// modelSummary asks the model, unless it was asked before.
func (a *aiAnswers) modelSummary(ctx context.Context, s summarised, locale string) (api.Summary, error) {
	key := s.key(locale, a.maker())
	check := func(sum api.Summary) bool { // its quotes are not compared with the text again
		return sum.MIPNumber == key.id.Number && sum.ContentHash == key.hash && sum.Locale == locale &&
			sum.Source == a.Name && !sum.Stale && sum.Fallback == nil && summary.CheckForm(sum) == nil
	}
	return getAnswer(ctx, a, a.summaries, key, func(ctx context.Context) (api.Summary, error) {
		return shareAnswer(ctx, a.redis, "summary", key, check, func(ctx context.Context) (api.Summary, error) {
			read, err := s.Read(ctx)
			if err != nil {
				return api.Summary{}, err
			}
			return ai.Summarise(ctx, a.Model, read, locale)
		})
	})
}

// extractedSummary makes a summary by rules, unless it was made before. It is made faster than another process is
// asked for it.
func (a *aiAnswers) extractedSummary(ctx context.Context, s summarised) (api.Summary, error) {
	return getAnswer(ctx, a, a.summaries, s.key(english, summary.Extractive), func(ctx context.Context) (api.Summary, error) {
		read, err := s.Read(ctx)
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

// summarised is a subject with the key of its summaries, but for their language and maker.
type summarised struct {
	index.Subject
	about answerKey
}

func (a *aiAnswers) summaryOf(x *index.Index, m mip.Summary) summarised {
	s := x.Subject(m, a.now())
	return summarised{s, answerKey{site: x.Site.BaseURL, id: m.ID, hash: m.ContentHash, texts: s.Hash()}}
}

func (s summarised) key(locale, maker string) answerKey {
	key := s.about
	key.locale, key.maker = locale, maker
	return key
}
