package knowledge

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	summaryLimit = mebibyte
	// translationLimit is as for a proposal: its source is bounded alike.
	translationLimit = proposalLimit
)

// Summary reads the committed summary of a proposal. One that is not published is [fs.ErrNotExist]. It
// may be of an older text (Stale); the caller compares its ContentHash with the text that it knows. What
// was read is remembered for a minute and shared: lists in it must not be changed.
func (s *Source) Summary(ctx context.Context, id mip.ID) (*api.Summary, error) {
	if id.Number < 0 {
		return nil, fmt.Errorf("summary of %s: %w", id, fs.ErrNotExist)
	}
	d := document{documentOf(id) + "/summary", summaryLimit}
	return s.summaries.read(ctx, d, s.builds.Load(), func(sum *api.Summary) error {
		if sum.MIPNumber != id.Number || sum.Locale != "en" || !mip.IsContentHash(sum.ContentHash) {
			return fmt.Errorf("check %s: it holds a summary of proposal %d in %q with contentHash %q, want %d in en and the hash of a text", s.place.name(d), sum.MIPNumber, sum.Locale, sum.ContentHash, id.Number)
		}
		if sum.WhatsChanging == nil || hasNullEvidence(sum) {
			return fmt.Errorf("check %s: it has null where a list belongs", s.place.name(d))
		}
		return nil
	})
}

func hasNullEvidence(sum *api.Summary) bool {
	return sum.Developers.Evidence == nil || sum.Users.Evidence == nil || sum.Validators.Evidence == nil || sum.Foundation.Evidence == nil
}

// Translation reads the committed translation of a proposal into the language of a tag, spelt as the site
// spells it. One that is not published is [fs.ErrNotExist], and so is every locale that is no tag. What
// was read is remembered for a minute and shared: lists in it must not be changed.
func (s *Source) Translation(ctx context.Context, id mip.ID, locale string) (*api.PublishedTranslation, error) {
	if id.Number < 0 || !mip.IsLocale(locale) {
		return nil, fmt.Errorf("translation of %s: %w", id, fs.ErrNotExist)
	}
	d := document{documentOf(id) + "/translations/" + locale, translationLimit}
	return s.translations.read(ctx, d, s.builds.Load(), func(t *api.PublishedTranslation) error {
		if t.MIPNumber != id.Number || t.Locale != locale || !mip.IsContentHash(t.ContentHash) {
			return fmt.Errorf("check %s: it holds proposal %d in %q with contentHash %q, want %d in %s and the hash of a text", s.place.name(d), t.MIPNumber, t.Locale, t.ContentHash, id.Number, locale)
		}
		if t.Sections == nil {
			return fmt.Errorf("check %s: it has null where a list belongs", s.place.name(d))
		}
		return nil
	})
}

// newSource is a site at a place. published says that the place holds only what everyone may read.
func newSource(p place, published bool) *Source {
	return &Source{
		place: p, published: published,
		proposals: newRecall[mip.Proposal](p), summaries: newRecall[api.Summary](p), translations: newRecall[api.PublishedTranslation](p),
	}
}
