package sidecar

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// translation is a translation with its sections apart.
type translation struct {
	api.Translation
	Sections []mip.Section `json:"sections"` // with the ids of the English ones
}

// errNoModel is why nothing can be translated.
var errNoModel = errors.New("AI_PROVIDER is not set, and no translation into this language is committed")

// aiTranslate answers POST /api/ai-translate: the title, the description and the chosen sections in the proposal's
// order. A committed translation comes first, marked stale when the English has changed since. Otherwise the model is
// asked, unless it was before.
func (s *Sidecar) aiTranslate(w http.ResponseWriter, r *http.Request) (*response, error) {
	q, err := s.readQuestion(w, r, "", "mipNumber", "locale", "sections")
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	m, err := q.index.Find(q.id)
	if err != nil {
		return nil, err
	}
	p, err := q.index.Translation(ctx, m, q.locale)
	if err != nil {
		return nil, s.logged(q.id, err)
	}
	var t translation
	switch {
	case p != nil:
		t = translation{api.Translation{
			MIPNumber: p.MIPNumber, Locale: p.Locale, Title: p.Title, Description: p.Description,
			GeneratedAt: p.GeneratedAt, ContentHash: p.ContentHash, Source: p.Source, Stale: p.ContentHash != m.ContentHash,
		}, p.Sections}
	case s.AI.Unusable != nil:
		return nil, aiDisabled(s.AI.Unusable)
	case s.AI.Model == nil:
		return nil, aiDisabled(errNoModel)
	default:
		if t, err = s.modelTranslation(ctx, q, m); err != nil {
			return nil, err
		}
		q.sections = nil // it has no others
	}
	chosen, err := ai.Choose(t.Sections, q.sections)
	if err != nil {
		return nil, err
	}
	var markdown strings.Builder
	for _, i := range chosen {
		markdown.WriteString(t.Sections[i].Markdown)
	}
	t.Markdown = markdown.String()
	return s.newResponse(t.Translation, time.Time{}, 0)
}

// modelTranslation asks the model, unless it was asked before. Whatever sections are asked for, a piece of the text is
// asked for once.
func (s *Sidecar) modelTranslation(ctx context.Context, q question, m mip.Summary) (translation, error) {
	key := q.key(m)
	key.maker = s.maker()
	if len(q.sections) > 0 { // positions, so that no id that the proposal does not have gets into a key
		p, err := q.index.Proposal(ctx, m.ID)
		if err != nil {
			return translation{}, s.logged(m.ID, err)
		}
		chosen, err := ai.Choose(p.Sections, q.sections)
		if err != nil {
			return translation{}, err
		}
		if len(chosen) < len(p.Sections) {
			key.sections = fmt.Sprint(chosen)
		}
	}
	return getAnswer(ctx, s, s.translations, key, func(ctx context.Context) (translation, error) {
		p, err := q.index.Proposal(ctx, m.ID)
		if err != nil {
			return translation{}, err
		}
		t, sections, err := ai.Translate(ctx, s.AI.Model, p, q.locale, q.sections, s.keepPieces(key, p.ContentHash))
		if err != nil {
			return translation{}, err
		}
		if t.Source == "" { // nothing in it had to be asked
			t.Source, t.GeneratedAt = s.AI.Name, mip.NewTime(s.Now())
		}
		t.Markdown = "" // it is in the sections
		return translation{t, sections}, nil
	})
}

// keepPieces keeps the pieces of the text with that hash.
func (s *Sidecar) keepPieces(key answerKey, hash string) ai.Keep {
	type ask = func(context.Context) (ai.Passages, error)
	return func(ctx context.Context, piece ai.Piece, ask ask) (ai.Passages, error) {
		key := key
		key.hash, key.sections, key.texts = hash, "", piece.Hash
		check := func(p ai.Passages) bool {
			return len(p.Texts) == piece.Passages && !slices.Contains(p.Texts, "") && p.Source == s.AI.Name
		}
		e, err := s.pieces.Get(ctx, key, func(ctx context.Context) (ai.Passages, error) {
			return shareAnswer(ctx, s, "translation", key, check, func(ctx context.Context) (ai.Passages, error) {
				p, err := ask(ctx)
				p.Made = mip.NewTime(s.Now())
				return p, err
			})
		})
		return e.Value, err
	}
}
