package sidecar

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// errNoModel is why nothing can be translated.
var errNoModel = errors.New("AI_PROVIDER is not set, and no translation into this language is committed")

// translation returns a proposal in another language, which is one of the site's: its title, its description and the
// sections with the given ids (none: all) in the proposal's order. A committed translation comes first, marked stale
// when the English has changed since. Otherwise the model is asked, unless it was before.
func (a *aiAnswers) translation(
	ctx context.Context, x *index.Index, id mip.ID, locale string, ids []string,
) (api.Translation, error) {
	m, err := x.Find(id)
	if err != nil {
		return api.Translation{}, err
	}
	p, err := x.Translation(ctx, m, locale)
	if err != nil {
		return api.Translation{}, a.logged(id, err)
	}
	if p != nil {
		// The sections have the ids of the English ones.
		chosen, err := ai.Choose(p.Sections, ids)
		if err != nil {
			return api.Translation{}, err
		}
		var markdown strings.Builder
		for _, i := range chosen {
			markdown.WriteString(p.Sections[i].Markdown)
		}
		return api.Translation{
			MIPNumber: p.MIPNumber, Locale: p.Locale, Title: p.Title, Description: p.Description, Markdown: markdown.String(),
			GeneratedAt: p.GeneratedAt, ContentHash: p.ContentHash, Source: p.Source, Stale: p.ContentHash != m.ContentHash,
		}, nil
	}
	switch {
	case a.Unusable != nil:
		return api.Translation{}, aiDisabled(a.Unusable)
	case a.Model == nil:
		return api.Translation{}, aiDisabled(errNoModel)
	}
	return a.modelTranslation(ctx, x, m, locale, ids)
}

// modelTranslation asks the model, unless it was asked before. Whatever sections are asked for, a piece of the text is
// asked for once.
func (a *aiAnswers) modelTranslation(
	ctx context.Context, x *index.Index, m mip.Summary, locale string, ids []string,
) (api.Translation, error) {
	key := answerKey{site: x.Site.BaseURL, id: m.ID, hash: m.ContentHash, locale: locale, maker: a.maker()}
	if len(ids) > 0 { // positions, so that no id that the proposal does not have gets into a key
		p, err := x.Proposal(ctx, m.ID)
		if err != nil {
			return api.Translation{}, a.logged(m.ID, err)
		}
		chosen, err := ai.Choose(p.Sections, ids)
		if err != nil {
			return api.Translation{}, err
		}
		if len(chosen) < len(p.Sections) {
			key.sections = fmt.Sprint(chosen)
		}
	}
	return getAnswer(ctx, a, a.translations, key, func(ctx context.Context) (api.Translation, error) {
		p, err := x.Proposal(ctx, m.ID)
		if err != nil {
			return api.Translation{}, err
		}
		t, err := ai.Translate(ctx, a.Model, p, locale, ids, a.keepPieces(key, p.ContentHash))
		if err == nil && t.Source == "" { // nothing in it had to be asked
			t.Source, t.GeneratedAt = a.Name, mip.NewTime(a.now())
		}
		return t, err
	})
}

// keepPieces keeps the pieces of the text with that hash.
func (a *aiAnswers) keepPieces(key answerKey, hash string) ai.Keep {
	type ask = func(context.Context) (ai.Passages, error)
	return func(ctx context.Context, piece ai.Piece, ask ask) (ai.Passages, error) {
		key := key
		key.hash, key.sections, key.texts = hash, "", piece.Hash
		check := func(p ai.Passages) bool {
			return len(p.Texts) == piece.Passages && !slices.Contains(p.Texts, "") && p.Source == a.Name
		}
		e, err := a.pieces.Get(ctx, key, func(ctx context.Context) (ai.Passages, error) {
			return shareAnswer(ctx, a.redis, "translation", key, check, func(ctx context.Context) (ai.Passages, error) {
				p, err := ask(ctx)
				p.Made = mip.NewTime(a.now())
				return p, err
			})
		})
		return e.Value, err
	}
}
