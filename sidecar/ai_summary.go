package sidecar

import (
	"context"
	"net/http"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// aiSummary answers POST /api/ai-summary with the first of these that exists:
//
//   - the committed summary of the current text;
//   - the model's, made now or earlier;
//   - the site's own summary: the committed one of an older text, marked stale, else the one by
//     rules.
//
// The site's own summary has a Fallback, which gives the reason why the model's is missing, unless
// no model is configured.
func (s *Sidecar) aiSummary(w http.ResponseWriter, r *http.Request) (*response, error) {
	// Summaries in English need no model, so English is a locale of every site here.
	q, err := s.readQuestion(w, r, api.English)
	if err != nil {
		return nil, err
	}
	sum, failed, err := s.bestSummary(r.Context(), q)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		sum.Fallback = &api.Fallback{Code: failed.Code, Detail: failed.Detail}
		if failed.RetryAfter > 0 {
			sum.Fallback.RetryAfter = new(api.Seconds(failed.RetryAfter))
		}
	}
	return s.newResponse(sum, time.Time{}, 0)
}

// bestSummary returns a summary. failed is the reason why it is not the requested one, or nil.
func (s *Sidecar) bestSummary(
	ctx context.Context, q question,
) (sum api.Summary, failed *api.HTTPError, err error) {
	m, err := q.catalog.Find(q.id)
	if err != nil {
		return sum, nil, err
	}
	published, err := q.catalog.Summary(ctx, m)
	if err != nil {
		return sum, nil, s.logged(q.id, err)
	}
	committed := published != nil && published.Committed && q.locale == api.English
	if committed && !published.Stale {
		return *published, nil, nil
	}
	switch {
	case s.AI.Unusable != nil:
		failed = aiDisabled(s.AI.Unusable)
	case s.AI.Model != nil:
		subject := q.catalog.Subject(m, s.Now())
		a := s.newModelRequest(q, m, "summary")
		a.key.texts = subject.Hash()
		if sum, err = a.modelSummary(ctx, subject); err == nil {
			return sum, nil, nil
		}
		if failed = httpError(err); failed.Code == api.Internal || failed.Code == api.NotFound {
			return sum, nil, err
		}
	case q.locale != api.English:
		const detail = "Without a language model there are summaries in English only."
		failed = &api.HTTPError{Code: api.AIDisabled, Detail: detail}
	}
	switch {
	case published != nil:
		return *published, failed, nil
	case failed != nil:
		return sum, nil, failed
	}
	return sum, nil, &api.HTTPError{Code: api.NotFound,
		Detail: "The site has published no summary of this proposal."}
}

// modelSummary asks the model unless the answer is cached.
func (a modelRequest) modelSummary(
	ctx context.Context, subject catalog.Subject,
) (api.Summary, error) {
	return getAnswer(ctx, a, a.summaries, func(ctx context.Context) (api.Summary, error) {
		sum, err := askModel(ctx, a, summaryQuestion{a.key, subject})
		return sum, a.logged(a.key.id, err)
	})
}

// summaryQuestion asks for the summary of a key.
type summaryQuestion struct {
	key     answerKey
	subject catalog.Subject
}

// Ask implements [modelQuestion].
func (q summaryQuestion) Ask(ctx context.Context, m ai.Model) (api.Summary, error) {
	read, err := q.subject.Read(ctx)
	if err != nil {
		return api.Summary{}, err
	}
	return ai.Summarise(ctx, m, read, q.key.locale)
}

// Fits implements [modelQuestion].
func (q summaryQuestion) Fits(sum api.Summary, model string) bool {
	return sum.MIPNumber == q.key.id.Number && sum.ContentHash == q.key.hash &&
		sum.Locale == q.key.locale && sum.Source == model && !sum.Stale && !sum.Committed &&
		sum.Fallback == nil && summary.CheckForm(sum) == nil
}
