package assist

import (
	"context"
	"fmt"
	"slices"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Summarise has a model write a summary in the language of locale, a BCP 47 tag, and keeps of it what
// the text bears out: a quote that does not stand in its section is dropped, a group without one left
// is said to be missing, and severities are lifted to their floors. The model is asked once. An answer
// that breaks the schema or repeats the question wraps [ErrFailed]; the
// model's own errors come back as they are. There is no half summary.
func Summarise(ctx context.Context, m Model, s Subject, locale string) (api.Summary, error) {
	fail := func(err error) (api.Summary, error) {
		return api.Summary{}, fmt.Errorf("summarise %s: %w", s.Proposal.ID, err)
	}
	if !mip.IsLocale(locale) {
		return fail(fmt.Errorf("%q is no language tag", fit(locale, 40)))
	}
	p, codeWord := prompt(s, locale)
	reply, err := m.Ask(ctx, p)
	if err != nil {
		return fail(err)
	}
	d, err := decode(reply.Text)
	if err != nil {
		return fail(fmt.Errorf("%w: %w", ErrFailed, err))
	}
	sum := api.Summary{
		MIPNumber:     s.Proposal.Number,
		TLDR:          d.tldr,
		WhatsChanging: d.changes,
		Developers:    d.axes[developers],
		Users:         d.axes[users],
		Validators:    d.axes[validators],
		Foundation:    d.axes[foundation],
		GeneratedAt:   mip.NewTime(s.Now),
		ContentHash:   s.Proposal.ContentHash,
		Locale:        locale,
		Source:        reply.Model,
	}
	if slices.ContainsFunc(own(sum), func(text string) bool { return parrots(text, codeWord) }) {
		return fail(fmt.Errorf("%w: it repeats the question", ErrFailed))
	}
	texts := shelve(s)
	for a, x := range axes(&sum) {
		x.Evidence = texts.verified(x.Evidence)
		if len(x.Evidence) == 0 {
			*x = api.Axis{Impact: silent(s, axis(a), locale), Severity: api.Low, Evidence: x.Evidence}
		}
	}
	raise(&sum, s)
	if err := Check(sum, s); err != nil {
		return fail(fmt.Errorf("%w: %w", ErrFailed, err))
	}
	return sum, nil
}
